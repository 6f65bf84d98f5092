// Decides by comparing all pairs whether the elements of a sequence are pairwise different.
predicate AllDifferent(s: seq<int>)
{
  forall p, q :: 0 <= p < q < |s| ==> s[p] != s[q]
}

method CheckAllDifferent(s: seq<int>) returns (ok: bool)
  ensures ok <==> AllDifferent(s)
{
  ok := true;
  var i := 0;
  while i < |s|
  {
    var j := 0;
    while j < i
    {
      if s[j] == s[i] {
        ok := false;
      }
      j := j + 1;
    }
    i := i + 1;
  }
}
