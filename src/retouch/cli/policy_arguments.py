"""What `retouch generate policy` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from retouch.cli.running import Running
from retouch.engine.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.core import JSON
    from retouch.recipes.policy import PolicyJob


@dataclass(frozen=True, kw_only=True)
class PolicyArguments(Running):
    """The arguments and options as they were given; see the help of the command."""

    constitution: Path
    tools: Path
    lists: Path | None
    scenarios: Path | None
    base: Path | None
    home: str | None
    sandbox: str | None
    protect: tuple[str, ...]
    allow_partial: bool
    output: Path | None
    cache: bool

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / f"policy-{self.constitution.stem}"

    @property
    def results(self) -> Path | None:
        """The folder of results of earlier runs, None when they are not to be used."""
        if not self.cache:
            return None
        from platformdirs import user_cache_path

        return user_cache_path("retouch") / "policy"

    def own_ending(self) -> dict[str, JSON]:
        """Return where results of earlier runs are used and kept."""
        return {"results": str(self.results or "")}

    def job(self) -> PolicyJob:
        """Return the job, its files read now.

        Raises:
            BadInput: a file cannot be read or used.
        """
        from retouch.engine.disk import read_text
        from retouch.recipes.policy import policy_job
        from retouch.recipes.policy.language.strict_json import read_json
        from retouch.recipes.policy.making.runs import stored_waivers

        return policy_job(
            constitution=read_text(self._file(self.constitution)),
            annotations=read_json(self.tools),
            lists=None if self.lists is None else read_json(self.lists),
            handwritten=None if self.scenarios is None else read_json(self.scenarios),
            base=self._base(),
            allow_partial=self.allow_partial,
            waivers=cast("JSON", stored_waivers(self.folder)),
        )

    def _file(self, path: Path) -> Path:
        if not path.is_file():
            raise BadInput(f"{str(path)!r} is not a file", hint="Name a text file that is there.")
        return path

    def _base(self) -> dict[str, JSON]:
        from retouch.recipes.policy.language.strict_json import read_json

        found: JSON = {} if self.base is None else read_json(self.base)
        if not isinstance(found, dict):
            raise BadInput(f"{str(self.base)!r} is not a policy", hint="Name a file that holds an object.")
        protected = found.get("protectedPaths") or []
        given: dict[str, JSON] = {
            "home": self.home,
            "allowedDirectory": self.sandbox,
            "protectedPaths": cast("JSON", [*cast("list[str]", protected), *self.protect]) if self.protect else None,
        }
        return found | {key: value for key, value in given.items() if value is not None}
