"""The extract recipe: one unit per record."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from retouch._lib.counting import counted
from retouch.engine.judge import as_issue
from retouch.engine.parts import object_in_parts
from retouch.engine.recipe import Recipe, Section, Sharding, TierPlan, Unread, marked
from retouch.engine.repair import Correction
from retouch.engine.types import RetryBudget
from retouch.errors import BadInput, Invalid
from retouch.recipes.extract.answers import Extracted, answer_in, mended, read
from retouch.recipes.extract.checks import check
from retouch.recipes.extract.offline import answer
from retouch.recipes.extract.pages import RECORD, compact, plan
from retouch.recipes.extract.source import ExtractShard, InputRecord
from retouch.recipes.extract.unchecked import said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.parts import PageParts
    from retouch.engine.recipe import Cell, ShardRecord
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue, Prompt

VALUES = "values.jsonl"
_EXAMPLES = 20
_DEAD_LETTERS = 200
_OWN_PAGES = 2_000  # records with a section on their own page


def has_checks(shard: ExtractShard) -> bool:
    """Return whether records are checked beyond the schema."""
    return bool(shard.checks or shard.sums or shard.quotes or shard.model or _counts_rows(shard))


def tiers(shard: ExtractShard) -> tuple[TierPlan, ...]:
    """Return the checks of a shard: JSON, schema, and the user's checks if there are any."""
    plans = [TierPlan(tier=1, name="json"), TierPlan(tier=2, name="schema")]
    if unchecked := shard.shape.unchecked:
        plans.append(TierPlan(tier=2, name="keywords", why=said(unchecked), next="Correct the schema, or use --check."))
    if has_checks(shard):
        plans.append(TierPlan(tier=3, name="checks"))
    if shard.functions:
        why = f"only the program that made this job has its check functions: {', '.join(shard.functions)}"
        plans.append(TierPlan(tier=3, name="functions", why=why, next="Run that program again."))
    if shard.slices is not None and not _counts_rows(shard):
        why, again = "the number of rows is not known", "retouch extract ... --expect-rows N|FIELD"
        plans.append(TierPlan(tier=3, name="rows", why=why, next=again))
    return tuple(plans)


def group(_shard: ExtractShard, key: str) -> str:
    """Put each record into a group of its own: one unreadable record does not delay the checks of other records."""
    return key


def assemble(shard: ExtractShard, values: Mapping[str, Extracted | Unread]) -> Mapping[str, str]:
    """Return the values of all records that can be read, one line of JSON per record, in the order of the input."""
    lines: list[str] = []
    for record in shard.records:
        found = values.get(record.key)
        if isinstance(found, Extracted):
            quotes: dict[str, JSON] = {"quotes": dict(found.quotes)} if shard.quotes else {}
            lines.append(compact({"key": record.key, "value": found.value, **quotes}))
    return {VALUES: "".join(f"{line}\n" for line in lines)}


def repair(_shard: ExtractShard, _key: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    """Return a correction of the record's own prompt."""
    return Correction(noun="record", reminders=("Answer with one JSON value and nothing else.",))


def page_errors(shard: ExtractShard, key: str, page: int, text: str) -> Sequence[Issue]:
    """Return the error of a slice whose answer is no JSON."""
    try:
        answer_in(text, shard)
    except Invalid as error:
        return [as_issue(error, key, page=page)]
    return ()


def in_parts(shard: ExtractShard, prompt: Prompt) -> PageParts | None:
    """Return the halves of a record's fields. Quotations belong to their values, so such a record stays whole."""
    return None if shard.quotes else object_in_parts(prompt)


def report(shard: ExtractShard, values: Mapping[str, Extracted | Unread]) -> Iterator[Section]:
    """Yield the first records with their values and where these come from, the dead letters, and each record."""
    shown = [record for record in shard.records if isinstance(values.get(record.key), Extracted)]
    rows = [(record.key, *_record_cells(record, values.get(record.key))) for record in shown[:_EXAMPLES]]
    text = f"The first {len(rows)} of {len(shown):,} records with a value, of {len(shard.records):,}."
    yield Section(title="Records", text=text, heads=("key", "input", "value", "taken from"), rows=rows)
    dead = [(one, found) for one in shard.records if isinstance(found := values.get(one.key), Unread)]
    letters = [(one.key, compact(dict(one.fields)), found.text) for one, found in dead[:_DEAD_LETTERS]]
    if letters:
        text = f"{counted(len(dead), 'record')} without a value that can be read. The first {len(letters)}:"
        yield Section(title="Dead letters", text=text, heads=("key", "input", "last answer"), rows=letters)
    for record in shard.records[:_OWN_PAGES]:
        cells = _record_cells(record, values.get(record.key))
        heads = ("input", "value", "taken from")
        yield Section(title="The record", heads=heads, rows=[cells], unit=record.key)


def _record_cells(record: InputRecord, found: Extracted | Unread | None) -> tuple[Cell, str, str]:
    """Return the input of a record, in which its quotations have colours, its value, and the quotations by field."""
    text = "\n".join(f"{name}: {one if isinstance(one, str) else compact(one)}" for name, one in record.fields.items())
    if not isinstance(found, Extracted):
        return text, "", ""
    quotes = "\n".join(f"{pointer}: {words!r}" for pointer, words in found.quotes.items())
    return marked(text, {words: pointer for pointer, words in found.quotes.items()}), compact(found.value), quotes


def _counts_rows(shard: ExtractShard) -> bool:
    rule = shard.slices
    return rule is not None and (rule.expected is not None or bool(rule.expected_field))


def shard_source(shared: Mapping[str, JSON], records: Sequence[ShardRecord]) -> ExtractShard:
    """Return the source of a fleet's shard. `shared` are the fields of `ExtractShard`, at least "schema".

    Raises:
        BadInput: a field is missing or unknown.
    """
    from pydantic import TypeAdapter, ValidationError

    plain = [{"key": one.key, "fields": dict(one.fields)} for one in records]
    known = {"prompt": RECORD, **shared, "records": plain}
    unknown = sorted(known.keys() - {one.name for one in fields(ExtractShard)})
    if unknown:
        raise BadInput(f"extract has no setting {unknown[0]!r}", hint="The settings are the fields of ExtractShard.")
    try:
        return TypeAdapter(ExtractShard).validate_python(known)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        hint = 'Give them with --shared FILE, for example {"schema": {...}, "prompt": "..."}.'
        raise BadInput(f"the shared settings of extract: {name!r}: {first['msg']}", hint=hint) from error


recipe = Recipe[ExtractShard, Extracted](
    name="extract",
    source=ExtractShard,
    plan=plan,
    read=read,
    check=check,
    assemble=assemble,
    mend=mended,
    tiers=tiers,
    pack=1,
    group=group,
    repair=repair,
    page_errors=page_errors,
    in_parts=in_parts,
    offline=answer,
    budget=RetryBudget(tier3_remaining=2, total_remaining=4),
    report=report,
    sharding=Sharding(source=shard_source, value=lambda found: found.value),
)
