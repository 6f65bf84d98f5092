"""From prompt files to questions: a file's placeholders are filled, and the system text goes before it."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

from veriloop.exchanges import Message, Purpose, Question
from veriloop.tasks import Task, text_sha256

PLACEHOLDERS: dict[str, frozenset[str]] = {
    "system": frozenset(),
    "propose": frozenset({"given", "target", "memory"}),
    "review": frozenset({"given", "candidate"}),
    "remember": frozenset({"given", "notes", "candidate", "findings"}),
}
"""The files that a folder of config/prompts/ may have, and what each may be filled with."""


def render(template: str, values: Mapping[str, str]) -> str:
    """Fill a prompt file."""
    return Template(template).substitute(values)


def render_proposal(template: str, task: Task, memory: str) -> str:
    """Fill the file that asks for a program: `$given`, `$target`, and what earlier attempts left as `$memory`."""
    return render(template, {"given": task.given, "target": task.target, "memory": memory})


def question(prompts: Mapping[str, str], purpose: Purpose, task: str, attempt: int, text: str) -> Question:
    """A question with the system text, if there is one, and the filled file."""
    system = (Message(role="system", content=prompts["system"]),) if "system" in prompts else ()
    return Question(
        purpose=purpose,
        task=task,
        attempt=attempt,
        messages=(*system, Message(role="user", content=text)),
        template_sha256=text_sha256(prompts.get("system", "") + prompts[purpose]),
    )
