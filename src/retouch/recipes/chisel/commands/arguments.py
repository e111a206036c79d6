"""The arguments of `retouch generate chisel`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.commands import CheckArguments, ModelOptions, hint_config, indexed
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.building import Wanted
    from retouch.recipes.chisel.proofs import Proof
    from retouch.recipes.chisel.source import FixJob

TRIALS = "trials.jsonl"


class NothingLeft(BadInput):
    """Every candidate of a case was tried as often as is useful."""

    exit_status = 3


def refuse_offline(arguments: ModelOptions) -> None:
    """Check that a model is named that can repair hardware, unless nothing is sent.

    Raises:
        BadInput: it is `offline`, or there is none.
    """
    if not arguments.dry_run and arguments.model in {None, "offline"}:
        hint = "Pass a model that can: --model anthropic:..., openai:..., ollama:... or replay:FILE."
        raise BadInput("'offline' cannot repair hardware", hint=hint)


@dataclass(frozen=True, kw_only=True)
class ChiselArguments(CheckArguments, ModelOptions):
    """The arguments and options of the command. Its help describes them."""

    diff: Path
    source: Path
    rtl: Path | None
    workspace: Path | None
    compile: str
    lec: str
    lec_shows: Proof
    candidates: int
    together: int
    asks_each: int
    prompt_tokens: int
    choose: int
    check_timeout: float
    hint_config: Path | None
    weights: tuple[str, ...]
    trials: Path | None
    output: Path | None
    apply: bool = False
    unproved: bool = False
    given_text: str = ""
    """The text of the diff, if it is in no file of its own."""

    @property
    def folder(self) -> Path:
        """The run directory."""
        return self.output or Path("output") / f"chisel-{self.diff.stem}"

    @property
    def root(self) -> Path:
        """The project's directory. The commands run in a copy of it."""
        return (self.workspace or self.source).resolve()

    @property
    def trials_path(self) -> Path:
        """The file of the ledger of trials. By default it is next to the run directories."""
        return self.trials or self.folder.resolve().parent / TRIALS

    @cached_property
    def text(self) -> str:
        """The text of the diff."""
        from retouch._lib.disk import read_text

        return self.given_text or read_text(self.diff)

    def wanted(self) -> Wanted:
        """Return the settings besides the diff.

        Raises:
            BadInput: the shell cannot parse a command, or the source is not inside the workspace.
        """
        from retouch._lib.process.judging import unreadable
        from retouch.recipes.chisel.building import Wanted

        for called, command in (("compile", self.compile), ("lec", self.lec)):
            if (command or called == "compile") and (parse_error := unreadable(command)):
                raise BadInput(
                    f"the {called} command {command!r} cannot be parsed: {parse_error}", hint="Balance its quotes."
                )
        source = self.source.resolve()
        if not source.is_relative_to(self.root):
            hint = "Pass a --workspace that contains the sources."
            raise BadInput(f"{str(self.source)!r} is not inside {str(self.workspace)!r}", hint=hint)
        return Wanted(
            compile=self.compile,
            lec=self.lec,
            lec_shows=self.lec_shows,
            inside="" if source == self.root else source.relative_to(self.root).as_posix(),
            together=self.together,
            prompt_tokens=self.prompt_tokens,
            asks_each=self.asks_each,
            most=self.candidates,
            choose=self.choose,
            policy=hint_config(self.hint_config, self.weights).policy,
        )

    def job(self, ledger: TrialLedger) -> FixJob:
        """Return the stored job of the run directory if it is still valid, otherwise a new one with selected
        candidates.

        Raises:
            BadInput: there is no diff, or no candidate is left for it.
        """
        from retouch.locate.diffs.info import DiffInfo

        diff = DiffInfo.from_text(self.text)
        wanted = self.wanted()
        return self._stored_job(diff, wanted) or self._new_job(diff, wanted, ledger)

    def _stored_job(self, diff: DiffInfo, wanted: Wanted) -> FixJob | None:
        """Return the job of an earlier run with the same diff, sources and prompts, with the current commands.

        If the run has a fix that has passed, only the files of the fix must be the same, or have the fix already. The
        remaining ones are outdated: their definitions are not shown any more.
        """
        from retouch.engine.directory import IR, load_ir
        from retouch.locate.trials import case_id_of
        from retouch.recipes.chisel import recipe

        if not (self.folder / IR).exists():
            return None
        job = load_ir(self.folder, recipe).source
        shown = (job.together, job.prompt_tokens, job.most, job.choose) == (
            wanted.together,
            wanted.prompt_tokens,
            wanted.most,
            wanted.choose,
        )
        if job.case_id != case_id_of(diff.unified_diff) or not shown:
            return None
        changed = {file.path for file in job.files if not self._has(file.path, file.text)}
        if changed and not self._only_others(changed):
            return None
        return replace(
            job,
            compile=wanted.compile,
            lec=wanted.lec,
            lec_shows=wanted.lec_shows,
            inside=wanted.inside,
            asks_each=wanted.asks_each,
            outdated=tuple(sorted(changed)),
        )

    def _has(self, path: str, text: str) -> bool:
        """Return whether a file of the sources has exactly this text."""
        from retouch._lib.disk import read_text

        return (self.source / path).is_file() and read_text(self.source / path) == text

    def _only_others(self, changed: set[str]) -> bool:
        """Return whether the run has a fix that has passed, whose files have their old or their new text."""
        from retouch.recipes.chisel.commands.solved import stored_fix

        found = stored_fix(self.folder)
        if found is None or found.proof is None:
            return False
        texts = found.fix.texts
        return all(self._has(path, texts[path]) for path in changed & set(texts))

    def _new_job(self, diff: DiffInfo, wanted: Wanted, ledger: TrialLedger) -> FixJob:
        from retouch.locate.diffs.rtl import design_modules, find_rtl
        from retouch.locate.ranking import rank
        from retouch.recipes.chisel.building import fix_job, ordered

        index, _, _ = indexed(str(self.source), cache=None, tests=False, silent=self.silent)
        rtl = self.rtl
        diff_with_rtl = diff.with_rtl(find_rtl(rtl, diff), design=design_modules(rtl)) if rtl is not None else diff
        found = rank(diff_with_rtl, index, options=hint_config(self.hint_config, self.weights).rank_options())
        chosen, last = ordered(diff, found, index, ledger, wanted)
        if not chosen:
            raise self._no_candidate(last.reason)
        return fix_job(self.text, diff, chosen, index, wanted)

    def _no_candidate(self, reason: str) -> BadInput:
        if reason == "exhausted":
            hint = (
                f"To see the trials: retouch chisel trials {self.trials_path}. To try again, pass another file "
                "with --trials."
            )
            return NothingLeft("every candidate for this diff was already tried as often as is useful", hint=hint)
        if reason == "already_solved":
            hint = (
                f"The patch is in the run that solved it. To find it: retouch chisel trials {self.trials_path}. If the "
                "sources have changed since, apply that patch yourself, or pass another file with --trials."
            )
            found = f"{hint} To prove it, if that was not done yet, pass --lec."
            return BadInput("this diff was already solved", hint=hint if self.lec else found)
        called = self.folder.name if self.given_text else str(self.diff)
        hint = f"To see the ranking: retouch locate {'DIFF' if self.given_text else self.diff} --source {self.source}"
        return BadInput(f"no module in {str(self.source)!r} is similar to the diff {called!r}", hint=hint)

    def own_options(self) -> dict[str, Any]:
        """Return the run options of this command besides the shared ones."""
        return {"workspace": str(self.root), "check_timeout_s": self.check_timeout, "checks": self.checks}

    def own_ending(self) -> dict[str, JSON]:
        """Return whether the fix is written into the workspace, also unproved, and where trials are noted."""
        return {"apply": self.apply, "unproved": self.unproved, "trials": str(self.trials_path.resolve())}
