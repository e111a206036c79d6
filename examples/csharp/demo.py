"""Generates C# classes for every JSON endpoint of depot.yaml, with a model that makes mistakes on purpose.

    python examples/csharp/demo.py [DIRECTORY]        # default: demo-output

The model is the recipe's offline model inside of `faulty`: one page in five is truncated, fenced, lacks a property, has
an extra one, and so on. Each issue is found, attributed to its page, and fixed automatically or requested again.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import retouch
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.reading.endpoint import read_endpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Attempt
    from retouch.recipes.csharp.ir import Endpoint

SPEC = Path(__file__).with_name("depot.yaml")
MODEL = "faulty:offline?rate=0.2&seed=7&heal=0.8"
LINE = "{:<48} {:>5} {:>7} {:>8} {:>9}  {}"


@dataclass(frozen=True, kw_only=True)
class Made:
    """One endpoint's run. `faulty` are the wrong first answers, `asked` the repairs that were calls."""

    name: str
    result: retouch.RunResult
    pages: int
    faulty: tuple[Attempt, ...]
    mended: int
    asked: tuple[Attempt, ...]

    @property
    def wrong(self) -> int:
        """The number of wrong first answers."""
        return len(self.faulty) + self.mended


def main() -> int:
    """Run the demo and print the results. The exit status is 0 if no check failed."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output")
    prepare(folder)
    document = load_document(SPEC)
    operations = list_endpoints(document)
    names = [f"{each.method} {each.path}" for each in operations if each.json]
    print(f"{SPEC.name}: {len(operations)} operations, {len(names)} return JSON. The model is {MODEL}\n")
    print(LINE.format("endpoint", "pages", "wrong", "by rule", "by model", "result"))
    made = [make(name, read_endpoint(document, name), folder) for name in names]
    show_a_repair(made)
    return summary(made, folder)


def prepare(folder: Path) -> None:
    """Create an empty directory. An earlier demo's directory is removed, any other one is refused."""
    mark = folder / ".made-by-the-retouch-demo"
    if mark.exists():
        shutil.rmtree(folder)
    if folder.is_dir() and any(folder.iterdir()):
        sys.exit(f"{str(folder)!r} has other content. Choose an empty directory.")
    folder.mkdir(parents=True, exist_ok=True)
    mark.touch()
    shutil.copyfile(SPEC, folder / SPEC.name)


def make(name: str, endpoint: Endpoint, folder: Path) -> Made:
    """Generate one endpoint's run and print its line."""
    recipe = retouch.find_recipe("csharp")
    model = retouch.open_model(MODEL, recipe=recipe)
    mended: list[str] = []
    way = retouch.RunOptions(watch=lambda event: mended.append(event.unit) if event.kind == "mended" else None)
    result = retouch.generate(recipe, endpoint, folder / endpoint.label, model, way)
    view = retouch.open_run(result.run)
    attempts = list(view.history.attempts.values())
    made = Made(
        name=name,
        result=result,
        pages=len(view.prompts),
        faulty=tuple(each for each in attempts if each.why == "answer" and each.issues),
        mended=len(mended),
        asked=tuple(each for each in attempts if each.why != "answer"),
    )
    print(LINE.format(name[:48], made.pages, made.wrong, made.mended, len(made.asked), result.status))
    return made


def show_a_repair(runs: Sequence[Made]) -> None:
    """Print the correction of one wrong answer."""
    told = [(made, attempt) for made in runs for attempt in made.asked if attempt.why == "correction" and attempt.taken]
    for made, attempt in told[:1]:
        print(f"\nOne repair ({made.name}, {attempt.unit} page {attempt.page}), in front of the page's own prompt:\n")
        block = attempt.request.messages[-1].text.partition("\n\nEXAMPLE REQUEST:")[0]
        print("\n".join(f"    {line}" for line in block.splitlines()))


def compiled(results: Sequence[retouch.RunResult]) -> str:
    """Return what the compiler has seen, counted from the tiers of the runs."""
    tiers = [tier for result in results for tier in result.tiers if tier.name == "compiler"]
    units = sum(tier.passed + tier.failed + tier.not_run for tier in tiers)
    passed, not_run = sum(tier.passed for tier in tiers), sum(tier.not_run for tier in tiers)
    why = next((f": {tier.why}; next: {tier.next}" for tier in tiers if tier.not_run), "")
    if not passed:
        return f"Compiled: nothing, {not_run} of {units} types were not compiled{why}"
    rest = f"; {not_run} were not{why}" if not_run else ""
    return f"Compiled: {passed} of {units} types, each endpoint alone and not all as one project{rest}"


def summary(runs: Sequence[Made], folder: Path) -> int:
    """Print the results and their location. Return the exit status."""
    results = [made.result for made in runs]
    clean = [result for result in results if result.status in ("verified", "unverified")]
    wrong, mended = (sum(counts) for counts in zip(*((m.wrong, m.mended) for m in runs), strict=True))
    calls, tokens = sum(result.calls for result in results), sum(result.tokens for result in results)
    print(f"\n{len(clean)} of {len(runs)} endpoints passed every check that ran.")
    print(f"{sum(made.pages for made in runs)} pages took {calls} calls and {tokens:,} tokens.")
    print(f"{wrong} first answers were wrong: {mended} were fixed automatically, the others requested again.")
    print(f"Made:  {folder}/<endpoint>/<Name>.cs and schema.md, with all requests and replies")
    print(compiled(results))
    for result in results:
        if result.status not in ("verified", "unverified"):
            print(f"Look at: retouch show {result.run}")
    print(f"Look:  retouch show {results[0].run}")
    return 0 if len(clean) == len(runs) else 3


if __name__ == "__main__":
    sys.exit(main())
