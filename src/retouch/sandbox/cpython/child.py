"""The program of the sandboxed process: imports modules, locks itself, then runs the given code.

Its source is passed to `python -I -S -B -c`, so it only uses the standard library. The job is JSON on standard input.
Answers are lines of JSON on file descriptor 3: the active locks, then whether the code was loaded, then one line per
argument. After locking, no file can be opened, so all importable modules are imported before.
"""

from __future__ import annotations

import codecs
import ctypes
import importlib
import json
import os
import resource
import struct
import sys
from typing import Any

ANSWERS = 3
REFUSED, LOCKED, FAULT, LOADED, VALUE, ERROR = "RKFLVE"  # the first letter of a line
SCRIPT = "<code>"
NOBODY = 65534
EVERYTHING_IN_FILES = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
SET_SECCOMP, SET_NO_NEW_PRIVS, SET_DUMPABLE = 22, 38, 4
LANDLOCK_CREATE, LANDLOCK_RESTRICT = 444, 446  # the same numbers on every architecture


class LockRefused(Exception):
    """A lock is not effective."""


def main() -> None:
    """Lock, load the code, and answer. The file descriptor for answers is on the command line."""
    os.dup2(int(sys.argv[1]), ANSWERS)
    job = json.loads(sys.stdin.buffer.read())
    for name in job["modules"]:
        importlib.import_module(name)
    for encoding in job["encodings"]:
        codecs.lookup(encoding)
    try:
        locks = lock(job)
    except (OSError, LockRefused, ValueError) as error:
        write_record(REFUSED, f"{error}")
        return
    write_record(LOCKED, locks)
    serve(job)


def lock(job: dict[str, Any]) -> list[str]:
    """Give up all privileges except computing. Return the locks. Each of them was tested."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    libc.syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    sys.path[:] = []
    sys.path_hooks[:] = []
    sys.path_importer_cache.clear()
    limit_resources(job)
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    demand(libc.prctl(SET_DUMPABLE, 0, 0, 0, 0), "prctl(PR_SET_DUMPABLE)")
    demand(libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)")
    restrict_files(libc)
    expect_refused(13, "landlock")
    close_files()
    program = bytes.fromhex(job["filter"])
    steps = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("H6xP", len(program) // 8, ctypes.addressof(steps)))
    demand(libc.prctl(SET_SECCOMP, 2, ctypes.addressof(header), 0, 0), "prctl(PR_SET_SECCOMP)")
    expect_refused(1, "seccomp")
    if libc.socket(2, 1, 0) != -1 or ctypes.get_errno() != 1:
        raise LockRefused("seccomp allowed a socket")
    return ["rlimits", "no_new_privs", "landlock", "seccomp"]


def limit_resources(job: dict[str, Any]) -> None:
    """Limit memory (beyond Python's current use), CPU time, and everything that writes or starts processes."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
        used = int(os.read(file, 100).split()[0]) * resource.getpagesize()
        os.close(file)
    except OSError:
        used = 96 << 20
    bounds = {
        resource.RLIMIT_AS: used + job["memory_bytes"],
        resource.RLIMIT_CPU: job["cpu_s"],
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for name, bound in bounds.items():
        resource.setrlimit(name, (bound, bound))


def close_files() -> None:
    """Close all other file descriptors, and prevent new ones."""
    os.closerange(ANSWERS + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (ANSWERS + 1, ANSWERS + 1))


def restrict_files(libc: Any) -> None:
    """Deny access to all files, and if the kernel supports it, to TCP, abstract sockets, and signals to other
    processes.
    """
    version = libc.syscall(LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        raise LockRefused(f"landlock: {os.strerror(ctypes.get_errno())}")
    files = EVERYTHING_IN_FILES.get(version, (1 << 16) - 1)
    handled = struct.pack("=QQQ", files, 3, 3)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = libc.syscall(LANDLOCK_CREATE, handled, len(handled), 0)
    demand(rules, "landlock_create_ruleset")
    demand(libc.syscall(LANDLOCK_RESTRICT, rules, 0, 0), "landlock_restrict_self")
    os.close(rules)


def demand(status: int, what: str) -> None:
    """Raise an error if a system call failed."""
    if status < 0:
        raise LockRefused(f"{what}: {os.strerror(ctypes.get_errno())}")


def expect_refused(errno: int, what: str) -> None:
    """Check that a world-readable directory cannot be opened."""
    try:
        os.close(os.open("/", os.O_RDONLY))
    except OSError as error:
        if error.errno == errno:
            return
        raise LockRefused(f"{what} was expected to refuse a file, but the error was {error}") from error
    raise LockRefused(f"{what} allowed a file to be opened")


def serve(job: dict[str, Any]) -> None:
    """Load the code, then answer each argument."""
    sys.setrecursionlimit(job["recursion"])
    sys.argv[:] = [SCRIPT]
    names: dict[str, Any] = {"__name__": "extractor", "__builtins__": __builtins__}
    try:
        exec(compile(job["code"], SCRIPT, "exec", dont_inherit=True), names)  # noqa: S102 - what this program is for
    except BaseException as error:  # noqa: BLE001 - objects may raise anything while they are read
        write_record(FAULT, described(error))
        return
    function = names.get(job["function"])
    if not callable(function):
        write_record(
            FAULT, {"kind": "missing_function", "message": f"the code defines no function {job['function']!r}"}
        )
        return
    write_record(LOADED, True)
    for argument in job["arguments"]:
        answer(function, argument, job["output_bytes"])


def answer(function: Any, argument: str, output_bytes: int) -> None:
    """Call the function once and write the result."""
    try:
        value = function(argument)
    except BaseException as error:  # noqa: BLE001 - objects may raise anything while they are read
        write_record(ERROR, described(error))
        return
    try:
        text = json.dumps(value, allow_nan=False)
    except MemoryError as error:
        write_record(ERROR, described(error))
    except BaseException as error:  # noqa: BLE001 - objects may raise anything while they are read
        write_record(ERROR, {"kind": "not_serializable", "message": f"the answer is not JSON: {exception_text(error)}"})
    else:
        if len(text) > output_bytes:
            problem = f"the answer is longer than {output_bytes:,} bytes of JSON"
            write_record(ERROR, {"kind": "output_too_large", "message": problem})
        else:
            write(VALUE + text)


def described(error: BaseException) -> dict[str, Any]:
    """Return an exception as a report: kind, message, line, feature."""
    found: dict[str, Any] = {"kind": "runtime", "message": f"{type(error).__name__}: {exception_text(error)}"}
    if isinstance(error, SyntaxError) and error.filename == SCRIPT:
        return {"kind": "syntax", "message": f"{error.msg}", "line": error.lineno}
    if isinstance(error, MemoryError):
        found |= {"kind": "memory", "message": "it needed more memory than allowed"}
    if isinstance(error, ImportError) and error.name:
        found |= {"kind": "unsupported", "feature": f"import {error.name}"}
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == SCRIPT:
            found["line"] = step.tb_lineno
        step = step.tb_next
    return found


def exception_text(error: BaseException) -> str:
    """Return an exception's message. This may run methods of the untrusted code."""
    try:
        return str(error)[:2000]
    except BaseException:  # noqa: BLE001 - see above
        return "(its message cannot be read)"


def write_record(begin: str, what: object) -> None:
    """Write one line: its letter, then JSON."""
    write(begin + json.dumps(what))


def write(line: str) -> None:
    """Write one complete line, after all output that was printed before."""
    sys.stdout.flush()
    left = line.encode("ascii") + b"\n"
    while left:
        left = left[os.write(ANSWERS, left) :]


if __name__ == "__main__":
    main()
