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
  {
    if m[r, c] == key {
      found := true;
      return;
    } else if m[r, c] < key {
      r := r + 1;
    } else {
      c := c - 1;
    }
  }
}
