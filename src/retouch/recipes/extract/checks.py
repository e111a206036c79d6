"""Tier 3: your own check functions, quotations that must occur in the record, sums, and the number of rows."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.json_pointer import pointer_of
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput
from retouch.recipes.extract.pages import slices_of
from retouch.recipes.extract.pointers import ABSENT, part_at, parts_lacking, parts_matching, scalars
from retouch.recipes.extract.schemas import model_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, ModuleType

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.recipes.extract.answers import Extracted
    from retouch.recipes.extract.source import ExtractShard, InputRecord, SliceRule, SumRule

FAILED, BROKEN = "CHECK_FAILED", "CHECK_INCONCLUSIVE"
NO_QUOTE, FALSE_QUOTE = "QUOTE_MISSING", "QUOTE_NOT_IN_RECORD"
WRONG_SUM, NO_SUM, WRONG_COUNT = "SUM_DIFFERS", "SUM_NOT_CHECKED", "ROWS_MISSING"
_NOT_JUDGED: Mapping[str, JSON] = {"tool": True, "not_run": True, "requested": True}
_SPACE = re.compile(r"\s+")
_LETTER = r"(?![\u0e00-\U0010ffff])[^\W\d_]"  # from Thai on, scripts do not separate words, or write endings to them
_CUT = re.compile(rf"{_LETTER}\0{_LETTER}|\d[.,]?\0\d|\d\0[.,]\d")


def check(shard: ExtractShard, values: Mapping[str, Extracted], _options: RunOptions) -> list[Issue]:
    """Return the issues of tier 3 of the records in `values`.

    Raises:
        BadInput: a file of checks cannot be loaded.
    """
    return checked(shard, values, stored_functions(shard))


def stored_functions(shard: ExtractShard) -> list[Callable[..., object]]:
    """Return the check functions that the source of a shard names: of its files, and of its pydantic model.

    Raises:
        BadInput: one cannot be loaded.
    """
    model = [model_check(model_named(shard.model))] if shard.model else []
    return [*map(check_function, shard.checks), *model]


def model_check(model: Any) -> Callable[[Mapping[str, JSON], JSON], object]:
    """Return the check that a pydantic model accepts a value: its own validators see what no schema can describe."""
    from pydantic import TypeAdapter, ValidationError

    adapter: TypeAdapter[Any] = TypeAdapter(model)

    def check(_record: Mapping[str, JSON], value: JSON) -> list[tuple[str, str]]:
        try:
            adapter.validate_json(json.dumps(value))
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)
            return [(_existing(value, one["loc"]), one["msg"]) for one in found]
        return []

    return check


def _existing(value: JSON, place: Sequence[str | int]) -> str:
    """Return the JSON Pointer of a place in an error of pydantic, as far as the value has it."""
    for end in range(len(place), 0, -1):
        if part_at(value, pointer := pointer_of(place[:end])) is not ABSENT:
            return pointer
    return ""


def checked(
    shard: ExtractShard, values: Mapping[str, Extracted], functions: Sequence[Callable[..., object]]
) -> list[Issue]:
    """Return the issues of the records in `values`: by the shard's own rules, then by the check functions."""
    found: list[Issue] = []
    for key, extracted in values.items():
        record = shard.record(key)
        own = [*(_quote_issues(record, extracted) if shard.quotes else ())]
        for rule in shard.sums:
            own += _sum_issues(key, extracted.value, rule)
        own += _row_issues(record, extracted, shard.slices) if shard.slices is not None else ()
        for function in functions:
            own += _own_issues(function, record, extracted.value)
        found += _located(shard, extracted.value, own, pages=len(slices_of(record, shard.slices)))
    return found


def _located(shard: ExtractShard, value: JSON, issues: Iterable[Issue], *, pages: int) -> list[Issue]:
    """Return the issues with the JSON Pointers of the parts of the answer that can be requested alone.

    With quotations, a text or number is requested together with its quotation, and nothing larger alone.
    """
    found: list[Issue] = []
    for issue in issues:
        pointers = issue.pointers
        if shard.quotes and any(isinstance(part_at(value, one), (dict, list)) for one in pointers):
            pointers = ()
        if shard.quotes:
            pointers = tuple(part for one in pointers for part in (f"/value{one}", "/quotes" + pointer_of([one])))
        found.append(replace(issue, pointers=pointers if pages == 1 else ()))
    return found


def check_function(path: str) -> Callable[[Mapping[str, JSON], JSON], object]:
    """Return the function `check` of the Python file at `path`, as the file is now.

    Raises:
        BadInput: the file cannot be loaded, or has no such function.
    """
    version = None
    with suppress(OSError):
        stat = Path(path).stat()
        version = stat.st_mtime_ns, stat.st_size, stat.st_ino
    return _check_function(path, version)


@lru_cache(maxsize=32)
def _check_function(path: str, _version: object) -> Callable[[Mapping[str, JSON], JSON], object]:
    module = _loaded(Path(path))
    function = getattr(module, "check", None)
    if not callable(function):
        hint = "Define: def check(record, value): yield 'what is wrong'."
        raise BadInput(f"{path!r} has no function 'check'", hint=hint)
    return cast("Callable[[Mapping[str, JSON], JSON], object]", function)


class _Source(SourceFileLoader):
    """Loads a file from its source. Python's cache of compiled files misses a change within a second."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _loaded(path: Path) -> ModuleType:
    name = f"retouch_checks_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_Source(name, str(path)))
    if spec is None or spec.loader is None or not path.is_file():
        raise BadInput(f"{str(path)!r} is not a Python file", hint="Give a file with a function check(record, value).")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        message = f"the checks in {str(path)!r} cannot be loaded: {type(error).__name__}: {error}"
        raise BadInput(message, hint="Correct the file.") from error
    return module


def _own_issues(function: Callable[..., object], record: InputRecord, value: JSON) -> Iterator[Issue]:
    copies = json.loads(json.dumps([dict(record.fields), value]))  # a check may change its arguments
    try:
        results = _results(function(*copies))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the user's function may raise anything
        message = f"the check of the record {record.key!r} raised {type(error).__name__}: {error}"
        fix = "Correct the check, then run: retouch validate DIR"
        detail = {**_NOT_JUDGED}
        yield Issue(code=BROKEN, message=message, tier=Tier.SEMANTIC, unit=record.key, fix=fix, detail=detail)
        return
    for one in results:
        yield _own_issue(record.key, one)


def _results(found: object) -> list[object]:
    """Return the separate results in what a check returned: nothing, one, or several of them.

    Raises:
        TypeError: it is no result, for example True, which does not state whether there is an error.
    """
    if found is None or found == "":
        return []
    if isinstance(found, (str, dict)) or _is_pair(found):
        return [found]
    if isinstance(found, Iterable):
        return list(cast("Iterable[object]", found))
    raise TypeError(f"it returned {found!r}: return a message, (pointer, message), several of these, or None")


def _is_pair(found: object) -> bool:
    """Return whether this is (pointer, message), as `return "/total", "it is negative"` returns it."""
    return (
        isinstance(found, tuple)
        and len(pair := cast("tuple[object, ...]", found)) == 2
        and all(isinstance(one, str) for one in pair)
    )


def _own_issue(key: str, result: object) -> Issue:
    """Return the issue of one result of a check: a message, (pointer, message), or a mapping with these keys."""
    pointer, message = "", result
    if isinstance(result, (tuple, list)) and len(cast("tuple[object, ...]", result)) == 2:
        pointer, message = cast("tuple[object, object]", tuple(cast("tuple[object, ...]", result)))
    elif isinstance(result, dict):
        given = cast("dict[str, object]", result)
        pointer, message = given.get("pointer", ""), given.get("message", str(given))
    if pointer and not str(pointer).startswith("/"):
        pointer = f"/{pointer}"
    return _issue(FAILED, key, str(pointer), str(message))


def _quote_issues(record: InputRecord, extracted: Extracted) -> Iterator[Issue]:
    texts = [_plain(text) for _, one in scalars(dict(record.fields)) for text in _written(one)]
    for pointer, part in scalars(extracted.value):
        quote = _plain(extracted.quotes.get(pointer, ""))
        if not quote:
            yield _issue(NO_QUOTE, record.key, pointer, "no words of the record are quoted for it")
        elif not any(quote in text for text in texts):
            message = f"the record does not contain the quotation {extracted.quotes[pointer]!r} in one of its fields"
            yield _issue(FALSE_QUOTE, record.key, pointer, message)
        elif not any(map(str.isalnum, quote)) and _plain(str(part)) not in quote:
            message = f"the quotation {extracted.quotes[pointer]!r} has no words and does not hold the value"
            yield _issue(FALSE_QUOTE, record.key, pointer, message)
        elif not any(_has_words(text, quote) for text in texts):
            message = f"the quotation {extracted.quotes[pointer]!r} is only a part of a word or number of the record"
            yield _issue(FALSE_QUOTE, record.key, pointer, message)


def _written(field: JSON) -> Iterator[str]:
    """Yield the text of a field; of a number without a fraction also the one without ".0"."""
    yield str(field)
    if isinstance(field, float) and field.is_integer():
        yield str(int(field))


def _has_words(text: str, quote: str) -> bool:
    """Return whether a text has a quotation that starts and ends where words and numbers do."""
    start = text.find(quote)
    while start >= 0:
        end = start + len(quote)
        if not _is_cut(text, start) and not _is_cut(text, end):
            return True
        start = text.find(quote, start + 1)
    return False


def _is_cut(text: str, at: int) -> bool:
    """Return whether a position in a text is inside of a word or a number. Scripts without blanks are not checked."""
    return _CUT.search(f"{text[max(at - 2, 0) : at]}\0{text[at : at + 2]}") is not None


def _sum_issues(key: str, value: JSON, rule: SumRule) -> Iterator[Issue]:
    total, parts = part_at(value, rule.total), rule.parts.partition("/*")[0]
    if total is ABSENT or total is None:
        message = f"{rule.total} is missing, so nobody knows whether {rule.parts} adds up"
        fix = f'If every value must have it, put it into the schema\'s "required", and allow no null: {rule.total}'
        yield Issue(code=NO_SUM, message=message, tier=Tier.SEMANTIC, unit=key, fix=fix, detail={**_NOT_JUDGED})
        return
    lacking = next(parts_lacking(value, rule.parts), None)
    if lacking is not None:
        message = f"{lacking} is missing, so nobody knows whether {rule.parts} adds up to {rule.total}"
        fix = f'If every part must have it, put it into the schema\'s "required": {rule.parts}'
        yield Issue(code=NO_SUM, message=message, tier=Tier.SEMANTIC, unit=key, fix=fix, detail={**_NOT_JUDGED})
        return
    numbers = [_exact(one) for _, one in parts_matching(value, rule.parts)]
    stated = _exact(total)
    if stated is None or None in numbers:
        yield _issue(WRONG_SUM, key, rule.total, f"{rule.total} or {rule.parts} is not a number", also=parts)
        return
    added = sum((one for one in numbers if one is not None), Decimal(0))
    if added != stated:
        yield _issue(WRONG_SUM, key, rule.total, f"it is {stated}, but the sum of {rule.parts} is {added}", also=parts)


def _row_issues(record: InputRecord, extracted: Extracted, rule: SliceRule) -> Iterator[Issue]:
    expected: object = rule.expected
    if rule.expected_field:
        expected = record.fields.get(rule.expected_field)
        expected = int(expected) if isinstance(expected, str) and expected.strip().isdecimal() else expected
    if expected is None and not rule.expected_field:
        return
    rows = part_at(extracted.value, rule.rows)
    number = len(cast("list[Any]", rows)) if isinstance(rows, list) else 0
    if not isinstance(expected, int) or isinstance(expected, bool):
        message = f"the record says {expected!r} in {rule.expected_field!r}, which is no number of rows"
        yield _issue(WRONG_COUNT, record.key, rule.rows, message)
    elif number != expected:
        message = f"it has {number} rows, and {expected} are expected"
        for page in _short_pages(extracted.rows, expected):
            yield replace(_issue(WRONG_COUNT, record.key, rule.rows, f"{message}; this part is too short"), page=page)
            number = expected
        if number != expected:
            yield _issue(WRONG_COUNT, record.key, rule.rows, message)


def _short_pages(rows: Sequence[int], expected: int) -> list[int]:
    """Return the pages that lost rows, so that only they are requested again; none if the counts do not show it.

    Every slice but the last has the same number of lines, so the fullest one shows how many rows a slice has.
    """
    if len(rows) < 2:
        return []
    full = max(rows[:-1])
    missing = [full - number for number in rows[:-1]]
    missing.append(expected - full * len(missing) - rows[-1])
    return [page for page, lost in enumerate(missing, 1) if lost] if min(missing) >= 0 else []


def _exact(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return Decimal(repr(value))


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()


def _issue(code: str, key: str, pointer: str, message: str, *, also: str = "") -> Issue:
    where = f"{pointer}: " if pointer else ""
    detail: dict[str, JSON] = {"pointer": pointer}
    pointers = tuple(one for one in (pointer, also) if one)
    return Issue(code=code, message=where + message, tier=Tier.SEMANTIC, unit=key, detail=detail, pointers=pointers)
