"""The file `job.json`: what a job is about, where its records are, and its last result.

It holds everything that `retouch resume` and `retouch validate` need, except check functions of a calling program.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import is_temporary, write_files
from retouch._lib.holders import HOLDER
from retouch._lib.json_text import json_text
from retouch._lib.redaction import redactor
from retouch.engine.ledger import LOCK
from retouch.errors import BadInput, BrokenFile
from retouch.recipes.extract.schemas import may_have
from retouch.recipes.extract.source import ExtractShard
from retouch.recipes.extract.whole_job import JobChecks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

JOB, INPUT, NEW_INPUT = "job.json", "input.jsonl", ".input.jsonl.new"
VERSION = 1
SHARD_SIZE = 1_000
_BEFORE = frozenset({LOCK, HOLDER, INPUT, NEW_INPUT})  # in the directory before a job is begun


@dataclass(frozen=True, kw_only=True)
class ExtractJob:
    """What is extracted, and how it is checked: a shard without records, and the checks over all records.

    `max_dead` is the number of records that may stay without a usable value. `shard_size` is the number of records of
    one run, approximately. `parquet` is whether the records are also written as `records.parquet`.
    """

    shared: ExtractShard
    whole: JobChecks = JobChecks()
    max_dead: int = 0
    shard_size: int = SHARD_SIZE
    parquet: bool = False

    def expect_known_parts(self) -> None:
        """Check that the schema knows the parts of values that the checks name.

        Raises:
            BadInput: it does not know one. A check of a part that no value has would always pass.
        """
        sums = [pointer for rule in self.shared.sums for pointer in (rule.total, rule.parts)]
        references = [pointer for pointer, _, _ in self.whole.references]
        for pointer in (*sums, *self.whole.unique, *references):
            if not may_have(self.shared.schema, pointer):
                hint = "Correct the JSON Pointer, or add the property to the schema."
                raise BadInput(f"a check names {pointer!r}, and the schema has no such property", hint=hint)


@dataclass(frozen=True, kw_only=True)
class ShardRange:
    """Shards that were added to a job together: their number, and the first of them.

    `keys` is the file with the hashes of the keys of their records; "" for the latest, which take all other records.
    """

    first: int
    shards: int
    keys: str = ""


@dataclass(frozen=True, kw_only=True)
class JobFile:
    """The content of `job.json`.

    `input` is the hash of `input.jsonl`, "" in a job of an earlier version. `settings` are those of `ExtractJob`.
    `model`, `fallbacks` and `options` are those of the last command. `result` is what it has ended with, None while a
    command is at work, and after one that was interrupted.
    """

    ranges: tuple[ShardRange, ...] = ()
    input: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    model: str = ""
    fallbacks: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    result: Mapping[str, Any] | None = None

    @property
    def shards(self) -> int:
        """The number of shards."""
        return self.ranges[-1].first + self.ranges[-1].shards

    def write(self, directory: Path) -> None:
        """Write the file."""
        more: dict[str, JSON] = {"ranges": [asdict(one) for one in self.ranges], "settings": dict(self.settings)}
        last: dict[str, JSON] = {"model": self.model, "fallbacks": list(self.fallbacks), "options": dict(self.options)}
        result: JSON = None if self.result is None else dict(self.result)
        head: dict[str, JSON] = {"version": VERSION, "recipe": "extract", "shards": self.shards, "input": self.input}
        write_files(directory, {JOB: json_text({**head, **more, **last, "result": result})})


def read_job_file(directory: Path) -> JobFile | None:
    """Return the content of `job.json`, None if the directory may become a job.

    Raises:
        BadInput: the directory belongs to something else.
        BrokenFile: the file cannot be read, or a newer version wrote it.
    """
    place = directory / JOB
    if not place.exists():
        names = [path.name for path in directory.iterdir()] if directory.is_dir() else []
        found = {name for name in names if not is_temporary(name)}  # of a process that was killed here
        if found <= _BEFORE:
            return None
        what = "a run of another recipe" if "ir.json" in found else "not empty and not a job"
        raise BadInput(f"{str(directory)!r} is {what}", hint="Name another directory with -o.")
    try:
        data: dict[str, Any] = json.loads(place.read_bytes())
        version, shards = data["version"], data["shards"]
        ranges = tuple(ShardRange(**one) for one in data.get("ranges", ({"first": 0, "shards": shards},)))
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenFile(
            f"{str(place)!r} cannot be read: {error}", hint="Restore it, or name another directory."
        ) from error
    if version != VERSION or not isinstance(shards, int) or shards < 1 or not ranges:
        message = f"{str(place)!r} was written by another version of Retouch (version {version!r})"
        raise BrokenFile(message, hint="Use that version, or name another directory with -o.")
    names = {one.name for one in fields(JobFile)} - {"ranges"}
    return JobFile(ranges=ranges, **{name: one for name, one in data.items() if name in names})


def expect_job_file(directory: Path) -> JobFile:
    """Return the content of `job.json` of a job.

    Raises:
        BadInput: there is no job, or it was made by a version that did not store its settings.
        BrokenFile: the file cannot be read.
    """
    found = read_job_file(directory)
    has_input = (directory / INPUT).exists() or (directory / NEW_INPUT).exists()
    if found is None or not found.settings or not has_input:
        what = "does not hold a job" if found is None else "holds a job without its settings"
        raise BadInput(f"{str(directory)!r} {what}", hint="Give the command again that made it.")
    return found


def settings_of(job: ExtractJob) -> Mapping[str, Any]:
    """Return the settings of a job as plain data, without its records and without secrets of this environment."""
    data = asdict(job)
    del data["shared"]["records"]
    return redactor().value(json.loads(json.dumps(data)))


def job_of(settings: Mapping[str, Any]) -> ExtractJob:
    """Return the job that `settings_of` described.

    Raises:
        BrokenFile: these are no settings.
    """
    from pydantic import TypeAdapter, ValidationError

    try:
        shared = TypeAdapter(ExtractShard).validate_python({**settings["shared"], "records": ()})
        whole = TypeAdapter(JobChecks).validate_python(settings["whole"])
        own = {name: settings[name] for name in ("max_dead", "shard_size", "parquet")}
    except (KeyError, TypeError, ValidationError) as error:
        message = f"the settings in {JOB} cannot be read: {error}"
        raise BrokenFile(message, hint="Give the command again that made the job.") from error
    return ExtractJob(shared=shared, whole=whole, **own)
