"""Places where little or nothing can be written, and folders that two commands want at once."""

from __future__ import annotations

import json
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.durability.judging import said_badly, tree_of
from tests.durability.scenes import SCENES
from tests.durability.template import Setting, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.durability.exploring import Exploration
    from tests.durability.scenes import Scene

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
ROUNDS = 6
NOBODY = 65_534
GENERATE = SCENES[0]
WRITING = (
    GENERATE.words,
    ("validate", "run", "--compiler", "none"),
    ("regenerate", "run", "--type", "Kind"),
    ("assemble", "run"),
)
READING = (("show", "run", "--json"), ("validate", "run", "--no-write", "--json", "--compiler", "none"))
LIMITED = [scene for scene in SCENES if scene.name in {"generate", "edit that writes originals", "apply"}]


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Template]:
    """Another process that forks commands, so that two run at once."""
    with Template(tmp_path_factory.mktemp("second")) as found:
        yield found


def _name(scene: Scene) -> str:
    return scene.name


@pytest.mark.parametrize("limit_bytes", [0, 2_000, 20_000])
@pytest.mark.parametrize("scene", LIMITED, ids=_name)
def test_files_that_may_not_grow_are_a_sentence_and_no_file_is_half(
    scene: Scene, limit_bytes: int, explored: Callable[[Scene], Exploration]
):
    assert [] == explored(scene).limited(limit_bytes)


@pytest.fixture(scope="module")
def readable(tmp_path_factory: pytest.TempPathFactory, readable_copy: Path) -> Iterator[Template]:
    """A process that forks commands of a copy which other users can read."""
    with Template(tmp_path_factory.mktemp("readable"), first=readable_copy) as found:
        yield found


@pytest.fixture
def done(readable: Template, quick: Path) -> Path:
    """A folder with a run that is clean."""
    GENERATE.prepare(readable, quick)
    for words in (*WRITING, *READING):  # libraries may be installed where another user cannot read them
        assert 0 == readable.learn(words, Setting(folder=quick)).status
    quick.chmod(0o755)
    return quick


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
def test_a_run_of_another_user_can_be_read_and_is_not_written(readable: Template, done: Path):
    before = {path: path.read_bytes() for path in done.rglob("*") if path.is_file()}
    for words in READING:
        mine = readable.run(words, Setting(folder=done))
        ended = readable.run(words, Setting(folder=done), user=NOBODY)
        assert (0, json.loads(mine.out)["status"]) == (ended.status, json.loads(ended.out)["status"])
    for words in WRITING:
        ended = readable.run(words, Setting(folder=done), user=NOBODY)
        assert [] == said_badly(words[0], ended, {2})
    assert before == {path: path.read_bytes() for path in done.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_of_two_commands_started_together_one_waits_or_is_told_who_writes(
    template: Template, second: Template, quick: Path
):
    GENERATE.prepare(template, quick)
    setting = Setting(folder=quick)
    texts: list[dict[str, str]] = []
    for number in range(ROUNDS):
        shutil.rmtree(quick / "run", ignore_errors=True)
        for each in (template, second):
            each.noted.unlink(missing_ok=True)
        words = (*GENERATE.words, *(["--wait"] if number % 2 else []))
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(each.run, words, setting) for each in (template, second)]
        ended = [one.result() for one in both]
        refused = [one for one in ended if one.status == 2]
        assert len(refused) <= (0 if number % 2 else 1)
        assert all("is being written by" in one.err and "Traceback" not in one.err for one in refused)
        assert {0, 2} >= {one.status for one in ended}
        asked = [*template.requests(), *second.requests()]
        assert len(asked) == len(set(asked))
        texts.append(tree_of(quick))
    assert all(texts[0] == one for one in texts)
