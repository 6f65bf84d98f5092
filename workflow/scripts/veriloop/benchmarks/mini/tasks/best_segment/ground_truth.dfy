// Builds prefix sums and uses them to find a segment of a sequence with the greatest sum.
function Total(s: seq<int>): int
  decreases |s|
{
  if |s| == 0 then 0 else Total(s[..|s| - 1]) + s[|s| - 1]
}

method PrefixSums(s: seq<int>) returns (p: array<int>)
  ensures fresh(p)
  ensures p.Length == |s| + 1
  ensures forall k :: 0 <= k <= |s| ==> p[k] == Total(s[..k])
{
  p := new int[|s| + 1];
  p[0] := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall k :: 0 <= k <= i ==> p[k] == Total(s[..k])
  {
    assert s[..i + 1][..i] == s[..i];
    p[i + 1] := p[i] + s[i];
    i := i + 1;
  }
}

method BestSegment(s: seq<int>) returns (lo: int, hi: int)
  ensures 0 <= lo <= hi <= |s|
  ensures forall i, j :: 0 <= i <= j <= |s| ==>
    Total(s[..j]) - Total(s[..i]) <= Total(s[..hi]) - Total(s[..lo])
{
  var p := PrefixSums(s);
  lo, hi := 0, 0;
  var y := 0;
  while y <= |s|
    invariant 0 <= y <= |s| + 1
    invariant 0 <= lo <= hi <= |s|
    invariant forall i, j ::
      0 <= i <= j < y ==> p[j] - p[i] <= p[hi] - p[lo]
  {
    var x := 0;
    while x <= y
      invariant 0 <= x <= y + 1
      invariant 0 <= lo <= hi <= |s|
      invariant forall i, j ::
        0 <= i <= j < y ==> p[j] - p[i] <= p[hi] - p[lo]
      invariant forall i :: 0 <= i < x ==> p[y] - p[i] <= p[hi] - p[lo]
    {
      if p[y] - p[x] > p[hi] - p[lo] {
        lo, hi := x, y;
      }
      x := x + 1;
    }
    y := y + 1;
  }
  assert p[hi] - p[lo] == Total(s[..hi]) - Total(s[..lo]);
}
