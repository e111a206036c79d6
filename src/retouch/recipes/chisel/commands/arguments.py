"""The arguments of `retouch generate chisel`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.commands import CheckArguments, ModelOptions, indexed
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.locate.diffs.info import DiffInfo
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.building import Wanted
    from retouch.recipes.chisel.source import FixJob

TRIALS = "trials.jsonl"


class NothingLeft(BadInput):
    """Every candidate of a case was tried, as often as that makes sense."""

    exit_status = 3


@dataclass(frozen=True, kw_only=True)
class ChiselArguments(CheckArguments, ModelOptions):
    """The arguments and options as they were given; see the help of the command."""

    diff: Path
    source: Path
    rtl: Path | None
    workspace: Path | None
    compile: str
    lec: str
    candidates: int
    together: int
    asks_each: int
    prompt_tokens: int
    check_timeout: float
    trials: Path | None
    apply: bool
    unproved: bool
    output: Path | None

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / f"chisel-{self.diff.stem}"

    @property
    def root(self) -> Path:
        """The project's folder, a copy of which the commands run in."""
        return (self.workspace or self.source).resolve()

    @property
    def trials_path(self) -> Path:
        """The file of the ledger of trials: by default beside the run folders."""
        return self.trials or self.folder.resolve().parent / TRIALS

    @cached_property
    def text(self) -> str:
        """The diff as it was given."""
        from retouch._lib.disk import read_text

        return read_text(self.diff)

    def wanted(self) -> Wanted:
        """Return what is asked for besides the diff.

        Raises:
            BadInput: the shell cannot read a command, or the source does not lie in the workspace.
        """
        from retouch._lib.process.judging import unreadable
        from retouch.recipes.chisel.building import Wanted

        for called, command in (("compile", self.compile), ("lec", self.lec)):
            if (command or called == "compile") and (fault := unreadable(command)):
                raise BadInput(f"the {called} command {command!r} cannot be read: {fault}", hint="Balance its quotes.")
        source = self.source.resolve()
        if not source.is_relative_to(self.root):
            hint = "Name a --workspace that holds the sources."
            raise BadInput(f"{str(self.source)!r} does not lie in {str(self.workspace)!r}", hint=hint)
        return Wanted(
            compile=self.compile,
            lec=self.lec,
            inside="" if source == self.root else source.relative_to(self.root).as_posix(),
            together=self.together,
            prompt_tokens=self.prompt_tokens,
            asks_each=self.asks_each,
            most=self.candidates,
        )

    def job(self, ledger: TrialLedger) -> FixJob:
        """Return the job: that of the run folder where it still holds, else one with candidates selected now.

        Raises:
            BadInput: there is no diff, or no candidate is left for it.
        """
        from retouch.locate.diffs.info import DiffInfo

        diff = DiffInfo.from_text(self.text)
        wanted = self.wanted()
        return self._stored_job(diff, wanted) or self._new_job(diff, wanted, ledger)

    def _stored_job(self, diff: DiffInfo, wanted: Wanted) -> FixJob | None:
        """Return the job of an earlier run over the same diff, sources and prompts, with the commands of now."""
        from retouch._lib.disk import read_text
        from retouch.engine.directory import IR, load_ir
        from retouch.locate.trials import case_id_of
        from retouch.recipes.chisel import recipe

        if not (self.folder / IR).exists():
            return None
        job = load_ir(self.folder, recipe).source
        places = [(self.source / file.path, file.text) for file in job.files]
        same = all(place.is_file() and read_text(place) == text for place, text in places)
        shown = (job.together, job.prompt_tokens, job.most) == (wanted.together, wanted.prompt_tokens, wanted.most)
        if job.case_id != case_id_of(diff.unified_diff) or not same or not shown:
            return None
        now = {"compile": wanted.compile, "lec": wanted.lec, "inside": wanted.inside, "asks_each": wanted.asks_each}
        return replace(job, **now)

    def _new_job(self, diff: DiffInfo, wanted: Wanted, ledger: TrialLedger) -> FixJob:
        from retouch.locate.diffs.rtl import find_rtl
        from retouch.locate.ranking import rank
        from retouch.recipes.chisel.building import fix_job, ordered

        index, _, _ = indexed(str(self.source), cache=None, tests=False, silent=self.silent)
        told = diff.with_rtl(find_rtl(self.rtl, diff)) if self.rtl is not None else diff
        found = rank(told, index)
        chosen, last = ordered(diff, found, index, ledger, wanted)
        if not chosen:
            raise self._no_candidate(last.reason)
        return fix_job(self.text, diff, chosen, index, wanted)

    def _no_candidate(self, reason: str) -> BadInput:
        if reason == "exhausted":
            hint = f"See what was tried: retouch chisel trials {self.trials_path}; name another file with --trials."
            return NothingLeft("every candidate for this diff was tried before, as often as that may help", hint=hint)
        if reason == "already_solved":
            hint = f"Its patch is in the run that solved it; see: retouch chisel trials {self.trials_path}"
            return BadInput("this diff was solved before", hint=hint)
        hint = f"See: retouch locate {self.diff} --source {self.source}"
        return BadInput(f"no module in {str(self.source)!r} is like the diff {str(self.diff)!r}", hint=hint)

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command sets besides the shared ones."""
        return {"workspace": str(self.root), "check_timeout_s": self.check_timeout, "checks": self.checks}

    def own_ending(self) -> dict[str, JSON]:
        """Return whether the fix is written into the workspace, also unproved, and where trials are noted."""
        return {"apply": self.apply, "unproved": self.unproved, "trials": str(self.trials_path.resolve())}
