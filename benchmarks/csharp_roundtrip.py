"""Compares the documents' example payloads with the generated types: is anything lost or rejected?

If a payload contradicts the document's own schema, it proves nothing about the types. A second reading of the schema
(contradictions.py) finds such places, and they are not counted as losses.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, cast

from documents import Source, chosen, json_names, load
from retouch.errors import RetouchError
from retouch.recipes.csharp.document.bodies import response_content
from retouch.recipes.csharp.reading.catalogue import find_endpoint
from retouch.recipes.csharp.reading.contradictions import Reader
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from tables import announce, table
from wire import Loss, losses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.document.document import Document


@dataclass(frozen=True, kw_only=True)
class Payload:
    """An example payload of one operation, and its schema."""

    name: str
    schema: JSON
    value: JSON


@dataclass(kw_only=True)
class Count:
    """The results for the payloads of one document."""

    payloads: int = 0
    without_loss: int = 0
    contradicting: int = 0
    undeclared: int = 0
    otherwise: int = 0
    lost: list[str] = field(default_factory=list[str])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*")
    parser.add_argument("--sample", type=int, default=200, help="payloads per document")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=20)
    arguments = parser.parse_args()
    announce("Example payloads against the generated types")
    rows: list[list[object]] = []
    lost: list[str] = []
    for source in chosen(arguments.documents):
        document = load(source)
        found = list(payloads(source, document))
        sample = Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
        count = counted(document, sample)
        if found:
            kept = f"{count.without_loss} of {count.payloads}"
            excused = [count.contradicting, count.undeclared, count.otherwise]
            rows.append([source.name, len(found), kept, len(count.lost), *excused])
        lost += [f"{source.name} {each}" for each in count.lost]
    head = ["document", "payloads", "sample without loss", "payloads with a loss", "contradict their own schema"]
    print(table([*head, "undeclared properties not counted", "other places left out"], rows))
    for each in lost[: arguments.show]:
        print(f"- {each}")


def payloads(source: Source, document: Document) -> Iterator[Payload]:
    """Yield the inline example payloads of the bodies that endpoints are read from."""
    for name in json_names(document, request=False) if not source.request else ():
        content = response_content(document, find_endpoint(document, name))
        if content.schema is None:
            continue
        reader = Reader(document=cast("dict[str, JSON]", document.root.value))
        media = _parent(reader, content.schema.pointer)
        examples = [media["example"]] if "example" in media else []
        named = media.get("examples")
        for each in named.values() if isinstance(named, dict) else ():
            example = reader.resolved(each)
            if isinstance(example, dict) and "value" in example:
                examples.append(example["value"])
        for value in examples:
            yield Payload(name=name, schema=content.schema.value, value=value)


def _parent(reader: Reader, pointer: str) -> dict[str, JSON]:
    media = reader.resolved({"$ref": "#" + pointer.rpartition("/")[0].replace("%", "%25")})
    return media if isinstance(media, dict) else {}


def counted(document: Document, sample: list[Payload]) -> Count:
    """Return the losses of each payload, except at places that contradict its own schema."""
    count = Count()
    reader = Reader(document=cast("dict[str, JSON]", document.root.value))
    for payload in sample:
        count.payloads += 1
        try:
            endpoint = read_endpoint(document, payload.name, ReadingOptions(style="connector"))
        except RetouchError as error:
            count.lost.append(f"{payload.name}: {error.message}")
            continue
        wrong = reader.contradictions(payload.schema, payload.value)
        found = losses(endpoint, payload.value)
        ours = [loss for loss in found if not _excused(loss, wrong)]
        count.contradicting += bool(wrong)
        undeclared = sum(loss.why.startswith("no property") for loss in found if loss not in ours)
        count.undeclared += undeclared
        count.otherwise += len(found) - len(ours) - undeclared
        count.without_loss += not ours
        count.lost += [f"{payload.name} {loss.path}: {loss.why}" for loss in ours[:1]]
    return count


def _excused(loss: Loss, wrong: frozenset[str]) -> bool:
    """Return whether the payload itself is wrong at this place or at an enclosing one."""
    places = {loss.path[: match.start()] for match in re.finditer("/", loss.path)} | {loss.path}
    return not places.isdisjoint(wrong)


if __name__ == "__main__":
    main()
