// Moves one element from a set to a disjoint set and keeps the union and the total size.
method Move(src: set<int>, dst: set<int>, x: int)
  returns (src2: set<int>, dst2: set<int>)
  requires x in src
  requires src !! dst
  ensures src2 !! dst2
  ensures x in dst2
  ensures src2 + dst2 == src + dst
  ensures |src2| == |src| - 1
  ensures |dst2| == |dst| + 1
{
  assert x !in dst;
  src2 := src - {x};
  dst2 := dst + {x};
  assert x !in src2;
  assert src2 + dst2
    == src + dst;
}
