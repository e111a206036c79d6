"""Any answer of a model is read or refused with a reason, never with a traceback."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.rule.asking.offline import answer
from retouch.recipes.rule.asking.pages import prompt_for
from retouch.recipes.rule.asking.source import FORMS
from retouch.recipes.rule.asking.turns import build_retry_prompt
from retouch.recipes.rule.judging.artifact import Heading
from retouch.recipes.rule.judging.reading import read_answer
from tests.recipes.rule.rounds_scene import FUNCTION, RIGHT, job

if TYPE_CHECKING:
    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.asking.source import Form

JOBS: dict[Form, RuleJob] = {form: job(form=form) for form in FORMS}
RIGHT_ONES = [RIGHT, FUNCTION, answer(prompt_for(JOBS["columns"], "columns"))]
NAMES = st.sampled_from(["c1", "c2", "c9", "", "Year", "mission", "of", "\0", "\ud800", "é" * 40])
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(-5, 2000), NAMES, st.lists(NAMES, max_size=3))
PART = st.dictionaries(st.sampled_from(["name", "type", "chars", "before", "optional", "x"]), PLAIN, max_size=4)
COLUMN = st.dictionaries(
    st.sampled_from(["of", "name", "type", "format", "normalize", "optional", "drop", "parts", "x"]),
    st.one_of(PLAIN, st.lists(st.one_of(PART, NAMES), max_size=3)),
    max_size=5,
)
ANSWERS = st.dictionaries(
    st.sampled_from(["name", "tag", "columns", "beyond", "glob"]),
    st.one_of(PLAIN, st.lists(COLUMN, max_size=3)),
    max_size=4,
)


@st.composite
def spoiled(draw: Any) -> str:
    """Return a correct answer with a piece removed, doubled or replaced."""
    text = draw(st.sampled_from(RIGHT_ONES))
    start = draw(st.integers(0, len(text)))
    end = draw(st.integers(start, min(len(text), start + 20)))
    return (
        text[:start]
        + draw(st.sampled_from(["", text[start:end] * 2, "\0", "\t", "{", "'", "\udce9", "```", "é"]))
        + text[end:]
    )


def is_told(text: str, form: Form) -> bool:
    """Return whether an answer is read, or refused with issues that can be sent in a correction."""
    read = read_answer(JOBS[form], text, Heading())
    if read.value is None:
        assert any(issue.severity == "error" for issue in read.issues)
    assert all(len(issue.message) <= 300 and issue.unit == "rule" for issue in read.issues)
    from retouch.engine.tiers import ValidationResult

    return bool(build_retry_prompt("p", [ValidationResult(read.issues, raw_output=text)], JOBS[form].samples))


@settings(max_examples=60, deadline=None)
@given(text=st.one_of(st.text(max_size=60), spoiled()), form=st.sampled_from(FORMS))
def test_any_text_is_read_or_refused_with_a_reason(text: str, form: Form) -> None:
    assert is_told(text, form)


@settings(max_examples=60, deadline=None)
@given(said=ANSWERS)
def test_any_object_about_columns_is_read_or_refused_with_a_reason(said: dict[str, Any]) -> None:
    assert is_told(f"```json\n{json.dumps(said)}\n```", "columns")
