// Computes the integer square root by adding up consecutive odd numbers.
method IntegerSqrt(n: nat) returns (r: nat)
  ensures r * r <= n
  ensures n < (r + 1) * (r + 1)
{
  r := 0;
  var odd := 1;
  var square := 1;
  while square <= n
    decreases n + 1 - square
  {
    r := r + 1;
    odd := odd + 2;
    square := square + odd;
  }
}
