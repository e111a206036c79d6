"""Where the records of a job are: which shard each belongs to, and its position in `input.jsonl`.

A record belongs to the shard that the hash of its key names, so that a new record never moves another. If a job grows
far beyond its shards (for example, it was tried with `--limit 20` first), further shards are added for new records.
Those that are there keep their shard, and so their answers.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import write_files
from retouch._lib.json_text import row_pieces
from retouch.engine.stored_files import file_hash
from retouch.errors import BadInput, BrokenFile
from retouch.recipes.extract.source import InputRecord
from retouch.recipes.extract.stored import INPUT, NEW_INPUT, JobFile, ShardRange, expect_job_file, read_job_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

SHARDS, KEYS = "shards", "keys"
_HASH_BYTES = 8
_CROWDED = 2  # times the shard size that is wanted: then shards are added


@dataclass(frozen=True, kw_only=True)
class JobLayout:
    """Where the records of a job are: for each shard, the byte positions of its records in input.jsonl, in order.

    `order` has the shard of each record, in the order of the input.
    """

    directory: Path
    positions: Sequence[Sequence[int]]
    order: Sequence[int]

    @property
    def shards(self) -> int:
        """The number of shards."""
        return len(self.positions)

    @property
    def total(self) -> int:
        """The number of records."""
        return len(self.order)

    def lines(self, number: int) -> Iterator[bytes]:
        """Yield the lines of the records of a shard, in the order of the input."""
        with (self.directory / INPUT).open("rb") as file:
            for position in self.positions[number]:
                file.seek(position)
                yield file.readline()

    def read(self, number: int) -> Iterator[InputRecord]:
        """Yield the records of a shard, in the order of the input."""
        for line in self.lines(number):
            yield _record(line)


class ShardMap:
    """Which shard the key of a record belongs to."""

    def __init__(self, ranges: Sequence[ShardRange], directory: Path) -> None:
        self._latest = ranges[-1]
        self._earlier = [(one, _stored_keys(directory / one.keys)) for one in ranges[:-1]]

    def shard_of(self, key: bytes) -> int:
        """Return the number of the shard of a key, given by its hash."""
        for one, keys in self._earlier:
            if key in keys:
                return _in_range(one, key)
        return _in_range(self._latest, key)


def prepare(records: Iterable[InputRecord], directory: Path, job: JobFile, shard_size: int) -> JobLayout:
    """Write the records and `job.json` into a job's directory, and return where the records are.

    `job` has the shards so far, none if the job is new. `job.json` has the hash of the new input before the input is
    there. If the process is killed in between, `finish_input` completes it.

    Raises:
        BadInput: there is no record.
    """
    keys: list[bytes] = []
    positions: list[int] = []
    at = 0
    temporary, found = directory / NEW_INPUT, sha256()
    try:
        with temporary.open("wb") as file:
            for record in records:
                line = "".join(row_pieces({"key": record.key, "fields": record.fields}, 0)).encode() + b"\n"
                file.write(line)
                found.update(line)
                keys.append(key_hash(record.key))
                positions.append(at)
                at += len(line)
            file.flush()
            os.fsync(file.fileno())
        _expect_some(positions)
        job = _with_enough_shards(replace(job, input=_named(found)), keys, directory, shard_size)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    job.write(directory)
    temporary.replace(directory / INPUT)
    return _layout(directory, job, keys, positions)


def _expect_some(positions: Sequence[int]) -> None:
    if not positions:
        raise BadInput("the input has no records", hint="Check the input, --where and --limit.")


def finish_input(directory: Path, job: JobFile) -> None:
    """Complete the input of a command that was killed after it had written `job.json`. Only the writer calls this."""
    new = directory / NEW_INPUT
    if job.input and new.exists() and file_hash(new) == job.input:
        new.replace(directory / INPUT)


def stored_layout(directory: Path, job: JobFile) -> JobLayout:
    """Return where the records of an existing job are.

    Raises:
        BrokenFile: `input.jsonl` is damaged, or is not the input that the job was given.
    """
    keys: list[bytes] = []
    positions: list[int] = []
    at, found = 0, sha256()
    if not (directory / INPUT).exists():
        raise BrokenFile(f"{str(directory / INPUT)!r} is missing", hint="Give the command again that made the job.")
    with (directory / INPUT).open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                keys.append(key_hash(json.loads(line)["key"]))
            except (ValueError, KeyError, TypeError) as error:
                message = f"line {number} of {str(directory / INPUT)!r} is damaged: {error}"
                raise BrokenFile(message, hint="Give the command again that made the job.") from error
            found.update(line)
            positions.append(at)
            at += len(line)
    if job.input and job.input != _named(found):
        message = f"{str(directory / INPUT)!r} is not the input that this job was given last"
        raise BrokenFile(message, hint="Give the command again that made the job.")
    return _layout(directory, job, keys, positions)


def _named(digest: Any) -> str:
    return f"sha256:{digest.hexdigest()}"


def _layout(directory: Path, job: JobFile, keys: Sequence[bytes], positions: Sequence[int]) -> JobLayout:
    shards = ShardMap(job.ranges, directory)
    order = [shards.shard_of(key) for key in keys]
    places: list[list[int]] = [[] for _ in range(job.shards)]
    for number, position in zip(order, positions, strict=True):
        places[number].append(position)
    return JobLayout(directory=directory, positions=places, order=order)


def by_shard(records: Iterable[InputRecord], directory: Path) -> Iterator[tuple[Path, tuple[InputRecord, ...]]]:
    """Yield the records of each shard of an existing or planned job with the shard's run directory. Nothing is written.

    Raises:
        BadInput: the directory belongs to something else.
    """
    known = read_job_file(directory)
    ranges = known.ranges if known is not None else (ShardRange(first=0, shards=1),)
    shards, found = ShardMap(ranges, directory), dict[int, list[InputRecord]]()
    for record in records:
        found.setdefault(shards.shard_of(key_hash(record.key)), []).append(record)
    for number, own in sorted(found.items()):
        yield shard_directory(directory, number), tuple(own)


def shard_directory(directory: Path, number: int) -> Path:
    """Return the run directory of a shard."""
    return directory / SHARDS / f"{number:05}"


def run_of_record(directory: Path, key: str) -> Path:
    """Return the run directory of the record with this key, in an existing job.

    Raises:
        BadInput: there is no job.
    """
    shards = ShardMap(expect_job_file(directory).ranges, directory)
    return shard_directory(directory, shards.shard_of(key_hash(key)))


def key_hash(key: str) -> bytes:
    """Return the hash of a record's key."""
    return sha256(key.encode("utf-8", "surrogatepass")).digest()[:_HASH_BYTES]


def _in_range(range_: ShardRange, key: bytes) -> int:
    return range_.first + int.from_bytes(key, "big") % range_.shards


def _with_enough_shards(job: JobFile, keys: Sequence[bytes], directory: Path, shard_size: int) -> JobFile:
    """Return the job with shards for the records. Those of a known job are kept, and get company if they are crowded.

    The keys of the records that have a shard already are stored before the shards of new ones are known.
    """
    if not job.ranges:
        return replace(job, ranges=(ShardRange(first=0, shards=_needed(len(keys), shard_size)),))
    latest, shards = job.ranges[-1], ShardMap(job.ranges, directory)
    own = [key for key in keys if shards.shard_of(key) >= latest.first]
    if len(own) <= _CROWDED * shard_size * latest.shards:
        return job
    stored = {key for key in _keys_in(directory / INPUT) if shards.shard_of(key) >= latest.first}
    new = _needed(sum(key not in stored for key in own), shard_size)
    name = f"{KEYS}/{latest.first:05}.txt"
    write_files(directory, {name: "".join(f"{key.hex()}\n" for key in sorted(stored))})
    added = ShardRange(first=latest.first + latest.shards, shards=new)
    return replace(job, ranges=(*job.ranges[:-1], replace(latest, keys=name), added))


def _needed(records: int, shard_size: int) -> int:
    return max(1, -(-records // shard_size))


def _keys_in(place: Path) -> Iterator[bytes]:
    if place.exists():
        with place.open("rb") as file:
            for line in file:
                yield key_hash(json.loads(line)["key"])


def _stored_keys(place: Path) -> frozenset[bytes]:
    try:
        return frozenset(map(bytes.fromhex, place.read_text(encoding="ascii").split()))
    except (OSError, ValueError) as error:
        message = f"{str(place)!r} cannot be read: {error}"
        raise BrokenFile(message, hint="Restore it, or name another directory with -o.") from error


def _record(line: bytes) -> InputRecord:
    data: dict[str, Any] = json.loads(line)
    return InputRecord(key=data["key"], fields=data["fields"])
