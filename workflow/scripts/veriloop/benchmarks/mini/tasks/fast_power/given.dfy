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
  {
    if n % 2 == 1 {
      r := r * x;
      n := n - 1;
    } else {
      PowerOfSquare(x, n / 2);
      x := x * x;
      n := n / 2;
    }
  }
}
