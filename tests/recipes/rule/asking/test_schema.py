"""The schema of an answer about columns: its bounds, its form, and nulls."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from retouch.recipes.rule import apply_rule, recipe
from retouch.recipes.rule.asking.offline import answer as offline_answer
from retouch.recipes.rule.asking.pages import text_of
from retouch.recipes.rule.asking.schema import COLUMNS_SCHEMA
from retouch.recipes.rule.asking.source import FORMS, Form
from retouch.recipes.rule.judging.artifact import Heading
from retouch.recipes.rule.judging.reading import read_answer
from retouch.text import json_values
from tests.recipes.bounded import fits, providers_with_a_form, unbounded
from tests.recipes.rule.rounds_scene import job


def in_prompt() -> Any:
    """Return the example in the prompt."""
    found = re.search(r"^\{.*?^ .*\]\}$", text_of("columns"), re.MULTILINE | re.DOTALL)
    assert found is not None
    return json.loads(found[0])


def fields(answer: Any) -> Any:
    read = read_answer(job(), json.dumps(answer), Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    return dict(apply_rule(read.value.rule, job().samples[0]).values)


def test_every_text_and_list_is_bounded():
    assert [] == unbounded(COLUMNS_SCHEMA)


def test_every_provider_can_enforce_it():
    assert ["openai", "anthropic", "google", "local"] == providers_with_a_form(COLUMNS_SCHEMA)


@pytest.mark.parametrize("form", FORMS)
def test_only_the_prompt_about_columns_has_it(form: Form):
    (prompt,) = recipe.plan(job(form=form))
    assert (form == "columns") == (prompt.answer_schema is not None)


def test_the_example_of_the_prompt_fits():
    assert fits(COLUMNS_SCHEMA, in_prompt())
    assert not fits(COLUMNS_SCHEMA, {**in_prompt(), "glob": "**/*"})


def test_the_detectors_own_answer_fits():
    (prompt,) = recipe.plan(job())
    found = next(one for one in json_values(offline_answer(prompt)) if isinstance(one, dict))
    assert fits(COLUMNS_SCHEMA, {"name": "files", **found})


NULLS = dict.fromkeys(["type", "format", "normalize", "optional", "parts", "drop"])


def test_a_null_means_the_same_as_leaving_the_key_out():
    plain = {"name": "files", "columns": [{"of": ["c1"], "name": "first"}]}
    full = {"name": "files", "tag": None, "columns": [{**NULLS, "of": ["c1"], "name": "first"}], "beyond": None}
    assert fits(COLUMNS_SCHEMA, full)
    assert fields(plain) == fields(full)


def test_a_column_that_names_nothing_is_still_refused():
    read = read_answer(job(), json.dumps({"name": "files", "columns": [{"of": None, "name": "x"}]}), Heading())
    assert (None, ["SCHEMA_VIOLATION"]) == (read.value, [issue.code for issue in read.issues])
