"""The words of ordinary sentences: verbs with the verbs of tools that they mean, and nouns with their synonyms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.language.values import DAY_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, kw_only=True)
class VerbMeaning:
    """The verbs in names of tools that a verb certainly means, and those that it may mean, for prohibitions.

    `deeds` are what it does to files. `light`: its noun names the action, as in "take screenshots".
    """

    surely: frozenset[str]
    perhaps: frozenset[str]
    deeds: frozenset[str] = frozenset()
    light: bool = False


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


READ = word_set(
    "read get list search find view show describe fetch lookup check inspect browse retrieve status diff info "
    "history count preview query stat tree select sample plan validate grep glob"
)
_CREATE = word_set("create add make insert new open register book schedule draft generate issue")
_CHANGE = word_set("edit update modify change patch set rename")
_CHANGE_MORE = _CHANGE | word_set("write replace append apply label upsert upgrade rollout")
_WRITE = word_set("write create edit append save update put make mkdir store")
_DELETE = word_set("delete remove trash erase destroy purge unlink")
_DELETE_MORE = _DELETE | word_set(
    "drop wipe clear clean prune empty uninstall rm rmdir terminate reset truncate flush discard expunge forget"
)
_SEND = word_set("send email reply forward text message notify dm")
_POST = word_set("post publish send tweet")
_VISIT = word_set("navigate visit browse fetch open goto")
_NOTHING: frozenset[str] = frozenset()


def _verb(surely: frozenset[str], perhaps: frozenset[str] = _NOTHING, *deeds: str, light: bool = False) -> VerbMeaning:
    return VerbMeaning(surely=surely, perhaps=surely | perhaps, deeds=frozenset(deeds), light=light)


_LITERAL = """
    apply approve archive assign ban book charge checkout click clone close commit configure convert deploy
    disable draft enable execute export fork import install kick kill lock merge mute pause pay pin print
    promote pull purchase push reboot rebase reject reopen reset restart restore run resume resize accept decline
    revert revoke rollback star unstar trash unarchive markread markunread markspam markimportant
    rotate scale sell sign start stop submit subscribe suspend sync tag terminate trade transfer translate
    type unlock unpin unsubscribe void
"""
_LOOKING = ("look at", "look up", "look through", "go through")
VERBS: Mapping[str, VerbMeaning] = {
    **{one: _verb(frozenset({one})) for one in _LITERAL.split()},
    **{
        one: _verb(READ, _NOTHING, "read")
        for one in ("read", "view", "see", "inspect", "examine", "review", "check", "consult", *_LOOKING)
    },
    **{
        one: _verb(word_set("search find grep glob"), word_set("query lookup"), "read")
        for one in ("search", "find", "search for")
    },
    "list": _verb(word_set("list ls glob tree"), _NOTHING, "read"),
    "email": _verb(word_set("send email"), _SEND),
    "describe": _verb(word_set("describe"), word_set("info"), "read"),
    **{one: _verb(READ, _NOTHING, "read") for one in ("get", "retrieve", "fetch")},
    **{one: _verb(_VISIT, word_set("get")) for one in ("visit", "browse", "navigate to", "go to")},
    "open": _verb(word_set("open create navigate visit"), word_set("add new read get fetch"), "read"),
    **{
        one: _verb(_CREATE - {"draft", "issue"}, _CREATE | word_set("install deploy apply"), "write")
        for one in ("create", "make")
    },
    "add": _verb(word_set("add create insert"), _CREATE, "write"),
    "insert": _verb(word_set("insert add"), word_set("create upsert")),
    "invite": _verb(word_set("invite create update add schedule"), word_set("share send")),
    **{one: _verb(_CHANGE, _CHANGE_MORE, "write") for one in ("edit", "update")},
    **{one: _verb(_CHANGE, _CHANGE_MORE | _DELETE, "write", "delete") for one in ("change", "modify")},
    **{one: _verb(_WRITE, _CHANGE_MORE | word_set("insert add"), "write") for one in ("write", "save", "store")},
    **{one: _verb(_DELETE, _DELETE_MORE, "delete") for one in ("delete", "remove", "erase", "destroy")},
    "purge": _verb(_DELETE - {"trash"}, _DELETE_MORE - {"trash"}, "delete"),  # for good
    "drop": _verb(word_set("drop"), word_set("delete")),
    "terminate": _verb(word_set("terminate"), word_set("destroy delete")),
    "send": _verb(word_set("send email"), _SEND | _POST),
    "forward": _verb(word_set("forward")),
    **{one: _verb(_POST, _SEND) for one in ("post", "publish")},
    **{one: _verb(word_set("reply respond comment"), _SEND) for one in ("reply", "respond", "reply to", "respond to")},
    "comment": _verb(word_set("comment")),
    "draft": _verb(word_set("draft")),
    **{one: _verb(word_set("label")) for one in ("label", "unlabel", "relabel")},
    "move": _verb(word_set("move mv"), word_set("rename")),
    "rename": _verb(word_set("rename move")),
    **{one: _verb(word_set("pay"), word_set("charge transfer send")) for one in ("pay",)},
    **{one: _verb(word_set("transfer wire"), word_set("send pay withdraw")) for one in ("transfer", "wire")},
    "spend": _verb(_NOTHING, light=True),
    "order": _verb(word_set("order purchase buy checkout"), word_set("pay")),
    **{one: _verb(word_set("book reserve schedule"), word_set("order purchase create")) for one in ("book", "reserve")},
    "put": _verb(word_set("add put"), word_set("create update")),
    **{one: _verb(word_set("search find list get"), word_set("query lookup"), "read") for one in ("look for",)},
    **{one: _verb(word_set("share grant give"), word_set("invite add update set")) for one in ("give", "grant")},
    **{one: _verb(_CHANGE, _CHANGE_MORE) for one in ("reschedule", "adjust", "alter", "set", "correct")},
    "overwrite": _verb(_WRITE - {"create", "append", "mkdir"}, _CHANGE_MORE | {"create"}, "write"),
    **{one: _verb(word_set("close resolve"), word_set("solve complete")) for one in ("close", "resolve")},
    "assign": _verb(word_set("assign"), word_set("reassign")),
    **{one: _verb(word_set("fire dismiss terminate"), word_set("delete remove")) for one in ("fire", "dismiss")},
    "escalate": _verb(word_set("escalate")),
    "react": _verb(word_set("react")),
    "ship": _verb(word_set("ship deploy"), word_set("release")),
    "roll back": _verb(word_set("rollback revert undo"), word_set("reset restore")),
    "shut down": _verb(word_set("shutdown stop terminate"), word_set("destroy delete")),
    **{one: _verb(word_set("open create file raise")) for one in ("raise", "file")},
    **{one: _verb(word_set("call phone dial")) for one in ("call", "phone")},
    **{one: _verb(word_set("kill delete terminate stop"), word_set("destroy")) for one in ("kill",)},
    "cancel": _verb(word_set("cancel"), word_set("delete remove void")),
    "schedule": _verb(word_set("schedule create add book"), word_set("update set")),
    "copy": _verb(word_set("copy cp"), word_set("duplicate")),
    "upload": _verb(word_set("upload"), word_set("put share")),
    "download": _verb(word_set("download"), word_set("save")),
    "share": _verb(word_set("share"), word_set("invite publish")),
    "install": _verb(word_set("install")),
    "turn on": _verb(frozenset({"turn on"}), word_set("enable activate start")),
    "turn off": _verb(frozenset({"turn off"}), word_set("disable deactivate stop")),
    **{one: _verb(word_set("buy purchase order"), word_set("checkout pay")) for one in ("buy", "purchase")},
    "rewrite": _verb(word_set("rewrite")),
    **{one: _verb(word_set("extract unpack unzip")) for one in ("extract", "unpack", "unzip")},
    "back up": _verb(word_set("backup"), word_set("dump snapshot")),
    "refund": _verb(word_set("refund")),
    **{
        one: _verb(_NOTHING, light=True)
        for one in ("take", "issue", "do", "perform", "initiate", "process", "place", "apply")
    },
}
TOUCH_SITES = "touch sites"  # has a space, so that no sentence contains it as one verb
LEAVE_ALONE = "leave alone"  # any tool, if a call shows that it is for the thing; looking at lists does nothing to it
GIVE_VALUES = "give values"  # any tool that does not only read
CONTENTS = word_set("result download output report data finding note summary change work draft")
CREATING = frozenset({"create", "make", "add", "open", "insert", "draft"})
DAY_WORDS = frozenset(form for day in DAY_NAMES for form in (day, f"{day}s"))
MONTHS = word_set("january february march april may june july august september october november december")
# What is made or brought is new: "install new packages" are all packages.
BRINGING = CREATING | word_set("install register schedule book order invite buy purchase upload subscribe start deploy")

# Verbs whose participle is a state that things have afterwards: "closed", "archived".
ENDING = word_set(
    "close resolve cancel archive publish complete finish approve reject suspend pause ship deliver refund void lock "
    "delete activate deactivate enable disable dismiss"
)

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
    "discount": "discount",
    "booking": "book",
    "reservation": "reserve",
    "order": "order",
    "charge": "charge",
    "withdrawal": "withdraw",
    "check-in": "check_in",
    "check-out": "check_out",
    "wire": "wire",
    "removal": "remove",
    "reply": "reply",
    "backup": "back up",
}

# Nouns of actions that are read as their verb: "changes to contacts", "contact exports".
ACTIONS: Mapping[str, str] = {
    "addition": "add", "alteration": "alter", "assignment": "assign", "change": "change", "closure": "close",
    "creation": "create", "edit": "edit", "export": "export", "installation": "install", "modification": "modify",
    "publication": "publish", "rename": "rename",
    "reboot": "reboot", "rejection": "reject", "rollback": "roll back", "rotation": "rotate",
    "shutdown": "shut down", "suspension": "suspend", "termination": "terminate", "update": "update",
    "upgrade": "upgrade", "discharge": "discharge", "rental": "rent",
    "shipment": "ship", "delivery": "deliver", "disclosure": "share", "registration": "register",
    "subscription": "subscribe",
}  # fmt: skip

_SYNONYMS = {
    "email": "mail e-mail inbox mailbox gmail outlook imap",
    "event": "meeting appointment",
    "invitation": "invite",
    "user": "account-holder",
    "order": "purchase-order",
    "directory": "folder dir subfolder subdirectory sub-folder",
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
    "organization": "organisation",
    "index": "indexes indices",
    "permission": "right privilege",
}
_CANONICAL = {other: one for one, others in _SYNONYMS.items() for other in others.split()}
# Nouns that a sentence may use although no tool of this server has them.
KNOWN_NOUNS = (
    frozenset(_CANONICAL.values())
    | frozenset(NOMINAL)
    | word_set(
        "file account balance branch calendar channel comment contact deployment draft invoice issue log member note "
        "order payee pod pull request product project row service shipping address snapshot table task transaction "
        "user view recipient beneficiary money record tool command query script tag release label attachment thread"
    )
)
MONEY = word_set("money fund cash")
# Things that tools act on, in headings: "## Flights and hotels" only names what the text below is about.
THINGS = (KNOWN_NOUNS | MONEY) - word_set("draft") | word_set(
    "action agent airline api app application article backup bill booking browser car card cart case catalog "
    "chat client cloud cluster code coding communication compensation conversation data device directory drive "
    "entity environment "
    "exchange filesystem flight form github git gmail group guest home hotel identity image infrastructure internet "
    "job key kubernetes lead library list location machine mail management media meeting model network news notebook "
    "office package passenger people phone picture plan playlist post process profile property question "
    "registration remote report reservation resource result return room sale schedule schema server session sheet "
    "shell shop shopping site slack sql storage streaming subscription support system technology terminal test text "
    "tool train travel trip type video wallet web wiki work workspace world"
)
ATTRIBUTES = word_set("level overview history info detail status content list metadata text data by id all body name")
# A noun that says nothing about the thing: "customer records" are customers.
GENERIC = word_set("record entry detail info information data profile item object")
FILE_TYPES = word_set(
    "pdf csv docx doc xlsx xls pptx txt md jpg jpeg png gif webp svg zip exe json xml html parquet yaml yml sql mp3 mp4"
)
# How files of a format are called otherwise, and languages by their codes.
FORMATS: Mapping[str, tuple[str, ...]] = {
    "excel": ("xlsx", "xls"), "word": ("docx", "doc"), "powerpoint": ("pptx",), "markdown": ("md",),
    "jpeg": ("jpg",), "jpg": ("jpeg",), "german": ("de",), "english": ("en",), "french": ("fr",), "spanish": ("es",),
    "italian": ("it",), "dutch": ("nl",), "portuguese": ("pt",), "polish": ("pl",), "danish": ("da",),
    "swedish": ("sv",), "norwegian": ("no", "nb"),
}  # fmt: skip
# "In bulk" and "at night" are no places: these nouns without an article name none.
NO_PLACES = word_set(
    "accident action addition advance afternoon anger autumn average bad batch batches bed behalf breakfast bulk "
    "business cap caps capital capitals case cash caution chunk chunks church class colour color college common "
    "confidence contact court credit danger debt default demand depth detail dinner disguise doubt draft duty "
    "earnest effect emergency emergencies error evening exchange fact favor favour fire first focus foot force "
    "full fun future general good group groups half hand haste holiday home hospital house hurry jail jest kind "
    "last lieu line lockstep loop loops lowercase lunch mind mistake morning need night noon once one operation "
    "order pain pair pairs panic paper parallel part particular parts passing past peace person place plaintext "
    "plural position practice premises preparation presence principle print prison private production progress "
    "public purpose question quiet random reality regard reply request respect response retrospect return reverse "
    "rotation round rounds sale school scope sea search secret sequence series shape short sight silence singular "
    "site small spring stage stock style succession summary summer support sync tandem terms text theory third "
    "time times total touch town transit trouble trust turn turns two unison university uppercase use vacation "
    "vain view weekday weekdays weekend weekends winter work worst writing"
)
ACCESS = word_set("access permission role level")  # what somebody may do with a thing
ENVIRONMENTS = word_set("production prod staging stage dev development test testing qa sandbox")
ENVIRONMENT_ARGS = word_set("environment env namespace stage cluster")
SAYING = word_set("post send write")  # what is done with a message
# Values that are kinds of another one: who plays no music plays no album.
KINDS: Mapping[str, frozenset[str]] = {
    "music": word_set("album artist track song single playlist genre composer"),
}
# Such words may mean the others as well, or only themselves.
LOOSE_KINDS: Mapping[str, frozenset[str]] = {
    "video": word_set("movie film clip episode tv_show show series trailer stream"),
    "film": word_set("movie"),
    "movie": word_set("film"),
    "image": word_set("photo picture screenshot png jpg jpeg gif svg"),
    "picture": word_set("photo image screenshot png jpg jpeg gif"),
    "photo": word_set("image picture"),
    "document": word_set("pdf spreadsheet presentation sheet slide report letter contract file"),
    "audio": word_set("music podcast song track voice"),
    "media": word_set("image photo video audio picture music movie"),
    "message": word_set("email mail sms dm chat text whatsapp"),
    "meal": word_set("breakfast lunch dinner snack"),
    "vehicle": word_set("car truck van bike motorcycle bus"),
}
TALKS = word_set("chat conversation")  # what is in them are messages
MENTIONS = frozenset({"@channel", "@here", "@everyone", "@all"})  # that notify everybody in a chat
BRANCHES = word_set("main master develop trunk")
NO_BRANCHES = word_set("base head source target default current same upstream feature")  # kinds, and no names
MAYBE_BRANCHES = BRANCHES | word_set("release production prod staging stable dev development gh-pages")
CURRENCIES = word_set("euro euros eur dollar dollars usd pound pounds gbp chf francs")

SIGNS: Mapping[str, str] = {"$": "sign", "\u20ac": "eur", "\u00a3": "gbp"}  # there are many dollars
CURRENCY_CODES: Mapping[str, str] = {
    **dict.fromkeys(("euro", "euros", "eur"), "EUR"),
    **dict.fromkeys(("dollar", "dollars", "usd"), "USD"),
    **dict.fromkeys(("pound", "pounds", "gbp"), "GBP"),
    **dict.fromkeys(("franc", "francs", "chf"), "CHF"),
}


def is_name(word: str) -> bool:
    """Return whether a word before a noun is a name and no adjective: `salaries` in "the salaries table", `web-1`.

    An adjective must never be taken for a name: "never delete the protected branch" would forbid almost nothing.
    """
    plural = word.endswith("s") and not word.endswith(("ss", "us"))
    return plural or any(not one.isalpha() for one in word)


ADJECTIVES = word_set(
    "external internal incoming outgoing foreign "
    "actual all another any bad best big black blue bulk busy central cheap clean clear common complete confirmed "
    "correct "
    "critical current daily dead deep different direct dry due early easy empty entire existing extra false fast few "
    "final "
    "fine first free fresh full future given good green half happy hard heavy high hot huge important inner "
    "joint key large last late latest least left less light likely little live local long loose low main major many "
    "minor "
    "modern more most narrow near new next nice normal odd official okay old only open other outer overdue own "
    "paid past pending plain poor popular possible present previous prior private proper public quick quiet rare "
    "raw ready real recent red regular related relevant rich right risky safe same secret secure select senior "
    "sensitive "
    "separate serious several shared sharp short similar simple single slow small some sour special spare specific "
    "stable "
    "stale standard strange strict strong such tall temporary tiny top total tough true unpaid unread upper urgent "
    "used usual valid various weak weekly whole wide wrong young"
)
_ADJECTIVE_ENDINGS = (
    "able",
    "ible",
    "ful",
    "less",
    "ous",
    "ive",
    "ical",
    "ial",
    "onal",
    "ed",
    "ing",
    "est",
    "ary",
    "ant",
)


def is_adjective(word: str) -> bool:
    """Return whether a word before a noun may describe it, as in "the shared calendar", and so is no name."""
    low = word.lower()
    return low in ADJECTIVES or (low.endswith(_ADJECTIVE_ENDINGS) and low not in ENVIRONMENTS)


_NO_PLURALS = word_set("sms dns gps cms css tls aws https")


_ON_US = frozenset({"bonus", "status", "virus", "campus", "bus", "census", "focus"})


def singular(word: str) -> str:
    """Return a noun in the singular and in its canonical form, for example `folders` as `directory`."""
    word = word.lower()
    if word in _NO_PLURALS:
        return word
    if word == "menus":
        return "menu"
    if word.endswith("uses") and word[:-2] in _ON_US:
        word = word[:-2]
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        word = word[:-1]
    return _CANONICAL.get(word, word)


_IRREGULAR: Mapping[str, str] = {
    "sent": "send", "written": "write", "run": "run", "read": "read", "made": "make", "paid": "pay", "done": "do",
    "taken": "take", "put": "put", "sold": "sell", "bought": "buy", "reset": "reset", "set": "set", "given": "give",
    "built": "build", "shown": "show", "spent": "spend", "lent": "lend", "hidden": "hide", "withdrawn": "withdraw",
    "cut": "cut", "kept": "keep", "drawn": "draw", "frozen": "freeze", "held": "hold", "told": "tell",
    "brought": "bring", "chosen": "choose", "fed": "feed", "overwritten": "overwrite", "rewritten": "rewrite",
    "undone": "undo", "resent": "resend", "led": "lead", "shut": "shut", "begun": "begin", "seen": "see",
    "found": "find", "taking": "take",
}  # fmt: skip

DONE: Mapping[str, str] = {base: done for done, base in _IRREGULAR.items()}  # `frozen` for "freeze"


def bases_of(word: str, *, form: str) -> tuple[str, ...]:
    """Return the possible base forms of a verb: `form` is `base`, `ing` or `ed`."""
    word = word.lower()
    if form == "base":
        return (word,)
    if word in _IRREGULAR and (form == "ed") == (not word.endswith("ing")):
        return (_IRREGULAR[word],)
    if form == "s":
        plain = word.removesuffix("s")
        return (plain, word.removesuffix("es"), f"{word[:-3]}y") if word.endswith("s") and len(word) > 3 else ()
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


def in_case_of(like: str, word: str) -> str:
    """Return a word with a capital if the one that it is written for begins with one."""
    return word.capitalize() if like[0].isupper() else word
