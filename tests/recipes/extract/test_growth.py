"""Jobs that grow: new records get new shards, and no record loses the shard that has its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.extract.layout import key_hash, prepare, stored_layout
from retouch.recipes.extract.source import InputRecord
from retouch.recipes.extract.stored import JobFile, read_job_file
from tests.recipes.extract.scenes import answering

if TYPE_CHECKING:
    import pytest

    from tests.recipes.extract.scenes import Desk

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}


def rows(number: int) -> list[dict[str, Any]]:
    return [{"id": f"n{one}", "name": "x"} for one in range(number)]


def answers(number: int) -> dict[str, list[Any]]:
    return {f"n{one}": [{"name": "x"}] for one in range(number)}


def test_a_job_that_was_tried_with_few_records_gets_shards_for_many(desk: Desk) -> None:
    options: dict[str, Any] = {"schema": SCHEMA, "prompt": "{{ name }}", "shard_size": 10}
    desk.extract(answering(answers(3)), rows(3), **options)
    model = answering(answers(100))
    assert "verified" == desk.extract(model, rows(100), **options).status
    assert 97 == len(model.requests)
    assert 11 == len(list((desk.directory / "shards").iterdir()))
    silent = answering(answers(100))
    assert "verified" == desk.extract(silent, rows(100), **options).status
    assert [] == silent.requests


@settings(max_examples=30, deadline=None)
@given(sizes=st.lists(st.integers(1, 60), min_size=1, max_size=5))
def test_however_a_job_grows_a_record_keeps_its_shard(
    sizes: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("job")
    known: dict[str, int] = {}
    for size in sizes:
        records = [InputRecord(key=f"n{one}", fields={}) for one in range(size)]
        file = read_job_file(place) or JobFile()
        layout = prepare(records, place, file, 3)
        now = {record.key: number for record, number in zip(records, layout.order, strict=True)}
        before = {key: number for key, number in known.items() if key in now}
        assert before == {key: now[key] for key in before}
        known = now
        stored = read_job_file(place)
        assert stored is not None
        assert list(layout.order) == list(stored_layout(place, stored).order)
        assert [one.key for number in range(layout.shards) for one in layout.read(number)] == sorted(
            now, key=lambda key: (now[key], list(now).index(key))
        )


def test_the_hash_of_a_key_is_part_of_the_format() -> None:
    assert "ca978112ca1bbdca" == key_hash("a").hex()
