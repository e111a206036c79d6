"""The source of an extraction run: the records of one shard, and everything that all of them share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retouch.recipes.extract.schemas import AnswerShape


@dataclass(frozen=True, kw_only=True)
class InputRecord:
    """One input record: its key, which is unique in the job, and its fields."""

    key: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class WorkedExample:
    """An example in the prompt: the fields of a record, and the right value."""

    fields: Mapping[str, Any]
    value: Any


@dataclass(frozen=True, kw_only=True)
class SumRule:
    """A sum that must add up: the number at `total` equals the sum of the numbers at `parts`.

    Both are JSON Pointers. In `parts`, `*` matches every element of an array, for example `/items/*/amount`.
    """

    total: str
    parts: str


@dataclass(frozen=True, kw_only=True)
class SliceRule:
    """How the rows of long documents are requested: slice by slice, and counted.

    `rows` is the JSON Pointer of the array that holds them, `field` the field of the record with the document's text,
    `lines` the number of its lines per request. `expected` is the number of rows that every record must have, or None;
    `expected_field` the field of the record that holds that number, or "".
    """

    rows: str
    field: str = ""
    lines: int = 0
    expected: int | None = None
    expected_field: str = ""


@dataclass(frozen=True, kw_only=True)
class ExtractShard:
    """The source of the extract recipe: some records of a job, and what all records share.

    `schema` is the JSON Schema of a value. `prompt` is a Jinja template over the fields of a record, and `system` is
    text that all records share. `checks` are the paths of Python files with a function `check`. If `quotes` is true,
    each string and number must come with a quotation from the record that supports it. `model` is the pydantic model
    that the schema was made from, as `module:Name`, whose own validators are checks, too. `functions` are the names of
    check functions that a calling program has given; only that program can run them.
    """

    records: tuple[InputRecord, ...]
    schema: Mapping[str, Any]
    prompt: str
    system: str = ""
    examples: tuple[WorkedExample, ...] = ()
    checks: tuple[str, ...] = ()
    quotes: bool = False
    sums: tuple[SumRule, ...] = ()
    slices: SliceRule | None = None
    model: str = ""
    functions: tuple[str, ...] = ()

    def record(self, key: str) -> InputRecord:
        """Return the record with this key."""
        return self._by_key[key]

    @cached_property
    def shape(self) -> "AnswerShape":
        """The shape of an answer, with a compiled validator."""
        from retouch.recipes.extract.schemas import AnswerShape

        return AnswerShape(self.schema, quotes=self.quotes)

    @cached_property
    def _by_key(self) -> Mapping[str, InputRecord]:
        return {one.key: one for one in self.records}
