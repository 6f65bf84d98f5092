// Searches a matrix with ascending rows and columns, starting at the top right corner.
predicate AscendingRows(m: array2<int>)
  reads m
{
  forall i, j, k ::
    0 <= i < m.Length0 && 0 <= j < k < m.Length1 ==> m[i, j] <= m[i, k]
}

predicate AscendingColumns(m: array2<int>)
  reads m
{
  forall i, j, k ::
    0 <= i < j < m.Length0 && 0 <= k < m.Length1 ==> m[i, k] <= m[j, k]
}

method Search(m: array2<int>, key: int) returns (found: bool, r: int, c: int)
  requires AscendingRows(m) && AscendingColumns(m)
  ensures found ==> 0 <= r < m.Length0 && 0 <= c < m.Length1 && m[r, c] == key
  ensures !found ==>
    forall i, j :: 0 <= i < m.Length0 && 0 <= j < m.Length1 ==> m[i, j] != key
{
  found := false;
  r, c := 0, m.Length1 - 1;
  while r < m.Length0 && c >= 0
    decreases m.Length0 - r + c
    invariant 0 <= r <= m.Length0
    invariant -1 <= c < m.Length1
    invariant !found
    invariant forall i, j ::
      0 <= i < r && 0 <= j < m.Length1 ==> m[i, j] != key
    invariant forall i, j ::
      0 <= i < m.Length0 && c < j < m.Length1 ==> m[i, j] != key
  {
    if m[r, c] == key {
      found := true;
      return;
    } else if m[r, c] < key {
      assert forall j :: 0 <= j <= c ==> m[r, j] <= m[r, c];
      r := r + 1;
    } else {
      assert forall i :: r <= i < m.Length0 ==> m[r, c] <= m[i, c];
      c := c - 1;
    }
  }
}
