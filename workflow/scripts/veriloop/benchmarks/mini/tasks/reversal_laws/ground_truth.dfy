// Proves how reversal and summation of sequences behave under concatenation.
function Rev(s: seq<int>): seq<int>
{
  if |s| == 0 then [] else Rev(s[1..]) + [s[0]]
}

function Sum(s: seq<int>): int
{
  if |s| == 0 then 0 else s[0] + Sum(s[1..])
}

lemma SumConcat(a: seq<int>, b: seq<int>)
  ensures Sum(a + b) == Sum(a) + Sum(b)
  decreases |a|
{
  if |a| == 0 {
    assert a + b == b;
  } else {
    SumConcat(a[1..], b);
    assert (a + b)[0] == a[0];
    assert (a + b)[1..] == a[1..] + b;
  }
}

lemma RevConcat(a: seq<int>, b: seq<int>)
  ensures Rev(a + b) == Rev(b) + Rev(a)
  decreases |a|
{
  if |a| == 0 {
    assert a + b == b;
    assert Rev(a) == [];
  } else {
    RevConcat(a[1..], b);
    assert (a + b)[1..] == a[1..] + b;
    assert Rev(a + b) == (Rev(b) + Rev(a[1..])) + [a[0]];
  }
}

lemma RevTwice(s: seq<int>)
  ensures Rev(Rev(s)) == s
  decreases |s|
{
  if |s| > 0 {
    RevConcat(Rev(s[1..]), [s[0]]);
    RevTwice(s[1..]);
    assert Rev([s[0]]) == [s[0]];
    assert s == [s[0]] + s[1..];
  }
}

lemma SumOfRev(s: seq<int>)
  ensures Sum(Rev(s)) == Sum(s)
  decreases |s|
{
  if |s| > 0 {
    SumOfRev(s[1..]);
    SumConcat(Rev(s[1..]), [s[0]]);
    assert Sum([s[0]]) == s[0];
    assert Sum(Rev(s)) == Sum(Rev(s[1..])) + s[0];
  }
}
