// Partitions an array in place into the parts below, equal to and above a pivot value.
method Partition(a: array<int>, pivot: int) returns (lt: int, gt: int)
  modifies a
  ensures 0 <= lt <= gt <= a.Length
  ensures forall k :: 0 <= k < lt ==> a[k] < pivot
  ensures forall k :: lt <= k < gt ==> a[k] == pivot
  ensures forall k :: gt <= k < a.Length ==> a[k] > pivot
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  lt, gt := 0, a.Length;
  var i := 0;
  while i < gt
    decreases gt - i
  {
    if a[i] < pivot {
      a[lt], a[i] := a[i], a[lt];
      lt := lt + 1;
      i := i + 1;
    } else if a[i] == pivot {
      i := i + 1;
    } else {
      gt := gt - 1;
      a[i], a[gt] := a[gt], a[i];
    }
  }
}
