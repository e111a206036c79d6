"""A process that has imported everything and forks one for each command: orders come as lines of JSON, so do answers.

A fork begins where the command begins, so that the calls that it makes of the system are few, and no start of an
interpreter has to be paid for each of hundreds of kills. It waits at a gate, so that it is traced from its first step.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def serve() -> dict[str, Any] | None:
    """Carry out orders until there are no more; return the order in a fork, which is to run it, else None."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # here, and in a fork until its command runs
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        for name in order.get("imports", ()):
            with suppress(Exception):
                importlib.import_module(name)
        gc.freeze()  # so that a fork does not copy what it only looks at
        if "words" in order:
            gate, go = os.pipe()
            child = os.fork()
            if not child:
                os.close(go)
                return {**order, "gate": gate}
            os.close(gate)
            _say({"pid": child})
            if order.get("is_gated"):
                sys.stdin.readline()
            os.close(go)
            _say({"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])})
        else:
            _say({})
    return None


def _say(what: dict[str, Any]) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def run(order: dict[str, Any]) -> None:
    """Run a command of Retouch in the place, and with the outputs, that the order names; end the process with it."""
    os.chdir(order["folder"])
    os.environ.update(order.get("environment", {}))
    for number, name in enumerate((os.devnull, order["out"], order["err"])):
        opened = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["retouch", *order["words"]]
    os.read(order["gate"], 1)
    for _ in range(order.get("ahead", 0)):
        with suppress(OSError):
            os.open("/nowhere/at/all", os.O_RDONLY)
        with suppress(OSError):
            Path("/nowhere/at/all").unlink()
    if "limit_bytes" in order:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (order["limit_bytes"], resource.RLIM_INFINITY))
    if "user" in order:
        os.setuid(order["user"])
    if "seam" in order:
        from tests.durability.seam import strike

        strike(order["seam"])
    try:
        _command()
    finally:
        if "learn" in order:
            Path(order["learn"]).write_text("\n".join(sorted(sys.modules)), encoding="utf-8")


def _command() -> None:
    from retouch.cli import main

    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main()
    except KeyboardInterrupt as stopped:
        frame, line = list(traceback.walk_tb(stopped.__traceback__))[-1]
        entering = frame.f_code is main.__code__ and line == main.__code__.co_firstlineno
        if not entering and frame.f_code is not _command.__code__:
            raise
        sys.exit(130)  # it came before the first statement of the command, where the interpreter starts otherwise


if __name__ == "__main__":
    mine = serve()
    if mine is not None:
        run(mine)
