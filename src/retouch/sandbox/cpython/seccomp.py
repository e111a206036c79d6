"""Builds the seccomp filter that the kernel applies to every system call of the sandboxed Python.

The program is classic BPF over `struct seccomp_data` (nr, arch, instruction pointer, six arguments of 64 bits; see the
kernel's Documentation/userspace-api/seccomp_filter.rst). Any call that it does not list is refused with EPERM.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from retouch.sandbox.cpython.syscalls import Architecture

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_GREATER_EQUAL = 0x35
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06
_ALLOW = 0x7FFF0000
_REFUSE = 0x00050000 | 1  # SECCOMP_RET_ERRNO with EPERM
_KILL = 0x80000000  # the whole process
_NUMBER, _ARCH = 0, 4
_X32 = 0x40000000  # system call numbers of x86_64's x32 interface, which are different calls
_PROT_EXEC = 4
LAST_FILE = 3  # standard input, output, errors and the answers


class _Step(NamedTuple):
    code: int
    value: int
    then: int = 0
    otherwise: int = 0


def build_filter(architecture: Architecture) -> bytes:
    """Return the program as the array of `struct sock_filter` that the kernel expects.

    `write` is limited to file descriptors up to `LAST_FILE`, and no page becomes executable, so that code that breaks
    the interpreter cannot load machine code.
    """
    steps = [
        _Step(_LOAD, _ARCH),
        _Step(_EQUAL, architecture.audit, 1, 0),
        _Step(_RETURN, _KILL),
        _Step(_LOAD, _NUMBER),
        _Step(_GREATER_EQUAL, _X32, 0, 1),
        _Step(_RETURN, _REFUSE),
    ]
    limited = {
        "write": (0, _Step(_GREATER_EQUAL, LAST_FILE + 1)),
        "mmap": (2, _Step(_ANY_BIT, _PROT_EXEC)),
        "mprotect": (2, _Step(_ANY_BIT, _PROT_EXEC)),
    }
    for name, number in sorted(architecture.calls.items()):
        steps += _limited(number, *limited[name]) if name in limited else _allowed(number)
    steps.append(_Step(_RETURN, _REFUSE))
    return b"".join(struct.pack("=HBBI", step.code, step.then, step.otherwise, step.value) for step in steps)


def _allowed(number: int) -> list[_Step]:
    return [_Step(_EQUAL, number, 0, 1), _Step(_RETURN, _ALLOW)]


def _limited(number: int, argument: int, refuse_when: _Step) -> list[_Step]:
    """Allow a call unless its argument is refused. Arguments of more than 32 bits are refused as well."""
    low = 16 + 8 * argument  # both architectures are little-endian
    return [
        _Step(_EQUAL, number, 0, 6),
        _Step(_LOAD, low + 4),
        _Step(_EQUAL, 0, 0, 3),
        _Step(_LOAD, low),
        refuse_when._replace(then=1, otherwise=0),
        _Step(_RETURN, _ALLOW),
        _Step(_RETURN, _REFUSE),
    ]
