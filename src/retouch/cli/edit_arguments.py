"""What `retouch generate edit` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.cli.running import Running
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.edit import EditJob


ALLOWED = "allow_executable"  # the key in the ledger


def allowed_patterns(ending: Mapping[str, JSON]) -> list[str]:
    """Return the patterns of `--allow-executable` that the run was begun with."""
    patterns = ending.get(ALLOWED)
    return [str(one) for one in patterns] if isinstance(patterns, list) else []


@dataclass(frozen=True, kw_only=True)
class EditArguments(Running):
    """The arguments and options as they were given; see the help of the command."""

    files: tuple[Path, ...]
    request: str
    spec: Path | None
    tests: Path | None
    check: str
    root: Path
    output: Path | None
    check_timeout: float
    apply: bool
    allow_executable: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / f"edit-{self.files[0].name}"

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

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command sets beside the shared ones."""
        return {"workspace": str(self.root.resolve()), "check_timeout_s": self.check_timeout}

    def own_ending(self) -> dict[str, JSON]:
        """Return whether the originals are written, and which of those that run commands by themselves."""
        return {"apply": self.apply, ALLOWED: list(self.allow_executable)}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    except (FileNotFoundError, IsADirectoryError) as error:
        raise BadInput(f"{str(path)!r} is not a file", hint="Name a text file that is there.") from error
