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
    invariant 0 <= i <= |s|
    invariant ok ==> forall p, q :: 0 <= p < q < i ==> s[p] != s[q]
    invariant !ok ==> !AllDifferent(s)
  {
    var j := 0;
    while j < i
      invariant 0 <= j <= i
      invariant ok ==>
        forall p, q ::
          0 <= p < q < i ==> s[p] != s[q]
      invariant ok ==> forall p :: 0 <= p < j ==> s[p] != s[i]
      invariant !ok ==> !AllDifferent(s)
    {
      if s[j] == s[i] {
        ok := false;
      }
      j := j + 1;
    }
    i := i + 1;
  }
}
