"""The tools as plain functions: each takes text and numbers, and returns plain data."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import asdict, dataclass, field, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from retouch._lib.redaction import view_of
from retouch.errors import BadInput, RetouchError
from retouch.mcp.places import (
    expect_readable,
    expect_texts,
    refuse_records,
    run_directories,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.edits import EditResult
    from retouch.engine.directory import RunView
    from retouch.engine.types import Attempt, Issue
    from retouch.mcp.places import AllowedRoots

_MOST_DIFF = 100_000  # characters
_MOST_SHOWN = 20_000  # characters of a prompt or an answer
_MOST_RUNS = 200
_MOST_ISSUES = 200
_MOST_UNITS = 500
_MOST_CHANGES = 50
_MOST_KEPT = 64 * 2**20  # characters of all changes that can be undone
_CODE_OF: Mapping[str, tuple[str, ...]] = {
    "csharp": (),
    "policy": (),
    "rule": (),
    "edit": ("check",),
    "chisel": ("compile", "lec"),
    "extract": ("checks", "model", "functions"),
}
"""The keys of a run's source that name code of the user, by recipe. Runs of other recipes may run anything."""


@dataclass(frozen=True, kw_only=True)
class _Change:
    """Files that `apply_edits` has written: their old and their new content."""

    root: Path
    before: Mapping[str, str | None]
    after: Mapping[str, str | None]

    @property
    def size(self) -> int:
        return sum(len(text or "") for text in (*self.before.values(), *self.after.values()))


@dataclass(frozen=True, kw_only=True)
class AgentTools:
    """The tools of one server. `roots` are the only directories that they read and write.

    `allow_executable` are patterns of files that run commands without being started, which edits may change.
    `allow_checks` lets `validate_run` run the commands and check functions that a run names. `undo_run` takes back
    what a run has written into a project: it gets the run's directory and a check of the project's directory.
    """

    roots: AllowedRoots
    allow_executable: tuple[str, ...] = ()
    allow_checks: bool = False
    undo_run: Callable[[Path, Callable[[Path], Path]], Sequence[str]] | None = None
    changes: OrderedDict[str, _Change] = field(default_factory=OrderedDict[str, "_Change"])

    # --- edits ------------------------------------------------------------------------------------------------------

    def check_edits(
        self,
        reply: str,
        *,
        root: str = "",
        target: str = "",
        shown_sha256: Mapping[str, str] | None = None,
        whole_files: bool = False,
    ) -> dict[str, Any]:
        """Return what `apply_edits` would do, with a diff. Nothing is written."""
        from retouch.edits import executable_surfaces

        top, before, result = self._placed(reply, root, target, shown_sha256, whole_files=whole_files)
        warned = executable_surfaces(sorted(result.files), allowed=self.allow_executable)
        refused = [f"{one.path!r} would be refused: {one.runs}" for one in warned]
        return {**_described(top, before, result), "applied": False, "would_be_refused": refused}

    def apply_edits(
        self,
        reply: str,
        *,
        root: str = "",
        target: str = "",
        shown_sha256: Mapping[str, str] | None = None,
        whole_files: bool = False,
    ) -> dict[str, Any]:
        """Apply the edits of a reply to the files of a root, all or none. Return the diff, and a number for `undo`."""
        from retouch.edits import apply_to_folder, take_back

        take_back(self.roots.named(root))
        top, before, result = self._placed(reply, root, target, shown_sha256, whole_files=whole_files)
        described = _described(top, before, result)
        if result.outcome != "applied":
            return {**described, "applied": False}
        refuse_records(top, result.files)
        apply_to_folder(result, top, before=before, allow_executable=self.allow_executable)
        old = {name: before.get(name) for name in result.files}
        number = self._remember(_Change(root=top, before=old, after=dict(result.files)))
        return {**described, "applied": True, "change": number}

    def undo(self, *, change: str = "", run: str = "", root: str = "") -> dict[str, Any]:
        """Restore the files of one `apply_edits`, or those that a run has written into a project. All or none."""
        if bool(change) == bool(run):
            raise BadInput("name a change or a run", hint="Pass change (from apply_edits), or run (its directory).")
        if run:
            return self._undo_run(root, run)
        known = self.changes.get(change)
        if known is None:
            held = ", ".join(self.changes) or "none"
            raise BadInput(f"there is no change {change!r}", hint=f"This server holds: {held}.")
        self.roots.named(str(known.root))
        names = _restored(known)
        del self.changes[change]
        return {"undone": names}

    def _undo_run(self, root: str, run: str) -> dict[str, Any]:
        if self.undo_run is None:
            raise BadInput("runs cannot be undone here", hint="Use the command: retouch undo DIR.")
        directory = self._run(root, run).directory
        return {"undone": list(self.undo_run(directory, self.roots.expect_below))}

    def _placed(
        self, reply: str, root: str, target: str, shown: Mapping[str, str] | None, *, whole_files: bool
    ) -> tuple[Path, dict[str, str], EditResult]:
        """Return the root, the current content of the files that a reply names, and the result of placing its edits."""
        from retouch.edits import apply_reply, read_files, read_reply, with_syntax_checked
        from retouch.edits.targets import clean_path

        expect_texts(reply=reply, target=target)
        top = self.roots.named(root)
        names = [clean_path(one.path, str(top)) for one in read_reply(reply).edits if one.path]
        expect_readable(top, [*names, *([target] if target else [])])
        before = read_files(top, reply, target=target or None)
        expect_readable(top, before)
        result = apply_reply(
            reply,
            before,
            target=target or None,
            shown_sha256=dict(shown) if shown is not None else None,
            whole_files=whole_files,
            root=str(top),
        )
        return top, before, with_syntax_checked(result, before)

    def _remember(self, change: _Change) -> str:
        number = token_hex(8)
        self.changes[number] = change
        while len(self.changes) > _MOST_CHANGES or (
            len(self.changes) > 1 and sum(one.size for one in self.changes.values()) > _MOST_KEPT
        ):
            self.changes.popitem(last=False)
        return number

    # --- search -----------------------------------------------------------------------------------------------------

    def locate(self, diff: str, *, source: str = ".", rtl: str = "", top: int = 10, root: str = "") -> dict[str, Any]:
        """Return the Chisel modules that a Verilog diff may come from, best first."""
        from retouch.mcp.searching import candidates

        expect_texts(diff=diff, rtl=rtl)
        return candidates(diff, self.roots.place(root, source, directory=True), rtl, most=max(1, min(top, 100)))

    # --- runs -------------------------------------------------------------------------------------------------------

    def runs(self, *, root: str = "", directory: str = ".") -> dict[str, Any]:
        """Return the runs below a directory, up to three levels deep, with their status."""
        from retouch.engine.directory import open_run
        from retouch.engine.overview import overview

        top = self.roots.named(root)
        start = self.roots.place(root, directory, directory=True)
        found: list[dict[str, Any]] = []
        for path in run_directories(start, most=_MOST_RUNS):
            name = path.relative_to(top).as_posix()
            try:
                one = overview(open_run(path))
            except RetouchError as error:
                found.append({"run": name, "error": error.message})
                continue
            found.append(
                {
                    "run": name,
                    "recipe": one.recipe,
                    "status": one.status,
                    "reason": one.reason,
                    "units": len(one.units),
                    "errors": sum(issue.is_error for issue in one.issues),
                    "cost": one.known_usage.cost,
                }
            )
        return view_of({"runs": found, "more": len(found) == _MOST_RUNS})

    def show_run(self, run: str, *, root: str = "") -> dict[str, Any]:
        """Return a run's status with its reason, its tiers, units, issues and cost."""
        from retouch.engine.overview import overview

        found = overview(self._run(root, run))
        data = found.as_json(attempts=False)
        issues = [issue for unit in found.units for issue in unit.issues]
        units = [{"unit": one.unit, "state": one.shown_state, "issues": len(one.issues)} for one in found.units]
        return view_of(
            {
                "run": run,
                **{key: data[key] for key in ("recipe", "status", "tiers", "damage", "file_issues", "calls", "tokens")},
                "reason": found.reason,
                "cost": found.known_usage.cost,
                "units": units[:_MOST_UNITS],
                "issues": _summaries(issues),
                "left_out": {
                    "units": max(0, len(units) - _MOST_UNITS),
                    "issues": max(0, len(issues) - _MOST_ISSUES),
                },
            }
        )

    def explain_unit(self, run: str, unit: str, *, root: str = "", with_texts: bool = False) -> dict[str, Any]:
        """Return why a unit has its state: its tiers, issues, and each call with its reason, result and cost."""
        from retouch.engine.overview import overview

        view = self._run(root, run)
        found = next((one for one in overview(view).units if one.unit == unit), None)
        if found is None:
            names = [prompt.unit for prompt in view.prompts if prompt.page == 1]
            hint = f"There are {', '.join(map(repr, names[:20]))}{' and more' if len(names) > 20 else ''}."
            raise BadInput(f"the run has no unit {unit!r}", hint=hint)
        attempts = [one for one in view.history.attempts.values() if one.unit == unit]
        texts = _texts_of(view, unit) if with_texts else {}
        return view_of(
            {
                "run": run,
                "unit": unit,
                "state": found.shown_state,
                "tiers": {name: one.to_json() for name, one in found.tiers.items()},
                "issues": _summaries(found.issues),
                "attempts": [_attempt(one) for one in sorted(attempts, key=lambda one: one.seq)],
                **texts,
            }
        )

    def validate_run(self, run: str, *, root: str = "") -> dict[str, Any]:
        """Check a run again as it is on disk, without calls, and return its status. Nothing is written."""
        from retouch._lib.run_sync import run_sync
        from retouch.engine.options import RunOptions
        from retouch.engine.recipe import find_recipe
        from retouch.engine.record import last_options
        from retouch.engine.verbs import validate

        view = self._run(root, run)
        last = last_options(view.history).options
        code = sorted({*last.commands, *_named_code(view)})
        if code and not self.allow_checks:
            message = f"checking {run!r} would run code that the run names: {', '.join(code)}"
            raise BadInput(message, hint=f"Check it yourself: retouch validate {run}; or start with --allow-checks.")
        options = RunOptions()
        if self.allow_checks:
            options = replace(
                options,
                workspace=last.workspace,
                commands=last.commands,
                check_timeout_s=last.check_timeout_s,
                checks=last.checks,
            )
        result = run_sync(validate(find_recipe(view.recipe), view.directory, write=False, options=options))
        data = result.as_json()
        kept = ("status", "tiers", "notes")
        return view_of(
            {
                "run": run,
                **{key: data[key] for key in kept},
                "reason": result.reason,
                "exit_status": result.exit_status,
                "issues": _summaries(result.issues),
            }
        )

    def _run(self, root: str, run: str) -> RunView:
        from retouch.engine.directory import open_run

        directory = self.roots.place(root, run, directory=True)
        for name in ("ir.json", "prompts.json", "pages.json", "ledger.db"):
            if (directory / name).is_symlink():
                raise BadInput(f"{name!r} of the run {run!r} is a symbolic link", hint="Name a real run directory.")
        return open_run(directory)


def _described(top: Path, before: Mapping[str, str], result: EditResult) -> dict[str, Any]:
    """Return a result of placing edits as plain data, with a diff."""
    from retouch.edits import text_sha256, unified_diff

    changed = sorted(result.files.items())
    found = "\n".join(line for path, after in changed for line in unified_diff(path, before.get(path), after))
    diff = found.encode("utf-8", "replace").decode()
    return {
        "root": str(top),
        "outcome": result.outcome,
        "files": sorted(result.files),
        "diff": diff[:_MOST_DIFF],
        "diff_is_cut": len(diff) > _MOST_DIFF,
        "sha256": {name: text_sha256(text) for name, text in sorted(result.files.items()) if text is not None},
        "edits": [
            {"number": one.number, "path": one.path, "match": one.tier, "lines": one.match_lines}
            for one in result.edits
        ],
        "issues": [asdict(one) for one in result.issues],
        "unread": [asdict(one) for one in result.unread],
    }


def _restored(change: _Change) -> list[str]:
    """Write the old content of a change, all or none, and return the paths.

    Raises:
        DirectoryError: a file has changed since.
    """
    from glob import escape

    from retouch.edits import EditResult, apply_to_folder

    now = {name: text for name, text in change.after.items() if text is not None}
    allowed = [f"/{escape(name)}" for name in change.before]
    result = EditResult(outcome="applied", files=change.before)
    return apply_to_folder(result, change.root, before=now, allow_executable=allowed)


def _named_code(view: RunView) -> Iterable[str]:
    """Return what in a run's source names code that its checks would run."""
    import json

    if view.recipe not in _CODE_OF:
        return [f"the recipe {view.recipe!r}"]
    if not _CODE_OF[view.recipe]:
        return ()
    data: dict[str, Any] = json.loads((view.directory / "ir.json").read_bytes())
    source: dict[str, Any] = data.get("source") or {}
    return [name for name in _CODE_OF[view.recipe] if source.get(name)]


def _summaries(issues: Sequence[Issue]) -> list[Any]:
    ordered = sorted(issues, key=lambda one: not one.is_error)
    return [one.summary() for one in ordered[:_MOST_ISSUES]]


def _attempt(one: Attempt) -> dict[str, Any]:
    reply = one.reply
    return {
        "page": one.page,
        "why": one.why,
        "model": one.model,
        "finish": reply.finish if reply is not None else None,
        "error": one.error,
        "taken": one.taken,
        "tokens": reply.input_tokens + reply.output_tokens if reply is not None else None,
        "cost": reply.cost if reply is not None else None,
        "issues": [f"{issue.code}: {issue.message}" for issue in one.issues[:20]],
    }


def _texts_of(view: RunView, unit: str) -> dict[str, Any]:
    """Return the prompts of a unit and its current answers, each cut at a fixed length."""
    history = view.history
    pages: list[dict[str, Any]] = []
    for prompt in view.prompts:
        if prompt.unit == unit:
            answer = history.adopted(unit) or history.answer_to(prompt)
            text = answer.text if answer is not None else None
            pages.append(
                {
                    "page": prompt.page,
                    "prompt": prompt.user[:_MOST_SHOWN],
                    "answer": text[:_MOST_SHOWN] if text is not None else None,
                    "cut": len(prompt.user) > _MOST_SHOWN or len(text or "") > _MOST_SHOWN,
                }
            )
    return {"pages": pages}
