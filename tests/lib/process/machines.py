"""Machines that are not this one: another user, no namespaces, no overlays. The code runs in a process of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.waiting import MOST_S

PROJECT = Path(__file__).resolve().parents[3]
ASK = """
import asyncio, json, sys
from dataclasses import asdict
from pathlib import Path
from retouch._lib.process.judging import CheckOptions, CheckRequest, CheckStep, judge
told = json.loads(sys.argv[1])
question = CheckRequest(
    steps=tuple(CheckStep(name="check", command=one) for one in told["commands"]), workspace=Path(told["workspace"]),
    limit_s=120, options=CheckOptions(**told["options"]), cache=Path(told["cache"]),
)
print(json.dumps([asdict(one) for one in asyncio.run(judge(question, told["texts"]))]))
"""
# Without namespaces: none can be made, and what a root user may do without them is given up.
NO_NAMESPACES = (
    "unshare", "-Ur", "sh", "-c",
    'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"',
    "sh",
)  # fmt: skip


def as_nobody() -> tuple[str, ...]:
    """Return the words that run a command as an ordinary user; none if the tests are run by one."""
    if os.geteuid() != 0:
        return ()
    user = "exec setpriv --reuid 65534 --regid 65534 --clear-groups"
    behind: dict[str, list[Path]] = {}  # what the user needs, behind each directory that is closed to the user
    for needed in dict.fromkeys(map(Path, (sys.base_prefix, PROJECT, sys.prefix))):
        closed = next((str(one) for one in reversed(needed.parents) if not one.stat().st_mode & 1), "")
        if closed and not any(one in needed.parents for one in behind.get(closed, ())):
            behind.setdefault(closed, []).append(needed)
    if not behind:
        return ("sh", "-c", f'{user} "$@"', "sh")
    opened = " && ".join(_opened(closed, needed) for closed, needed in behind.items())
    return ("unshare", "-m", "sh", "-c", f'{opened} && {user} "$@"', "sh")


def _opened(closed: str, needed: list[Path]) -> str:
    """Return the shell commands that put an empty directory over a closed one, with what is needed in it."""
    places = [shlex.quote(str(one)) for one in needed]
    staged = [f"mkdir $stage/{number} && mount --bind {one} $stage/{number}" for number, one in enumerate(places)]
    shown = [
        f"mkdir -p {one} && mount --bind $stage/{number} {one} && umount $stage/{number}"
        for number, one in enumerate(places)
    ]
    cover = f"mount -t tmpfs -o mode=755 none {shlex.quote(closed)}"
    return " && ".join(["stage=$(mktemp -d)", *staged, cover, *shown, "rm -r $stage"])


def ask_there(
    machine: tuple[str, ...], root: Path, *commands: str, texts: dict[str, str] | None = None, **options: Any
) -> dict[str, Any]:
    """Return the last verdict on `root`/project, given in a process on `machine`."""
    told = {
        "commands": commands,
        "workspace": str(root / "project"),
        "cache": str(root / "cache"),
        "texts": {"a.txt": "new\n"} if texts is None else texts,
        "options": options,
    }
    (root / "home").mkdir(exist_ok=True)
    for place in (root, *root.rglob("*")):
        if not place.is_symlink():
            place.chmod(place.stat().st_mode | 0o777)
    done = subprocess.run(
        [*machine, sys.executable, "-c", ASK, json.dumps(told)],
        env={**os.environ, "HOME": str(root / "home"), "PYTHONPATH": str(PROJECT / "src")},
        cwd="/",
        capture_output=True,
        text=True,
        timeout=MOST_S,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)[-1]
