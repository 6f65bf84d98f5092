// Finds the position of a greatest entry of a matrix that has at least one entry.
method Maximum(m: array2<int>) returns (r: int, c: int)
  requires m.Length0 > 0 && m.Length1 > 0
  ensures 0 <= r < m.Length0 && 0 <= c < m.Length1
  ensures forall i, j ::
    0 <= i < m.Length0 && 0 <= j < m.Length1 ==> m[i, j] <= m[r, c]
{
  r, c := 0, 0;
  var row := 0;
  while row < m.Length0
  {
    var col := 0;
    while col < m.Length1
    {
      if m[row, col] > m[r, c] {
        r, c := row, col;
      }
      col := col + 1;
    }
    row := row + 1;
  }
}
