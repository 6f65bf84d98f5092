// Encodes a sequence as runs of equal values and decodes runs again.
function Repeat(x: int, n: nat): seq<int>
{
  if n == 0 then [] else Repeat(x, n - 1) + [x]
}

function Expand(values: seq<int>, counts: seq<nat>): seq<int>
  requires |values| == |counts|
  decreases |values|
{
  if |values| == 0 then []
  else
    var last := |values| - 1;
    Expand(values[..last], counts[..last]) + Repeat(values[last], counts[last])
}

predicate Separated(values: seq<int>)
{
  forall k :: 0 < k < |values| ==> values[k - 1] != values[k]
}

lemma ExpandAppend(values: seq<int>, counts: seq<nat>, x: int, n: nat)
  requires |values| == |counts|
  ensures Expand(values + [x], counts + [n]) == Expand(values, counts) + Repeat(x, n)
{
  assert (values + [x])[..|values|] == values;
  assert (counts + [n])[..|counts|] == counts;
}

method Encode(s: seq<int>) returns (values: seq<int>, counts: seq<nat>)
  ensures |values| == |counts|
  ensures Expand(values, counts) == s
  ensures Separated(values)
  ensures forall k :: 0 <= k < |counts| ==> counts[k] > 0
{
  values, counts := [], [];
  var i := 0;
  while i < |s|
    decreases |s| - i
    invariant 0 <= i <= |s|
    invariant |values| == |counts|
    invariant Expand(values, counts) == s[..i]
    invariant Separated(values)
    invariant forall k :: 0 <= k < |counts| ==> counts[k] > 0
    invariant 0 < i < |s| ==> |values| > 0 && values[|values| - 1] != s[i]
  {
    var x := s[i];
    var n: nat := 1;
    assert s[i..i + 1] == Repeat(x, 1);
    while i + n < |s| && s[i + n] == x
      decreases |s| - i - n
      invariant 1 <= n <= |s| - i
      invariant s[i..i + n] == Repeat(x, n)
    {
      assert s[i..i + n + 1] == s[i..i + n] + [s[i + n]];
      n := n + 1;
    }
    ExpandAppend(values, counts, x, n);
    assert s[..i + n] == s[..i] + s[i..i + n];
    values := values + [x];
    counts := counts + [n];
    i := i + n;
  }
  assert s[..i] == s;
}

method Decode(values: seq<int>, counts: seq<nat>) returns (s: seq<int>)
  requires |values| == |counts|
  ensures s == Expand(values, counts)
{
  s := [];
  var i := 0;
  while i < |values|
    invariant 0 <= i <= |values|
    invariant s == Expand(values[..i], counts[..i])
  {
    ExpandAppend(values[..i], counts[..i], values[i], counts[i]);
    assert values[..i + 1] == values[..i] + [values[i]];
    assert counts[..i + 1] == counts[..i] + [counts[i]];
    var n: nat := 0;
    var base := s;
    while n < counts[i]
      invariant n <= counts[i]
      invariant s == base + Repeat(values[i], n)
    {
      s := s + [values[i]];
      n := n + 1;
    }
    i := i + 1;
  }
  assert values[..i] == values && counts[..i] == counts;
}
