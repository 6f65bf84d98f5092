// Finds the least natural number that is not in a set.
lemma SizeOfSegment(s: set<int>, m: nat)
  requires forall k :: 0 <= k < m ==> k in s
  ensures m <= |s|
  decreases m
{
  if m > 0 {
    var rest := s - {m - 1};
    SizeOfSegment(rest, m - 1);
  }
}

method LeastMissing(s: set<int>) returns (m: nat)
  ensures m !in s
  ensures forall k :: 0 <= k < m ==> k in s
  ensures m <= |s|
{
  m := 0;
  while m in s
    decreases |s| - m
  {
    SizeOfSegment(s, m + 1);
    m := m + 1;
  }
}
