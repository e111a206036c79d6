"""The options about sampling and reasoning: they reach the provider, are recorded, and hold for a resumed run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.engine.directory import open_run
from retouch.engine.recipe import find_recipe
from retouch.models.offline import offline
from retouch.testing import model_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from retouch.testing import ModelServer

    Retouch = Callable[..., Result]
    Point = Callable[[ModelServer], None]

EDIT = ("generate", "edit", "app.py", "--request", "rename load to read", "-o", "run")
GPT = ("--model", "openai:gpt-4o?seed=1")
KNOBS = {"temperature": 0.2, "top_p": 0.5, "seed": 7}
WORDS = ("--temperature", "0.2", "--top-p", "0.5", "--seed", "7")
NAME = "openai:gpt-4o?temperature=0.2&top_p=0.5&seed=7"


@pytest.fixture
def served(work_folder: Path) -> ModelServer:
    rule = find_recipe("edit").offline
    assert rule is not None
    (work_folder / "app.py").write_text("def load(path):\n    return path\n", encoding="utf-8")
    return model_server(offline(rule))


def test_options_replace_those_of_the_spec_and_a_resume_uses_the_same(
    served: ModelServer, retouch: Retouch, point: Point, work_folder: Path
):
    with served as server:
        point(server)
        assert 3 == retouch(*EDIT, *GPT, *WORDS, "--max-cost-more", "0").exit_code
        retouch("resume", "run")
        shown = json.loads(retouch("show", "run", "--attempts", "--json").stdout)
    assert [KNOBS] == [{name: call.body.get(name) for name in KNOBS} for call in server.calls]
    assert {NAME} == {attempt["model"] for attempt in shown["attempts"]}
    options = open_run(work_folder / "run").history.options
    assert options is not None
    assert NAME == options.model


def test_a_setting_is_left_out_by_a_model_that_has_no_such_knob(
    served: ModelServer, retouch: Retouch, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RETOUCH_TEMPERATURE", "0.2")
    with served:
        done = retouch(*EDIT, "--model", "offline")
    assert "temperature" not in done.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--model", "offline", "--seed", "7"), "has no --seed"),
        (("--model", "openai:gpt-5-mini", "--temperature", "0.2"), "takes no temperature"),
        (("--model", "anthropic:claude-haiku-4-5", "--seed", "7"), "takes no seed"),
        (("--temperature", "3"), "3.0 is not in the range"),
    ],
)
def test_a_knob_that_cannot_be_turned_ends_with_exit_2(
    served: ModelServer, retouch: Retouch, point: Point, words: tuple[str, ...], message: str
):
    with served as server:
        point(server)
        done = retouch(*EDIT, *words)
    assert (2, 0) == (done.exit_code, len(server.calls))
    assert message in " ".join(done.output.split())
