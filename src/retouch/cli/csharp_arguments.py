"""What `retouch generate csharp` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.cli.options import budget_from, run_options
from retouch.engine.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.core import Model
    from retouch.engine.loop import Way
    from retouch.engine.progress import Watch
    from retouch.engine.recipe import Recipe
    from retouch.recipes.csharp.reading import ReadingOptions

OUTPUT = Path("output")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """The arguments and options as they were given; see the help of the command."""

    spec: Path
    endpoint: tuple[str, ...]
    every: bool
    match: tuple[str, ...]
    output: Path | None
    model: str
    fallback: str | None
    max_cost: float | None
    status: str | None
    media_type: str | None
    request: bool
    schema: str | None
    unwrap: str | None
    key: tuple[str, ...]
    namespace: str | None
    fields_per_page: int
    values_per_page: int
    allow_remote: bool
    compiler: str
    concurrency: int
    max_output_tokens: int
    tier1_retries: int | None
    tier2_retries: int | None
    tier3_retries: int | None
    total_retries: int | None
    dry_run: bool
    force: bool
    wait: bool
    quiet: bool
    as_json: bool

    @property
    def name(self) -> str:
        """The endpoint's name, such as `GET /pets`; "" without one."""
        return " ".join(self.endpoint).strip()

    @property
    def many(self) -> bool:
        """Whether several endpoints are meant."""
        return self.every or bool(self.match)

    @property
    def silent(self) -> bool:
        """Whether no progress is shown."""
        return self.quiet or self.as_json

    def expect_consistent(self) -> None:
        """Make sure that exactly one way of choosing endpoints was used.

        Raises:
            BadInput: none was, or several were.
        """
        ways = {
            "an endpoint": bool(self.name),
            "--all": self.every,
            "--match": bool(self.match),
            "--schema": self.schema is not None,
        }
        used = [name for name, given in ways.items() if given]
        if len(used) == 1:
            return
        hint = f"Give one such as \"GET /pets\", or --match, or --all; 'retouch endpoints {self.spec}' lists them."
        seen = f"{' and '.join(used)} exclude each other" if used else "no endpoint was named"
        raise BadInput(seen, hint=hint)

    def reading(self) -> ReadingOptions:
        """Return how endpoints are read."""
        from retouch.recipes.csharp.reading import ReadingOptions

        return ReadingOptions(
            status=self.status,
            media_type=self.media_type,
            request=self.request,
            unwrap=self.unwrap,
            key=self.key,
            namespace=self.namespace,
            fields_per_page=self.fields_per_page,
            values_per_page=self.values_per_page,
            schema=self.schema,
        )

    def way(self, recipe: Recipe[Any, Any], *, watch: Watch | None = None, fallback: Model | None = None) -> Way:
        """Return how the loop goes about each run."""
        from retouch.engine.loop import Way

        given = (self.tier1_retries, self.tier2_retries, self.tier3_retries, self.total_retries)
        return Way(
            options=run_options(
                compiler=self.compiler, concurrency=self.concurrency, max_output_tokens=self.max_output_tokens
            ),
            watch=watch,
            fallback=fallback,
            budget=budget_from(recipe.budget, given),
            wait=self.wait,
            force=self.force,
        )
