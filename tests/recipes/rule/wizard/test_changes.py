"""Changes of the fields by keys: no model is called, a change that loses a value is refused, and each can be undone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from retouch import open_model
from retouch.recipes.rule import load_rule, recipe
from retouch.recipes.rule.wizard.session import WizardSession
from retouch.recipes.rule.wizard.session_state import Setup
from tests.recipes.rule.rounds_scene import job

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule.wizard.events import KeyName

PATHS = tuple(f"/srv/data/site_{n:02}/run-{n * 7 % 10}_v{n % 3}_2024-01-{n:02}.csv" for n in range(1, 25))
OTHER = tuple(f"/srv/data/maps/map{n}.png" for n in range(3))


class Changing:
    """A session whose rule was found without a model."""

    def __init__(self, session: WizardSession) -> None:
        self.session = session

    @property
    def fields(self) -> list[str]:
        return [field.name for field in self.session.data.fields]

    @property
    def state(self) -> str:
        return self.session.wizard.state

    async def do(self, key: KeyName, text: str, path: str = PATHS[0]) -> None:
        self.session.data.at_path = path
        self.session.press("c")
        self.session.press(key)
        self.session.change(text)
        await self.session.settled()

    async def undo(self) -> None:
        self.session.press("u")
        await self.session.settled()


def play(folder: Path, scene: Any, paths: tuple[str, ...] = PATHS) -> Changing:
    async def work() -> Changing:
        setup = Setup(
            job=job(*paths, min_coverage=0.5),
            folder=folder / "run",
            model=open_model("offline", recipe=recipe),
            output=folder / "rules",
        )
        changing = Changing(WizardSession(setup))
        changing.session.begin(drafts=False)
        await changing.session.settled()
        calls = changing.session.data.spent.calls
        await scene(changing)
        assert calls == changing.session.data.spent.calls
        await changing.session.close()
        return changing

    return asyncio.run(work())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "text", "wanted"),
    [
        ("n", "site=place", ["place", "run", "version", "date"]),
        ("x", "version", ["site", "run", "date"]),
        ("g", "run+version=batch", ["site", "batch", "date"]),
        ("p", "date=-:year,rest", ["site", "run", "version", "year", "rest"]),
        ("t", "run=string", ["site", "run", "version", "date"]),
        ("c", "word=run", ["site", "run", "version", "date", "word"]),
        ("k", "branch=data", ["site", "run", "version", "date", "branch"]),
        ("j", "site+run=both:_", ["site", "run", "version", "date", "both"]),
    ],
)
def test_a_change_of_the_fields_is_made_and_undone(tmp_path: Path, key: KeyName, text: str, wanted: list[str]) -> None:
    async def scene(one: Changing) -> None:
        before = one.session.data.text
        assert ["site", "run", "version", "date"] == one.fields
        await one.do(key, text)
        assert ("YAML_RESULT", set(wanted)) == (one.state, set(one.fields)), one.session.wizard
        assert before != one.session.data.text
        await one.undo()
        assert ("YAML_RESULT", before, 0) == (one.state, one.session.data.text, one.session.wizard.changes)

    play(tmp_path, scene)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("n", "sit=place", "there is no field 'sit'"),
        ("n", "place", "has no text before or after '='"),
        ("t", "site=uuid", "the changed rule gives no site"),
        ("k", "kind=nowhere", "'nowhere' is not a constant"),
        ("o", "/elsewhere/x.csv", "is no sample"),
        ("w", PATHS[0], "the rule matches"),
    ],
)
def test_a_change_that_cannot_be_made_is_refused_with_its_reason(
    tmp_path: Path, key: KeyName, text: str, why: str
) -> None:
    async def scene(one: Changing) -> None:
        before = one.session.data.text
        await one.do(key, text)
        assert "CHANGE_INPUT" == one.state
        assert why in one.session.wizard.message
        assert text == one.session.wizard.change_text
        one.session.press("escape")
        assert ("YAML_RESULT", before, 0) == (one.state, one.session.data.text, one.session.wizard.changes)

    play(tmp_path, scene)


def test_a_constant_that_became_a_field_takes_other_values(tmp_path: Path) -> None:
    from retouch.recipes.rule import apply_rule

    async def scene(one: Changing) -> None:
        await one.do("k", "branch=data")
        rule = load_rule(one.session.data.text)
        assert "dev" == apply_rule(rule, PATHS[0].replace("data", "dev")).values["branch"]

    play(tmp_path, scene)


def test_a_path_is_marked_as_noise_and_as_another_shape(tmp_path: Path) -> None:
    async def scene(one: Changing) -> None:
        await one.do("o", OTHER[0])
        assert ("YAML_RESULT", (OTHER[0],)) == (one.state, one.session.data.job.noise)
        await one.do("w", OTHER[1])
        assert "YAML_RESULT" == one.state, one.session.wizard
        assert 1 == len(load_rule(one.session.data.text).others)
        await one.undo()
        await one.undo()
        assert () == one.session.data.job.noise

    play(tmp_path, scene, (*PATHS, *OTHER))


def test_a_piece_is_taken_from_the_place_where_it_was_marked(tmp_path: Path) -> None:
    from retouch.recipes.rule import apply_rule

    async def scene(one: Changing) -> None:
        one.session.data.at_path = PATHS[0]  # /srv/data/site_01/run-7_v1_2024-01-01.csv
        for name, start in (("place", PATHS[0].index("01/")), ("last", PATHS[0].index("01.csv"))):
            one.session.press("c")
            one.session.press("c")
            one.session.change(f"{name}=01", start=start)
            await one.session.settled()
        rule = load_rule(one.session.data.text)
        values = apply_rule(rule, "/srv/data/site_05/run-3_v2_2024-06-07.csv").values
        assert ("05", "07") == (values["place"], values["last"])

    play(tmp_path, scene)
