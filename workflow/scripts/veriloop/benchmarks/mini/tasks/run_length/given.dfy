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
  {
    var x := s[i];
    var n: nat := 1;
    while i + n < |s| && s[i + n] == x
      decreases |s| - i - n
    {
      n := n + 1;
    }
    ExpandAppend(values, counts, x, n);
    values := values + [x];
    counts := counts + [n];
    i := i + n;
  }
}

method Decode(values: seq<int>, counts: seq<nat>) returns (s: seq<int>)
  requires |values| == |counts|
  ensures s == Expand(values, counts)
{
  s := [];
  var i := 0;
  while i < |values|
  {
    ExpandAppend(values[..i], counts[..i], values[i], counts[i]);
    var n: nat := 0;
    var base := s;
    while n < counts[i]
    {
      s := s + [values[i]];
      n := n + 1;
    }
    i := i + 1;
  }
}
