"""What a fleet is about: `fleet.json`, the records in shards, and the settings of the last command.

    DIR/plan.json               written first: what the fleet will be about, while its records are split
    DIR/fleet.json              written once: the recipe, what all records share, the digest of the records, the shards
    DIR/inputs/00042.jsonl      the records of a shard: {"key", "fields"} in each line
    DIR/command.json            the model, the options and the limits of the last command

`shards`, `limits`, `running` and `shipping` write the other files.
"""

from __future__ import annotations

import csv
import importlib
import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.hashing import canonical_hash
from retouch._lib.redaction import redactor
from retouch.engine.options import RunOptions
from retouch.engine.recipe import ShardRecord
from retouch.errors import BadInput, BrokenFile, MissingTool
from retouch.fleet.shards import HANG_S, LEASE_S, dumped, parsed, stored_data
from retouch.fleet.store import expect_local_disk, is_remote, open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.fleet.store import Store

FLEET, PLAN, COMMAND, INPUTS, OUT, RUNS = "fleet.json", "plan.json", "command.json", "inputs", "out", "runs"
VERSION = 1
SHARD_SIZE = 1_000
_FORMATS = (".jsonl", ".ndjson", ".csv", ".parquet")
_FETCHED = 1_000


@dataclass(frozen=True, kw_only=True)
class FleetJob:
    """The content of `fleet.json`, which is written once.

    `shared` are the parts of a source that all records share. `digest` is the hash of the records, with the name of
    their key. With `together`, a shard is one run, whose units are its records; else each record is a run. `inputs` are
    the hashes of the files in `inputs/`, by shard.
    """

    recipe: str
    digest: str
    shards: int
    records: int
    shard_size: int = SHARD_SIZE
    shared: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])
    together: bool = True
    inputs: Sequence[str] = ()
    version: int = VERSION

    @property
    def identity(self) -> str:
        """The hash of everything that the fleet is about. Each commit contains it."""
        return canonical_hash({**vars(self), "shared": dict(self.shared), "inputs": list(self.inputs)})

    def size_of(self, shard: int) -> int:
        """Return the number of records in a shard: only the last one can be smaller."""
        return min(self.shard_size, self.records - shard * self.shard_size)


@dataclass(frozen=True, kw_only=True)
class FleetCommand:
    """The settings of a command over a fleet. They can change from one command to the next.

    `model` and `fallbacks` are specs. `options` is `RunOptions.stored()`. `max_cost_usd` limits everything that the
    fleet has ever cost. `lease_s` is how long a worker that does not answer keeps its shard, `hang_s` how long one that
    makes no progress does: its code hangs.
    """

    model: str = "offline"
    fallbacks: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    max_cost_usd: float | None = None
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    workers: int = 1
    at_once: int = 1
    lease_s: float = LEASE_S
    hang_s: float = HANG_S

    def run_options(self) -> RunOptions:
        """Return the options of a run."""
        return RunOptions.from_stored(self.options) if self.options else RunOptions()


@dataclass(frozen=True, kw_only=True)
class FleetPlace:
    """Where a fleet is: its store, and the directory on this machine where runs are written."""

    address: str
    store: Store
    runs: Path

    @property
    def ships(self) -> bool:
        """Whether ledgers are copied to the store, because other machines do not see the runs."""
        return is_remote(self.address)

    def run_directory(self, shard: int, epoch: int) -> Path:
        """Return the directory of the runs of one epoch of a shard."""
        return self.runs / f"{shard:05}.e{epoch}"

    def job(self) -> FleetJob:
        """Return the fleet's job.

        Raises:
            BadInput: there is no fleet.
            BrokenFile: `fleet.json` cannot be read, or is newer.
        """
        data = self.store.get(FLEET)
        if data is None:
            raise BadInput(f"{self.address!r} does not hold a fleet", hint="'retouch fleet run' makes one.")
        try:
            found = parsed(data)
            known = {one.name for one in fields(FleetJob)}
            job = FleetJob(**{name: value for name, value in found.items() if name in known})
        except (ValueError, TypeError) as error:
            raise BrokenFile(f"{FLEET} of {self.address!r} cannot be read: {error}", hint="Restore it.") from error
        if job.version > VERSION:
            raise BrokenFile(f"{FLEET} of {self.address!r} is newer than this Retouch", hint="Upgrade Retouch.")
        if len(job.inputs) != job.shards:
            raise BrokenFile(f"{FLEET} of {self.address!r} does not name the input of each shard", hint="Restore it.")
        return job

    def command(self) -> FleetCommand:
        """Return the settings of the last command, those of a default one if none has been stored.

        Raises:
            BrokenFile: `command.json` cannot be read.
        """
        found = stored_data(self.store, COMMAND)
        known = {one.name for one in fields(FleetCommand)}
        given: dict[str, Any] = {name: value for name, value in found.items() if name in known}
        given["fallbacks"] = tuple(given.get("fallbacks", ()))
        return FleetCommand(**given)

    def save_command(self, command: FleetCommand) -> None:
        """Store the settings of this command, for workers and for the next command."""
        self.store.put(COMMAND, dumped(asdict(command)))

    def records(self, shard: int, job: FleetJob) -> list[ShardRecord]:
        """Return the records of a shard.

        Raises:
            BrokenFile: its input is missing or damaged, or is not the one that was written for this fleet.
        """
        name = input_name(shard)
        data = self.store.get(name)
        hint = "Restore it, or run the fleet in a new directory."
        if data is None:
            raise BrokenFile(f"{name} of {self.address!r} is missing", hint=hint)
        if input_hash(data) != job.inputs[shard]:
            raise BrokenFile(f"{name} of {self.address!r} was changed since the fleet was made", hint=hint)
        try:
            lines = [json.loads(line) for line in data.splitlines()]
            return [ShardRecord(key=one["key"], fields=one["fields"]) for one in lines]
        except (ValueError, KeyError, TypeError) as error:
            raise BrokenFile(f"{name} of {self.address!r} cannot be used: {error}", hint=hint) from error


def input_name(shard: int) -> str:
    """Return the name of the file with the records of a shard."""
    return f"{INPUTS}/{shard:05}.jsonl"


def input_hash(data: bytes) -> str:
    """Return the hash of a file of records, as `fleet.json` has it."""
    return sha256(data).hexdigest()[:32]


def fleet_place(address: str, work_directory: Path | None = None) -> FleetPlace:
    """Return where a fleet is. `work_directory` is for runs; by default DIR/runs, or a cache directory for a store.

    Raises:
        BadInput: the directory for runs is on a network disk, or the store cannot hold a fleet.
        MissingTool: the store needs a package that is not installed.
    """
    runs = work_directory
    if runs is None and is_remote(address):
        from platformdirs import user_cache_path

        runs = user_cache_path("retouch") / "fleets" / sha256(address.encode()).hexdigest()[:16]
    runs = runs if runs is not None else Path(address) / RUNS
    expect_local_disk(runs)
    return FleetPlace(address=address, store=open_store(address), runs=runs)


def is_fleet(directory: Path) -> bool:
    """Return whether a directory holds a fleet."""
    return (directory / FLEET).is_file()


@dataclass(frozen=True, kw_only=True)
class RecordsFile:
    """A file with records: JSON lines, CSV with a header, or Parquet. `key` is the field that identifies a record."""

    path: Path
    key: str = "id"

    def digest(self) -> str:
        """Return the hash of the file and the name of the key, without reading records."""
        found = sha256(self.key.encode() + b"\n")
        with self.path.open("rb") as file:
            while piece := file.read(1 << 20):
                found.update(piece)
        return f"sha256:{found.hexdigest()}"

    def __iter__(self) -> Iterator[Mapping[str, JSON]]:
        """Yield the rows.

        Raises:
            BadInput: the file has another format, or a row cannot be read.
            MissingTool: Parquet needs a package that is not installed.
        """
        suffix = self.path.suffix.lower()
        if suffix not in _FORMATS:
            raise BadInput(f"{str(self.path)!r} has an unknown format {suffix!r}", hint=f"Use {', '.join(_FORMATS)}.")
        if suffix == ".parquet":
            return _parquet_rows(self.path)
        return _csv_rows(self.path) if suffix == ".csv" else _json_rows(self.path)


def _json_rows(path: Path) -> Iterator[Mapping[str, JSON]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row: object = json.loads(line, object_pairs_hook=_unique)
            except ValueError as error:
                raise BadInput(f"line {number} of {str(path)!r} is not JSON: {error}", hint="Correct it.") from error
            if not isinstance(row, dict):
                raise BadInput(f"line {number} of {str(path)!r} is not an object", hint="Write one object per line.")
            yield cast("Mapping[str, JSON]", row)


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. A duplicate name is an error, because one of its values would be lost."""
    twice = [name for name, number in Counter(name for name, _ in pairs).items() if number > 1]
    if twice:
        raise ValueError(f"the name {twice[0]!r} occurs twice")
    return dict(pairs)


def _csv_rows(path: Path) -> Iterator[Mapping[str, JSON]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        twice = [name for name, count in Counter(reader.fieldnames or ()).items() if count > 1]
        if twice:
            message = f"{str(path)!r} has the column {twice[0]!r} twice"
            raise BadInput(message, hint="Rename one: only one of them would be used.")
        for number, row in enumerate(reader, 2):
            if None in row or None in row.values():
                message = f"row {number} of {str(path)!r} has not as many cells as the header"
                raise BadInput(message, hint="Quote cells that hold commas.")
            yield cast("Mapping[str, JSON]", row)


def _parquet_rows(path: Path) -> Iterator[Mapping[str, JSON]]:
    try:
        duckdb: Any = importlib.import_module("duckdb")
    except ImportError as error:
        raise MissingTool("Parquet needs the package duckdb", hint="pip install 'retouch[extract]'") from error
    with duckdb.connect() as database:
        found = database.execute("SELECT * FROM read_parquet(?)", [str(path)])
        names = [str(column[0]) for column in found.description]
        while rows := found.fetchmany(_FETCHED):
            for row in rows:
                plain = json.loads(json.dumps(dict(zip(names, row, strict=True)), default=str))
                yield cast("Mapping[str, JSON]", plain)


def split(store: Store, rows: Iterable[Mapping[str, JSON]], key: str, shard_size: int) -> tuple[tuple[str, ...], int]:
    """Write the records into shards, and return the hashes of their files and the number of records.

    Raises:
        BadInput: there are no records, or a record has no key or the key of another.
    """
    seen = set[bytes]()
    lines, inputs = list[bytes](), list[str]()
    total = 0

    def write() -> None:
        data = b"".join(lines)
        store.put(input_name(len(inputs)), data)
        inputs.append(input_hash(data))
        lines.clear()

    clean = redactor()  # the store gets no secret of this environment
    for total, row in enumerate(map(clean.value, rows), 1):
        found = row.get(key)
        if found is None or found == "" or isinstance(found, (dict, list)):
            hint = f"Name the field with --key. The record has {', '.join(row) or 'no field'}."
            raise BadInput(f"record {total} has no key: its field {key!r} is {found!r}", hint=hint)
        known = sha256(str(found).encode("utf-8", "surrogatepass")).digest()[:12]
        if known in seen:
            raise BadInput(f"record {total} has the key {found!r} of an earlier record", hint="Make keys unique.")
        seen.add(known)
        lines.append(json.dumps({"key": str(found), "fields": dict(row)}, ensure_ascii=True).encode() + b"\n")
        if len(lines) == shard_size:
            write()
    if lines:
        write()
    if not total:
        raise BadInput("there are no records", hint="Check the file.")
    return tuple(inputs), total


def expect_free(address: str) -> None:
    """Check that a new fleet does not go into a directory with other files.

    Raises:
        BadInput: there are some.
    """
    if is_remote(address) or not Path(address).is_dir():
        return
    others = sorted(set(os.listdir(address)) - {PLAN, INPUTS, RUNS})  # noqa: PTH208 - names are enough
    if others:
        message = f"{address!r} is not empty and not a fleet: it has {others[0]!r}"
        raise BadInput(message, hint="Name another directory with -o.")
