"""The locks around CPython: what the filter lets through, and that nothing runs when a lock does not hold."""

from __future__ import annotations

import json
import struct
import time

import pytest

from retouch.sandbox.cpython import engine as cpython
from retouch.sandbox.cpython.seccomp import build_filter
from retouch.sandbox.cpython.syscalls import ARCHITECTURES
from retouch.sandbox.cpython.worker import Ended, Silent, Worker
from retouch.sandbox.values import Limits, SandboxJob
from tests.waiting import MOST_S

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000


def judged(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """Return what the filter says to a call, by running it as the kernel does."""
    architecture = ARCHITECTURES[machine]
    given = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture.audit if audit is None else audit, 0, *given)
    program = list(struct.iter_unpack("=HBBI", build_filter(architecture)))
    at = held = 0
    while True:
        code, then, otherwise, value = program[at]
        at += 1
        if code == 0x20:
            held = struct.unpack_from("=I", data, value)[0]
        elif code == 0x06:
            return value
        else:
            holds = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            at += then if holds else otherwise


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_lets_named_calls_through_and_no_others(machine: str):
    allowed = {number for number in range(600) if judged(machine, number) == ALLOW}
    assert set(ARCHITECTURES[machine].calls.values()) == allowed
    assert {REFUSE, ALLOW} == {judged(machine, number) for number in range(600)}


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_looks_at_arguments(machine: str):
    calls = ARCHITECTURES[machine].calls
    assert [ALLOW, ALLOW, REFUSE, REFUSE] == [judged(machine, calls["write"], file) for file in (1, 3, 4, 1 << 32)]
    for name in ("mmap", "mprotect"):
        assert [ALLOW, REFUSE, REFUSE] == [judged(machine, calls[name], 0, 0, rights) for rights in (3, 7, 1 << 33)]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_calls_of_another_interface_are_never_mistaken(machine: str):
    assert KILL == judged(machine, 1, audit=0x40000003)
    assert REFUSE == judged(machine, 0x40000000 | ARCHITECTURES[machine].calls["read"])


def test_no_call_of_the_filter_opens_starts_or_sends():
    dangerous = {"open", "openat", "socket", "connect", "clone", "clone3", "fork", "execve", "kill", "ptrace", "ioctl"}
    for architecture in ARCHITECTURES.values():
        assert not dangerous & set(architecture.calls)
    assert set(ARCHITECTURES["aarch64"].calls) == set(ARCHITECTURES["x86_64"].calls) - {"time"}


def greeted(change: str, to: str) -> str:
    """Return why the child refuses to run when its program is changed."""
    if not (found := cpython.cpython_engine()).usable:
        pytest.skip(f"cpython cannot be used here: {found.reason}")
    *command, program = cpython.locked_command(cpython.own_python(), bubbled=False)
    assert change in program
    job = SandboxJob(code="def extract(x): return 1", function="extract", arguments=["a"])
    with (
        cpython.start_job((*command, program.replace(change, to)), job, Limits()) as worker,
        pytest.raises(cpython.LockedOut) as raised,
    ):
        cpython.greeting(worker)
    return str(raised.value)


@pytest.mark.parametrize(
    ("change", "to", "said"),
    [
        ("LANDLOCK_CREATE, LANDLOCK_RESTRICT = 444, 446", "LANDLOCK_CREATE, LANDLOCK_RESTRICT = 9999, 446", "landlock"),
        ("LANDLOCK_CREATE, LANDLOCK_RESTRICT = 444, 446", "LANDLOCK_CREATE, LANDLOCK_RESTRICT = 444, 39", "landlock"),
        (
            "SET_SECCOMP, SET_NO_NEW_PRIVS, SET_DUMPABLE = 22",
            "SET_SECCOMP, SET_NO_NEW_PRIVS, SET_DUMPABLE = 3",
            "seccomp",
        ),
        ('bytes.fromhex(job["filter"])', 'bytes.fromhex("0600000000000000")[:0]', "SECCOMP"),
        ('bytes.fromhex(job["filter"])', 'bytes.fromhex("060000000000ff7f")', "seccomp"),
        ("resource.RLIMIT_CORE: 0", "9999: 0", "resource"),
        ("import struct", "import nothing_such", "nothing_such"),
    ],
)
def test_nothing_runs_when_a_lock_does_not_hold(change: str, to: str, said: str):
    assert said in greeted(change, to)


def worker(code: str, *, line_bytes: int = 100) -> Worker:
    command = [cpython.own_python(), "-I", "-S", "-c", f"import os, sys, time\nout = int(sys.argv[1])\n{code}"]
    return Worker(command, b"x" * 1_000_000, line_bytes=line_bytes, printed_bytes=10)


def test_a_worker_sees_nothing_of_ours(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("API_KEY", "canary")
    look = "import json\nfiles = sorted(os.listdir('/proc/self/fd'))\n"
    look += (
        "os.write(out, json.dumps([dict(os.environ), len(files), os.getcwd(), os.getsid(0) == os.getpid()]).encode())"
    )
    with worker(look + "\nos.write(out, b'\\n')", line_bytes=1000) as started:
        environment, files, folder, own_session = json.loads(started.line(time.monotonic() + MOST_S))
    assert {"LC_ALL", "TZ"} == set(environment)
    assert 5 == files  # its three, the answers, and the folder that is listed
    assert ("/", True) == (folder, own_session)


def test_a_worker_that_says_nothing_is_given_up_in_time():
    began_s = time.monotonic()
    with worker("time.sleep(600)") as started, pytest.raises(Silent):
        started.line(began_s + 0.3)
    assert 0.3 <= time.monotonic() - began_s < MOST_S


def test_a_worker_that_ends_tells_how():
    with worker("os.write(out, b'half a line')\nsys.stdout.write('0123456789abc')\nsys.exit(7)") as started:
        with pytest.raises(Ended):
            started.line(time.monotonic() + MOST_S)
        assert 7 == started.close()
    assert b"0123456789" == started.printed
