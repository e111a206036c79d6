"""The extract recipe: one unit per record."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from retouch.engine.judge import as_issue
from retouch.engine.parts import object_in_parts
from retouch.engine.recipe import Recipe, Section, Sharding, TierPlan, Unread
from retouch.engine.repair import Correction
from retouch.engine.types import RetryBudget
from retouch.errors import BadInput, Invalid
from retouch.recipes.extract.answers import Extracted, answer_in, mended, read
from retouch.recipes.extract.checks import check
from retouch.recipes.extract.offline import answer
from retouch.recipes.extract.pages import RECORD, compact, plan
from retouch.recipes.extract.source import ExtractShard

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.parts import PageParts
    from retouch.engine.recipe import ShardRecord
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue, Prompt

VALUES = "values.jsonl"
_EXAMPLES = 20


def has_checks(shard: ExtractShard) -> bool:
    """Return whether records are checked beyond the schema."""
    return bool(shard.checks or shard.sums or shard.quotes or shard.model or _counts_rows(shard))


def tiers(shard: ExtractShard) -> tuple[TierPlan, ...]:
    """Return the checks of a shard: JSON, schema, and the user's checks if there are any."""
    plans = [TierPlan(tier=1, name="json"), TierPlan(tier=2, name="schema")]
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
    """Put each record into a group of its own: one unreadable record does not hold up the checks of others."""
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
    """Yield a table of the first values."""
    rows = [
        (record.key, compact(found.value) if isinstance(found := values.get(record.key), Extracted) else "")
        for record in shard.records[:_EXAMPLES]
    ]
    yield Section(
        title="Values", text=f"The first {len(rows)} of {len(shard.records)}.", heads=("key", "value"), rows=rows
    )


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
