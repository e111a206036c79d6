"""The words of ordinary sentences: verbs with the verbs of tools that they mean, and nouns with their synonyms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class Verb:
    """The verbs in names of tools that a verb certainly means, and those that it may mean, for prohibitions.

    `deeds` are what it does to files. `light`: its noun names the action, as in "take screenshots".
    """

    surely: frozenset[str]
    perhaps: frozenset[str]
    deeds: frozenset[str] = frozenset()
    light: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READ = _words(
    "read get list search find view show describe fetch lookup check inspect browse retrieve status diff log info "
    "history count preview query stat tree select sample"
)
_CREATE = _words("create add make insert new open register book schedule draft generate issue")
_CHANGE = _words("edit update modify change patch set rename")
_CHANGE_MORE = _CHANGE | _words("write replace append apply label upsert")
_WRITE = _words("write create edit append save update put make mkdir store")
_DELETE = _words("delete remove trash erase destroy purge unlink")
_DELETE_MORE = _DELETE | _words("drop wipe clear clean prune empty uninstall rm terminate reset")
_SEND = _words("send email reply forward")
_POST = _words("post publish send tweet")
_VISIT = _words("navigate visit browse fetch open goto")
_NOTHING: frozenset[str] = frozenset()


def _verb(surely: frozenset[str], perhaps: frozenset[str] = _NOTHING, *deeds: str, light: bool = False) -> Verb:
    return Verb(surely=surely, perhaps=surely | perhaps, deeds=frozenset(deeds), light=light)


_LITERAL = """
    apply approve archive assign ban book cancel charge checkout click clone close commit configure convert deploy
    disable draft enable execute export fork import install kick kill lock merge mute pause pay pin print
    promote pull purchase push reboot rebase reject reopen reset restart restore run resume resize revert revoke rollback
    rotate scale schedule sell sign start stop submit subscribe suspend sync tag terminate trade transfer translate
    type unlock unpin unsubscribe void
"""
VERBS: Mapping[str, Verb] = {
    **{one: _verb(frozenset({one})) for one in _LITERAL.split()},
    **{
        one: _verb(READ, _NOTHING, "read")
        for one in ("read", "view", "see", "inspect", "examine", "review", "check", "consult", "look at", "look up")
    },
    **{one: _verb(_words("search find"), _words("query lookup"), "read") for one in ("search", "find", "search for")},
    "list": _verb(_words("list"), _NOTHING, "read"),
    "email": _verb(_words("send email"), _SEND),
    "describe": _verb(_words("describe"), _words("info"), "read"),
    **{one: _verb(READ, _NOTHING, "read") for one in ("get", "retrieve", "fetch")},
    **{one: _verb(_VISIT, _words("get")) for one in ("visit", "browse", "navigate to", "go to")},
    "open": _verb(_words("open create navigate visit"), _words("add new read get fetch"), "read"),
    **{one: _verb(_CREATE - {"draft", "issue"}, _CREATE, "write") for one in ("create", "make")},
    "add": _verb(_words("add create insert"), _CREATE, "write"),
    "insert": _verb(_words("insert add"), _words("create upsert")),
    "invite": _verb(_words("invite create update add schedule"), _words("share send")),
    **{one: _verb(_CHANGE, _CHANGE_MORE, "write") for one in ("edit", "update")},
    **{one: _verb(_CHANGE, _CHANGE_MORE | _DELETE, "write", "delete") for one in ("change", "modify")},
    **{one: _verb(_WRITE, _CHANGE_MORE, "write") for one in ("write", "save", "store")},
    **{one: _verb(_DELETE, _DELETE_MORE, "delete") for one in ("delete", "remove", "erase", "destroy")},
    "drop": _verb(_words("drop"), _words("delete")),
    "terminate": _verb(_words("terminate"), _words("destroy delete")),
    "send": _verb(_words("send email"), _SEND | _POST),
    "forward": _verb(_words("forward"), _words("send")),
    **{one: _verb(_POST, _SEND) for one in ("post", "publish")},
    **{one: _verb(_words("reply respond comment"), _SEND) for one in ("reply", "respond")},
    "comment": _verb(_words("comment")),
    "draft": _verb(_words("draft")),
    "label": _verb(_words("label")),
    "move": _verb(_words("move mv"), _words("rename")),
    "rename": _verb(_words("rename move")),
    "copy": _verb(_words("copy cp"), _words("duplicate")),
    "upload": _verb(_words("upload"), _words("put share")),
    "download": _verb(_words("download"), _words("save")),
    "share": _verb(_words("share"), _words("invite publish")),
    "install": _verb(_words("install")),
    **{one: _verb(_words("buy purchase order"), _words("checkout pay")) for one in ("buy", "purchase")},
    "rewrite": _verb(_words("rewrite")),
    "refund": _verb(_words("refund")),
    **{
        one: _verb(_NOTHING, light=True) for one in ("take", "issue", "do", "perform", "initiate", "process")
    },
}
CONTENTS = _words("result download output report data finding note summary change work draft")
CREATING = frozenset({"create", "make", "add", "open", "insert", "draft"})
EVERY_DEED = frozenset({"read", "write", "delete"})

# An action as a noun: "refunds need approval" is about tools that refund.
NOMINAL: Mapping[str, str] = {
    "refund": "refund",
    "transfer": "transfer",
    "payment": "pay",
    "comment": "comment",
    "deletion": "delete",
    "upload": "upload",
    "download": "download",
    "push": "push",
    "commit": "commit",
    "merge": "merge",
    "restart": "restart",
    "deployment": "deploy",
    "purchase": "purchase",
    "cancellation": "cancel",
    "deploy": "deploy",
}

_SYNONYMS = {
    "email": "mail e-mail inbox mailbox gmail",
    "event": "meeting appointment",
    "directory": "folder dir",
    "repository": "repo",
    "page": "site website webpage url link web",
    "instance": "vm machine",
    "customer": "client",
    "message": "msg",
    "database": "db",
    "picture": "photo image",
    "command": "cmd",
    "ticket": "case",
    "screenshot": "capture",
    "document": "doc",
}
_CANONICAL = {other: one for one, others in _SYNONYMS.items() for other in others.split()}
# Nouns that a sentence may use although no tool of this server has them.
KNOWN_NOUNS = (
    frozenset(_CANONICAL.values())
    | frozenset(NOMINAL)
    | _words(
        "file account balance branch calendar channel comment contact deployment draft invoice issue log member note "
        "order payee pod pull request product project row service shipping address snapshot table task transaction "
        "user view money record tool command query script tag release label attachment thread"
    )
)
ATTRIBUTES = _words("history info detail status content list metadata text data by id all body name")
ENVIRONMENTS = _words("production prod staging stage dev development test testing qa sandbox")
ENVIRONMENT_ARGS = _words("environment env namespace stage cluster")
BRANCHES = _words("main master develop trunk release")
CURRENCIES = _words("euro euros eur dollar dollars usd pound pounds gbp chf francs")


def singular(word: str) -> str:
    """Return a noun in the singular and in its canonical form, for example `folders` as `directory`."""
    word = word.lower()
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith(("sses", "shes", "ches", "xes", "sses")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        word = word[:-1]
    return _CANONICAL.get(word, word)


def bases_of(word: str, *, form: str) -> tuple[str, ...]:
    """Return the possible base forms of a verb: `form` is `base`, `ing` or `ed`."""
    word = word.lower()
    if form == "base":
        return (word,)
    irregular = {"sent": "send", "written": "write", "run": "run", "read": "read", "made": "make", "paid": "pay"}
    irregular |= {"done": "do", "taken": "take", "put": "put", "sold": "sell", "bought": "buy", "reset": "reset"}
    irregular |= {"shut": "shut", "begun": "begin", "seen": "see", "found": "find", "taking": "take"}
    if word in irregular and (form == "ed") == (not word.endswith("ing")):
        return (irregular[word],)
    ending = "ing" if form == "ing" else "ed"
    if not word.endswith(ending) or len(word) <= len(ending) + 1:
        return ()
    stem = word[: -len(ending)]
    found = [stem, f"{stem}e"]
    if len(stem) > 2 and stem[-1] == stem[-2]:
        found.append(stem[:-1])
    if stem.endswith("i"):
        found.append(f"{stem[:-1]}y")
    if stem == "ly":
        found.append("lie")
    return tuple(found)
