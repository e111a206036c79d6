"""A program that lets every attack loose in one engine and reports what got through: one line of JSON per attack.

`python -m tests.sandbox.victim ENGINE FOLDER GROUPS [USER]`: the engines are those of `BOXES`, groups are of attacks;
with a user's number it becomes that user first. It runs in a session of its own, as attacks aim at it.
"""

from __future__ import annotations

import codecs
import json
import os
import platform
import signal
import subprocess
import sys
import textwrap
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.sandbox.cpython.engine import cpython_engine
from retouch.sandbox.monty.engine import monty_engine
from retouch.sandbox.values import Limits
from tests.sandbox.world import World, lasting_children, main_is_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from retouch.sandbox.values import Engine

ATTACKS = Path(__file__).with_name("attacks.toml")
LIMITS = Limits(call_s=0.15, batch_s=5.0, grace_s=0.1)
MOST_S = 60.0  # far more than the limit, as other programs may be at work; an attack that holds on takes for ever
PLAIN_S = 0.2
DYING_S = 30.0  # how long a process that was killed may need to be gone
SYSTEM_PYTHON = "/usr/bin/python3"
BOXES: dict[str, Callable[[], Engine]] = {
    "monty": monty_engine,
    "monty-bare": lambda: monty_engine("quiet"),
    "cpython": cpython_engine,
    "cpython-bare": lambda: cpython_engine(bubbled=False),
    "cpython-system": lambda: cpython_engine(SYSTEM_PYTHON, bubbled=False),
}
_PLAIN = """
import json, os, sys
names = {}
exec(compile(sys.argv[1], "<code>", "exec"), names)
value = names["extract"](sys.argv[2])
print(json.dumps(value))
"""
_CALL = """
import ctypes
zeros, text = ctypes.create_string_buffer(256), ctypes.create_string_buffer(b"x")
known = {"zeros": ctypes.addressof(zeros), "text": ctypes.addressof(text)}
given = [ctypes.c_long(known.get(one, one)) for one in ARGUMENTS]
return "BREACH" if ctypes.CDLL(None).syscall(NUMBER, *given) >= 0 else "refused"
"""


def attacks() -> list[dict[str, Any]]:
    """Return the table of attacks, each with its whole code."""
    found = tomllib.loads(ATTACKS.read_text(encoding="utf-8"))["attack"]
    for attack in found:
        if call := attack.get("call"):
            number = str(call[platform.machine()])
            attack["body"] = _CALL.replace("NUMBER", number).replace("ARGUMENTS", repr(call["arguments"]))
        if "code" not in attack:
            head = "def extract(path):\n    import json\n    t = json.loads(path)\n"
            attack["code"] = head + textwrap.indent(attack["body"].strip("\n"), "    ")
    return found


@contextmanager
def opened(name: str) -> Generator[Callable[[str, str, str], str]]:
    """Yield a function that runs code on an argument and returns all that came back, as text."""
    if name == "plain":
        yield run_plainly
        return
    engine = BOXES[name]()
    if engine.open is None:
        raise SystemExit(f"{name} cannot be used here: {engine.reason}")
    with engine.open(LIMITS) as run:
        from retouch.sandbox.opening import Box

        box = Box(engine, run)

        def once(code: str, argument: str, _group: str) -> str:
            (outcome,) = box.run(code, arguments=[argument])
            error = outcome.error
            failed = "" if error is None else f"{error.kind}: {error.message} {error.feature or ''}"
            return f"{json.dumps(outcome.value)}\n{failed}\n{box.printed}"

        yield once


def run_plainly(code: str, argument: str, group: str) -> str:
    """Run code as somebody would who does not know better, but for a limit at which this program gives up."""
    command = [sys.executable, "-S", "-c", _PLAIN, code, argument]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False, process_group=0
    )
    try:
        told = process.communicate(timeout=PLAIN_S if group == "time" else 20 * PLAIN_S)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        told = process.communicate()[0] + b'\n"BREACH it did not stop"'
    return told.decode("utf-8", "replace")


def main() -> None:
    """Attack and report."""
    engine, folder, groups, *user = sys.argv[1:]
    if user:
        for encoding in ("ascii", "latin-1"):  # the interpreter's own files may be out of reach for that user
            codecs.lookup(encoding)
        BOXES[engine]()
        os.setgroups([])
        os.setresgid(int(user[0]), int(user[0]), int(user[0]))
        os.setresuid(int(user[0]), int(user[0]), int(user[0]))
    if not main_is_alone():
        raise SystemExit("start it in a session of its own")
    kept_ready = ("monty", "bwrap") if engine.startswith("monty") else ()
    world = World(Path(folder), kept_ready=kept_ready, dying_s=0.05 if engine == "plain" else DYING_S)
    argument = json.dumps(world.targets())
    with opened(engine) as run:
        for attack in attacks():
            if attack["group"] not in groups.split(","):
                continue
            if engine == "plain" and not attack.get("plain", True):
                continue
            began_s = time.monotonic()
            told = run(attack["code"].replace("@FOLDER@", folder), argument, attack["group"])
            took_s = time.monotonic() - began_s
            found = world.breaches(told, took_s, MOST_S)
            report = {"name": attack["name"], "group": attack["group"], "breaches": found, "told": told[:400]}
            print(json.dumps({**report, "took_s": round(took_s, 3)}), flush=True)
    if left := lasting_children(DYING_S):
        print(json.dumps({"name": "afterwards", "group": "process", "breaches": [f"left: {left}"], "told": ""}))


if __name__ == "__main__":
    main()
