// Rotates a sequence to the left and to the right, and undoes a rotation.
method RotateLeft(s: seq<int>, k: nat) returns (r: seq<int>)
  requires k <= |s|
  ensures |r| == |s|
  ensures forall i :: 0 <= i < |s| - k ==> r[i] == s[i + k]
  ensures forall i :: |s| - k <= i < |s| ==> r[i] == s[i + k - |s|]
{
  r := s[k..] + s[..k];
  assert |r| == |s|;
}

method RotateRight(s: seq<int>, k: nat) returns (r: seq<int>)
  requires k <= |s|
  ensures |r| == |s|
  ensures forall i :: 0 <= i < k ==> r[i] == s[i + |s| - k]
  ensures forall i :: k <= i < |s| ==> r[i] == s[i - k]
{
  assert 0 <= |s| - k <= |s|;
  r := RotateLeft(s, |s| - k);
}

method ThereAndBack(s: seq<int>, k: nat) returns (r: seq<int>)
  requires k <= |s|
  ensures |r| == |s|
  ensures forall i :: 0 <= i < |s| ==> r[i] == s[i]
{
  var t := RotateLeft(s, k);
  assert |t| == |s|;
  r := RotateRight(t, k);
  assert forall i ::
    k <= i < |s| ==> r[i] == t[i - k];
}
