"""What `retouch generate edit` was asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.cli.options import budget_from, run_options
from retouch.engine.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.core import Model
    from retouch.engine.loop import Way
    from retouch.engine.progress import Watch
    from retouch.engine.recipe import Recipe
    from retouch.recipes.edit import EditJob


@dataclass(frozen=True, kw_only=True)
class EditArguments:
    """The arguments and options as they were given; see the help of the command."""

    files: tuple[Path, ...]
    request: str
    spec: Path | None
    tests: Path | None
    check: str
    root: Path
    output: Path | None
    model: str
    fallback: str | None
    max_cost: float | None
    concurrency: int
    max_output_tokens: int
    check_timeout: float
    tier1_retries: int | None
    tier2_retries: int | None
    tier3_retries: int | None
    total_retries: int | None
    apply: bool
    dry_run: bool
    force: bool
    wait: bool
    quiet: bool
    as_json: bool

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / f"edit-{self.files[0].name}"

    @property
    def silent(self) -> bool:
        """Whether no progress is shown."""
        return self.quiet or self.as_json

    def job(self) -> EditJob:
        """Return the job, its files read now.

        Raises:
            BadInput: a file cannot be read or lies outside the root; the request is empty.
        """
        from retouch.recipes.edit import edit_job

        root = self.root.resolve()
        paths = [path if path.is_absolute() else Path.cwd() / path for path in self.files]
        request = _text(Path(self.request[1:])) if self.request.startswith("@") else self.request
        spec = _text(self.spec) if self.spec is not None else ""
        tests = _text(self.tests) if self.tests is not None else ""
        return edit_job(root, paths, request, spec=spec, tests=tests, check=self.check)

    def way(self, recipe: Recipe[Any, Any], *, watch: Watch | None, fallback: Model | None) -> Way:
        """Return how the loop goes about the run."""
        from retouch.engine.loop import Way

        options = run_options(compiler="none", concurrency=self.concurrency, max_output_tokens=self.max_output_tokens)
        given = (self.tier1_retries, self.tier2_retries, self.tier3_retries, self.total_retries)
        return Way(
            options=replace(options, workspace=str(self.root.resolve()), check_timeout_s=self.check_timeout),
            watch=watch,
            fallback=fallback,
            budget=budget_from(recipe.budget, given),
            wait=self.wait,
            force=self.force,
        )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise BadInput(f"{str(path)!r} is not a file", hint="Name a text file that is there.") from error
