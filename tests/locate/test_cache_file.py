"""The file of an index: what killed writers leave beside it goes in time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from retouch.locate.indexing.cache import read_cache, write_cache

if TYPE_CHECKING:
    from pathlib import Path


def test_what_a_killed_writer_left_is_removed_when_it_is_an_hour_old(tmp_path: Path):
    path = tmp_path / "a[1].json"
    old, young, other = (tmp_path / name for name in (".a[1].json.abcd", ".a[1].json.efgh", ".a1.json.abcd"))
    for left in (old, young, other):
        left.write_bytes(b"half")
    for left in (old, other):
        os.utime(left, (0, 0))
    write_cache(path, {"one": 1})
    assert {"one": 1} == read_cache(path)
    assert {path, young, other} == set(tmp_path.iterdir())
