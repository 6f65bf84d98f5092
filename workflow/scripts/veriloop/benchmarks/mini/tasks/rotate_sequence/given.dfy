// Rotates a sequence to the left and to the right, and undoes a rotation.
method RotateLeft(s: seq<int>, k: nat) returns (r: seq<int>)
  requires k <= |s|
  ensures |r| == |s|
  ensures forall i :: 0 <= i < |s| - k ==> r[i] == s[i + k]
  ensures forall i :: |s| - k <= i < |s| ==> r[i] == s[i + k - |s|]
{
  r := s[k..] + s[..k];
}

method RotateRight(s: seq<int>, k: nat) returns (r: seq<int>)
  requires k <= |s|
  ensures |r| == |s|
  ensures forall i :: 0 <= i < k ==> r[i] == s[i + |s| - k]
  ensures forall i :: k <= i < |s| ==> r[i] == s[i - k]
{
  r := RotateLeft(s, |s| - k);
}

method ThereAndBack(s: seq<int>, k: nat) returns (r: seq<int>)
  requires k <= |s|
  ensures |r| == |s|
  ensures forall i :: 0 <= i < |s| ==> r[i] == s[i]
{
  var t := RotateLeft(s, k);
  r := RotateRight(t, k);
}
