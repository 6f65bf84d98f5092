// Proves that the first Fibonacci numbers add up to one less than a later one.
function Fib(n: nat): nat
{
  if n < 2 then n else Fib(n - 2) + Fib(n - 1)
}

function FibSum(n: nat): nat
{
  if n == 0 then 0 else FibSum(n - 1) + Fib(n)
}

lemma SumFormula(n: nat)
  ensures FibSum(n) + 1 == Fib(n + 2)
  decreases n
{
  if n > 0 {
    SumFormula(n - 1);
  }
}

lemma FibPositive(n: nat)
  requires n > 0
  ensures Fib(n) > 0
  decreases n
{
  if n > 2 {
    FibPositive(n - 1);
    FibPositive(n - 2);
  }
}
