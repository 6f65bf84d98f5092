"""Tables for people: Markdown beside the CSV, with denominators and exclusions in every row."""

from __future__ import annotations

from collections.abc import Sequence

from veriloop.rows import AttemptRow, CellRow, ComparisonRow, Difference, RateRow

HEADER = (
    "benchmark",
    "arm",
    "model",
    "n",
    "accepted",
    "not scored",
    "rate % ± se",
    "95% interval",
    "paper",
)


def rates_markdown(rows: Sequence[RateRow], lines: Sequence[str], confidence: float) -> str:
    """The table of rates.

    Args:
        rows: one per cell.
        lines: what stands below, such as which verifier was used.
        confidence: of the intervals, for the heading.
    """
    table = markdown(*rates_text(rows, confidence))
    return "\n".join([table, "", *lines, *(f"- {note}" for note in rates_notes(rows))]) + "\n"


def rates_text(rows: Sequence[RateRow], confidence: float) -> tuple[list[str], list[list[str]]]:
    """The headings and the cells of each row."""
    return [column.replace("95%", f"{100 * confidence:.4g}%") for column in HEADER], [_cells(r) for r in rows]


def rates_notes(rows: Sequence[RateRow]) -> list[str]:
    """What has to be said about rows of the table of rates."""
    notes = [f"{r.benchmark}, {r.model}: the paper prints {r.paper_percent:.1f}, {r.note}." for r in rows if r.note]
    notes += _unscored_notes(rows)
    if any(r.synthetic for r in rows):
        notes.append("synthetic: answers made from the ground truth; they say nothing about a model.")
    if any(r.source == "published" for r in rows):
        notes.append("published: re-estimated from a release's facts; nothing was run here.")
    for benchmark in dict.fromkeys(r.benchmark for r in rows if r.source == "audited"):
        most, n = max((r.not_scored, r.n) for r in rows if r.benchmark == benchmark)
        notes.append(
            f"{benchmark}: audited; gates were run here on recorded answers, and the table audit says whether these "
            f"were verified here too. Up to {most} of {n} tasks were not scored (damaged inputs, missing answers or "
            "faults); the bounds are in rates.csv."
        )
    return notes


def rates_latex(rows: Sequence[RateRow], confidence: float) -> str:
    """The table of rates, to be put into a paper."""
    return latex(*rates_text(rows, confidence))


def _unscored_notes(rows: Sequence[RateRow]) -> list[str]:
    return [
        f"{r.benchmark}, {r.arm}, {r.model}: {r.not_scored} of {r.n} tasks were not scored (faults or missing "
        f"answers); had all of them failed, the rate would be {100 * r.bound_low:.1f}, "
        f"had all been accepted {100 * r.bound_high:.1f}."
        for r in rows
        if r.source != "audited" and r.bound_low is not None and r.bound_high is not None
        if r.bound_low != r.bound_high
    ]


def _cells(row: RateRow) -> list[str]:
    mark = " (synthetic)" if row.synthetic else ""
    return [
        row.benchmark,
        row.arm,
        f"{row.model}{mark}",
        str(row.n),
        short(row.accepted),
        str(row.not_scored),
        percent(row.rate, row.se),
        interval(row),
        _printed(row),
    ]


def percent(rate: float | None, se: float | None) -> str:
    """A rate and its standard error in percent with one digit, as the papers print them."""
    if rate is None:
        return "none scored"
    return f"{100 * rate:.1f}" + ("" if se is None else f" ± {100 * se:.1f}")


def short(number: float) -> str:
    """A number with at most two digits after the point, and none that say nothing."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def interval(row: CellRow | ComparisonRow | AttemptRow) -> str:
    """The interval in percent with one digit, empty where there is none."""
    if row.ci_low is None or row.ci_high is None:
        return ""
    return f"{100 * row.ci_low:.1f} to {100 * row.ci_high:.1f}"


def _printed(row: RateRow) -> str:
    if row.paper_percent is None:
        return ""
    se = "" if row.paper_se_percent is None else f" ± {row.paper_se_percent:.1f}"
    return f"{row.paper_percent:.1f}{se}" + (" (not reproduced)" if row.note else "")


def differences_markdown(rows: Sequence[Difference], compared: int, toolchain_line: str) -> str:
    """The tasks whose live outcome differs from the published one.

    Args:
        rows: the differing ones.
        compared: how many pairs of task and model were compared.
        toolchain_line: which verifier was used.
    """
    count = f"{len(rows)} of {compared} live outcomes differ from the published ones."
    return "\n".join([count, "", markdown(*differences_text(rows)), "", toolchain_line]) + "\n"


def differences_latex(rows: Sequence[Difference]) -> str:
    """The differing tasks, to be put into a paper."""
    return latex(*differences_text(rows))


def differences_text(rows: Sequence[Difference]) -> tuple[list[str], list[list[str]]]:
    """The headings and the cells of each row."""
    cells = [[r.model, r.task, r.published, r.live, r.reason] for r in rows]
    return ["model", "task", "published", "live", "reason"], cells


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, padded so that it reads well as plain text too."""
    clean = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in clean) for i in range(len(header))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in clean]
    return "\n".join([lines[0], "| " + " | ".join("-" * w for w in widths) + " |", *lines[1:]])


def latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A LaTeX table in the manner of booktabs: first column left, the others right; to be put into a paper."""
    lines = [" & ".join(_escaped(cell) for cell in row) + r" \\" for row in [header, *rows]]
    columns = "l" + "r" * (len(header) - 1)
    body = [lines[0], r"\midrule", *lines[1:]]
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *body, r"\bottomrule", r"\end{tabular}", ""])


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {"<": "$<$", ">": "$>$"}


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
