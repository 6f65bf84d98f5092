// A bounded queue in a circular array, mirrored by the sequence of its elements.
class RingQueue {
  var elems: seq<int>
  var data: array<int>
  var start: int
  var count: int

  function Slot(i: int): int
    reads this
  {
    if start + i < data.Length then start + i else start + i - data.Length
  }

  predicate Valid()
    reads this, data
  {
    0 <= start < data.Length &&
    0 <= count <= data.Length &&
    |elems| == count &&
    forall i :: 0 <= i < count ==> elems[i] == data[Slot(i)]
  }

  constructor(capacity: int)
    requires capacity > 0
    ensures Valid() && fresh(data)
    ensures elems == [] && data.Length == capacity
  {
    data := new int[capacity];
    start, count := 0, 0;
    elems := [];
  }

  method Enqueue(x: int)
    requires Valid() && count < data.Length
    modifies this, data
    ensures Valid() && data == old(data)
    ensures elems == old(elems) + [x]
  {
    var slot := start + count;
    if slot >= data.Length {
      slot := slot - data.Length;
    }
    assert slot == Slot(count);
    assert forall i :: 0 <= i < count ==> Slot(i) != slot;
    data[slot] := x;
    count := count + 1;
    elems := elems + [x];
  }

  method Dequeue() returns (x: int)
    requires Valid() && count > 0
    modifies this
    ensures Valid() && data == old(data)
    ensures old(elems) == [x] + elems
  {
    x := data[start];
    assert Slot(0) == start;
    start := start + 1;
    if start == data.Length {
      start := 0;
    }
    count := count - 1;
    elems := elems[1..];
    assert forall i :: 0 <= i < count ==> Slot(i) == old(Slot(i + 1));
  }

  method Contains(x: int) returns (found: bool)
    requires Valid()
    ensures found <==> x in elems
  {
    found := false;
    var i, pos := 0, start;
    while i < count
      invariant 0 <= i <= count
      invariant i < data.Length ==> pos == Slot(i)
      invariant found <==> x in elems[..i]
    {
      assert elems[..i + 1] == elems[..i] + [elems[i]];
      assert data[pos] == elems[i];
      if data[pos] == x {
        found := true;
      }
      i := i + 1;
      pos := pos + 1;
      if pos == data.Length {
        pos := 0;
      }
    }
    assert elems[..i] == elems;
  }
}
