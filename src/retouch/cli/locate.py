"""`retouch locate` and `retouch locate index`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.failure import printable
from retouch.cli.locating import (
    LANGUAGES,
    cache_option,
    hint_config,
    hint_config_option,
    indexed,
    tests_option,
    weight_option,
)
from retouch.cli.options import as_json_option, quiet_option
from retouch.cli.output import counted, print_json, print_table
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.fusion.config import Fusion
    from retouch.locate.index import Refreshed, SpanIndex
    from retouch.locate.values import Candidate

_SCORES = ("mf", "sl", "fg", "nb")


class Locate(Verb):
    """A command that runs `index` instead if that is its first argument."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Return the context of this command, or of `index`."""
        if args[:1] == ["index"]:
            return index_command.make_context(f"{info_name} index", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


class _FusionChoice(click.Choice[str]):
    """The formulas by name. The former name `seed` is still accepted."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name of the formula."""
        return super().convert("max-plus-bonus" if value == "seed" else value, param, ctx)


@click.command(cls=Locate)
@click.argument("diff", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--source", metavar="DIR", help="The directory of the sources, or docker:CONTAINER:PATH.")
@click.option(
    "--text",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="A traceback, the output of failing tests, an issue or a commit message, in place of a diff. '-' reads stdin.",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    show_default=False,
    help="The language of the sources. Default: scala for a diff, python for --text.",
)
@click.option("--rtl", metavar="DIR", help="A directory with the Verilog, before or after the change.")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, metavar="N", help="Number of candidates to print."
)
@click.option(
    "--show",
    type=click.IntRange(1),
    metavar="N",
    help="Print the source of candidate N with the relevant lines marked.",
)
@click.option(
    "--prefix",
    "prefixes",
    multiple=True,
    metavar="TEXT",
    help="A prefix that a tool adds to module names. Can be repeated.",
)
@click.option(
    "--fusion",
    type=_FusionChoice(["ranks", "max-plus-bonus"]),
    show_default=False,
    help="How scores are combined: by weighted ranks, or the best score plus a bonus for each further match."
    " Default: ranks.",
)
@hint_config_option
@weight_option
@cache_option
@tests_option
@quiet_option
@as_json_option
def command(
    diff: str | None,
    *,
    text: str | None,
    language: str | None,
    top: int,
    show: int | None,
    as_json: bool,
    **search: Any,
) -> None:
    """Rank the Chisel modules that a Verilog diff may come from, or the Python functions that a text is about.

    \b
      retouch locate fix.diff --source src/main/scala
      retouch locate --language python --text failure.txt --source .

    No model is called.

    DIFF is a unified diff of generated Verilog, `-` for standard input. Comments in it are not searched, except for the
    compiler's source locators. `retouch locate index DIR` builds or updates the index beforehand.

    With --json: {"candidates": [{"module_id", "file", "name", "qualified_name", "kind", "start_line", "end_line",
    "score", "probability", "scores": {"mf", "sl", "fg", "nb"}, "why"}]}, best first; mf is the score of
    the name, sl of the source locators, fg of the words, and nb of the neighbourhood. With --text, the probability is
    null, and the scores have other names. If nothing is found, the list is empty and the exit status 0.
    """
    if as_json and show:
        raise click.UsageError("--show prints text: use it without --json.")
    _expect_one_input(diff, search["source"], text, language)
    if text is not None:
        _locate_text(text, source=search["source"] or ".", top=top, show=show, as_json=as_json, search=search)
        return
    known, index, found = _Search(**search).ranked(diff or "-", silent=as_json)
    if as_json:
        print_json({"candidates": [_facts(one) for one in found[:top]]})
    elif show:
        _print_source(found, show, known, index)
    else:
        _print_ranks(found[:top], known)


def _expect_one_input(diff: str | None, source: str | None, text: str | None, language: str | None) -> None:
    if diff is not None and source is None:
        raise click.UsageError("Missing option '--source'.")
    if (diff is None) == (text is None):
        raise click.UsageError(
            "Pass a Verilog diff, or --text FILE." if diff is None else "Pass a diff or --text, not both."
        )
    if (language or ("python" if text else "scala")) != ("python" if text else "scala"):
        wrong = "--text ranks Python" if text else "a Verilog diff ranks Scala"
        raise click.UsageError(f"{wrong}: --language {language} is not supported with it.")


def _locate_text(
    text: str, *, source: str, top: int, show: int | None, as_json: bool, search: Mapping[str, Any]
) -> None:
    from retouch.locate.text_ranking import rank_text, reasons_of_text

    data = sys.stdin.buffer.read() if text == "-" else Path(text).read_bytes()
    silent = search["quiet"] or as_json
    index, _, _ = indexed(source, cache=search["cache"], tests=True, language="python", silent=silent)
    found = rank_text(data.decode("utf-8-sig", "replace"), index)
    if as_json:
        facts = [{**_facts(one, reasons_of_text(one)), "scores": _text_scores(one)} for one in found[:top]]
        print_json({"candidates": facts})
    elif show:
        one = _numbered(found, show)
        click.secho(printable(f"{one.span.file}: {one.span.kind} {one.span.qualified}"), bold=True)
        for at, line in enumerate(index.text(one.span).split("\n"), one.span.start_line):
            click.echo(printable(f"  {at:5d}  {line.rstrip()}"))
    elif found:
        print_table(
            ("rank", "name", "place", "score", "why"),
            [
                (
                    number,
                    one.span.qualified,
                    f"{one.span.file}:{one.span.start_line}-{one.span.end_line}",
                    f"{one.fused_score:.2f}",
                    "; ".join(reasons_of_text(one)),
                )
                for number, one in enumerate(found[:top], 1)
            ],
        )
    else:
        click.echo(printable(f"nothing found in {source!r} for this text"))


def _text_scores(one: Candidate) -> dict[str, float]:
    return {name: round(score, 4) for name, score in one.scores.items()}


@dataclass(frozen=True, kw_only=True)
class _Search:
    """The arguments of a search."""

    source: str
    rtl: str | None
    prefixes: tuple[str, ...]
    fusion: Fusion | None
    hint_config: Path | None
    weights: tuple[str, ...]
    cache: Path | None
    tests: bool
    quiet: bool

    def ranked(self, diff: str, *, silent: bool) -> tuple[DiffInfo, SpanIndex, Sequence[Candidate]]:
        """Return the evidence from a diff, the index, and the candidates, best first."""
        from retouch.locate.ranking import rank

        config = hint_config(self.hint_config, self.weights)
        config = replace(config, fusion=self.fusion) if self.fusion is not None else config
        known = _read_diff(diff, self.rtl)
        index, _, _ = indexed(self.source, cache=self.cache, tests=self.tests, silent=self.quiet or silent)
        return known, index, rank(known, index, options=config.rank_options(self.prefixes))


def _read_diff(diff: str, rtl: str | None) -> DiffInfo:
    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.diffs.rtl import design_modules, find_rtl

    data = sys.stdin.buffer.read() if diff == "-" else Path(diff).read_bytes()
    known = DiffInfo.from_text(data.decode("utf-8-sig", "replace"))
    if rtl is None:
        return known
    text = find_rtl(rtl, known)
    if not text:
        click.echo(printable(f"note: no Verilog file in {rtl!r} has the module {known.verilog_module!r}"), err=True)
    return known.with_rtl(text, design=design_modules(rtl))


def _facts(one: Candidate, why: list[str] | None = None) -> dict[str, object]:
    from retouch.locate.evidence import reasons

    span = one.span
    return {
        "module_id": one.module_id,
        "file": span.file,
        "name": span.name,
        "qualified_name": span.qualified,
        "kind": span.kind,
        "start_line": span.start_line,
        "end_line": span.end_line,
        "score": round(one.fused_score, 4),
        "probability": one.probability,
        "scores": {name: round(one.scores.get(name, 0.0), 4) for name in _SCORES},
        "why": reasons(one) if why is None else why,
    }


def _print_ranks(found: Sequence[Candidate], known: DiffInfo) -> None:
    from retouch.locate.evidence import reasons

    if not found:
        click.echo(printable(f"nothing found for the Verilog module {known.verilog_module!r}"))
        return
    rows = [
        (
            number,
            one.span.qualified,
            f"{one.span.file}:{one.span.start_line}-{one.span.end_line}",
            f"{one.probability:.0%}" if one.probability is not None else "",
            "; ".join(reasons(one)),
        )
        for number, one in enumerate(found, 1)
    ]
    print_table(("rank", "name", "place", "chance", "why"), rows)


def _print_source(found: Sequence[Candidate], number: int, known: DiffInfo, index: SpanIndex) -> None:
    from retouch.locate.evidence import evidence_lines, reasons

    one = _numbered(found, number)
    click.secho(printable(f"{one.span.file}: {one.span.kind} {one.span.qualified}"), bold=True)
    for reason in reasons(one):
        click.echo(printable(f"  {reason}"))
    marks = {(line.file, line.line): line.why for line in evidence_lines(one, known, index)}
    for span in one.members:
        click.echo()
        for at, text in enumerate(index.text(span).split("\n"), span.start_line):
            why = marks.get((span.file, at))
            click.secho(printable(f"{'>' if why else ' '} {at:5d}  {text.rstrip()}"), bold=bool(why), nl=not why)
            if why:
                click.secho(printable(f"    <- {why}"), fg="green")


def _numbered(found: Sequence[Candidate], number: int) -> Candidate:
    if number > len(found):
        raise click.UsageError(f"there is no number {number}: {len(found)} were found.")
    return found[number - 1]


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR")
@cache_option
@click.option(
    "--language", type=click.Choice(LANGUAGES), default="scala", show_default=True, help="The language of the sources."
)
@tests_option
@quiet_option
@as_json_option
def index_command(*, folder: str, cache: Path | None, language: str, tests: bool, quiet: bool, as_json: bool) -> None:
    """Build or update the index of the definitions below DIR.

    DIR is a directory, or docker:CONTAINER:/absolute/path for one in a running container. Only files that changed are
    read again. The index is in your cache directory, one for each DIR and language. You may delete it.

    With --json: {"files", "spans", "parsed", "deleted", "seconds", "commit", "cache", "errors", "notes"}. parsed has
    the files that are new or changed, deleted those that are gone, and errors the number of places of each file that
    could not be read.
    """
    index, done, kept = indexed(folder, cache=cache, tests=tests, language=language, silent=quiet or as_json)
    if as_json:
        print_json(_index_facts(index, done, kept))
        return
    files, spans = counted(done.files, "file"), counted(done.spans, "definition")
    click.echo(f"{files}, {spans}; {_changes_in_words(done)} in {done.seconds:.2f} s")
    for file, errors in index.parse_errors.items():
        click.echo(f"  {file}: {counted(errors, 'place')} could not be read", err=True)
    if not done.files:
        click.echo(f"  next: is {folder!r} the directory of the {language} sources?", err=True)
    click.echo(f"index: {kept}")


def _changes_in_words(done: Refreshed) -> str:
    gone = f", {len(done.deleted):,} gone" if done.deleted else ""
    return f"{len(done.parsed):,} new or changed{gone}"


def _index_facts(index: SpanIndex, done: Refreshed, kept: Path) -> dict[str, object]:
    return {
        "files": done.files,
        "spans": done.spans,
        "parsed": list(done.parsed),
        "deleted": list(done.deleted),
        "seconds": round(done.seconds, 3),
        "commit": index.commit_hash,
        "cache": str(kept),
        "errors": index.parse_errors,
        "notes": list(index.notes),
    }
