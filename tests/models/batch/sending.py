"""A process that sends the glossary with a batch API until it is done or killed: `python sending.py DIRECTORY SPEC`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))


def main(folder: Path, spec: str) -> None:
    import retouch
    from retouch.engine.options import Batching
    from retouch.models.providers import open_batches
    from tests.engine.glossary import RECIPE
    from tests.models.batch.conftest import WORDS

    way = retouch.RunOptions(batching=Batching(model=open_batches(spec)))
    retouch.generate(RECIPE, WORDS, folder, retouch.open_model(spec), options=way)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
