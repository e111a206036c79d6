"""Files of a run directory that are read item by item say what reading them whole would say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retouch._lib import json_stream
from retouch._lib.json_stream import stored_list, stored_object_of
from retouch.errors import BadInput, BrokenFile

if TYPE_CHECKING:
    from pathlib import Path

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
LAYOUTS = st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False, "indent": "\t"}])


def listed(path: Path) -> list[object]:
    found: list[object] = []
    stored_list(path, "things", found.insert)
    return found


def keyed(path: Path, key: str = "items") -> tuple[dict[str, Any], list[object]]:
    found: list[object] = []
    return stored_object_of(path, {}, key, found.insert), found


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is read a few characters at a time."""
    monkeypatch.setattr(json_stream, "_CHUNK", 3)
    return tmp_path / "file.json"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(items=st.lists(VALUES, max_size=6), layout=LAYOUTS)
def test_a_list_is_read_item_by_item_wherever_the_pieces_end(place: Path, items: Any, layout: Any) -> None:
    place.write_text(json.dumps(items, **layout), encoding="utf-8", errors="surrogatepass")
    assert items == listed(place)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    items=st.lists(VALUES, max_size=4), more=st.dictionaries(st.text(max_size=3), VALUES, max_size=3), layout=LAYOUTS
)
def test_an_object_is_read_without_one_of_its_lists(place: Path, items: Any, more: Any, layout: Any) -> None:
    place.write_text(json.dumps({**more, "items": items, "z": 12}, **layout), encoding="utf-8")
    assert ({**more, "items": [], "z": 12}, items) == keyed(place)


BROKEN = ["", "[1, 2", "[1 2]", "[1,]", "[1] 2", "[NaN]", "{", '{"items": [1, 2}', '{"items" [1]}', "[" * 100_000]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_json_is_refused_as_the_standard_library_does(place: Path, text: str) -> None:
    place.write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, RecursionError)):
        json.loads(text, parse_constant=int)
    for read in (listed, keyed):
        with pytest.raises(BrokenFile, match=r"is broken: (line|NaN|maximum recursion)"):
            read(place)


def test_another_kind_of_thing_is_named(place: Path) -> None:
    place.write_text('{"items": {"a": 1}}', encoding="utf-8")
    with pytest.raises(BrokenFile, match="expected a list of things, found dict"):
        listed(place)
    with pytest.raises(BrokenFile, match="'items' has the wrong kind: dict"):
        stored_object_of(place, {"items": list}, "items", lambda _place, _one: None)
    place.write_text("[]", encoding="utf-8")
    with pytest.raises(BrokenFile, match="expected an object, found list"):
        keyed(place)
    with pytest.raises(BadInput, match="is not a run directory"):
        listed(place.with_name("none.json"))


def test_a_number_is_not_cut_where_a_piece_ends(place: Path) -> None:
    place.write_text("[1234567890, 1.5e10]", encoding="utf-8")
    assert [1_234_567_890, 1.5e10] == listed(place)
