"""Ledgers of shards: copied for the next epoch, and shipped to the store while they grow.

`log/00042/e3-0007.gz` holds rows of the ledgers of epoch 3, in the order of their creation. It is written once. With
all of them, another machine has every answer that was paid for until the last shipment.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from retouch._lib.holders import HOLDER
from retouch.engine.ledger import LEDGER, LOCK, stored_rows, write_ledger
from retouch.errors import BrokenFile
from retouch.fleet.shards import dumped, parsed

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from retouch.fleet.job import FleetPlace
    from retouch.fleet.shards import Claim

LOG = "log"
SHIP_S = 2.0
BASE = ".base.json"
"""What the ledgers of a directory held when its epoch began: the `claim` of that epoch, `spent_usd`, `lost_usd`."""
_LEFT_OUT = {LOCK, HOLDER, BASE, f"{LEDGER}-wal", f"{LEDGER}-shm"}


@dataclass(kw_only=True)
class LogShipper:
    """Copies new rows of the ledgers of one claim to the store."""

    place: FleetPlace
    claim: Claim
    _next: int = 1
    _shipped: dict[str, int] = field(default_factory=dict[str, int])

    def ship(self) -> int:
        """Write the rows that are new since the last call into one file, and return how many there are."""
        directory = self.place.run_directory(self.claim.shard, self.claim.epoch)
        parts: list[dict[str, Any]] = []
        ends: dict[str, int] = {}
        for ledger in ledgers_in(directory):
            run = ledger.parent.relative_to(directory).as_posix()
            rows = stored_rows(ledger, self._shipped.get(run, -1))
            if rows:
                parts.append({"run": run, "rows": rows})
                ends[run] = rows[-1][0]
        if not parts:
            return 0
        name = f"{LOG}/{self.claim.shard:05}/e{self.claim.epoch}-{self._next:04}.gz"
        data = dumped({"worker": self.claim.worker.name, "runs": parts})
        self.place.store.put_new(name, gzip.compress(data, 1, mtime=0))
        self._next += 1
        self._shipped |= ends
        return sum(len(one["rows"]) for one in parts)

    async def keep_shipping(self) -> None:
        """Ship every two seconds, until this task is cancelled."""
        while True:
            await asyncio.sleep(SHIP_S)
            await asyncio.to_thread(self.ship)


def ledgers_in(directory: Path) -> Iterator[Path]:
    """Yield the ledgers of the runs of a shard."""
    own = directory / LEDGER
    if own.exists():
        yield own
    else:
        yield from sorted(directory.glob(f"*/{LEDGER}"))


def prepare(place: FleetPlace, claim: Claim) -> tuple[Path, int]:
    """Create the run directory of a claim, with everything that earlier epochs have left.

    Return it, and the epoch that it continues, 0 if there is none.

    What a stopped worker still holds is copied, never shared. A ledger that is on this disk is preferred to its log.
    """
    directory = place.run_directory(claim.shard, claim.epoch)
    if any(ledgers_in(directory)):  # its claim was removed: what was paid for is preserved
        return directory, claim.epoch
    if directory.exists():  # of a process that died before its first row
        shutil.rmtree(directory)
    for epoch in range(claim.epoch - 1, 0, -1):
        before = place.run_directory(claim.shard, epoch)
        if before.is_dir() and any(ledgers_in(before)):
            _copy(before, directory)
            return directory, epoch
        if place.ships and _restore(place, claim.shard, epoch, directory):
            return directory, epoch
    directory.mkdir(parents=True)
    return directory, 0


def restored(place: FleetPlace, shard: int, epoch: int) -> Path:
    """Return the run directory of an epoch. If another machine wrote it, it is made again from its log.

    Raises:
        BrokenFile: neither the directory nor a log of it exists.
    """
    directory = place.run_directory(shard, epoch)
    if not directory.is_dir() and not _restore(place, shard, epoch, directory):
        hint = "Run it again on the machine that has it, or remove its commit."
        raise BrokenFile(f"the runs of shard {shard:05} are not on this machine, and not in the log", hint=hint)
    return directory


@contextmanager
def restored_log(place: FleetPlace, shard: int, epoch: int) -> Generator[Path]:
    """Yield a temporary directory with the ledgers of the last epoch that is in the log, up to `epoch`."""
    with TemporaryDirectory() as name:
        directory = Path(name)
        for number in range(epoch, 0, -1):
            if _restore(place, shard, number, directory):
                break
        yield directory


def _copy(before: Path, directory: Path) -> None:
    temporary = directory.with_name(f".{directory.name}.new")
    shutil.rmtree(temporary, ignore_errors=True)
    for source in [before, *(one for one in sorted(before.rglob("*")) if one.is_dir())]:
        target = temporary / source.relative_to(before)
        target.mkdir(parents=True)
        for one in source.iterdir():
            if one.name == LEDGER:
                write_ledger(target / LEDGER, stored_rows(one))
            elif one.is_file() and one.name not in _LEFT_OUT and not one.name.startswith("."):
                with suppress(FileNotFoundError):  # a temporary file of a worker that is still alive
                    shutil.copy2(one, target / one.name)
    temporary.rename(directory)


def _restore(place: FleetPlace, shard: int, epoch: int, directory: Path) -> bool:
    names = [one for one in place.store.list(f"{LOG}/{shard:05}") if one.rpartition("/")[2].startswith(f"e{epoch}-")]
    runs: dict[str, list[Any]] = {}
    for name in names:
        data = place.store.get(name)
        if data is None:
            raise BrokenFile(f"{name} of {place.address!r} is missing", hint="Restore it.")
        for part in parsed(gzip.decompress(data))["runs"]:
            runs.setdefault(part["run"], []).extend(tuple(row) for row in part["rows"])
    for run, rows in runs.items():
        target = directory / run
        target.mkdir(parents=True, exist_ok=True)
        write_ledger(target / LEDGER, rows)
    return bool(runs)


def save_base(directory: Path, claim: str, spent_usd: float, lost_usd: float) -> None:
    """Store what the ledgers of a directory held when its epoch began. `lost_usd` is the part of lost replies."""
    data = {"claim": claim, "spent_usd": spent_usd, "lost_usd": lost_usd}
    (directory / BASE).write_text(json.dumps(data), encoding="utf-8")


def base_costs(directory: Path) -> tuple[float, float | None]:
    """Return the cost in the ledgers of a directory when its epoch began, and the part of lost replies.

    0.0 and None if they were not stored.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads((directory / BASE).read_text(encoding="utf-8"))
        lost = data.get("lost_usd")
        return float(data["spent_usd"] or 0.0), None if lost is None else float(lost)
    return 0.0, None
