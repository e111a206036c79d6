"""The scene of the engine's tests, for the tests of what a status promises."""

from tests.engine.conftest import scene

__all__ = ["scene"]
