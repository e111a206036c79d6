"""Checks a changed rule before it takes the place of the rule: it can be read, and no sample loses a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.errors import InvalidRule
from retouch.recipes.rule.language.load import load_rule
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.language.model import ExtractionRule


def written(rule: ExtractionRule) -> str:
    """Return the text of a changed rule, from which the same rule is read.

    Raises:
        BadInput: the change made it invalid.
    """
    text = render_rule(rule)
    try:
        same = load_rule(text) == rule
    except InvalidRule as error:
        first = error.problems[0]
        message = f"the change would make the rule invalid: {first.message} ({first.path})"
        raise BadInput(message, hint=f"Nothing was written. {first.suggestion}".strip()) from error
    if not same:
        message = "the changed rule would be read otherwise than it is meant"
        raise BadInput(message, hint="Nothing was written. Make the change in the file.")
    return text


def expect_no_loss(before: ExtractionRule, after: ExtractionRule, samples: Sequence[str]) -> None:
    """Check that every sample that gave every field still does.

    Raises:
        BadInput: one does not.
    """
    for path in samples:
        if loses(before, after, path):
            lost = next(iter(apply_rule(after, path).reasons), "")
            message = f"the changed rule gives no {lost or 'fields'} for {path!r}"
            raise BadInput(message, hint="Nothing was written. Choose another type or mark.")


def loses(before: ExtractionRule, after: ExtractionRule, path: str) -> bool:
    """Return whether a rule took every field of a path, and the changed one does not."""
    return apply_rule(before, path).status == "COMPLETE" and apply_rule(after, path).status != "COMPLETE"
