// Finds the first index at which a key occurs in an array, or the length if it is absent.
method LinearSearch(a: array<int>, key: int) returns (pos: int)
  ensures 0 <= pos <= a.Length
  ensures pos < a.Length ==> a[pos] == key
  ensures forall k :: 0 <= k < pos ==> a[k] != key
{
  pos := 0;
  while pos < a.Length && a[pos] != key
    invariant 0 <= pos <= a.Length
    invariant forall k :: 0 <= k < pos ==> a[k] != key
  {
    pos := pos + 1;
  }
  assert pos < a.Length ==> a[pos] == key;
}
