// Collects the elements of a sequence in a set and counts the different ones.
method Distinct(s: seq<int>) returns (elems: set<int>, count: int)
  ensures forall x :: x in elems <==> x in s
  ensures count == |elems|
{
  elems := {};
  count := 0;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall k :: 0 <= k < i ==> s[k] in elems
    invariant forall x :: x in elems ==> x in s
    invariant count == |elems|
    invariant 0 <= count <= i
  {
    if s[i] !in elems {
      elems := elems + {s[i]};
      count := count + 1;
    }
    assert s[i] in elems;
    i := i + 1;
  }
}
