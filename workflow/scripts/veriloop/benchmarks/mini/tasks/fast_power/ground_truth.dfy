// Raises a number to a power by repeated squaring.
function Power(b: int, e: nat): int
{
  if e == 0 then 1 else b * Power(b, e - 1)
}

lemma PowerOfSquare(b: int, e: nat)
  ensures Power(b * b, e) == Power(b, 2 * e)
  decreases e
{
  if e > 0 {
    PowerOfSquare(b, e - 1);
    assert Power(b, 2 * e) == b * Power(b, 2 * e - 1);
    assert Power(b, 2 * e - 1) == b * Power(b, 2 * e - 2);
    assert 2 * e - 2 == 2 * (e - 1);
    assert Power(b * b, e) == (b * b) * Power(b * b, e - 1);
  }
}

method FastPower(b: int, e: nat) returns (r: int)
  ensures r == Power(b, e)
{
  r := 1;
  var x := b;
  var n := e;
  while n > 0
    decreases n
    invariant 0 <= n <= e
    invariant r * Power(x, n) == Power(b, e)
  {
    if n % 2 == 1 {
      assert Power(x, n) == x * Power(x, n - 1);
      assert r * Power(x, n) == (r * x) * Power(x, n - 1);
      r := r * x;
      n := n - 1;
    } else {
      assert n == 2 * (n / 2);
      PowerOfSquare(x, n / 2);
      x := x * x;
      n := n / 2;
    }
  }
  assert Power(x, n) == 1;
}
