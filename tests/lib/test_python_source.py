"""Python source is parsed although something else is parsed in the middle of it."""

from __future__ import annotations

import ast
import gc

import pytest

from retouch._lib.python_source import parse_python

LONG = "\n".join(f"value_{number} = [{number}, ({number}, {{'a': {number}}})]" for number in range(500))


class Parsing:
    """Garbage whose finalizer parses Python, as the formatting of a traceback does."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        ast.parse("x = (1, [2, {3: 4}])")


@pytest.fixture
def eager_collector():
    """Let the collector run in the middle of every parse."""
    before = gc.get_threshold()
    gc.set_threshold(50, 2, 2)
    yield
    gc.set_threshold(*before)


@pytest.mark.slow
@pytest.mark.usefixtures("eager_collector")
def test_a_parse_survives_garbage_that_parses_when_it_is_finalized():
    for _ in range(5):
        garbage = [Parsing() for _ in range(20)]
        del garbage
        assert 500 == len(parse_python(LONG).body)


def test_the_collector_is_as_it_was_afterwards():
    assert gc.isenabled()
    parse_python("x = 1")
    assert gc.isenabled()


@pytest.mark.parametrize(("source", "error"), [("x = (", SyntaxError), ("\0", (SyntaxError, ValueError))])
def test_what_is_no_python_raises_as_ast_does(source: str, error: type[BaseException]):
    with pytest.raises(error):
        parse_python(source)
