"""The cache before a real verifier: it remembers what was said, and `veriloop cache verify` finds what is not so."""

from pathlib import Path

import pytest
from veriloop.cli import main
from veriloop.dafny.cache import CachedVerifier, Entry, conditions_of, shared_store
from veriloop.dafny.cache.entry import decoded
from veriloop.dafny.cold import ColdVerifier
from veriloop.outcomes import Outcome, VerifierResult

PROGRAMS = {
    "method M(x: int) returns (y: int) ensures y > x { y := x + 1; }": Outcome.VERIFIED,
    "method M(x: int) returns (y: int) ensures y > x { y := x; }": Outcome.REFUTED,
    "method M( {": Outcome.MALFORMED,
}


@pytest.fixture
def verifier(any_verifier: ColdVerifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CachedVerifier:
    monkeypatch.setenv("VERILOOP_CACHE", str(tmp_path))
    return CachedVerifier(any_verifier, shared_store(), conditions_of(any_verifier))


def changed(verifier: CachedVerifier, of: Outcome, **changes: object) -> tuple[str, Entry]:
    """Change the result of the entry with an outcome; its key, and what it was."""
    family = verifier.conditions.family()
    for key in verifier.store.keys(family):
        stored = verifier.store.get(key)
        entry = decoded(stored.entry) if stored is not None else None
        if entry is not None and entry.result.outcome is of:
            other = entry.model_copy(update={"result": entry.result.model_copy(update=changes)})
            verifier.store.put(key, family, str(of), other.encoded())
            return key, entry
    raise AssertionError(of)


def without_time(result: VerifierResult) -> VerifierResult:
    return result.model_copy(update={"wall_seconds": 0.0, "cached": False})


def test_a_second_check_hits_and_a_check_of_the_cache_finds_what_was_planted(
    verifier: CachedVerifier, capsys: pytest.CaptureFixture[str]
) -> None:
    name = verifier.inner.toolchain.name
    command = ["cache", "verify", "--toolchain", name, "--sample", "5"]
    found = {program: verifier.verify(program) for program in PROGRAMS}
    again = {program: verifier.verify(program) for program in PROGRAMS}
    for program, outcome in PROGRAMS.items():
        assert found[program].outcome is outcome
        assert (found[program].cached, again[program].cached) == (False, True)
        assert without_time(found[program]) == without_time(again[program])
        assert again[program].wall_seconds * 50 < found[program].wall_seconds

    verifier.store.put("0", "of another toolchain", "verified", b"")
    assert main(command) == 0
    assert capsys.readouterr().out == (
        f"3 of 3 entries of {name} checked again: no difference\n"
        "  skipped: 1 of another toolchain or other code, or no verdict\n"
    )

    wrong, _ = changed(verifier, Outcome.REFUTED, outcome=Outcome.VERIFIED)
    changed(verifier, Outcome.MALFORMED, limit_hit="wall")
    _, entry = changed(verifier, Outcome.VERIFIED)
    verifier.store.put("1", verifier.conditions.family(), "verified", entry.encoded())
    assert main(command) == 1
    said = capsys.readouterr().out
    assert said.startswith(f"3 of 4 entries of {name} checked again: 2 with a difference\n")
    assert f"{wrong} ({verifier.store.path}): outcome was verified, is refuted" in said
    assert f"  1 ({verifier.store.path}): stands under a key that is not that of its program and conditions" in said
    assert "skipped: 1 that a guard of time or memory ended" in said
