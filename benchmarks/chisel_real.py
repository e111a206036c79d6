"""Bugs in real Chisel: located, repaired by models that make typical mistakes, compiled by scalac, proved by Yosys.

    python benchmarks/chisel_real.py DIRECTORY --repositories DIRECTORY [--mutants N]

One line of a public Chisel project is changed. Both versions are compiled to Verilog by FIRRTL, and a bug counts only
if Yosys finds inputs for which the outputs differ. The diff between both, without its source locators, is the input. No
real model is called: the scripted ones know the line that was changed, and say NOT HERE if it is not shown to them.

DIRECTORY keeps the packages, the builds and the bugs, so that a second run goes on where the first one ended.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from chisel_mutants import Mutant, is_bug, proposals
from chisel_toolchain import PROJECTS, Builds, set_up, unpacked
from tables import announce

if TYPE_CHECKING:
    from chisel_toolchain import Project

SHARES = {"hardfloat": 0.5, "yatcpu": 0.3, "book": 0.2}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", type=Path, help="the directory of packages, builds and bugs")
    parser.add_argument("--repositories", type=Path, required=True, help="the clones, as OWNER+NAME")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--only-mutants", action="store_true", help="make the bugs, and measure nothing")
    given = parser.parse_args()
    place: Path = given.place.resolve()
    announce("Real Chisel")
    classpath = set_up(place)
    with ThreadPoolExecutor(2) as pool:
        make = partial(made, repositories=given.repositories.resolve(), place=place, classpath=classpath)
        wanted = [max(1, round(SHARES[project.name] * given.mutants)) for project in PROJECTS]
        found = list(pool.map(make, PROJECTS, wanted))
    print({project.name: len(mutants) for project, mutants in zip(PROJECTS, found, strict=True)})


def made(project: Project, wanted: int, *, repositories: Path, place: Path, classpath: str) -> list[Mutant]:
    """Return the bugs of a project. Proposals that are no bug are skipped and counted."""
    folder = place / "mutants" / project.name
    builds = Builds(project, unpacked(project, repositories, place), place, classpath)
    try:
        golden = {top: builds.build({}, (top,)) for top in project.tops}
        assert all(built.passed for built in golden.values()), f"{project.name} does not compile"
        verilog = {top: built.verilog for top, built in golden.items()}
        found: list[Mutant] = []
        for mutant in proposals(builds, verilog, Random(1)):
            if len(found) == wanted:
                break
            case = folder / mutant.name
            if not (case / "why").exists():
                why = is_bug(builds, mutant, verilog[mutant.top], case)
                case.mkdir(parents=True, exist_ok=True)
                (case / "why").write_text(why)
            if not (case / "why").read_text():
                found.append(mutant)
        return found
    finally:
        builds.close()


def read_mutant(case: Path) -> Mutant:
    """Return the bug that is kept in a directory."""
    data = json.loads((case / "mutant.json").read_text(encoding="utf-8"))
    del data["differs"]
    return Mutant(**data)


if __name__ == "__main__":
    main()
