// Counts in a map how often each value occurs in a sequence.
method Frequencies(s: seq<int>) returns (freq: map<int, int>)
  ensures forall x :: x in freq <==> x in s
  ensures forall x :: x in freq ==> freq[x] == multiset(s)[x]
{
  freq := map[];
  var i := 0;
  while i < |s|
  {
    var x := s[i];
    if x in freq {
      freq := freq[x := freq[x] + 1];
    } else {
      freq := freq[x := 1];
    }
    i := i + 1;
  }
}
