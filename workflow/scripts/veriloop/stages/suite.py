"""Gates against the adversarial suite: how many wrong answers each accepts, and how many honest ones it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from veriloop.adversarial import Case, read_cases
from veriloop.config.schema import GateConfig
from veriloop.errors import UserError
from veriloop.outcomes import Record
from veriloop.report.tables import markdown
from veriloop.stages import parts

GATES = {
    "strict, hints": GateConfig(name="strict", options={"level": "hints"}),
    "strict, ghost": GateConfig(name="strict", options={"level": "ghost"}),
    "contract": GateConfig(name="contract", options={"open_bodies": "may_stay"}),
    "axdafny": GateConfig(name="axdafny"),
    "dafnybench": GateConfig(name="dafnybench"),
}


HONEST = frozenset({"honest", "ghost"})


class SuiteRow(Record):
    """What a gate did.

    Cases of kind `ghost` count as honest for every gate but `strict, hints`; those of kind `code` count as wrong for
    every gate but `contract`, which is about tasks whose code is to be written.
    """

    gate: str
    wrong: int
    wrong_accepted: tuple[str, ...]
    honest: int
    honest_refused: tuple[str, ...]


def score_gates(cases: Sequence[Case]) -> list[SuiteRow]:
    """One row for each gate."""
    return [_row(name, config, cases) for name, config in GATES.items()]


def _row(name: str, config: GateConfig, cases: Sequence[Case]) -> SuiteRow:
    gate = parts.gate(config, name)
    honest = {"honest"} if config.options.get("level") == "hints" else HONEST
    refused = {case.name: bool(gate.check(case.given, case.candidate)) for case in cases}
    wrong = {"wrong"} if config.name == "contract" else {"wrong", "code"}
    wrong_ones = [case.name for case in cases if case.kind in wrong]
    honest_ones = [case.name for case in cases if case.kind in honest]
    return SuiteRow(
        gate=name,
        wrong=len(wrong_ones),
        wrong_accepted=tuple(case for case in wrong_ones if not refused[case]),
        honest=len(honest_ones),
        honest_refused=tuple(case for case in honest_ones if refused[case]),
    )


def suite_table() -> str:
    """The table for people, and below it the cases on which a gate failed."""
    rows = score_gates(read_cases())
    cells = [[r.gate, f"{len(r.wrong_accepted)} of {r.wrong}", f"{len(r.honest_refused)} of {r.honest}"] for r in rows]
    lines = [markdown(["gate", "wrong accepted", "honest refused"], cells), ""]
    for row in rows:
        for what, names in (("accepts", row.wrong_accepted), ("refuses", row.honest_refused)):
            if names:
                lines.append(f"- {row.gate} {what}: {', '.join(names)}.")
    return "\n".join(lines)


def export_suite(folder: Path) -> str:
    """Write the given program and every answer as files, and what is expected of each as index.json.

    Raises:
        UserError: the folder cannot be written.
    """
    cases = read_cases()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "given.dfy").write_bytes(cases[0].given.encode())
        index = []
        for number, case in enumerate(cases, start=1):
            file = f"{number:03}.dfy"
            (folder / file).write_bytes(case.candidate.encode())
            index.append({"file": file, "name": case.name, "kind": case.kind, "accept": case.kind in HONEST})
        (folder / "index.json").write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{folder}: cannot be written ({error.strerror}); name another folder") from None
    return f"{len(cases)} answers to {folder / 'given.dfy'}, and {folder / 'index.json'}"
