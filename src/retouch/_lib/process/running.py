"""Runs commands on a changed workspace: at its own path if the machine allows it, else in a copy or in place."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from retouch._lib.logs import redact_record
from retouch._lib.process.environment import (
    environment_key,
    for_command,
    named_files,
    pointing_into,
)
from retouch._lib.process.launch import CannotBeginError, CommandResult, launch
from retouch._lib.process.outside_files import outside_key
from retouch._lib.process.trees import BUILT, LINK, named
from retouch._lib.process.views import MachineView
from retouch._lib.process.writes import WriteGuard, WritePlace
from retouch._lib.redaction import without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from retouch._lib.process.places import WorkspaceCopy
    from retouch._lib.process.results import ResultStore
    from retouch._lib.process.trees import Tree
    from retouch._lib.process.verdicts import CheckOptions, CheckStep, Where
    from retouch._lib.process.writes import Written

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

Kind: TypeAlias = Literal["overlay", "bind", "bubblewrap", "copy", "in place"]
InPlace: TypeAlias = "Callable[[Path, Mapping[str, bytes]], AbstractContextManager[None]]"
HIDDEN = (
    ".ssh", ".aws", ".netrc", ".npmrc", ".docker", ".kube", ".gnupg", ".config/gcloud", ".git-credentials",
    ".config/gh", ".config/hub", ".azure", ".pypirc", ".cargo/credentials.toml", ".cargo/credentials",
    ".gem/credentials", ".vault-token", ".pgpass", ".my.cnf", ".password-store", ".local/share/keyrings",
    ".config/rclone", ".terraform.d/credentials.tfrc.json", ".m2/settings-security.xml",
)  # fmt: skip
SOCKETS = ("/run/docker.sock", "/run/podman", "/run/containerd", "/run/dbus", "/run/user")
_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - these are compared with, not used
_MACHINES: dict[tuple[str, bool, bool, bool], Machine] = {}
_PROBE_STATUS, _PROBE_LIMIT_S = 7, 20.0


@dataclass(frozen=True, kw_only=True)
class Machine:
    """The kind of run that this machine supports, and whether the command is confined."""

    kind: Kind
    confined: bool

    @property
    def where(self) -> Where:
        """Where the command runs, for the user."""
        places: dict[Kind, Where] = {"copy": "copy", "in place": "in place"}
        return places.get(self.kind, "same path")


@dataclass(kw_only=True)
class Runner:
    """Runs the commands of one workspace.

    `given` maps an environment variable to a text: the variable is set to the path of a file with this text. `in_place`
    applies changes to the workspace and reverts them. `store` caches results. If `guarded`, it is recorded what the
    commands write.
    """

    workspace: Path
    place: WorkspaceCopy
    store: ResultStore
    options: CheckOptions
    limit_s: float
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    in_place: InPlace | None = None
    guarded: bool = False

    async def run(
        self,
        machine: Machine,
        tree: Tree,
        changes: Mapping[str, bytes],
        steps: Sequence[CheckStep],
        *,
        recall: bool = True,
        repeat: bool = False,
        usual: Sequence[Written] | None = None,
    ) -> Results:
        """Run the commands in order up to the first that fails, and return their results.

        Cached results are used unless `recall` is False. With `repeat`, the commands run again, and a result that ends
        otherwise than the cached one is a failure of the tool: then neither is cached. With changes and `guarded`,
        `usual` is what each command writes on the untouched workspace.
        The commands share one copy, so that later ones find the build products of earlier ones.
        """
        keys = [self._cache_key(machine, tree, changes, steps[: number + 1]) for number in range(len(steps))]
        kept = self._cached_results(keys, machine) if recall and not repeat else None
        if kept is not None:
            return [replace(result, key=key) for result, key in zip(kept, keys, strict=False)]
        results: list[CommandResult] = []
        in_place = self.in_place if machine.kind == "in place" else None
        with in_place(self.workspace, changes) if in_place else nullcontext():
            folder = self.workspace
            if machine.kind != "in place":
                kind = "overlay" if machine.kind == "overlay" else "copy"
                folder = await asyncio.to_thread(self.place.prepare, kind, tree, changes)
            guard = self._write_guard(machine, tree, folder, steps, usual)
            for number, (step, key) in enumerate(zip(steps, keys, strict=True)):
                _LOG.debug("%s: run %s, %s: %s", step.name, machine.where, machine.kind, step.command)
                view = self._view(machine, tree, step.command, folder, changes)
                result = await self._launched(view, self._environment(machine, folder), guard, number)
                result = replace(self._redacted_result(result, folder), key=key)
                results.append(self._compared_with_cached(key, machine, result) if repeat else result)
                self.store.add(key, results[-1], lasting=self._lasts(machine), shorten=step.shorten)
                if not results[-1].good:
                    break
        return results

    async def _launched(
        self, view: MachineView, environment: Mapping[str, str], guard: WriteGuard | None, number: int
    ) -> CommandResult:
        """Run one command. With a guard, its result lists what it wrote, and which foreign files it used."""
        kept_away = await asyncio.to_thread(guard.begin) if guard is not None else []
        result = await launch(replace(view, watched=(*view.watched, *kept_away)), environment)
        _LOG.debug("exit status %s: %s", result.status, view.command)
        if guard is None:
            return result
        written, used = await asyncio.to_thread(guard.end, number, result.opened)
        opened = None if result.opened is None else tuple(one for one in result.opened if one in view.watched)
        return replace(result, opened=opened, wrote=tuple(sorted(written.entries)), tampered=tuple(used))

    def _write_guard(
        self, machine: Machine, tree: Tree, folder: Path, steps: Sequence[CheckStep], usual: Sequence[Written] | None
    ) -> WriteGuard | None:
        if not self.guarded:
            return None
        variables = self._environment(machine, folder)
        others: list[Path] = []
        if not machine.confined:
            others += [one for step in steps for one in named_files(step.command, variables, self.workspace)]
            others += [self.place.given / name for name in self.given]
        if machine.kind == "copy":
            others += [self.workspace / path for path in tree.files]
        place = WritePlace(
            folder=folder,
            here=str(folder if machine.kind in {"copy", "bubblewrap"} else self.workspace),
            workspace=self.workspace,
            others=tuple(others),
            tracked=frozenset(tree.files),
            in_place=machine.kind == "in place",
        )
        return WriteGuard(place, usual)

    async def machine(self, tree: Tree) -> Machine:
        """Return the best supported way to run a command on this machine."""
        key = (str(self.workspace), self.options.unconfined, self.options.network, self.options.in_place)
        if key not in _MACHINES:
            _MACHINES[key] = await self._tried(tree)
        return _MACHINES[key]

    async def _tried(self, tree: Tree) -> Machine:
        confined = (True, False) if not self.options.unconfined else (False,)
        kinds: tuple[Kind, ...] = ("in place",) if self.options.in_place else ("overlay", "bind", "bubblewrap")
        for wanted in confined:
            for kind in kinds:
                machine = Machine(kind=kind, confined=wanted)
                with suppress(CannotBeginError, OSError):
                    view = replace(
                        self._view(machine, tree, f"exit {_PROBE_STATUS}", self.place.copy, {}), limit_s=20.0
                    )
                    result = await launch(view, self._environment(machine, self.place.copy))
                    if result.status == _PROBE_STATUS:
                        _LOG.debug("commands run by %s, confined: %s", kind, wanted)
                        return machine
        return Machine(kind="in place" if self.options.in_place else "copy", confined=False)

    def _view(
        self, machine: Machine, tree: Tree, command: str, folder: Path, changes: Mapping[str, bytes]
    ) -> MachineView:
        workspace, place = str(self.workspace), self.place
        same = machine.kind != "copy"
        here = workspace if machine.kind in {"overlay", "bind", "in place"} else str(folder)
        watched = [f"{here}/{path}" for path in changes]
        if not same:
            watched += [word for path in changes for word in _originals(self.workspace, path)]
        view = MachineView(
            command=command,
            where=workspace if same else str(folder),
            limit_s=self.limit_s,
            workspace=workspace,
            network=self.options.network,
            stage=str(place.stage),
            watched=tuple(watched),
        )
        if machine.kind == "bubblewrap":
            return replace(view, wrapper=self._bubble(machine, tree, folder), where="/")
        if machine.kind == "copy" or (machine.kind == "in place" and not machine.confined):
            return view
        view = replace(view, namespace=True, shown=(str(place.given),))
        if machine.kind == "overlay":
            view = replace(view, upper=str(place.upper), work=str(place.work))
        elif machine.kind == "bind":
            view = replace(view, copy=str(folder), inside=self._visible_in_place(tree))
        return self._confine(view) if machine.confined else view

    def _confine(self, view: MachineView) -> MachineView:
        home = Path.home().resolve()
        useless = home == Path("/") or not home.is_dir() or home == self.workspace
        return replace(
            view,
            confined=True,
            home="" if useless else str(home),
            temporary="overlay" if self._needs_temporary() else "empty",
            hidden=self._hidden(),
        )

    def _needs_temporary(self) -> bool:
        """Return whether a command needs files in a temporary directory, which then cannot be empty."""
        near = [str(self.workspace), str(Path.home()), *os.environ.get("PATH", "").split(":"), str(self.place.root)]
        return any(name.startswith(f"{one}/") for name in near for one in _TEMPORARY)

    def _hidden(self) -> tuple[str, ...]:
        home = Path.home().resolve()
        places = [*(home / name for name in HIDDEN), *map(Path, SOCKETS)]
        return tuple(str(place) for place in places if place.exists() and not self.workspace.is_relative_to(place))

    def _visible_in_place(self, tree: Tree) -> tuple[str, ...]:
        """Return the ignored directories that a copy lacks and that stay visible at their own paths."""
        places = (self.workspace / name for name in tree.ignored if name.rpartition("/")[2] not in BUILT)
        return tuple(str(place) for place in places if place.is_dir())

    def _bubble(self, machine: Machine, tree: Tree, folder: Path) -> tuple[str, ...]:
        """Return the bubblewrap command. The home directory is read-only, since overlays may be unavailable."""
        program = shutil.which("bwrap")
        if program is None:
            raise CannotBeginError("bubblewrap is not installed")
        words = [program, "--die-with-parent", "--unshare-pid", "--unshare-ipc"]
        if not machine.confined:
            words += ["--dev-bind", "/", "/", "--bind", str(folder), str(self.workspace)]
        else:
            words += [] if self.options.network else ["--unshare-net"]
            words += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
            words += [] if self._needs_temporary() else ["--tmpfs", "/tmp"]  # noqa: S108
            nothing = str(self.place.give(".nothing", ""))
            words += ["--ro-bind", str(self.place.given), str(self.place.given)]
            for name in self._hidden():
                words += ["--tmpfs", name] if Path(name).is_dir() else ["--ro-bind", nothing, name]
            words += ["--bind", str(folder), str(self.workspace)]
        for name in self._visible_in_place(tree):
            words += ["--ro-bind", name, name]
        return (*words, "--chdir", str(self.workspace), "--")

    def _environment(self, machine: Machine, folder: Path) -> dict[str, str]:
        confined = machine.confined
        variables = for_command(
            os.environ, confined=confined, given_back=self.options.env, secrets=self.options.unconfined
        )
        variables |= {name: str(self.place.given / name) for name in self.given}
        variables["PWD"] = str(self.workspace)
        if self.guarded:  # so that compiled Python is never a usual product, which a change could replace
            variables["PYTHONDONTWRITEBYTECODE"] = "1"
        return pointing_into(variables, str(self.workspace), str(folder)) if machine.kind == "copy" else variables

    def _cache_key(self, machine: Machine, tree: Tree, changes: Mapping[str, bytes], steps: Sequence[CheckStep]) -> str:
        hashes = {path: _content_id(self.workspace / path, data) for path, data in changes.items()}
        variables = self._environment(machine, self.workspace)
        told: list[Any] = [tree.key(hashes), [step.command for step in steps], asdict(machine), self.options.network]
        told += [environment_key(variables), self._outside_key(tree, steps, variables)]
        told += [sorted(self.given.items()), str(self.workspace)]
        return sha256(repr(told).encode("utf-8", "surrogateescape")).hexdigest()

    def _outside_key(self, tree: Tree, steps: Sequence[CheckStep], variables: Mapping[str, str]) -> str:
        links = [path for path, entry in tree.files.items() if entry.sha.startswith(LINK)]
        return outside_key([step.command for step in steps], variables, self.workspace, links)

    def _cached_results(self, keys: Sequence[str], machine: Machine) -> list[CommandResult] | None:
        """Return the cached results of the commands up to the first that failed, or None if one is missing."""
        found: list[CommandResult] = []
        for key in keys:
            result = self.store.find(key, lasting=self._lasts(machine))
            if result is None or (self.guarded and result.wrote is None):
                return None
            found.append(result)
            if not result.good:
                break
        _LOG.debug("%d results of commands from the cache", len(found))
        return found

    def _compared_with_cached(self, key: str, machine: Machine, result: CommandResult) -> CommandResult:
        known = self.store.find(key, lasting=self._lasts(machine))
        if known is None or known.good == result.good:
            return result
        self.store.forget(key)
        return replace(result, varies=True)

    def _lasts(self, machine: Machine) -> bool:
        """Return whether a result depends only on its key, so that later processes may use it."""
        return machine.confined and not self.options.network

    def _redacted_result(self, result: CommandResult, folder: Path) -> CommandResult:
        """Return the result without secrets. Paths in the workspace become relative to it."""
        output = without_keys(result.output)
        for root in (folder, self.workspace):
            output = output.replace(f"{root}/", "")
        return replace(result, output=output)


Results: TypeAlias = list[CommandResult]


def _content_id(place: Path, data: bytes) -> str:
    return named(sha256(data).hexdigest(), place.stat().st_mode if place.is_file() else 0)


def _originals(workspace: Path, path: str) -> list[str]:
    """Return the workspace files with the old code of `path`: the file itself and its compiled Python files."""
    place = workspace / path
    return [str(place), *map(str, sorted((place.parent / "__pycache__").glob(f"{place.stem}.*.pyc")))]
