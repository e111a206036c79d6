"""Reads sentences about a Kubernetes cluster: "never delete anything in the staging namespace", "never drain a node".

A tool that takes any command of kubectl is restricted unless the command surely cannot do it, and so is one that runs
commands in pods. What a manifest, a file, flags or further arguments say is not known, so that they may name any
namespace. To delete a namespace is to delete all that is in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.ordinary.stance_words import AGREE, ASKED, BEFORE, NEVER, SAID
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_READING = ("get", "describe", "logs", "top", "explain", "version", "api-resources", "api-versions", "events", "wait")
_SETTING = ("scale", "label", "uncordon", "expose", "autoscale")
_HARMLESS: Mapping[str, tuple[str, ...]] = {
    "change": _READING,
    "delete": (*_READING, *_SETTING, "rollout", "annotate", "cordon", "taint"),
    "drain": (*_READING, *_SETTING, "rollout", "annotate", "set"),
    "cordon": (*_READING, *_SETTING, "rollout", "annotate", "set"),
    "restart": (*_READING, *_SETTING, "cordon", "taint"),
    "rollback": (*_READING, *_SETTING, "cordon", "taint"),
    "exec": (*_READING, *_SETTING, "rollout", "annotate", "cordon", "taint", "delete"),
    "context": (*_READING, *_SETTING, "rollout", "annotate", "cordon", "taint", "delete"),
}
_KNOWN = word_set(
    "kubectl apply create delete scale patch rollout context generic exec in pod install upgrade uninstall helm chart "
    "node management port forward ping"
)
_FREE = ("manifest", "filename", "args", "flags")
_PATCHES = "patchData"
_RESTARTING = ("template", "restartedAt", "kubectl.kubernetes.io/restartedAt")  # keys of a patch that restart its pods
_PODS_NAMED = ("po", "po/*", "po,*", "*,po", "*,po,*", "*pod*")
_HOLDING = ("*namespace*", "ns", "ns/*", "ns,*", "*,ns", "*,ns,*", "*customresourcedefinition*", "*crd*")
_THING = r"(?:anything|things|any ?thing|resources?|objects?|workloads?|stuff)"
_NAME = r"[`'\"]?(?P<{0}>[a-z0-9-]+)[`'\"]?"
_PLACE = (
    rf"(?: (?:in|from|inside) (?:the |our |my )?{_NAME.format('place')} namespace|"
    rf" in namespace {_NAME.format('named')})"
)
_A = r"(?:(?:a|an|any|the|our|my|of|single|running) )*"
_RUN = r"(?:run|running|execute|executing|use|using)"
_PODS = rf"{_A}(?:pods?|containers?)"
_OTHER = r"(?:other |another |different |cluster |kube |kubectl |kubernetes )*"
_ROLL_BACK = r"roll(?:ing)?[- ]?back"
_ROLLED = rf"(?: of)? {_A}(?:deployments?|rollouts?|releases?|workloads?|anything)"
_NODES = rf"(?: of)? {_A}nodes?"
_ACTS: tuple[tuple[str, str], ...] = (
    ("delete", rf"(?:delet|remov|destroy)(?:e|es|ing)?(?: of)? {_A}{_THING}(?: at all)?{_PLACE}?"),
    ("change", rf"(?:chang|modif|touch|edit|alter|updat)(?:e|es|y|ing|ying)? {_A}{_THING}{_PLACE}?"),
    ("change", rf"(?:make|making) {_A}changes?(?: to anything)?{_PLACE}?"),
    ("drain", rf"drain(?:ing)?{_NODES}"),
    ("cordon", rf"cordon(?:ing)?(?: (?:or|and) drain(?:ing)?)?{_NODES}"),
    ("cordon", rf"drain(?:ing)? (?:or|and) cordon(?:ing)?{_NODES}"),
    ("exec", rf"{_RUN} {_A}(?:commands?|anything|code|shells?|exec) (?:inside|in|into|within|on)(?: of)? {_PODS}"),
    ("exec", rf"exec(?:ing|ute|uting)?(?: commands?)? (?:in|into|inside) {_PODS}"),
    ("exec", rf"open(?:ing)? {_A}shells? in(?:to|side)? {_PODS}"),
    ("context", rf"(?:switch|chang)(?:e|ing)?(?: to)? {_A}{_OTHER}contexts?"),
    ("context", rf"switch(?:ing)? (?:to {_A}{_OTHER})?clusters?"),
    ("restart", rf"restart(?:s|ing)?{_ROLLED}"),
    ("rollback", rf"(?:{_ROLL_BACK}|undo(?:ing)?){_ROLLED}"),
    (
        "restart rollback",
        rf"(?:restart(?:ing)? (?:or|and) {_ROLL_BACK}|{_ROLL_BACK} (?:or|and) restart(?:ing)?){_ROLLED}",
    ),
)
_END = r"(?:,? (?:ever|at all|please|first|always))?"


@dataclass(frozen=True)
class _Said:
    how: str
    acts: tuple[str, ...]
    place: str = ""


def cluster_meaning(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about a cluster means. None if it is none, or the tools are not those of kubectl."""
    if toolbox.other_servers or not any(one.words[:1] == ["kubectl"] for one in toolbox.tools):
        return None
    said = _said(text)
    if said is None or not all(one.reads or _KNOWN.issuperset(one.words) for one in toolbox.tools):
        return None
    parts = frozenset(part for act in said.acts for part in _parts(act, said.place, toolbox.tools))
    return Meaning(ask=parts) if said.how == "ask" else Meaning(never=parts)


def _said(text: str) -> _Said | None:
    plain = " ".join(text.strip().rstrip(".!").replace("\u2019", "'").split())
    for how, form in (
        ("ask", rf"{NEVER} (?P<what>.+?) (?:without {ASKED}|unless {SAID})"),
        ("never", rf"{NEVER} (?P<what>.+?){_END}"),
        ("never", rf"no (?P<what>.+?){_END}"),
        ("ask", rf"{BEFORE}(?P<what>.+?){_END}"),
        ("ask", rf"(?P<what>.+?) (?:always )?(?:needs?|requires?) {AGREE}"),
    ):
        match = re.fullmatch(form, plain, re.IGNORECASE)
        what = "" if match is None else match["what"].strip()
        for acts, pattern in _ACTS:
            found = re.fullmatch(pattern, what, re.IGNORECASE)
            if found is not None:
                places = found.groupdict()
                return _Said(how, tuple(acts.split()), (places.get("place") or places.get("named") or "").lower())
    return None


def _parts(act: str, place: str, tools: Iterable[KnownTool]) -> Iterator[ToolPart]:
    """Yield the calls that may do what is said, in a namespace if one is named."""
    for one in tools:
        words = set(one.words)
        if one.code:
            unless = (Limit(arg="command", among=_HARMLESS[act]),) if "generic" in words else ()
            yield from _in_place(one, (), unless, place if unless else "")
        elif not one.reads and "ping" not in words:
            for where in _tests(act, one, words):
                yield from _in_place(one, where, (), place)


def _tests(act: str, one: KnownTool, words: set[str]) -> Iterator[tuple[Limit, ...]]:
    """Yield the tests of calls of a tool that do what is said, as alternatives."""
    operations = {"drain": ("drain",), "cordon": ("cordon", "drain"), "delete": ("drain",)}.get(act, ())
    if "node" in words and operations:
        yield (Limit(arg="operation", among=operations),)
    if act == "delete":
        if words & {"delete", "uninstall"}:
            yield ()
        if "apply" in words and "force" in one.tool.args:
            yield (Limit(arg="force", state="present"), Limit(arg="force", among=(True,)))
    if "rollout" in words and act in {"restart", "rollback"}:
        yield (Limit(arg="subCommand", among=("restart" if act == "restart" else "undo",)),)
    if act == "restart":
        yield from _restarts(one, words)
    if "context" in words and act == "context":
        yield (Limit(arg="operation", among=("set",)),)
    if act == "change" and not words & {"forward", "context"}:
        if "rollout" in words:
            yield (Limit(arg="subCommand", among=("pause", "restart", "resume", "undo")),)
        else:
            yield ()


def _restarts(one: KnownTool, words: set[str]) -> Iterator[tuple[Limit, ...]]:
    """Yield the tests of calls that restart pods without saying so: a deleted one is started again."""
    if "delete" in words:
        yield (Limit(arg="resourceType", state="present"), Limit(arg="resourceType", like=_PODS_NAMED))
    if _PATCHES in one.tool.args:
        yield (Limit(arg=_PATCHES, state="present"), Limit(arg=_PATCHES, among=_RESTARTING))


def _in_place(one: KnownTool, where: tuple[Limit, ...], unless: tuple[Limit, ...], place: str) -> Iterator[ToolPart]:
    """Yield calls in a namespace: those that name it or all, or that may name it in a text or a file."""
    if not place or "namespace" not in one.tool.args:
        yield part_of(one, where=where, unless=unless)
        return
    yield part_of(one, where=(*where, Limit(arg="namespace", among=(place,))), unless=unless)
    if place == "default":
        yield part_of(one, where=(*where, Limit(arg="namespace", state="absent")), unless=unless)
    if "allNamespaces" in one.tool.args:
        every = (Limit(arg="allNamespaces", state="present"), Limit(arg="allNamespaces", among=(True,)))
        yield part_of(one, where=(*where, *every), unless=unless)
    for arg in _FREE:
        if arg in one.tool.args:
            yield part_of(one, where=(*where, Limit(arg=arg, state="present")), unless=unless)
    if one.code:
        for arg in ("subCommand", "name", "resourceType"):  # what begins with a dash is a flag
            yield part_of(one, where=(*where, Limit(arg=arg, like=("-*",))), unless=unless)
    if "resourceType" in one.tool.args:
        yield part_of(one, where=(*where, Limit(arg="resourceType", like=_HOLDING)), unless=unless)
