"""What `veriloop cache` does: tell what is remembered, give room back, and check a sample again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from veriloop.config.compose import read_toolchain
from veriloop.dafny.cache import Entry, Store, shared_store
from veriloop.dafny.cache.entry import decoded
from veriloop.dafny.cold import ColdVerifier
from veriloop.dafny.provide import find_toolchain
from veriloop.dafny.toolchain import Toolchain
from veriloop.errors import UserError
from veriloop.outcomes import Outcome, VerifierResult
from veriloop.seeding import generator

NOT_COMPARED = {"path", "wall_seconds", "cached", "output"}
"""How and how fast it was found; and the raw output, which names a folder: its messages and counters count."""

MACHINE = {"wall", "memory"}
"""Guards whose effect depends on how busy the machine is: what they ended need not end so again."""


def stats() -> str:
    """Where the cache is, how large it is and may be, and how many entries it has by outcome."""
    store = shared_store()
    outcomes = store.outcomes()
    size = f"{store.size_bytes() / 1e6:,.1f} MB of at most {store.bound / 1e6:,g} MB"
    lines = [f"{store.path}: {_entries(sum(outcomes.values()))}, {size}"]
    return "\n".join(lines + [f"  {outcome}: {count:,}" for outcome, count in outcomes.items()])


def prune(*, everything: bool) -> str:
    """Remove all entries, or those beyond the bound, and say what went."""
    store = shared_store()
    before = store.size_bytes()
    gone = store.prune(everything=everything)
    return f"{store.path}: {_entries(gone)} removed, {(before - store.size_bytes()) / 1e6:,.1f} MB given back"


def verify(name: str, *, sample: int, seed: int) -> tuple[str, bool]:
    """Check a sample of the entries again with the cold command line.

    Entries of another toolchain or of other code cannot be checked and are never found by this code either; what a
    guard of the machine ended is left out, since it may end otherwise on a machine that is less busy.

    Args:
        name: the toolchain that checks, and whose entries are checked.
        sample: how many entries.
        seed: of the draw; the same seed draws the same entries from the same cache.

    Returns:
        The report, and whether every entry was checked again and none differs.

    Raises:
        UserError: the toolchain is not on this machine, or the sample is not a number above zero.
    """
    if sample < 1:
        raise UserError(f"--sample {sample}: at least 1 entry must be checked")
    toolchain = find_toolchain(read_toolchain(name, "cache verify"))
    if toolchain is None:
        raise UserError(f"{name} is not on this machine; run `veriloop toolchain install {name}`")
    store = shared_store()
    keys = _current_keys(store, toolchain)
    skipped = Counter({"of another toolchain or other code, or no verdict": sum(store.outcomes().values()) - len(keys)})
    problems: list[str] = []
    checked = 0
    for key, entry in _drawn(store, keys, seed, skipped):
        problem = _problem(key, entry, toolchain)
        problems += [f"  {key} ({store.path}): {problem}"] if problem else []
        checked += 1
        if checked == sample:
            break
    found = f"{len(problems)} with a difference" if problems else "no difference"
    lines = [f"{checked} of {_entries(len(keys))} of {name} checked again: {found}", *problems]
    return "\n".join(lines + [f"  skipped: {count:,} {why}" for why, count in skipped.items() if count]), not problems


def _entries(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"


def _current_keys(store: Store, toolchain: Toolchain) -> list[str]:
    """The keys of all families that this toolchain and this code would find again in the same way."""
    current: list[str] = []
    for family in store.families():
        keys = store.keys(family)
        entries = (_read(store, key) for key in keys)
        example = next((entry for entry in entries if entry is not None), None)
        # An explanation is no verdict, and a run without its options says less.
        explains = example is not None and "veriloop.dafny.explain" in example.conditions.way
        if example is not None and not explains and example.conditions.is_current(toolchain.identity()):
            current += keys
    return current


def _read(store: Store, key: str) -> Entry | None:
    found = store.get(key)
    return decoded(found.entry) if found is not None else None


def _drawn(store: Store, keys: list[str], seed: int, skipped: Counter[str]) -> Iterator[tuple[str, Entry]]:
    """The entries in a random order, without those that cannot be compared; these are counted."""
    for number in generator(seed, "cache verify").permutation(len(keys)):
        entry = _read(store, keys[number])
        if entry is None:
            skipped["that cannot be read, which count as absent"] += 1
        elif entry.result.limit_hit in MACHINE:
            skipped["that a guard of time or memory ended"] += 1
        else:
            yield keys[number], entry


def _problem(key: str, entry: Entry, toolchain: Toolchain) -> str:
    """What is wrong with an entry; empty for nothing."""
    if entry.key() != key:
        return "stands under a key that is not that of its program and conditions"
    fresh = ColdVerifier(toolchain, entry.conditions.limits).verify(entry.program, entry.minimum_verified)
    if fresh.limit_hit in MACHINE or fresh.outcome is Outcome.INFRA_FAULT:
        return f"could not be checked again: {fresh.outcome} {fresh.explanation}".rstrip()
    return "; ".join(differences(entry.result, fresh))


def differences(stored: VerifierResult, fresh: VerifierResult) -> list[str]:
    """What two results disagree on, a phrase each.

    Of results that were found on different paths only the outcome is compared: they word and count differently.
    """
    fields = sorted(set(VerifierResult.model_fields) - NOT_COMPARED) if stored.path == fresh.path else ["outcome"]
    return [
        f"{field} was {_short(getattr(stored, field))}, is {_short(getattr(fresh, field))}"
        for field in fields
        if getattr(stored, field) != getattr(fresh, field)
    ]


def _short(value: object) -> str:
    text = str(value) or "empty"
    return text if len(text) <= 80 else f"{text[:80]}..."
