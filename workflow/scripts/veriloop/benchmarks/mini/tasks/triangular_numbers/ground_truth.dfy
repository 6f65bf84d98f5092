// Proves the closed form of the triangular numbers and that they never decrease.
function Triangle(n: nat): nat
{
  if n == 0 then 0 else n + Triangle(n - 1)
}

lemma ClosedForm(n: nat)
  ensures 2 * Triangle(n) == n * (n + 1)
  decreases n
{
  if n > 0 {
    ClosedForm(n - 1);
    assert 2 * Triangle(n - 1) == (n - 1) * n;
    assert Triangle(n) == n + Triangle(n - 1);
  }
}

lemma Monotone(m: nat, n: nat)
  requires m <= n
  ensures Triangle(m) <= Triangle(n)
  decreases n - m
{
  if m < n {
    Monotone(m + 1, n);
    assert Triangle(m) <= Triangle(m + 1);
  }
}
