"""Secrets in the input of a run: known ones are removed from issues and sources, likely ones are reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch._lib.redaction import keys_in, redactor, without_keys
from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch._lib.redaction import KeyFound
    from retouch.engine.types import Prompt

CODE = "SECRET_IN_TEXT"
OUTPUT = "output"  # the key of a command's output in an issue's detail
_MOST_ISSUES = 5  # per text


def without_secrets(issues: Iterable[Issue]) -> list[Issue]:
    """Return issues without known secrets. In quoted command output, likely keys are removed too."""
    clean = redactor()
    found: list[Issue] = []
    for issue in issues:
        detail = _clean_output(clean.value(issue.detail))
        message, fix = clean.text(issue.message), clean.text(issue.fix)
        same = (message, fix) == (issue.message, issue.fix) and detail is issue.detail
        found.append(issue if same else replace(issue, message=message, fix=fix, detail=detail))
    return found


def _clean_output(detail: Mapping[str, JSON]) -> Mapping[str, JSON]:
    output = detail.get(OUTPUT)
    clean = without_keys(output) if isinstance(output, str) else output
    return detail if clean == output else {**detail, OUTPUT: clean}


class SecretsInText:
    """Warns about parts of prompts and answers that look like keys, without changing them."""

    def __init__(self, prompts: Iterable[Prompt]) -> None:
        self._prompts: dict[str, list[Prompt]] = {}
        for prompt in prompts:
            self._prompts.setdefault(prompt.unit, []).append(prompt)
        self._of_prompts: dict[str, list[Issue]] = {}
        self._of_systems: dict[str, list[KeyFound]] = {}

    def issues(self, unit: str, pages: Sequence[str]) -> list[Issue]:
        """Return a warning for each likely key in the unit's prompts, then in its answers."""
        if unit not in self._of_prompts:
            self._of_prompts[unit] = [one for prompt in self._prompts.get(unit, ()) for one in self._in_prompt(prompt)]
        answers = [one for page, text in enumerate(pages, 1) for one in _warnings(unit, page, "answer", keys_in(text))]
        return [*self._of_prompts[unit], *answers]

    def _in_prompt(self, prompt: Prompt) -> list[Issue]:
        if prompt.system not in self._of_systems:
            self._of_systems[prompt.system] = keys_in(prompt.system)
        found = [*self._of_systems[prompt.system], *keys_in(prompt.user)]
        return _warnings(prompt.unit, prompt.page, "prompt", found)


def _warnings(unit: str, page: int, where: str, found: Sequence[KeyFound]) -> list[Issue]:
    return [_warning(unit, page, where, one) for one in found[:_MOST_ISSUES]]


def _warning(unit: str, page: int, where: str, found: KeyFound) -> Issue:
    article = "an" if found.kind[0] in "AEIOUaeiou" else "a"
    detail: dict[str, Any] = {"kind": found.kind, "in": where}
    return Issue(
        code=CODE,
        message=f"Line {found.line} of the {where} of {unit!r} holds what looks like {article} {found.kind}.",
        tier=Tier.SYNTAX,
        unit=unit,
        page=page,
        severity="warning",
        line=found.line if where == "answer" else None,
        detail=detail,
        fix="If it is real, revoke it, take it out of the source, and remove it from the run with 'retouch scrub'.",
    )
