"""Starts a supervised command, streams its output, and waits for its end."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.process.output import BoundedOutput
from retouch.errors import RetouchError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.process.views import MachineView

_ROOT = Path(__file__).resolve().parents[3]
_BOOT = "import sys; sys.path.append(sys.argv[1]); from retouch._lib.process.supervise import main; "
_CALL = "main(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))"
_GRACE_S = 20.0
_DRAIN_S = 2.0
_TOOL_SIGNALS = 128


class CannotBeginError(RetouchError):
    """The machine refuses the view of a command. The message is the system's."""


@dataclass(frozen=True, kw_only=True)
class CommandResult:
    """Exit status and output of a command. Standard output and error are one stream of at most 512 kB.

    `status` is the exit status, negative for a signal, None if it took longer than `limit_s` seconds. `opened` lists
    the watched files that were opened, None if unknown. `varies` is set if an earlier run on the same input ended
    otherwise. `key` covers every input, "" if unknown. `wrote` are the files that it wrote, as in `Written`, None if
    unknown. `tampered` are those that an earlier command wrote only because of the change, and that this one used.
    """

    status: int | None
    output: str
    limit_s: float
    seconds: float = 0.0
    opened: tuple[str, ...] | None = None
    varies: bool = False
    key: str = ""
    wrote: tuple[str, ...] | None = None
    tampered: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether it exited with 0."""
        return self.status == 0

    @property
    def tool_failure(self) -> str:
        """Why the result is no verdict on the code, or "" if it is one.

        A missing program (126, 127), a signal and a timeout are failures of the tool.
        """
        if self.status is None:
            return f"took longer than {self.limit_s:g} s and was ended"
        if self.varies:
            return "passed once and failed once on the same code"
        number = -self.status if self.status < 0 else self.status - _TOOL_SIGNALS
        if self.status < 0 or number in _SIGNALS:
            return f"was ended by the signal {_SIGNALS.get(number, number)}"
        if self.status in {126, 127}:
            what = "found a program that cannot be executed" if self.status == 126 else "found a program missing"
            return f"{what} (exit status {self.status})"
        return ""


_SIGNALS = {int(one): one.name for one in signal.Signals}


async def launch(view: MachineView, environment: Mapping[str, str]) -> CommandResult:
    """Run the command of `view` and return its result. All its processes are ended, also on cancellation.

    Raises:
        CannotBeginError: the machine refuses the namespaces or mounts of the view.
    """
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="retouch-view-") as file:
        file.write(view.to_json())
        file.flush()
        return await _Launch(view, environment).run(file.name)


class _Launch:
    """One supervised command, seen from its parent."""

    def __init__(self, view: MachineView, environment: Mapping[str, str]) -> None:
        self.view, self.environment = view, environment
        self.output = BoundedOutput()

    async def run(self, place: str) -> CommandResult:
        heard, report = os.pipe()
        alive, hold = os.pipe()
        words = [sys.executable, "-I", "-S", "-c", _BOOT + _CALL, str(_ROOT), place, str(report), str(alive)]
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                env=dict(self.environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
                pass_fds=(report, alive),
            )
        except BaseException:
            _close(heard, report, alive, hold)
            raise
        _close(report, alive)
        try:
            await self._finished(process, hold)
            return self._parsed_result(os.read(heard, 1 << 20))
        finally:
            _close(heard)

    async def _finished(self, process: asyncio.subprocess.Process, hold: int) -> None:
        """Wait until the supervisor has ended. If this fails, the supervisor is killed."""
        reading = asyncio.ensure_future(self._read_output(process))
        try:
            async with asyncio.timeout(self.view.limit_s + _GRACE_S):
                await process.wait()
        finally:
            _close(hold)  # the supervisor ends the command when it sees this
            with suppress(TimeoutError):
                async with asyncio.timeout(_GRACE_S / 2):
                    await process.wait()
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
            await asyncio.wait([reading], timeout=_DRAIN_S)
            reading.cancel()

    async def _read_output(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - it is piped
        while data := await process.stdout.read(1 << 16):
            self.output.add(data)

    def _parsed_result(self, told: bytes) -> CommandResult:
        if not told:
            return CommandResult(status=-int(signal.SIGKILL), output=self.output.text(), limit_s=self.view.limit_s)
        answer: dict[str, Any] = json.loads(told)
        if "refused" in answer:
            raise CannotBeginError(answer["refused"])
        opened = tuple(answer["opened"]) if answer.get("audited") else None
        return CommandResult(
            status=int(answer["status"]) if answer["ended"] == "exit" else None,
            output=self.output.text(),
            limit_s=self.view.limit_s,
            seconds=float(answer["seconds"]),
            opened=opened,
        )


def _close(*handles: int) -> None:
    for handle in handles:
        os.close(handle)
