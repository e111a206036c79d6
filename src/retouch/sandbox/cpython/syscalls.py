"""The system calls that sandboxed Python needs to compute, by number, for each supported architecture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# None of these opens, names, sends, starts or signals anything. `read` and `write` are further limited by their file.
_X86_64 = {
    "brk": 12,
    "clock_getres": 229,
    "clock_gettime": 228,
    "clock_nanosleep": 230,
    "close": 3,
    "exit": 60,
    "exit_group": 231,
    "fstat": 5,
    "futex": 202,
    "getpid": 39,
    "getrandom": 318,
    "gettid": 186,
    "gettimeofday": 96,
    "lseek": 8,
    "madvise": 28,
    "mmap": 9,
    "mprotect": 10,
    "mremap": 25,
    "munmap": 11,
    "nanosleep": 35,
    "read": 0,
    "restart_syscall": 219,
    "rt_sigaction": 13,
    "rt_sigprocmask": 14,
    "rt_sigreturn": 15,
    "sched_yield": 24,
    "sigaltstack": 131,
    "time": 201,
    "write": 1,
}
_AARCH64 = {
    "brk": 214,
    "clock_getres": 114,
    "clock_gettime": 113,
    "clock_nanosleep": 115,
    "close": 57,
    "exit": 93,
    "exit_group": 94,
    "fstat": 80,
    "futex": 98,
    "getpid": 172,
    "getrandom": 278,
    "gettid": 178,
    "gettimeofday": 169,
    "lseek": 62,
    "madvise": 233,
    "mmap": 222,
    "mprotect": 226,
    "mremap": 216,
    "munmap": 215,
    "nanosleep": 101,
    "read": 63,
    "restart_syscall": 128,
    "rt_sigaction": 134,
    "rt_sigprocmask": 135,
    "rt_sigreturn": 139,
    "sched_yield": 124,
    "sigaltstack": 132,
    "write": 64,
}


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """The identification of a processor's kernel interface (`audit`, from linux/audit.h), and the allowed calls."""

    audit: int
    calls: Mapping[str, int]


ARCHITECTURES: Mapping[str, Architecture] = {
    "x86_64": Architecture(audit=0xC000003E, calls=_X86_64),
    "aarch64": Architecture(audit=0xC00000B7, calls=_AARCH64),
}
