// A row of lamps with switches, and a master switch that suppresses changes.
class LightPanel {
  var lamps: array<bool>
  var locked: bool
  var changes: int

  predicate Valid()
    reads this
  {
    lamps.Length > 0 && changes >= 0
  }

  constructor(n: int)
    requires n > 0
    ensures Valid() && fresh(lamps)
    ensures lamps.Length == n && !locked && changes == 0
    ensures forall k :: 0 <= k < n ==> !lamps[k]
  {
    lamps := new bool[n](k => false);
    locked := false;
    changes := 0;
  }

  method SetLock(on: bool)
    requires Valid()
    modifies this
    ensures Valid()
    ensures locked == on
    ensures lamps == old(lamps) && changes == old(changes)
  {
    locked := on;
  }

  method Toggle(i: int)
    requires Valid() && 0 <= i < lamps.Length
    modifies this, lamps
    ensures Valid()
    ensures lamps == old(lamps) && locked == old(locked)
    ensures lamps[i] == (if locked then old(lamps[i]) else !old(lamps[i]))
    ensures forall k :: 0 <= k < lamps.Length && k != i ==> lamps[k] == old(lamps[k])
    ensures changes == old(changes) + (if locked then 0 else 1)
  {
    if !locked {
      lamps[i] := !lamps[i];
      changes := changes + 1;
    }
  }

  method MoveLight(from: int, to: int)
    requires Valid() && !locked && from != to
    requires 0 <= from < lamps.Length && 0 <= to < lamps.Length
    requires lamps[from] && !lamps[to]
    modifies this, lamps
    ensures Valid()
    ensures lamps == old(lamps) && !locked
    ensures !lamps[from] && lamps[to]
    ensures forall k :: 0 <= k < lamps.Length && k != from && k != to ==>
      lamps[k] == old(lamps[k])
    ensures changes == old(changes) + 2
  {
    Toggle(from);
    Toggle(to);
  }
}
