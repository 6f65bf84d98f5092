// Sorts an array in place by repeatedly moving the least remaining element to the front.
method SelectionSort(a: array<int>)
  modifies a
  ensures forall p, q :: 0 <= p < q < a.Length ==> a[p] <= a[q]
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var i := 0;
  while i < a.Length
  {
    var least := i;
    var j := i + 1;
    while j < a.Length
    {
      if a[j] < a[least] {
        least := j;
      }
      j := j + 1;
    }
    a[i], a[least] := a[least], a[i];
    i := i + 1;
  }
}
