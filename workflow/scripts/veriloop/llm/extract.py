"""The Dafny program in a language model's answer, and why this part of the answer was taken for it.

Lines end at LF; CRLF is read as LF, and a carriage return on its own is kept, since it ends a comment for Dafny. A lone
surrogate, which no file can hold, becomes U+FFFD. Time is linear in the answer's length, whatever it is.

Reasoning is what stands in tags such as `<think>`: from an opening tag to the first closing tag of its name or to the
end, and all before a closing tag that nothing opened. Inside of reasoning fences mean nothing. Inside of a block, in a
line that starts with `//` and in backticks, tags mean nothing, so a program may hold them; but a block that nothing
closes was a draft if, of its lines that are a tag and nothing else, the first is a closing one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from veriloop.outcomes import Record

Kind = Literal["program", "empty", "without_code", "truncated"]

INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"
"""Byte order mark and characters of no width, which are dropped where a program starts."""

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&#x27;": "'"}
_ENTITY = re.compile("|".join(_ENTITIES), re.IGNORECASE)
_ANY_TAG = r"</?(?:think|thinking|reasoning|reflection|scratchpad)[ \t]*+>"
_TAG = re.compile(_ANY_TAG.replace("/?", "(?P<closing>/?)").replace("?:", "?P<name>"), re.IGNORECASE)
_LEAD = r"[ \t]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++){0,3}"
_RUN = r"(?:`{3,}+|~{3,}+)"
_STOP = re.compile(
    # What comes first hides the tags in it: a fence with more on its line, a line of comment, a tag in backticks.
    rf"^{_LEAD}{_RUN}[ \t]*+[^<\s][^\n]*+|^[ \t]*+//[^\n]*+|`{_ANY_TAG}`|(?P<stop>\n|\Z|{_ANY_TAG})",
    re.IGNORECASE | re.MULTILINE,
)
_OPENING = re.compile(rf"(?P<margin>{_LEAD})(?P<fence>{_RUN})(?P<info>[^\n]*)")
_CLOSING = re.compile(rf"([ \t]*+)({_RUN})[ \t\r]*+(?=\Z|{_ANY_TAG})", re.IGNORECASE)
_LANGUAGE = re.compile(r"[ \t]*+(\S*+)[ \t]*+(.*)", re.DOTALL)
_DAFNY = re.compile(r"\b(?:dafny|dfy)\b", re.IGNORECASE)
_NAME = r"[A-Za-z_][\w?']*+(?:\.[\w?']++)*+"
_MODIFIER = r"(?:(?:ghost|abstract|static|twostate|least|greatest|opaque|replaceable|inductive|protected)\b[ \t]*+)"
_START = re.compile(
    # Wrapped prose may start with a keyword and a word, so a name that ends its line has to start with a capital.
    rf"""
    [ \t]*+(?: // | /\* | \{{: | @[A-Za-z] | include[ \t]*+@?"
    | import[ \t]++(?:opened[ \t]++)?{_NAME}[ \t\r]*+(?:$|[;`=:/])
    | {_MODIFIER}*+const[ \t]++(?:\{{:|{_NAME}[ \t]*+[:=])
    | {_MODIFIER}++\r*+$
    | {_MODIFIER}*+
      (?:method|function|lemma|predicate|iterator|class|trait|module|datatype|codatatype|type|newtype|colemma
        |copredicate)\b (?:[ \t]++method\b)? [ \t\r]*+
      (?:\{{:|@|{_NAME}[ \t\r]*+(?:[(<\[{{=;]|//|/\*|extends\b|refines\b)|(?=[A-Z_]){_NAME}[ \t\r]*+$)
    )""",
    re.VERBOSE,
)
_CLAUSE = re.compile(r"(?:requires|ensures|invariant|decreases|modifies|reads|returns|yields|witness)\b|&&|\|\||==>")


class Extraction(Record):
    """What an answer holds; `blocks` counts those outside of reasoning, `block` is the chosen one's number, from 1."""

    program: str | None
    kind: Kind
    blocks: int
    block: int | None
    why: str


def extract(answer: str, *, cut_off: bool = False) -> Extraction:
    """The program in an answer to a request for a complete Dafny program.

    Of several blocks it is the last one that is at least half as long as the longest one: among those with a Dafny tag,
    or among all if none of these holds anything. Without a block it is what stands from the first line that can start
    Dafny to the last line that is surely code.

    Args:
        answer: any text.
        cut_off: whether the answer ended because it became too long; only what a fence closed is a program then.
    """
    text = answer.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    scan = _Scan(text.replace("\r\n", "\n").lstrip(INVISIBLE))
    bare = _bare(scan.prose)
    # The opening fence of a program may be in the prompt, or within a line of prose: then the only fence closes.
    fence_closes = bool(bare) and len(scan.blocks) == 1 and scan.blocks[0].opens_nothing()
    if scan.blocks and not fence_closes:
        return _chosen(scan.blocks, cut_off=cut_off)
    if bare and (fence_closes or not cut_off):
        why = "The lines above a fence that opens nothing." if fence_closes else "No fence: all that looks like code."
        return Extraction(program=_program(bare), kind="program", blocks=0, block=None, why=why)
    if not scan.text.strip():
        return _without("empty", "The answer is empty.", cut_off=cut_off)
    return _without("without_code", "Outside of reasoning nothing looks like Dafny.", cut_off=cut_off)


@dataclass(slots=True)
class _Block:
    """A fenced block; `margin` stands before its fence, `tag` after it; `nested` fences in it wait to be closed."""

    margin: str
    fence: str
    tag: str
    lines: list[str]
    closed: bool
    nested: int = 0

    def opens_nothing(self) -> bool:
        return not self.closed and not self.tag and not _bare(self.lines)


class _Scan:
    """One pass over an answer: its blocks and the lines outside of them, without reasoning."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.blocks: list[_Block] = []
        self.prose: list[str] = []
        while self.at < len(text):
            if self.blocks and not self.blocks[-1].closed:
                self._read_inside(self.blocks[-1])
            else:
                self._read_outside()
        if self.blocks and not self.blocks[-1].closed:
            self._leave_open(self.blocks[-1])

    def _read_outside(self) -> None:
        """Read up to the next line end or reasoning tag, and all of the reasoning that starts there."""
        stop = next(one for one in _STOP.finditer(self.text, self.at) if one["stop"] is not None)
        line, self.at = self.text[self.at : stop.start()], stop.end()
        tag = _TAG.fullmatch(stop["stop"])
        block = None if tag else _opened(line)
        if block:
            self.blocks.append(block)
        elif tag and tag["closing"]:
            self.blocks, self.prose = [], []
        else:
            self.prose.append(line)
        if tag and not tag["closing"]:
            end = re.compile(rf"</{tag['name']}[ \t]*+>", re.IGNORECASE).search(self.text, self.at)
            self.at = end.end() if end else len(self.text)

    def _read_inside(self, block: _Block) -> None:
        """Read a line of a block, or the fence that closes it, after which a reasoning tag may follow."""
        end = self.text.find("\n", self.at) % (len(self.text) + 1)  # the text's end if there is no other
        closing, width = _CLOSING.match(self.text, self.at, end), len(block.margin)
        closes = closing is not None and closing[2].startswith(block.fence) and len(closing[1]) <= width + 3
        if closing and closes and not block.nested:
            block.closed, self.at = True, closing.end() + (closing.end() == end)
            return
        line, self.at = self.text[self.at : end], end + 1
        other = _opened(line)
        other = other if other and other.tag and not other.closed and other.fence.startswith(block.fence) else None
        # No line of Dafny is such a fence: the block before was left open, or holds nothing but this one.
        if other and _DAFNY.search(other.tag):
            self._leave_open(block)
            self.blocks.append(other)
        else:
            block.nested += bool(other and len(line.split()) == 1) - closes
            block.lines.append(line[:width].lstrip(" \t" if "\t" in block.margin else " ") + line[width:])

    def _leave_open(self, block: _Block) -> None:
        """End a block that has no closing fence on its own line: after a brace one counts, and it may be a draft."""
        tags = ((at, tag) for at, line in enumerate(block.lines) if (tag := _TAG.fullmatch(line.strip())))
        at, tag = next(tags, (0, None))
        if tag and tag["closing"]:
            self.blocks, self.prose = [], block.lines[at + 1 :]
            return
        at = next((at for at, line in enumerate(block.lines) if line.rstrip().endswith("}" + block.fence)), -1)
        if at >= 0:
            block.lines[at:], block.closed = [block.lines[at].rstrip().removesuffix(block.fence)], True


def _opened(line: str) -> _Block | None:
    """The block that a line opens, with the code on that line; it is closed if the line closes it too."""
    found = _OPENING.fullmatch(line)
    if found is None:
        return None
    fence, info = found["fence"], found["info"].rstrip(" \t\r")
    inner = info.rstrip(fence[0])
    closed = bool(inner.strip()) and len(info) - len(inner) >= len(fence)
    if not closed and fence[0] == "`" and "`" in info:
        return None
    tag, code = _tag_and_code(inner if closed else info, closed=closed)
    return _Block(found["margin"], fence, tag, [code] if code else [], closed)


def _tag_and_code(info: str, *, closed: bool) -> tuple[str, str]:
    """What stands after a fence on its line: the word for a language, and code where it is surely that."""
    found = _LANGUAGE.fullmatch(info)
    word, rest = found.groups() if found else ("", "")
    is_code = rest.startswith("\r") or bool(_START.match(rest))
    if (rest and _START.match(info)) or (closed and not is_code and not _DAFNY.fullmatch(word)):
        return "", info.strip(" \t")
    return word, rest.rstrip(" \t") if is_code or closed else ""


def _chosen(blocks: Sequence[_Block], *, cut_off: bool) -> Extraction:
    sizes = [len("\n".join(block.lines).strip()) for block in blocks]
    tagged = [at for at, block in enumerate(blocks) if sizes[at] and _DAFNY.search(block.tag)]
    among = tagged or range(len(blocks))
    longest = max(sizes[at] for at in among)
    at = next(at for at in reversed(among) if 2 * sizes[at] >= longest)
    number, count = at + 1, len(blocks)
    is_cut, program = cut_off and not blocks[at].closed, _program(blocks[at].lines)
    if is_cut or not program.strip():
        why = f"Cut off in block {number} of {count}." if is_cut else "Every block is empty."
        return _without("without_code", why, cut_off=cut_off, blocks=count, block=number)
    why = f"Block {number} of {count}"
    if len(among) > 1:
        why += f", the last at least half as long as the longest of {'those with a Dafny tag' if tagged else 'all'}"
    elif count > 1:
        why += ", the only one with a Dafny tag"
    why += "." if blocks[at].closed else ", which nothing closes."
    return Extraction(program=program, kind="program", blocks=count, block=number, why=why)


def _without(kind: Kind, why: str, *, cut_off: bool, blocks: int = 0, block: int | None = None) -> Extraction:
    return Extraction(program=None, kind="truncated" if cut_off else kind, blocks=blocks, block=block, why=why)


def _bare(lines: Sequence[str]) -> Sequence[str]:
    """The lines from the first that can start Dafny to the last of code; none if none can."""
    first = next((at for at, line in enumerate(lines) if _START.match(line)), len(lines))
    last = next((at for at in range(len(lines) - 1, first, -1) if _is_code(lines[at], lines[at - 1])), first)
    return lines[first : last + 1]


def _is_code(line: str, before: str) -> bool:
    """Whether a line after the start of a program is surely code: by how it starts, what it closes or what it ends."""
    code, before = line.strip(" \t\r"), before.strip(" \t\r")
    return bool(code) and (
        bool(_START.match(line))
        or code.startswith(("{", "}", ")"))
        or code.endswith("*/")
        or code.count("}") > code.count("{")
        or (bool(_CLAUSE.match(code)) and not code.endswith((".", ":", "!", "?")))
        or (code.startswith("|") and not code.endswith("|"))
        or (before[:1].isalnum() and before.endswith(("=", "|", "(", "+", "&&", "==>", "::")))
    )


def _program(lines: Sequence[str]) -> str:
    """The lines as a file; entities are read if the text has them and no operator that they would stand for."""
    text = "\n".join(lines).lstrip(INVISIBLE)
    if not any(operator in text for operator in ("<", ">", "&&")):
        text = _ENTITY.sub(lambda entity: _ENTITIES[entity[0].lower()], text)
    return f"{text}\n"
