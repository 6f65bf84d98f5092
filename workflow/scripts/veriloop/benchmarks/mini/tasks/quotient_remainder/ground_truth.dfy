// Divides by repeated subtraction, written as a recursive method.
method Divide(n: nat, d: nat) returns (q: nat, r: nat)
  requires d > 0
  ensures n == q * d + r
  ensures r < d
  decreases n
{
  if n < d {
    q, r := 0, n;
    assert q * d == 0;
  } else {
    assert n - d < n;
    q, r := Divide(n - d, d);
    assert n == q * d + r + d;
    q := q + 1;
  }
}
