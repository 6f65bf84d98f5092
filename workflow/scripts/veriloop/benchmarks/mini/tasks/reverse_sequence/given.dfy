// Reverses a sequence recursively and states the result position by position.
method Reverse(s: seq<int>) returns (r: seq<int>)
  ensures |r| == |s|
  ensures forall i :: 0 <= i < |s| ==> r[i] == s[|s| - 1 - i]
  decreases |s|
{
  if |s| == 0 {
    r := [];
  } else {
    var rest := Reverse(s[1..]);
    r := rest + [s[0]];
  }
}
