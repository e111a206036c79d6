"""The command line, as the tests of `tests/cli` use it."""

from tests.cli.conftest import desk, pets, point, retouch, retouch_process, spec, work_folder

__all__ = ["desk", "pets", "point", "retouch", "retouch_process", "spec", "work_folder"]
