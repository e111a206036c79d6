"""A command that sends its prompts as a batch is struck at any call: the batch is found again and bought once."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.recipes.csharp import load_document, read_endpoint
from retouch.testing import model_server
from tests.durability.judging import said_badly, tree_of
from tests.durability.scenes import PETS
from tests.durability.seam import BySeam
from tests.durability.template import Setting, Template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retouch.testing import ModelServer
    from tests.durability.template import Ended

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
CLAUDE = "anthropic:claude-sonnet-4-6?first_poll_s=0.01&max_poll_s=0.02&first_wait_s=0.01&max_wait_s=1"
WORDS = (
    "generate",
    "csharp",
    "pets.yaml",
    "GET /pets",
    "-o",
    "run",
    "-q",
    "--model",
    CLAUDE,
    "--batch",
    "--ask",
    "transcript",
)
STRIKES = 4


@dataclass(kw_only=True)
class Sending:
    """A folder and a server that are new at each `anew`."""

    template: Template
    folder: Path
    servers: list[ModelServer] = field(default_factory=list["ModelServer"])

    def anew(self) -> ModelServer:
        """Begin again, with an empty folder; return the new server, which is not started."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copy(PETS, self.folder / "pets.yaml")
        recipe = retouch.find_recipe("csharp")
        prompts = list(recipe.plan(read_endpoint(load_document(PETS), "GET /pets")))
        self.servers.append(model_server(retouch.open_model("offline", recipe=recipe), prompts=prompts))
        return self.servers[-1]

    def run(self, **more: Any) -> Ended:
        """Send the command to the newest server."""
        setting = Setting(folder=self.folder, environment=self.servers[-1].environment)
        return self.template.run(WORDS, setting, **more)

    def bought(self) -> int:
        """Return how many entries were sent in batches."""
        return sum(len(batch.entries) for batch in self.servers[-1].batches.values())


@pytest.fixture
def template(tmp_path: Path) -> Iterator[Template]:
    """A process of its own: with a provider's client in it, forks are dearer."""
    with Template(tmp_path) as found:
        yield found


@pytest.mark.slow
def test_a_batch_whose_sender_is_struck_is_collected_and_not_sent_again(template: Template, quick: Path):
    sending, way = Sending(template=template, folder=quick / "work"), BySeam(quick / "asked")
    with sending.anew() as server:
        template.learn(WORDS, Setting(folder=sending.folder, environment=server.environment))
    with sending.anew():
        points = way.points(sending.run, sending.folder)
        expected, pages = tree_of(sending.folder), sending.bought()
    assert pages > 1
    strikes = [(point, fault) for point in points for fault in way.faults(point)]
    for point, fault in Random(0).sample(strikes, STRIKES):
        with sending.anew():
            ended, _ = way.strike(sending.run, sending.folder, point, fault)
            assert [] == said_badly("the command", ended, {-9} if fault == "kill" else {0, 2})
            again = sending.run()
            assert (0, pages, expected) == (again.status, sending.bought(), tree_of(sending.folder)), (
                f"{fault} at {point}"
            )
