// Sorts a sequence by splitting it in halves, sorting both and merging the results.
predicate Ascending(s: seq<int>)
{
  forall p, q :: 0 <= p < q < |s| ==> s[p] <= s[q]
}

method Merge(a: seq<int>, b: seq<int>) returns (r: seq<int>)
  requires Ascending(a) && Ascending(b)
  ensures Ascending(r)
  ensures multiset(r) == multiset(a) + multiset(b)
{
  r := [];
  var i, j := 0, 0;
  while i < |a| || j < |b|
    decreases |a| - i + |b| - j
  {
    if j == |b| || (i < |a| && a[i] <= b[j]) {
      r := r + [a[i]];
      i := i + 1;
    } else {
      r := r + [b[j]];
      j := j + 1;
    }
  }
}

method MergeSort(s: seq<int>) returns (r: seq<int>)
  ensures Ascending(r)
  ensures multiset(r) == multiset(s)
  decreases |s|
{
  if |s| <= 1 {
    r := s;
  } else {
    var mid := |s| / 2;
    var left := MergeSort(s[..mid]);
    var right := MergeSort(s[mid..]);
    r := Merge(left, right);
  }
}
