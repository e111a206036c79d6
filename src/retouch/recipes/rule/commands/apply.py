"""`retouch rule apply`: YAML rules run in the evaluator, Python functions in the sandbox engine that checked them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from retouch.commands import Verb, as_json_option, print_json
from retouch.errors import BadInput
from retouch.recipes.rule.commands.paths import Given, given_paths, read_rule_file, root_option
from retouch.recipes.rule.commands.rows import write_rows
from retouch.recipes.rule.detecting.noise import noise_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.rule import Extraction, ExtractionRule
    from retouch.recipes.rule.judging.rows import Row

BATCH = 5_000
STATUSES = ("COMPLETE", "PARTIAL", "FAILED", "UNMATCHED")
NOISE = "noise"


@click.command(cls=Verb)
@click.argument("rule", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...|DIR|@FILE|-")
@root_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="The output format. By default the extension of -o decides, else jsonl.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.option("--unmatched", is_flag=True, help="Write the paths that no rule matches instead, nearest first, and why.")
@click.option(
    "--max-unmatched",
    metavar="NUMBER|SHARE%",
    default="0",
    help="How many paths no rule may match, or which share of them, for exit status 0. Default: 0.",
)
@as_json_option
@click.pass_context
def command(  # noqa: PLR0913 - one parameter per option
    ctx: click.Context,
    /,
    *,
    rule: Path,
    paths: tuple[str, ...],
    root: str | None,
    form: str | None,
    output: Path | None,
    unmatched: bool,
    max_unmatched: str,
    as_json: bool,
) -> None:
    """Apply rules to paths: values, and why some are missing.

    \b
      retouch rule apply rule.yaml data/
      retouch rule apply rule.yaml @paths.txt --json

    A directory means the files below it, @FILE the lines of a file, - those of standard input. Any other argument is a
    path, even if the file does not exist. If several rules of a file match a path, the one with the lowest priority
    number is used. A file NAME.py written by 'retouch rule drafts approve' runs in the sandbox engine that it names.

    A row has {"path", "rule", "status", "values", "reasons"}; status is COMPLETE, PARTIAL or FAILED. With --unmatched
    it has {"path", "rule", "distance", "why"}. The exit status is 1 if a path lacks a field, if no path matches, or if
    more paths than --max-unmatched match no rule (--unmatched lists them instead). Files that are no data by their
    names, such as _SUCCESS and checksums, are counted as noise.

    With --json: {"counts", "rows"}.
    """
    form = form or _form_of(output)
    if (as_json and (output or form != "jsonl")) or (unmatched and form != "jsonl"):
        raise click.UsageError("--json cannot be combined with -o or --format, and --unmatched writes JSON lines only.")
    most = share_of(max_unmatched, "--max-unmatched")
    request = _ApplyRequest(rule, given_paths(_only_paths(paths), root=root), unmatched)
    counts = _write(request, None if as_json else form, output)
    _print_counts(counts, unmatched=unmatched)
    too_many = counts["UNMATCHED"] > _allowed(most, counts)
    if counts["PARTIAL"] or counts["FAILED"] or not counts["COMPLETE"] or (too_many and not unmatched):
        ctx.exit(1)


def _allowed(most: float, counts: Counter[str]) -> float:
    return most * sum(counts[name] for name in STATUSES) if isinstance(most, float) else most


def _only_paths(words: Sequence[str]) -> Sequence[str]:
    """Return words of which none is a further file of rules, as `rules/*.yaml` can give: it would not be applied.

    Raises:
        BadInput: one is.
    """
    for word in words:
        file = Path(word)
        if file.suffix in {".yaml", ".yml"} and file.is_file() and _RULE.search(file.read_text("utf-8", "replace")):
            hint = "Put the rules into one file, as {version: 1, rules: [...]}; or give a directory or a list of paths."
            raise BadInput(f"{word!r} is a second file of rules, and only the first is applied", hint=hint)
    return words


_RULE = re.compile(r"^[-\s]*glob\s*:", re.MULTILINE)


def share_of(text: str, option: str) -> int | float:
    """Return the largest number of unmatched paths, or their largest share as a fraction.

    Raises:
        click.BadParameter: it is neither.
    """
    number = text.removesuffix("%")
    if not number.isdigit() or (text.endswith("%") and int(number) > 100):
        raise click.BadParameter(f"{text!r} is neither a number nor a share such as 5%.", param_hint=option)
    return int(number) / 100 if text.endswith("%") else int(number)


class _ApplyRequest(NamedTuple):
    """The arguments of one `retouch rule apply`."""

    rule: Path
    given: Iterable[Given]
    unmatched: bool


def _write(request: _ApplyRequest, form: str | None, output: Path | None) -> Counter[str]:
    """Write the rows and return the number of paths per status. Without a format, write one JSON document."""
    from retouch.recipes.rule.language.model import precedence

    counts: Counter[str] = Counter()
    if is_function(request.rule, unmatched=request.unmatched):
        rows, rules = function_rows(request.rule, request.given, counts)
    else:
        rules = sorted(read_rule_file(request.rule), key=precedence)
        rows = (_unmatched if request.unmatched else _rows)(request.given, rules, counts)
    if form is not None:
        write_rows(rows, rules, form=form, output=output)
    else:
        found = list(rows)
        print_json({"counts": {name: counts[name] for name in STATUSES}, "rows": found})
    return counts


def _form_of(output: Path | None) -> str:
    ending = output.suffix.lower() if output else ""
    return {".csv": "csv", ".parquet": "parquet"}.get(ending, "jsonl")


def _rows(given: Iterable[Given], rules: Sequence[ExtractionRule], counts: Counter[str]) -> Iterator[dict[str, Any]]:
    from retouch.recipes.rule.applying.bulk import bulk_reader

    read = bulk_reader(rules[0])
    names = tuple(field.name for field in rules[0].fields)
    complete = 0
    try:
        for one in given:
            values = read(one.path) if read is not None and one.root == "/" else None
            if values is not None:
                complete += 1
                found = dict(zip(names, values, strict=True))
                yield {
                    "path": one.shown,
                    "rule": rules[0].name,
                    "status": "COMPLETE",
                    "values": found,
                    "reasons": {},
                }
                continue
            rule, extraction = one.extracted_by(rules)
            _count(extraction, counts)
            if extraction.status != "UNMATCHED":
                yield {
                    "path": extraction.path,
                    "rule": rule.name,
                    "status": extraction.status,
                    "values": dict(extraction.values),
                    "reasons": {name: asdict(reason) for name, reason in extraction.reasons.items()},
                }
    finally:
        counts["COMPLETE"] += complete


def _unmatched(
    given: Iterable[Given], rules: Sequence[ExtractionRule], counts: Counter[str]
) -> Iterator[dict[str, Any]]:
    from retouch.recipes.rule.applying.near import near_miss

    misses_found: list[dict[str, Any]] = []
    for one in given:
        _, extraction = one.extracted_by(rules)
        _count(extraction, counts)
        if extraction.status == "UNMATCHED":
            misses = [(rule.name, near_miss(rule, one.path, root=one.root)) for rule in rules]
            name, nearest = min(misses, key=lambda pair: pair[1].distance)
            misses_found.append({"path": one.shown, "rule": name, "distance": nearest.distance, "why": nearest.why})
    yield from sorted(misses_found, key=lambda row: row["distance"])


def _count(extraction: Extraction, counts: Counter[str]) -> None:
    if extraction.status == "UNMATCHED" and noise_kind(extraction.path.replace("\\", "/").rpartition("/")[2]):
        counts[NOISE] += 1
        return
    counts[extraction.status] += 1
    for name, reason in extraction.reasons.items():
        if not reason.defaulted:
            counts[f"{name}: {reason.code}"] += 1


def _print_counts(counts: Counter[str], *, unmatched: bool) -> None:
    """Print to stderr how many paths had each status, and which fields are missing most often."""
    click.echo(", ".join(f"{counts[name]:,} {name.lower()}" for name in STATUSES), err=True)
    missing = [(what, number) for what, number in counts.most_common() if what not in {*STATUSES, NOISE}]
    for what, number in missing[:10]:
        click.echo(f"  {what} on {number:,} {'path' if number == 1 else 'paths'}", err=True)
    if counts[NOISE]:
        click.echo(f"  {counts[NOISE]:,} more are noise by their names", err=True)
    if counts["UNMATCHED"] and not unmatched and any(counts[name] for name in STATUSES[:3]):
        click.echo("  no rule matches some paths, and they are left out; list them with --unmatched", err=True)
    if not any(counts[name] for name in STATUSES[:3]):
        why = "" if unmatched else "see why with --unmatched; "
        click.echo(f"  next: {why}use --root to set the directory that relative globs start from", err=True)


def function_rows(
    file: Path, given: Iterable[Given], counts: Counter[str]
) -> tuple[list[dict[str, Any]], tuple[ExtractionRule, ...]]:
    """Return the values that the function in `file` extracts from each path, and a rule that only names the fields.

    Raises:
        BadInput: the file does not name the engine that must run it.
        MissingTool: that engine is not installed.
    """
    from retouch.recipes.rule import ExtractionRule, Field
    from retouch.recipes.rule.drafts.approval import read_extractor
    from retouch.recipes.rule.globs.parsing import parse_glob
    from retouch.recipes.rule.language.load import decoded

    extractor = read_extractor(decoded(file.read_bytes()))
    rows: list[dict[str, Any]] = []
    for row in _function_results(extractor.code, extractor.engine, given):
        counts[row.status] += 1
        if row.failure is not None:
            counts[f"{file.stem}: {row.failure[0]}"] += 1
        rows.append(_plain_row(row, file.stem))
    names = dict.fromkeys(name for row in rows for name in row["values"])
    fields = tuple(Field(name=name, source="full_path") for name in names)
    return rows, (ExtractionRule(name=file.stem, glob=parse_glob("**"), fields=fields),)


def _function_results(code: str, engine: str, given: Iterable[Given]) -> Iterator[Row]:
    from itertools import islice

    from retouch.recipes.rule.judging.python_run import run_on

    paths = iter(given)
    while batch := [one.path for one in islice(paths, BATCH)]:
        yield from run_on(code, batch, engine=engine, twice=False).rows


def _plain_row(row: Row, name: str) -> dict[str, Any]:
    reasons: dict[str, Any] = {key: asdict(reason) for key, reason in row.reasons.items()}
    if row.failure is not None:
        reasons[""] = {"code": row.failure[0], "message": row.failure[1], "defaulted": False}
    return {"path": row.path, "rule": name, "status": row.status, "values": dict(row.values), "reasons": reasons}


def is_function(file: Path, *, unmatched: bool) -> bool:
    """Return whether a file holds a Python function.

    Raises:
        BadInput: `unmatched` is set, but a function has no glob.
    """
    if file.suffix != ".py":
        return False
    if unmatched:
        raise BadInput(f"{str(file)!r} is a function and runs on every path", hint="Leave out --unmatched.")
    return True
