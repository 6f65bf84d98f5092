// An account with a credit limit, and a transfer that preserves the total balance.
class Account {
  var balance: int
  var limit: int

  predicate Valid()
    reads this
  {
    limit >= 0 && balance >= -limit
  }

  constructor(credit: int)
    requires credit >= 0
    ensures Valid()
    ensures balance == 0 && limit == credit
  {
    balance := 0;
    limit := credit;
  }

  method Deposit(amount: int)
    requires Valid() && amount >= 0
    modifies this
    ensures Valid()
    ensures limit == old(limit)
    ensures balance == old(balance) + amount
  {
    balance := balance + amount;
    assert balance >= -limit;
  }

  method Transfer(other: Account, amount: int) returns (done: bool)
    requires Valid() && other.Valid() && other != this && amount >= 0
    modifies this, other
    ensures Valid() && other.Valid()
    ensures limit == old(limit) && other.limit == old(other.limit)
    ensures done <==> old(balance) - amount >= -limit
    ensures balance == old(balance) - (if done then amount else 0)
    ensures balance + other.balance == old(balance) + old(other.balance)
  {
    done := balance - amount >= -limit;
    if done {
      balance := balance - amount;
      assert other.balance == old(other.balance);
      other.Deposit(amount);
      assert balance + amount == old(balance);
    }
  }
}
