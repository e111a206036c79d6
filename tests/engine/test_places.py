"""File systems that lack shared memory or locks: one writer needs neither; where no lock is possible, that is said."""

from __future__ import annotations

import errno
import platform
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.engine.ledger import read_entries
from tests.durability.tracing import Tracer, can_trace
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

ON_X86 = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the filter has the numbers of Linux on x86-64"
)
FCNTL, FLOCK, F_SETLK = 72, 73, 6
WRITE = """
import asyncio, ctypes, struct, sys
from pathlib import Path
from retouch.engine.ledger import Ledger, one_writer, read_entries
from retouch.errors import RetouchError

def forbid(call, command, error):
    # a BPF filter lets the call of the system fail from now on, if its second argument is `command` (-1 for any)
    steps = [(0x20, 0, 0, 0), (0x15, 0, 3, call), (0x20, 0, 0, 24), (0x15, 0, 1, command)]
    if command < 0:
        steps = [(0x20, 0, 0, 0), (0x15, 0, 1, call)]
    steps += [(0x06, 0, 0, 0x00050000 | error), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    assert 0 == libc.prctl(38, 1, 0, 0, 0), "no new privileges"
    assert 0 == libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program))), "seccomp"

async def main():
    folder = Path(sys.argv[1])
    try:
        async with one_writer(folder, wait=False):
            path = folder / "ledger.db"
            ledger = Ledger(path, next_seq=len(read_entries(path)) + 1)
            for number in range(3):
                ledger.append("note:n", {"n": number})
                ledger.synced_now()
                assert number + 1 == len([row for row in read_entries(path)]) % 3 or number == 2
            ledger.close()
        print("written")
    except RetouchError as error:
        print(f"{error.message}|{error.hint}")

if len(sys.argv) > 2:
    call, command, error = map(int, sys.argv[2:])
    forbid(call, command, error)
print("ready", flush=True)
sys.stdin.readline()
asyncio.run(main())
"""


def written(folder: Path, *fault: int, tracer: Tracer | None = None) -> str:
    """Write two times three rows in processes with a fault, and return what the last one says.

    The fault begins when the interpreter runs: by a filter (call, second argument, error), or by a tracer.
    """
    said = ""
    for _ in range(2):
        command = [sys.executable, "-c", WRITE, str(folder), *map(str, fault)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert "ready" == process.stdout.readline().strip()
        if tracer is not None:
            tracer.attach(process.pid)
        said = process.communicate("\n", timeout=MOST_S)[0].strip()
        if tracer is not None:
            tracer.trace(folder)
    return said


@pytest.mark.skipif(not can_trace(), reason="needs strace, allowed to trace (Debian: apt install strace)")
def test_a_ledger_is_written_where_files_cannot_be_shared_memory(tmp_path: Path) -> None:
    folder, log = tmp_path / "run", tmp_path / "trace"
    inject = "mmap:error=ENODEV"
    shared = ["-P", str(folder / "ledger.db-shm")]
    tracer = Tracer(log, inject=inject, whole="mmap", paths=shared)
    assert "written" == written(folder, tracer=tracer)
    assert "INJECTED" in log.read_text()
    assert [0, 1, 2, 0, 1, 2] == [row.data["n"] for row in read_entries(folder / "ledger.db")]


@ON_X86
def test_a_ledger_is_written_where_there_are_no_posix_locks(tmp_path: Path) -> None:
    assert "written" == written(tmp_path / "run", FCNTL, F_SETLK, errno.ENOLCK)
    assert [0, 1, 2, 0, 1, 2] == [row.data["n"] for row in read_entries(tmp_path / "run" / "ledger.db")]


@ON_X86
@pytest.mark.parametrize("name", ["ENOLCK", "ENODEV"])
def test_a_directory_that_cannot_be_locked_is_refused_with_a_reason_and_a_next_step(tmp_path: Path, name: str) -> None:
    said = written(tmp_path / "run", FLOCK, -1, getattr(errno, name))
    assert f"has no file locks ({name}: " in said
    assert "Choose a directory on a local disk with -o" in said
