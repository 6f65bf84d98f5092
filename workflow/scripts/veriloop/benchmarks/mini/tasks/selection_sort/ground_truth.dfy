// Sorts an array in place by repeatedly moving the least remaining element to the front.
method SelectionSort(a: array<int>)
  modifies a
  ensures forall p, q :: 0 <= p < q < a.Length ==> a[p] <= a[q]
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var i := 0;
  while i < a.Length
    invariant 0 <= i <= a.Length
    invariant forall p, q :: 0 <= p < q < i ==> a[p] <= a[q]
    invariant forall p, q ::
      0 <= p < i <= q < a.Length ==> a[p] <= a[q]
    invariant multiset(a[..]) == multiset(old(a[..]))
  {
    var least := i;
    var j := i + 1;
    while j < a.Length
      invariant i < j <= a.Length
      invariant i <= least < a.Length
      invariant forall k :: i <= k < j ==> a[least] <= a[k]
    {
      if a[j] < a[least] {
        least := j;
      }
      j := j + 1;
    }
    a[i], a[least] := a[least], a[i];
    assert forall k :: i <= k < a.Length ==> a[i] <= a[k];
    i := i + 1;
  }
}
