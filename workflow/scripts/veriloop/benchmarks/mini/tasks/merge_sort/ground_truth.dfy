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
    invariant 0 <= i <= |a|
    invariant 0 <= j <= |b|
    invariant Ascending(r)
    invariant forall p, k ::
      0 <= p < |r| && i <= k < |a| ==> r[p] <= a[k]
    invariant forall p, k ::
      0 <= p < |r| && j <= k < |b| ==> r[p] <= b[k]
    invariant multiset(r) == multiset(a[..i]) + multiset(b[..j])
  {
    if j == |b| || (i < |a| && a[i] <= b[j]) {
      assert a[..i + 1] == a[..i] + [a[i]];
      r := r + [a[i]];
      i := i + 1;
    } else {
      assert b[..j + 1] == b[..j] + [b[j]];
      r := r + [b[j]];
      j := j + 1;
    }
  }
  assert a[..i] == a;
  assert b[..j] == b;
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
    assert 0 < mid < |s|;
    var left := MergeSort(s[..mid]);
    var right := MergeSort(s[mid..]);
    r := Merge(left, right);
    assert s == s[..mid] + s[mid..];
  }
}
