// Counts in a map how often each value occurs in a sequence.
method Frequencies(s: seq<int>) returns (freq: map<int, int>)
  ensures forall x :: x in freq <==> x in s
  ensures forall x :: x in freq ==> freq[x] == multiset(s)[x]
{
  freq := map[];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall x :: x in freq <==> x in s[..i]
    invariant forall x :: x in freq ==> freq[x] == multiset(s[..i])[x]
    invariant forall x :: x in freq ==> freq[x] > 0
  {
    var x := s[i];
    assert s[..i + 1] == s[..i] + [x];
    if x in freq {
      freq := freq[x := freq[x] + 1];
    } else {
      assert x !in s[..i];
      assert multiset(s[..i])[x] == 0;
      freq := freq[x := 1];
    }
    i := i + 1;
  }
  assert s[..i] == s;
}
