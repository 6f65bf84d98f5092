// Computes greatest common divisors by subtraction and proves that they divide both numbers.
function Gcd(a: nat, b: nat): nat
  requires a > 0 && b > 0
  decreases a + b
{
  if a == b then a
  else if a < b then Gcd(a, b - a)
  else Gcd(a - b, b)
}

predicate Divides(d: nat, n: nat)
{
  exists k :: 0 <= k <= n && n == d * k
}

lemma DividesSum(d: nat, m: nat, n: nat)
  requires d > 0
  requires Divides(d, m) && Divides(d, n)
  ensures Divides(d, m + n)
{
  var k :| 0 <= k <= m && m == d * k;
  var l :| 0 <= l <= n && n == d * l;
  assert m + n == d * (k + l);
}

lemma GcdDivides(a: nat, b: nat)
  requires a > 0 && b > 0
  ensures Gcd(a, b) > 0
  ensures Divides(Gcd(a, b), a)
  ensures Divides(Gcd(a, b), b)
  decreases a + b
{
  if a == b {
    assert a == Gcd(a, b) * 1;
  } else if a < b {
    GcdDivides(a, b - a);
    assert Gcd(a, b) == Gcd(a, b - a);
    DividesSum(Gcd(a, b), a, b - a);
    assert a + (b - a) == b;
  } else {
    GcdDivides(a - b, b);
    assert Gcd(a, b) == Gcd(a - b, b);
    DividesSum(Gcd(a, b), a - b, b);
  }
}

method Euclid(a: nat, b: nat) returns (g: nat)
  requires a > 0 && b > 0
  ensures g == Gcd(a, b)
  ensures Divides(g, a) && Divides(g, b)
{
  var x, y := a, b;
  while x != y
    decreases x + y
    invariant x > 0 && y > 0
    invariant Gcd(x, y) == Gcd(a, b)
  {
    if x < y {
      y := y - x;
    } else {
      x := x - y;
    }
  }
  g := x;
  assert Gcd(x, y) == x;
  GcdDivides(a, b);
}
