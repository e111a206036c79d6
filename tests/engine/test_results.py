"""What a check keeps is there for every later verb over the same run, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.options import RunOptions
from retouch.engine.repair import Instead
from tests.engine.conftest import always, honest

if TYPE_CHECKING:
    from tests.engine.conftest import Scene


def counting(ran: list[str]) -> Any:
    """A check that does its costly work once per text."""

    def check(_source: Any, values: Any, options: RunOptions) -> list[Any]:
        key = repr(sorted(values.items()))
        if options.recall(key) is None:
            ran.append(key)
            options.keep(key, {"good": True})
        return []

    return check


def test_a_later_verb_recalls_what_a_check_has_kept(scene: Scene) -> None:
    ran: list[str] = []
    scene.use(check=counting(ran))
    scene.generate()
    scene.validate()
    scene.validate(write=False)
    assert 1 == len(ran)
    assert 1 == [note.kind for note in scene.history.notes].count("result")


def test_a_validation_that_writes_nothing_keeps_nothing(scene: Scene) -> None:
    scene.generate()
    ran: list[str] = []
    scene.use(check=counting(ran))
    before = scene.tree()
    scene.validate(write=False)
    scene.validate(write=False)
    assert 2 == len(ran)
    assert before == scene.tree()


def test_outside_a_run_nothing_is_kept() -> None:
    options = RunOptions()
    options.keep("key", 1)
    assert options.recall("key") is None


def test_a_hint_goes_in_front_of_the_prompt_that_is_asked_instead(scene: Scene) -> None:
    scene.generate()
    prompt = scene.history.attempts[max(scene.history.attempts)].request.prompt
    scene.use(repair=always(Instead(prompt=prompt)))
    model = honest()
    scene.regenerate(model, f"{prompt.unit}:{prompt.page}", hint="Mind the gap.")
    assert (
        f"CORRECTION REQUIRED:\n\nA reviewer adds:\n  Mind the gap.\n\n{prompt.user}"
        == model.requests[-1].messages[-1].text
    )
