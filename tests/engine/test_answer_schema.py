"""The answer schema of a prompt reaches the request and every stored form, and is left out where it is not set."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.types import Prompt, Request, prompt_hash, request_hash
from retouch.engine.verbs import generate
from retouch.errors import BrokenFile
from retouch.testing import scripted
from tests.engine.conftest import run
from tests.engine.glossary import RECIPE, SOURCE, answer, plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.engine.conftest import Scene
    from tests.engine.glossary import Glossary

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"cat": {"type": "string", "maxLength": 20}}}


def _plan_with_schema(source: Glossary) -> Iterable[Prompt]:
    return (replace(one, answer_schema=SCHEMA) for one in plan(source))


OLD_HASH = "sha256:26c0409f1073709887036cddb53ed7f4be2a79e05eacce0f9a126da8bcc4ccbe"
OLD_REQUEST_HASH = "sha256:c18396d7625ced27ee9a7a6369299fd5a671511ea90cc6a63ea4a5e2bbbc3b14"
WITH_SCHEMA = replace(RECIPE, plan=_plan_with_schema)


def test_a_schema_reaches_the_request_and_every_stored_form(scene: Scene) -> None:
    sent: list[Request] = []

    def look(request: Request) -> str:
        sent.append(request)
        return answer(request.prompt)

    run(generate(WITH_SCHEMA, SOURCE, scene.folder, scripted(look)))
    view = open_run(scene.folder)
    assert [SCHEMA] * 3 == [one.answer_schema for one in sent]
    assert [SCHEMA] * 3 == [one.answer_schema for one in view.prompts]
    assert sent == [one.request for one in view.history.attempts.values()]
    texts = [row.data["text"] for row in scene.rows("text")]
    assert 1 == texts.count(json.dumps(SCHEMA, sort_keys=True, separators=(",", ":")))


def test_a_schema_is_part_of_the_prompts_hash_and_none_changes_nothing(scene: Scene) -> None:
    plain = Prompt(unit="u", system="s", user="u")
    given = replace(plain, answer_schema=SCHEMA)
    assert OLD_HASH == prompt_hash(plain)
    assert prompt_hash(plain) != prompt_hash(given)
    assert "answer_schema" not in plain.to_json()
    request = Request(prompt=plain, system="s", messages=(), max_output_tokens=5)
    assert OLD_REQUEST_HASH == request_hash(request) != request_hash(replace(request, answer_schema=SCHEMA))
    scene.generate()
    assert "answer_schema" not in (scene.folder / "prompts.json").read_text()
    assert not any("answer_schema" in row.data for row in scene.rows("intent"))


def test_a_changed_schema_asks_the_pages_again(scene: Scene) -> None:
    calls: list[str] = []

    def look(request: Request) -> str:
        calls.append(request.prompt.unit)
        return answer(request.prompt)

    run(generate(RECIPE, SOURCE, scene.folder, scripted(look)))
    run(generate(RECIPE, SOURCE, scene.folder, scripted(look)))
    assert 3 == len(calls)
    run(generate(WITH_SCHEMA, SOURCE, scene.folder, scripted(look)))
    assert 6 == len(calls)


@pytest.mark.parametrize("now", [True, 1.0])
def test_a_changed_schema_is_stored_even_if_python_calls_it_equal(scene: Scene, now: object) -> None:
    def with_least(least: object) -> Any:
        schema = {"type": "object", "additionalProperties": {"const": least}}

        def planned(source: Glossary) -> Iterable[Prompt]:
            return (replace(one, answer_schema=schema) for one in plan(source))

        return replace(RECIPE, plan=planned)

    model = scripted(lambda request: answer(request.prompt))
    run(generate(with_least(1), SOURCE, scene.folder, model))
    run(generate(with_least(now), SOURCE, scene.folder, model))
    stored = [one.answer_schema or {} for one in open_run(scene.folder).prompts]
    assert [type(now)] * 3 == [type(one["additionalProperties"]["const"]) for one in stored]


def test_a_schema_of_the_wrong_kind_names_its_key(scene: Scene) -> None:
    run(generate(WITH_SCHEMA, SOURCE, scene.folder, scripted(lambda request: answer(request.prompt))))
    path = scene.folder / "prompts.json"
    stored = json.loads(path.read_text())
    stored[1]["answer_schema"] = "object"
    path.write_text(json.dumps(stored))
    with pytest.raises(BrokenFile, match=r"\[1\].answer_schema"):
        open_run(scene.folder)
