"""A process to fork commands from, for all tests of a worker, and a quick place for many small folders."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from tests.durability.exploring import Exploration
from tests.durability.template import Template, quick_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.durability.scenes import Scene


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: hundreds of syncs cost nothing there."""
    with TemporaryDirectory(dir=quick_folder() or tmp_path) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def explored(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Scene], Exploration]]:
    """Scenes made ready, each once."""
    found: dict[str, Exploration] = {}
    with TemporaryDirectory(dir=quick_folder() or tmp_path_factory.mktemp("scenes")) as folder:

        def ready(scene: Scene) -> Exploration:
            if scene.name not in found:
                found[scene.name] = Exploration(template, scene, Path(folder) / str(len(found)))
            return found[scene.name]

        yield ready


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Template]:
    """A process that forks commands."""
    with Template(tmp_path_factory.mktemp("template")) as found:
        yield found
