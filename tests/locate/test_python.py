"""Python by its own parser, over the same index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.locate import SpanIndex
from retouch.locate.indexing.contents import read_contents
from retouch.locate.languages.python import python

if TYPE_CHECKING:
    from pathlib import Path

TEXT = '''\
"""A module."""
import os

@cache
@dataclass(frozen=True)
class Cart(Base, shop.Mixin[int]):
    """Holds goods."""

    total: int = 0

    async def add(self, price, *, count=1):
        self.total += price * count  # cents
        def inner(): return Rounding("#{")
        return inner()

    @property
    def size(self): return len(self.items)
    @size.setter
    def size(self, value): self.items = value

def pay(cart: Cart) -> None: cart.add(3)
'''


def test_classes_and_functions_are_found_with_their_decorators():
    found = [(s.qualified, s.kind, s.start_line, s.end_line, s.name_line) for s in contents(TEXT).spans]
    assert [
        ("Cart", "class", 4, 19, 6),
        ("Cart.add", "function", 11, 14, 11),
        ("Cart.add.inner", "function", 13, 13, 13),
        ("Cart.size", "function", 16, 17, 17),
        ("Cart.size", "function", 18, 19, 19),
        ("pay", "function", 21, 21, 21),
    ] == found


def contents(text: str):
    return read_contents(python(), "a.py", text.encode())


def test_a_span_tells_bases_names_instances_and_calls():
    cart, add = contents(TEXT).spans[:2]
    assert ("Base", "Mixin") == cart.parents
    assert {"self", "price", "count", "total"} == set(add.defines)
    assert ("Rounding",) == add.makes
    assert {"inner", "Rounding"} <= set(add.refers)
    assert "return" not in add.refers


def test_docstrings_count_and_comments_do_not():
    cart, add = contents(TEXT).terms[:2]
    assert {"holds", "goods"} <= set(cart["code"])
    assert "cents" not in add["code"]


@pytest.mark.parametrize("text", ["def f(:\n", "x = '\n", "\x00", "(" * 500, "def f(): " + "-" * 20_000 + "1"])
def test_a_file_that_python_cannot_parse_counts_as_one_error(text: str):
    assert (1, 0) == ((read := contents(text)).errors, len(read.spans))


def test_doubtful_literals_do_not_warn():
    assert 1 == len(contents("def f(): return '\\d' is 1\n").spans)


def test_the_index_ranks_functions_of_python(tmp_path: Path):
    (tmp_path / "shop.py").write_text(TEXT)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_shop.py").write_text("def test_pay(): ...\n")
    index = SpanIndex(tmp_path, front=python())
    index.build(tests=True)
    assert "tests/test_shop.py::test_pay#function" == index.get_all_modules()[-1].span_id
    found = index.get_enclosing_module("shop.py", 13)
    assert found is not None
    assert "Cart.add.inner" == found.qualified
    assert "Cart.add" == index.ranked({"price": 1.0})[0][0].qualified
    setters = [span for span, _ in index.ranked({"value": 1.0}) if span.name == "size"]
    assert [19] == [span.end_line for span in setters]
