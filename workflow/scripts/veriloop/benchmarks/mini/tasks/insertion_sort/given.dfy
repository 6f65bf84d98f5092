// Sorts an array in place by sinking each new element into the sorted front part.
predicate Ordered(a: array<int>, n: int)
  requires 0 <= n <= a.Length
  reads a
{
  forall p, q :: 0 <= p < q < n ==> a[p] <= a[q]
}

method InsertionSort(a: array<int>)
  modifies a
  ensures Ordered(a, a.Length)
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var i := 0;
  while i < a.Length
  {
    var j := i;
    while j > 0 && a[j - 1] > a[j]
    {
      a[j - 1], a[j] := a[j], a[j - 1];
      j := j - 1;
    }
    i := i + 1;
  }
}
