// Finds where a key could be inserted into a sorted array without breaking the order.
predicate Ascending(s: seq<int>)
{
  forall i, j :: 0 <= i < j < |s| ==> s[i] <= s[j]
}

method LowerBound(a: array<int>, key: int) returns (pos: int)
  requires Ascending(a[..])
  ensures 0 <= pos <= a.Length
  ensures forall k :: 0 <= k < pos ==> a[k] < key
  ensures forall k :: pos <= k < a.Length ==> key <= a[k]
{
  var lo, hi := 0, a.Length;
  assert forall i, j :: 0 <= i < j < a.Length ==> a[..][i] <= a[..][j];
  while lo < hi
    decreases hi - lo
    invariant 0 <= lo <= hi <= a.Length
    invariant forall k :: 0 <= k < lo ==> a[k] < key
    invariant forall k :: hi <= k < a.Length ==> key <= a[k]
  {
    var mid := lo + (hi - lo) / 2;
    assert lo <= mid < hi;
    if a[mid] < key {
      lo := mid + 1;
    } else {
      hi := mid;
    }
  }
  pos := lo;
}
