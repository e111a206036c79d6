"""What an answer becomes: a rule in YAML, or a function in Python."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from retouch.recipes.rule.asking.source import Form
    from retouch.recipes.rule.language.model import ExtractionRule

Kind: TypeAlias = Literal["yaml", "python"]

_DEFINES = re.compile(r"^(?:async )?def \w+\s*\(|^(?:import|from) \w+", re.MULTILINE)
_KEYS = re.compile(r"^\s*[\"']?(?:version|name|glob|extract|tag|columns|rules)[\"']?\s*:", re.MULTILINE)
_HEADING = re.compile(r"\A# asked: (?P<asked>\w+)(?:; told: (?P<told>\w+))?\n")


@dataclass(frozen=True, kw_only=True)
class Heading:
    """What an answer was asked for, where that differs from the job's form, and which complaint it was told once.

    A person's text is `asked` for "any" form.
    """

    asked: str = ""
    told: str = ""

    def before(self, answer: str) -> str:
        """Return the answer behind this heading."""
        told = f"; told: {self.told}" if self.told else ""
        return f"# asked: {self.asked or 'job'}{told}\n{answer}" if self.asked or self.told else answer


def without_heading(answer: str) -> tuple[Heading, str]:
    """Return the heading of a stored answer, and the answer as it came."""
    found = _HEADING.match(answer)
    if found is None:
        return Heading(), answer
    asked = "" if found["asked"] == "job" else found["asked"]
    return Heading(asked=asked, told=found["told"] or ""), answer[found.end() :]


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """What one answer is read as.

    `text` is what is written into a file, `rule` what a text in YAML means. `beyond` is what the model says that no
    rule in YAML can take from the paths. `repaired` was put right without a call. `told` is what the model had been
    told when it answered. `lines_before` stand in front of the text in the answer.
    """

    kind: Kind
    text: str
    rule: ExtractionRule | None = None
    beyond: tuple[str, ...] = ()
    repaired: tuple[str, ...] = field(default=(), compare=False)
    told: str = ""
    lines_before: int = field(default=0, compare=False)


def kind_of(text: str) -> Kind:
    """Return what a text is: Python when it defines or imports something and has no keys of a rule, else YAML."""
    return "python" if _DEFINES.search(text) and not _KEYS.search(text) else "yaml"


def languages(form: Form | str) -> tuple[Kind, ...]:
    """Return the kinds of answers that are welcome when `form` was asked for."""
    known: dict[str, tuple[Kind, ...]] = {"columns": ("yaml",), "yaml": ("yaml",), "python": ("python",)}
    return known.get(form, ("yaml", "python"))
