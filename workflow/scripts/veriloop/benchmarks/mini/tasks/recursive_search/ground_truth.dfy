// Looks a key up in a part of a sorted array by recursive halving.
method Find(a: array<int>, key: int, lo: nat, hi: nat) returns (pos: int)
  requires lo <= hi <= a.Length
  requires forall p, q :: 0 <= p < q < a.Length ==> a[p] <= a[q]
  ensures pos == -1 || lo <= pos < hi
  ensures pos != -1 ==> a[pos] == key
  ensures pos == -1 ==> forall k :: lo <= k < hi ==> a[k] != key
  decreases hi - lo
{
  if lo == hi {
    pos := -1;
  } else {
    var mid := (lo + hi) / 2;
    assert lo <= mid < hi;
    if a[mid] == key {
      pos := mid;
    } else if a[mid] < key {
      assert forall k :: lo <= k <= mid ==> a[k] < key;
      pos := Find(a, key, mid + 1, hi);
    } else {
      assert forall k :: mid <= k < hi ==> key < a[k];
      pos := Find(a, key, lo, mid);
    }
    assert pos == -1 || a[pos] == key;
  }
}

method Contains(a: array<int>, key: int) returns (present: bool)
  requires forall p, q :: 0 <= p < q < a.Length ==> a[p] <= a[q]
  ensures present <==> exists k :: 0 <= k < a.Length && a[k] == key
{
  var pos := Find(a, key, 0, a.Length);
  present := pos != -1;
  assert present ==> 0 <= pos < a.Length;
}
