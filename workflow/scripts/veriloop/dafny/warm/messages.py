"""What a server says about one version of a document, and the result that this amounts to.

What Dafny 4.11.0 does, and this module takes into account:

- Everything is told in several messages and each list of diagnostics replaces the one before; the state of all symbols
  may be complete before the status that says that resolution succeeded.
- A program without anything to verify gets no state of symbols. A symbol without obligations goes from queued to
  correct and never runs; `dafny verify` does not count it. (The server must be told not to throttle its messages.)
- How many proofs a symbol had is only said to the editor's pointer, in words.
- Two things with one name token share one symbol: with an iterator the symbol is correct for a moment before its body
  has been looked at.
- Two warnings and hints are the editor's only, `dafny verify` does not print them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types
from lsprotocol.converters import get_converter

from veriloop.dafny.diagnostics import category, is_failure
from veriloop.dafny.session import FILE_NAME
from veriloop.dafny.warm.framing import Message
from veriloop.outcomes import Diagnostic, Outcome, Place, VerifierResult

SYMBOL_STATUS = "dafny/textDocument/symbolStatus"

LATE_SECONDS = 0.3
"""Quiet that ends an answer that may lack something: no symbol at all, or a failure without its message."""

SHARED_SECONDS = 1.0
"""Quiet that ends an answer in which the state of a symbol may not be the last one."""

if TYPE_CHECKING:
    from cattrs import Converter

_SHARES_SYMBOLS = re.compile(r"\biterator\b")
_FAILED = {"ParsingFailed", "ResolutionFailed"}
_WITHOUT_PROOF = (
    ("time_outs", re.compile(r"Verification timed out\b")),
    ("out_of_resource", re.compile(r"Verification out of resource\b")),
    ("inconclusive", re.compile(r"Verification inconclusive\b")),
)
_BATCHES = re.compile(r"^ *- #\d+/(\d+) with ", re.MULTILINE)
_EDITOR_ONLY = "errorLimitHit"

Start = tuple[int, int]
"""Where a symbol's name starts, as the server counts: line and column from 0."""


class Symbol(IntEnum):
    """The states of a symbol, as numbered by the server."""

    STALE = 0
    QUEUED = 1
    RUNNING = 2
    ERROR = 4
    CORRECT = 5


@cache
def converter() -> Converter:
    """The converter between messages and the types of lsprotocol; making it takes a while."""
    return get_converter()


class Reading:
    """Takes in messages until the answer about one version of one document is complete."""

    def __init__(self, program: str, uri: str, version: int) -> None:
        """Take the text and the name and version under which the server got it."""
        self.uri = uri
        self.version = version
        self._shares_symbols = bool(_SHARES_SYMBOLS.search(program))
        self._status = ""
        self._symbols: dict[Start, Symbol] = {}
        self._ran: set[Start] = set()
        # A later list can lack an error that an earlier one had, where two proofs share a symbol: so none is dropped.
        self._diagnostics: dict[Diagnostic, None] = {}
        self._foreign_errors: list[str] = []
        self._sources: set[str] = set()
        self._proofs = 0

    def take(self, message: Message) -> bool:
        """Take in a message; False if it is about something else.

        Raises:
            KeyError, TypeError, ValueError, ExceptionGroup: it is not what the protocol says.
        """
        params = message.get("params")
        if not isinstance(params, dict) or (params.get("uri"), params.get("version")) != (self.uri, self.version):
            return False
        if message.get("method") == "dafny/compilation/status":
            self._status = str(params["status"])
        elif message.get("method") == SYMBOL_STATUS:
            self._take_symbols(params["namedVerifiables"])
        elif message.get("method") == types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS:
            self._take_diagnostics(converter().structure(params, types.PublishDiagnosticsParams).diagnostics)
        else:
            return False
        return True

    def _take_symbols(self, symbols: list[dict[str, Any]]) -> None:
        starts = [symbol["nameRange"]["start"] for symbol in symbols]
        places = [(start["line"], start["character"]) for start in starts]
        self._symbols = {p: Symbol(s["status"]) for p, s in zip(places, symbols, strict=True)}
        self._ran |= {place for place, state in self._symbols.items() if state is Symbol.RUNNING}

    def _take_diagnostics(self, diagnostics: Iterable[types.Diagnostic]) -> None:
        for said in diagnostics:
            if said.code == _EDITOR_ONLY or said.severity not in _SEVERITIES:
                continue
            found = _diagnostic(said, _SEVERITIES[said.severity])
            self._diagnostics[found] = None
            if found.severity == "error":
                self._sources.add(said.source or "")
                self._foreign_errors += [] if said.source else [found.message]

    def rest(self) -> float | None:
        """Seconds without a further message after which the answer is complete; None while it cannot be."""
        has_error = any(d.severity == "error" for d in self._diagnostics)
        if self._status in _FAILED or self._status == "InternalException":
            return 0.0 if has_error else LATE_SECONDS
        if self._status != "ResolutionSucceeded":
            return None
        states = set(self._symbols.values())
        if states - {Symbol.ERROR, Symbol.CORRECT}:
            return None
        if self._shares_symbols:
            return SHARED_SECONDS
        unexplained = Symbol.ERROR in states and not has_error
        return LATE_SECONDS if unexplained or not states else 0.0

    def proved(self) -> list[Start]:
        """The symbols for which something was proved, if nothing is against the program; else none."""
        counters = self._counters()
        if self._status != "ResolutionSucceeded" or self._foreign_errors or counters:
            return []
        return self._correct()

    def _correct(self) -> list[Start]:
        return [place for place, state in self._symbols.items() if state is Symbol.CORRECT and place in self._ran]

    def count(self, proofs: int) -> None:
        """Take in how many proofs the symbols of `proved` had."""
        self._proofs = proofs

    def result(self, minimum_verified: int, sha256: str) -> VerifierResult:
        """The result of a complete answer.

        `verified` is the number of proofs, as `dafny verify` counts them, where nothing is against the program. It can
        be too low where a symbol's proofs are not told: a type or an iterator counts as one. In a program that is
        refuted or not decided each symbol that is correct counts as one, so that `dafny verify` may count more.
        """
        counters = self._counters()
        verified = max(self._proofs, len(self._correct()))
        outcome, explanation = self._outcome(counters, verified, minimum_verified)
        return VerifierResult(
            outcome=outcome,
            path="warm",
            verified=verified,
            errors=counters["errors"],
            time_outs=counters["time_outs"],
            out_of_resource=counters["out_of_resource"],
            inconclusive=counters["inconclusive"],
            limit_hit="resource" if outcome is Outcome.OUT_OF_RESOURCE else None,
            diagnostics=tuple(self._diagnostics),
            explanation=explanation,
            output=self._summary(),
            program_sha256=sha256,
        )

    def _counters(self) -> Counter[str]:
        if self._status != "ResolutionSucceeded":
            return Counter()
        return Counter(_counter(d.message) for d in self._diagnostics if d.severity == "error")

    def _outcome(self, counters: Counter[str], verified: int, minimum_verified: int) -> tuple[Outcome, str]:
        """The same order as in the cold path: what the program does wrong goes before what could not be decided."""
        if self._status in _FAILED and is_failure(self._sources):
            return Outcome.TOOL_FAULT, next(d.message for d in self._diagnostics if d.severity == "error")
        if self._status in _FAILED:
            return Outcome.MALFORMED, ""
        if self._status == "InternalException" or self._foreign_errors:
            return Outcome.TOOL_FAULT, "\n".join(["the server had an internal error", *self._foreign_errors[:1]])
        worth = {
            "errors": Outcome.REFUTED,
            "time_outs": Outcome.TIMEOUT,
            "out_of_resource": Outcome.OUT_OF_RESOURCE,
            "inconclusive": Outcome.INCONCLUSIVE,
        }
        against = next((outcome for name, outcome in worth.items() if counters[name]), None)
        if against is not None:
            return against, ""
        if Symbol.ERROR in self._symbols.values():
            return Outcome.INCONCLUSIVE, "a symbol failed without a message"
        if verified < minimum_verified:
            return Outcome.INCONCLUSIVE, f"{verified} verified items, at least {minimum_verified} expected"
        return Outcome.VERIFIED, ""

    def _summary(self) -> str:
        """Status and symbols as lines, for a record; lines count from 1, columns from 0."""
        lines = [f"{line + 1}:{column} {state.name}" for (line, column), state in self._symbols.items()]
        return "\n".join([self._status, *lines])


def proofs(hover: dict[str, Any] | None) -> int:
    """The number of proofs by what the server says of a symbol that was proved; 1 where it does not say."""
    words = str(((hover or {}).get("contents") or {}).get("value", "")).partition("```")[0]
    match = _BATCHES.search(words)
    return int(match[1]) if match else 1


class Counting:
    """Waits for what the server says of symbols, and adds up their proofs."""

    def __init__(self, requests: Iterable[int]) -> None:
        """Take the numbers of the requests."""
        self._open = set(requests)
        self.proofs = 0

    def take(self, message: Message) -> bool:
        """Take in an answer; False if it is none to these requests."""
        if "method" in message or message.get("id") not in self._open:
            return False
        self._open.remove(message["id"])
        self.proofs += proofs(message.get("result"))
        return True

    def rest(self) -> float | None:
        """No time at all, once all answers are there."""
        return None if self._open else 0.0


_SEVERITIES: dict[types.DiagnosticSeverity | None, Literal["error", "warning"]] = {
    types.DiagnosticSeverity.Error: "error",
    types.DiagnosticSeverity.Warning: "warning",
}


def _counter(message: str) -> str:
    """Which of the result's counters an error counts for."""
    return next((name for name, words in _WITHOUT_PROOF if words.match(message)), "errors")


def _diagnostic(said: types.Diagnostic, severity: Literal["error", "warning"]) -> Diagnostic:
    related = said.related_information or ()
    start = said.range.start
    return Diagnostic(
        severity=severity,
        category=category(said.message, said.source or ""),
        message=said.message,
        file=FILE_NAME,
        line=start.line + 1,
        column=start.character,
        related=tuple(_place(r.location.range.start, r.message) for r in related),
    )


def _place(start: types.Position, message: str) -> Place:
    return Place(line=start.line + 1, column=start.character, message=message)
