"""The result of an answer: a rule in YAML, or a function in Python."""

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
    """The form that was requested of an answer, if it differs from the source's form, and the issue that it answers.

    `reported_issue` is the code of an issue that is reported to the model only once. The user's own text has the
    `requested_form` "any".
    """

    requested_form: str = ""
    reported_issue: str = ""

    def before(self, answer: str) -> str:
        """Return `answer` with this heading in front."""
        reported = f"; told: {self.reported_issue}" if self.reported_issue else ""
        return (
            f"# asked: {self.requested_form or 'job'}{reported}\n{answer}"
            if self.requested_form or self.reported_issue
            else answer
        )


def without_heading(answer: str) -> tuple[Heading, str]:
    """Return the heading of a stored answer, and the answer as the model wrote it."""
    found = _HEADING.match(answer)
    if found is None:
        return Heading(), answer
    requested_form = "" if found["asked"] == "job" else found["asked"]
    return Heading(requested_form=requested_form, reported_issue=found["told"] or ""), answer[found.end() :]


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """The result of reading one answer.

    - `text`: the content of the file. `rule`: the parsed rule if the text is YAML.
    - `beyond`: fields that, according to the model, no YAML rule can extract.
    - `repaired`: the automatic fixes that were applied.
    - `reported_issue`: the code of the issue that had been reported to the model.
    - `lines_before`: the number of lines before the text in the answer.
    """

    kind: Kind
    text: str
    rule: ExtractionRule | None = None
    beyond: tuple[str, ...] = ()
    repaired: tuple[str, ...] = field(default=(), compare=False)
    reported_issue: str = ""
    lines_before: int = field(default=0, compare=False)


def kind_of(text: str) -> Kind:
    """Return "python" if a text defines or imports something and has no keys of a rule, else "yaml"."""
    return "python" if _DEFINES.search(text) and not _KEYS.search(text) else "yaml"


def languages(form: Form | str) -> tuple[Kind, ...]:
    """Return the kinds of answers that are accepted for the requested `form`."""
    known: dict[str, tuple[Kind, ...]] = {"columns": ("yaml",), "yaml": ("yaml",), "python": ("python",)}
    return known.get(form, ("yaml", "python"))
