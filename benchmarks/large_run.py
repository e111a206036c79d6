"""CPU seconds of the verbs over one large run directory: generate, generate again with nothing to do, show, validate.

    python benchmarks/large_run.py [--units 5000] [--profile VERB]

Each verb runs in a process of its own, as the command line does, with modules that were compiled before, as those of
an installed package are: with PYTHONDONTWRITEBYTECODE each process would compile them again. The recipe is `extract`
with one small record per unit and the offline model, so that nearly all of the time is the engine's.
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import os
import pstats
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

VERBS = ("generate", "again", "show", "validate")
_SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "quantity": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["name", "quantity"],
    "additionalProperties": False,
}


def work(verb: str, directory: Path, units: int) -> None:
    """Run one verb over the directory."""
    from retouch.engine.directory import open_run
    from retouch.engine.overview import overview
    from retouch.engine.recipe import open_model
    from retouch.engine.verbs import generate, validate
    from retouch.recipes.extract.definition import recipe
    from retouch.recipes.extract.source import ExtractShard, InputRecord

    if verb == "show":
        overview(open_run(directory)).as_json(attempts=False)
        return
    if verb == "validate":
        asyncio.run(validate(recipe, directory))
        return
    names = (f"article {number}" for number in range(units))
    fields = ({"name": name, "quantity": number, "note": f"row {number}"} for number, name in enumerate(names))
    records = tuple(InputRecord(key=f"r{number}", fields=one) for number, one in enumerate(fields))
    shard = ExtractShard(records=records, schema=_SCHEMA, prompt="RECORD:\n{{ record | tojson }}")
    asyncio.run(generate(recipe, shard, directory, open_model("offline:", recipe=recipe)))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=5_000)
    parser.add_argument("--profile", choices=VERBS)
    parser.add_argument("--work", nargs=2, metavar=("VERB", "DIR"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        verb, directory = given.work
        profile = cProfile.Profile() if given.profile == verb else None
        before = _cpu_s()
        if profile is not None:
            profile.runcall(work, verb, Path(directory), given.units)
            pstats.Stats(profile).sort_stats("cumulative").print_stats("retouch", 70)
        else:
            work(verb, Path(directory), given.units)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        sys.stdout.write(f"{verb:10} {_cpu_s() - before:6.2f} s CPU {usage.ru_maxrss // 1024:5} MB\n")
        return
    with tempfile.TemporaryDirectory() as scratch:
        own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        own["PYTHONPYCACHEPREFIX"] = f"{scratch}/compiled"
        for verb in VERBS:
            warm = [sys.executable, __file__, "--units", "1", "--work", verb, f"{scratch}/warm"]
            subprocess.run(warm, check=True, env=own, stdout=subprocess.DEVNULL)
        for verb in VERBS:
            command = [sys.executable, __file__, "--units", str(given.units), "--work", verb, f"{scratch}/run"]
            command += ["--profile", given.profile] if given.profile else []
            subprocess.run(command, check=True, env=own)


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
