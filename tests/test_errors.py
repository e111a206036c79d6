"""One error tree: whoever catches `retouch.RetouchError` catches every error that Retouch raises on purpose."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch._lib.yaml12 import parse_yaml
from retouch.edits import EditResult, apply_to_folder
from retouch.locate import FileRef
from retouch.sandbox import open_sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

INTERNAL = {
    "retouch.engine.types.AnswerRepeats": "stops an answer in the stream; the engine records the reply",
    "retouch.edits.style.Unmappable": "caught where an edit is applied; it becomes an issue of the edit",
    "retouch.edits.values.Refusal": "carries the issue of a refused edit to `apply_reply`, which returns it",
    "retouch.fleet.store.StoreBusy": "the request is sent again; at last it becomes `StoreFailed`",
    "retouch.locate.indexing.cache.DamagedCache": "the index is built anew if its cache is damaged",
    "retouch.models.hosted.converse._Signed": "ends boto3's part of a call once it has signed the request",
    "retouch.models.hosted.exchange.AnswerRead": "ends the client library's own reading; it never leaves the call",
    "retouch.models.subsets._NoSubset": "the next form of the answer schema is tried",
    "retouch.recipes.policy.deciding.shell_commands._Unknown": "what the command line runs is not known",
    "retouch.recipes.policy.deciding.shell_words._Unsure": "so it is if shells read a word in different ways",
    "retouch.recipes.policy.english.attributes.reading._Other": "the sentence is read as one of another kind",
    "retouch.recipes.policy.english.exact.Inexact": "so does an exact sentence with an error in it",
    "retouch.recipes.policy.english.words.scanning.Doubtful": "so does one of which no other reading may be taken",
    "retouch.recipes.policy.english.words.scanning.Unclear": "a sentence that is not understood becomes an issue",
    "retouch.recipes.policy.guard.core.NobodyToAsk": "the guard denies the call, and says why",
    "retouch.recipes.rule.errors.PartError": "becomes a `Problem` of the rule, with its place in the whole text",
    "retouch.recipes.rule.judging.recut.Misfit": "columns that cannot be cut become an issue",
    "retouch.sandbox.answers._Refused": "an answer that is too deep or too long becomes a `Failure`",
    "retouch.sandbox.cpython.child.LockRefused": "ends the child process, which imports nothing of Retouch",
    "retouch.sandbox.cpython.engine.LockedOut": "becomes `Unavailable`",
    "retouch.sandbox.cpython.worker.Ended": "becomes the `Failure` of a call",
    "retouch.sandbox.cpython.worker.Flooded": "becomes the `Failure` of a call",
    "retouch.sandbox.cpython.worker.Silent": "becomes the `Failure` of a call",
    "retouch.text._Refused": "becomes a `JSONDecodeError` with its place in the text",
    "retouch.testing.http_wire.NotHttp": "the test server ends the connection",
    "retouch.testing.wire.WireRefusal": "the test server answers it with the provider's error",
}


def modules() -> Iterator[ModuleType]:
    """Return every module of the package; `__main__` would start the command line."""
    for found in pkgutil.walk_packages(retouch.__path__, "retouch."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def strays(module: ModuleType) -> list[str]:
    """Return the exception classes that `module` defines outside of the error tree."""
    return [
        f"{module.__name__}.{name}"
        for name, one in vars(module).items()
        if isinstance(one, type) and issubclass(one, BaseException) and one.__module__ == module.__name__
        if not issubclass(one, retouch.RetouchError)
    ]


def test_every_error_that_leaves_the_package_belongs_to_the_tree():
    assert sorted(INTERNAL) == sorted(name for module in modules() for name in strays(module))


def test_an_exception_outside_of_the_tree_is_found():
    module = ModuleType("retouch.fake")
    inside = type("Inside", (retouch.BadInput,), {"__module__": module.__name__})
    outside = type("Outside", (ValueError,), {"__module__": module.__name__})
    vars(module).update(Inside=inside, Outside=outside, ValueError=ValueError)
    assert ["retouch.fake.Outside"] == strays(module)


def sandbox_of_another_version(_: Path) -> object:
    with open_sandbox(engine="monty==0.0.1") as box:
        return box


def refused_edit(root: Path) -> object:
    return apply_to_folder(EditResult(outcome="refused"), root)


def reference_without_container(_: Path) -> object:
    return FileRef.parse("docker:")


def broken_yaml(_: Path) -> object:
    return parse_yaml("a: [")


@pytest.mark.parametrize("fail", [refused_edit, reference_without_container, sandbox_of_another_version, broken_yaml])
def test_one_except_catches_the_errors_of_each_library(fail: Callable[[Path], object], tmp_path: Path):
    with pytest.raises(retouch.RetouchError) as raised:
        fail(tmp_path)
    assert raised.value.message
