"""Makes facts.csv and samples/small.csv from a copy of the release: `python -m veriloop.benchmarks.dafnybench.extract`.

It was run once on the pinned commit; a test repeats it where a copy is at hand. With the table of flags that the
experiment dafnybench_baseline makes as its argument it makes flags.csv instead.
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from veriloop.benchmarks.dafnybench.facts import FACTS, FLAGS, FOLDER, MODELS, Fact, to_row
from veriloop.benchmarks.dafnybench.source import release_folder
from veriloop.seeding import generator
from veriloop.tasks import read_program, text_sha256

SMALL_SIZE = 60
SMALL_SEED = 60


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def extract_facts(folder: Path) -> list[Fact]:
    """Join the release's metadata and results on file names.

    Args:
        folder: a copy of the release with metadata/, results_summary/, ground_truth/ and hints_removed/.
    """
    solved: dict[str, dict[str, int | None]] = {}
    for model in MODELS:
        for row in _rows(folder / "results_summary" / f"{model}_results.csv"):
            name = row["test_file"].removesuffix("_no_hints.dfy")
            attempt = row["success_on_attempt_#"]
            solved.setdefault(name, {})[model] = None if attempt == "failed" else int(attempt)
    # All models' files have the same order; the last one read tells it.
    places = {name: place for place, name in enumerate(solved)}
    rows = _rows(folder / "metadata" / "ground_truth_metadata.csv")
    return sorted((_fact(folder, row, solved, places) for row in rows), key=lambda fact: fact.name)


def _fact(folder: Path, row: dict[str, str], solved: dict[str, dict[str, int | None]], places: dict[str, int]) -> Fact:
    name = row["test_file"].removesuffix(".dfy")
    return Fact(
        name=name,
        result_row=places[name],
        given_sha256=text_sha256(read_program(folder / "hints_removed" / f"{name}_no_hints.dfy")),
        ground_truth_sha256=text_sha256(read_program(folder / "ground_truth" / f"{name}.dfy")),
        characters=int(row["#_char"]),
        hint_characters=int(row["#_hint_char"]),
        lemmas=int(row["#_lemma"]),
        functions=int(row["#_function"]),
        methods=int(row["#_method"]),
        has_requires=row["has_requires"] == "True",
        has_ensures=row["has_ensures"] == "True",
        hint_free=row["verifies_without_hints"] == "True",
        solved_at=solved[name],
    )


def stratum(fact: Fact) -> str:
    """Where gpt-4o stands on a task: solved with no hint, with hints, or never."""
    if fact.solved_at["gpt-4o"] is None:
        return "never_solved"
    return "hint_free" if fact.solved_at["gpt-4o"] == 0 else "solved_with_hints"


def small_sample(facts: list[Fact]) -> list[tuple[str, str]]:
    """60 tasks, each stratum in proportion to its size, drawn with a fixed seed."""
    chosen: list[tuple[str, str]] = []
    for name in ("hint_free", "solved_with_hints", "never_solved"):
        members = [fact.name for fact in facts if stratum(fact) == name]
        count = round(SMALL_SIZE * len(members) / len(facts))
        drawn = generator(SMALL_SEED, "sample", name).choice(len(members), size=count, replace=False)
        chosen += [(members[i], name) for i in drawn]
    return sorted(chosen)


def extract_flags(found: Path) -> list[list[str]]:
    """The flags of dafnybench_baseline; what a verifier found is cut to its outcome, its messages stay out.

    Args:
        found: results/tables/dafnybench_baseline/flags.csv.
    """
    rows = _rows(found)
    return [
        [r["task"], r["flag"], r["detail"] if r["found_by"] == "text" else r["detail"].partition(":")[0], r["found_by"]]
        for r in rows
    ]


def table(header: list[str], rows: list[list[str]]) -> str:
    """Rows as CSV text with Unix line ends."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def main() -> None:
    """Write the tables beside this file."""
    if sys.argv[1:]:
        rows = extract_flags(Path(sys.argv[1]))
        FLAGS.write_text(table(["task", "flag", "detail", "found_by"], rows), encoding="utf-8")
        return
    facts = extract_facts(release_folder())
    lines = [to_row(fact) for fact in facts]
    FACTS.write_text(table(list(lines[0]), [list(line.values()) for line in lines]), encoding="utf-8")
    sample = table(["task", "stratum"], [list(pair) for pair in small_sample(facts)])
    (FOLDER / "samples" / "small.csv").write_text(sample, encoding="utf-8")


if __name__ == "__main__":
    main()
