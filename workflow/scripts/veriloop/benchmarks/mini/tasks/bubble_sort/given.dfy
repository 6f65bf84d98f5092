// Sorts an array in place by bubbling the greatest remaining element to the back.
predicate OrderedFrom(a: array<int>, from: int)
  requires 0 <= from <= a.Length
  reads a
{
  forall p, q :: from <= p < q < a.Length ==> a[p] <= a[q]
}

method BubbleSort(a: array<int>)
  modifies a
  ensures OrderedFrom(a, 0)
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  var n := a.Length;
  while n > 0
    decreases n
  {
    var i := 0;
    while i + 1 < n
      decreases n - i
    {
      if a[i] > a[i + 1] {
        a[i], a[i + 1] := a[i + 1], a[i];
      }
      i := i + 1;
    }
    n := n - 1;
  }
}
