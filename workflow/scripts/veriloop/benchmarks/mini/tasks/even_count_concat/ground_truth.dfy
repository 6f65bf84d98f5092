// Proves that counting the even numbers of a sequence distributes over concatenation.
function CountEven(s: seq<int>): int
{
  if |s| == 0 then 0
  else (if s[0] % 2 == 0 then 1 else 0) + CountEven(s[1..])
}

lemma CountEvenConcat(a: seq<int>, b: seq<int>)
  ensures CountEven(a + b) == CountEven(a) + CountEven(b)
  decreases |a|
{
  if |a| == 0 {
    assert a + b == b;
  } else {
    CountEvenConcat(a[1..], b);
    assert |a + b| > 0;
    assert (a + b)[0] == a[0];
    assert (a + b)[1..] == a[1..] + b;
  }
}
