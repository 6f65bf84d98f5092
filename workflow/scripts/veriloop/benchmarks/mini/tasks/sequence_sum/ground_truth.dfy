// Adds up a sequence by consuming it from the front and relates the result to a recursive sum.
function Sum(s: seq<int>): int
{
  if |s| == 0 then 0 else s[0] + Sum(s[1..])
}

method SumUp(s: seq<int>) returns (total: int)
  ensures total == Sum(s)
{
  total := 0;
  var rest := s;
  while |rest| > 0
    decreases |rest|
    invariant |rest| <= |s|
    invariant total + Sum(rest) == Sum(s)
  {
    assert Sum(rest) == rest[0] + Sum(rest[1..]);
    total := total + rest[0];
    rest := rest[1..];
  }
  assert Sum(rest) == 0;
}
