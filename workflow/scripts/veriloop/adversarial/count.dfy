const limit: int := 1000

predicate bounded(x: int)
{
  x <= limit
}

lemma Trivial(x: int)
  ensures x <= x
{
}

method Count(n: nat) returns (i: nat)
  requires bounded(n)
  ensures i == n &&
    bounded(i)
{
  i := 0;
  while i < n
    invariant i <= n
  {
    i := i + 1;
  }
}

function abs(x: int): int
{
  if x < 0 then -x else x
}
