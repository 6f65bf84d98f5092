// A stack of bounded capacity over an array, with a bulk operation on its contents.
class BoundedStack {
  var data: array<int>
  var size: int

  predicate Valid()
    reads this
  {
    0 <= size <= data.Length
  }

  constructor(capacity: nat)
    ensures Valid()
    ensures size == 0 && data.Length == capacity
    ensures fresh(data)
  {
    data := new int[capacity];
    size := 0;
  }

  method Push(x: int)
    requires Valid() && size < data.Length
    modifies this, data
    ensures Valid()
    ensures data == old(data) && size == old(size) + 1
    ensures data[..size] == old(data[..size]) + [x]
  {
    data[size] := x;
    size := size + 1;
    assert data[size - 1] == x;
    assert data[..size - 1] == old(data[..size]);
  }

  method AddToAll(d: int)
    requires Valid()
    modifies data
    ensures Valid()
    ensures forall k :: 0 <= k < size ==> data[k] == old(data[k]) + d
    ensures forall k :: size <= k < data.Length ==> data[k] == old(data[k])
  {
    var i := 0;
    while i < size
      invariant 0 <= i <= size
      invariant forall k :: 0 <= k < i ==> data[k] == old(data[k]) + d
      invariant forall k :: i <= k < data.Length ==> data[k] == old(data[k])
    {
      data[i] := data[i] + d;
      i := i + 1;
    }
    assert Valid();
  }
}
