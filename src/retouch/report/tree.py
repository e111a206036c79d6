"""Directories with many runs: a tree, a fleet, or an evaluation, as one table."""

from __future__ import annotations

import base64
import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, TypeAlias, cast

from retouch._lib.counting import counted
from retouch.engine.directory import open_run
from retouch.engine.overview import overview
from retouch.engine.stored_files import IR
from retouch.engine.tiers import STATUSES
from retouch.engine.types import Usage
from retouch.errors import BadInput, RetouchError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.fleet.job import FleetPlace

_FLEET = "fleet.json"
_PLAN, _RESULT, _PICTURE = "evaluation.json", "result.json", "result.svg"
_MOST_PICTURE = 2_000_000


@dataclass(frozen=True, kw_only=True)
class RunOfTree:
    """One run of a tree. `name` is its path below the tree. `is_here` is whether its pages can be shown.

    `files` are those that the run wrote.
    """

    name: str
    directory: Path
    recipe: str
    status: str
    reason: str
    errors: int
    usage: Usage
    is_here: bool = True
    files: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class RunTree:
    """A directory with many runs. `picture` is that of an evaluation, as a data URL, or ""."""

    kind: str
    name: str
    status: str
    words: str
    notes: Sequence[str]
    facts: Sequence[tuple[str, str]]
    lines: Sequence[RunOfTree]
    picture: str = ""

    @property
    def states(self) -> Sequence[str]:
        """The statuses of its runs, worst first."""
        found = {line.status for line in self.lines}
        return [status for status in (*reversed(STATUSES), "unreadable", "left") if status in found]


ReadRun: TypeAlias = "Callable[[str, Path], RunOfTree]"


@dataclass(frozen=True, kw_only=True)
class OverallStatus:
    """The status that a job of several runs reports, which may be worse than its runs: a shard may have none yet."""

    status: str
    reason: str
    notes: Sequence[str] = ()


ReadOverall: TypeAlias = "Callable[[Path], OverallStatus | None]"


def run_directories(folder: Path) -> dict[str, Path]:
    """Return the runs of a directory by their path below it. A run itself is ""."""
    if (folder / IR).is_file():
        return {"": folder}
    if (folder / _FLEET).is_file():
        return {place.name: place for place in _fleet_runs(folder)}
    found = {
        str(place.parent.relative_to(folder)): place.parent for depth in range(1, 4) for place in _at(folder, depth)
    }
    return dict(sorted(found.items()))


def _at(folder: Path, depth: int) -> list[Path]:
    return list(folder.glob("*/" * depth + IR))


def is_tree(folder: Path) -> bool:
    """Return whether a directory is no run and has some below it, or is a fleet or an evaluation."""
    if (folder / IR).is_file():
        return False
    return any((folder / name).is_file() for name in (_FLEET, _PLAN)) or bool(run_directories(folder))


def tree_of(folder: Path, read: ReadRun | None = None, overall: ReadOverall | None = None) -> RunTree:
    """Return the table of all runs of a directory. `read` replaces `line_of_run`, for example by one with a memory.

    `overall` returns the status of a directory that is a job, which its runs alone do not show.

    Raises:
        BadInput: it has none.
    """
    if (folder / _FLEET).is_file():
        return _fleet_tree(folder, read or line_of_run)
    lines = [(read or line_of_run)(name, place) for name, place in run_directories(folder).items()]
    if not lines and not (folder / _PLAN).is_file():
        raise BadInput(f"{str(folder)!r} has no runs", hint="Name a run directory, or a directory with runs below it.")
    counts = Counter(line.status for line in lines)
    worst = max(lines, key=lambda line: _badness(line.status), default=None)
    words = f"{counted(len(lines), 'run')}: " + ", ".join(f"{count} {status}" for status, count in counts.items())
    usage = sum((line.usage for line in lines), Usage())
    job = overall(folder) if overall is not None else None
    whole = job or evaluation_status(folder)
    nested = () if whole else [*_nested_statuses(folder, [line.name for line in lines], overall)]
    statuses = [one.status for one in (worst, whole, *nested) if one is not None]
    reasons = [
        f"{worst.name}: {worst.reason}" if worst is not None and worst.reason else "",
        *((whole.reason, *whole.notes) if whole else ()),
        *(one.reason for one in nested),
    ]
    return RunTree(
        kind="job" if job else "evaluation" if whole else "runs",
        name=folder.resolve().name,
        status=max(statuses, key=_badness),
        words=f"{words}.".replace(": .", "."),
        notes=[one for one in reasons if one],
        facts=_facts(usage, len(lines), "runs"),
        lines=sorted(lines, key=lambda line: -_badness(line.status)),
        picture=_picture(folder),
    )


def _nested_statuses(folder: Path, names: Iterable[str], overall: ReadOverall | None) -> Iterator[OverallStatus]:
    """Yield the status of each job, evaluation and fleet that some of the runs belong to.

    It may be worse than that of their runs, for example because a shard has no run yet.
    """
    for parent in sorted({parent for name in names for parent in PurePath(name).parents if parent.name}):
        place = folder / parent
        found = (overall(place) if overall is not None else None) or evaluation_status(place) or _fleet_status(place)
        if found is not None and found.status != STATUSES[0]:
            yield replace(found, reason=f"{parent}: {found.reason or found.status}")


def _fleet_status(folder: Path) -> OverallStatus | None:
    if not (folder / _FLEET).is_file():
        return None
    from retouch.fleet.api import status

    try:
        found = status(folder)
    except RetouchError as error:
        return OverallStatus(status="unverified", reason=f"the status of the fleet is unknown: {error}")
    return OverallStatus(status=found.status, reason=found.reason)


def evaluation_status(folder: Path) -> OverallStatus | None:
    """Return whether all runs of an evaluation were made. None if the directory is not one.

    A result that was written before the plan was extended does not count.
    """
    if not (folder / _PLAN).is_file():
        return None
    from retouch.evaluation.plan import planned_directories

    try:
        planned = planned_directories(folder)
    except RetouchError as error:
        return OverallStatus(status="incomplete", reason=f"The plan of the evaluation is unknown: {error}")
    missing = sum(not (run / IR).is_file() for run in planned)
    status: object = "incomplete"
    with suppress(OSError, ValueError):
        found: object = json.loads((folder / _RESULT).read_bytes())
        status = cast("dict[str, object]", found).get("status", status) if isinstance(found, dict) else status
    if status == "complete" and not missing:
        return OverallStatus(status=STATUSES[0], reason="")
    known = "exhausted" if status == "exhausted" else "incomplete"
    left = f"{missing} of {counted(len(planned), 'planned run')} have not begun" if missing else "it has no result yet"
    return OverallStatus(status=known, reason=f"The evaluation is {known}: {left}.")


def _badness(status: str) -> int:
    return [*STATUSES, "left", "unreadable"].index(status)


def _facts(usage: Usage, count: int, noun: str) -> list[tuple[str, str]]:
    return [
        (noun, f"{count:,}"),
        ("calls", f"{usage.calls:,}"),
        ("tokens", f"{usage.tokens:,}"),
        ("cost so far", usage.price),
    ]


def line_of_run(name: str, place: Path) -> RunOfTree:
    """Return the line of the run in a directory. An error in its files is the reason of an unreadable one."""
    try:
        return run_of_tree(name, open_run(place))
    except RetouchError as error:
        return unreadable_run(name, place, error)


def unreadable_run(name: str, place: Path, error: RetouchError) -> RunOfTree:
    """Return the line of a run that cannot be read."""
    return RunOfTree(
        name=name,
        directory=place,
        recipe="",
        status="unreadable",
        reason=error.on_one_line,
        errors=0,
        usage=Usage(),
        is_here=False,
    )


def run_of_tree(name: str, view: RunView) -> RunOfTree:
    """Return the line of a run that was opened.

    Raises:
        RetouchError: it cannot be read.
    """
    found = overview(view)
    issues = found.issues
    return RunOfTree(
        name=name,
        directory=view.directory,
        recipe=found.recipe,
        status=found.status,
        reason=found.reason or (issues[0].message.partition("\n")[0] if issues and found.status != "verified" else ""),
        errors=sum(one.is_error for one in issues),
        usage=found.known_usage,
        files=sorted(view.history.written),
    )


def _picture(folder: Path) -> str:
    """Return the picture of an evaluation as the address of an image, which no browser runs scripts of."""
    place = folder / _PICTURE
    if not place.is_file() or place.stat().st_size > _MOST_PICTURE:
        return ""
    return f"data:image/svg+xml;base64,{base64.b64encode(place.read_bytes()).decode()}"


def _fleet_runs(folder: Path) -> list[Path]:
    from retouch.fleet.job import fleet_place
    from retouch.fleet.upkeep import fleet_runs

    return fleet_runs(fleet_place(str(folder)))


def _fleet_tree(folder: Path, read: ReadRun) -> RunTree:
    """Return the shards of a fleet from its commits; no ledger is read."""
    from retouch.fleet.api import status
    from retouch.fleet.job import fleet_place

    place, found = fleet_place(str(folder)), status(folder)
    facts = [
        *((f"shards {name.replace('_', ' ')}", f"{count:,}") for name, count in found.shards.items()),
        *((f"records {name}", f"{count:,}") for name, count in found.records.items() if count),
        *_facts(found.usage, found.workers, "workers"),
    ]
    return RunTree(
        kind="fleet",
        name=folder.resolve().name,
        status=found.status,
        words=found.reason or "Every shard is done.",
        notes=found.notes,
        facts=facts,
        lines=sorted(_shards(folder, place, read, found.changed), key=lambda line: -_badness(line.status)),
    )


def _shards(folder: Path, place: FleetPlace, read: ReadRun, changed: Collection[int]) -> list[RunOfTree]:
    """Return the shards by their commits. A run that was changed since its commit is read."""
    from retouch.fleet.statuses import read_commits

    here, recipe = run_directories(folder), place.job().recipe
    found: list[RunOfTree] = []
    for number, commit in read_commits(place):
        name = next((one for one in here if f"{number:05}" in one), f"{number:05}")
        if number in changed and name in here:
            line = read(name, here[name])
            found.append(replace(line, reason=f"changed since its commit; {line.reason}".removesuffix("; ")))
            continue
        wrong = sum(count for state, count in commit["records"].items() if state not in ("verified", "unverified"))
        records = ", ".join(f"{count} {state}" for state, count in commit["records"].items() if count)
        found.append(
            RunOfTree(
                name=name,
                directory=here.get(name, folder),
                recipe=recipe,
                status=commit["status"],
                reason=records,
                errors=wrong,
                usage=Usage(**commit["usage"]),
                is_here=name in here,
            )
        )
    committed = {line.name for line in found}
    return [*found, *(read(name, directory) for name, directory in here.items() if name not in committed)]
