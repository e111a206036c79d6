"""Replaces what people say of the messages of a chat by plain words: "posts in #a go out only after", "send to #a".

What is sent or written in a chat is posted there, a post is a message, and a reaction is always one to a message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import in_case_of, singular, word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_POSTING = word_set("post send add write publish")
_OTHERS = word_set("send post write email compose draft publish reply")
_ONES = r"(?:(?:an?|any|no|all|the|my|our|your|every|each|new|further|other|more than \w+|at most \w+) )*"
_SAID = re.compile(
    r"(?<![-#@/.])\b(?P<verb>[Ss]end(?:ing)?|[Ww]rit(?:e|ing)|(?<=\bbe )(?:sent|written))\b(?![-/_]|\.\w)"
    rf"(?= {_ONES}(?:messages?|posts?|anything|nothing|something|to|in)\b|[.,;]?$|"
    r" (?:by|on|at|before|after|without|unless|between|only) )"
)
_POSTED = {"g": "posting", "t": "posted", "n": "posted", "d": "post", "e": "post"}
_POSTS = re.compile(
    r"(?:^|\b(?P<one>[Nn]o|[Aa]ny|all|your|my|the|new|[Rr]ead|[Rr]eading|than \w+|most \w+) )"
    r"[Pp]osts\b|(?P<a>\b(?:an?|every|each|any|no) (?:new )?)post\b(?! (?:to|in|on|at|nothing|anything)\b)"
)
_PLACE = r"(?P<place>(?: (?:in|to) [^\s,;]+(?:(?:,| and| or) #[^\s,;]+)*(?: channel)?)?)"
_MESSAGES = r"(?:(?:[Aa]ny|[Aa]ll|[Ee]very|[Ee]ach|[Nn]ew) )?[Mm]essages?"
_JUDGED = re.compile(
    rf"^{_MESSAGES}{_PLACE} (?:(?P<need>needs?|requires?)(?= (?:my|our|an?) )|"
    r"(?:is|are)(?= (?:strictly |always )?(?:forbidden|prohibited|banned|not allowed|not ok|fine|ok|okay|allowed)\b))"
)
_GO_OUT = re.compile(
    rf"^{_MESSAGES}{_PLACE} (?:(?:may|can|must|should) )?(?:only go|go(?:es)?) out (?:only )?(?=after|if|when|once)"
)
_GOING = re.compile(r"\b(?P<may>may|can|must|should|must not|may not|must never) go(?: out)? (?P<to>to|in|into) (?=#)")
_KEPT = re.compile(
    r"^(?:[Pp]lease )?(?:[Aa]lways )?[Kk]eep (?:(?:every|each|all|any|the|all the|your|all your) )?messages? "
    r"(?P<how>(?:under|below|shorter than|within|at|to) (?:at most |a maximum of )?\d+ characters)(?=[.!]?$)"
)
_YOURS = re.compile(
    r"\b(?P<open>in|of) (?:your|any of your|any|the) (?P<what>messages)(?=[.,;!]?$| (?:in|to|without|unless) )"
)
_REACTIONS = re.compile(
    r"(?P<what>\b(?:emoji )?reactions?) (?:to|from|on) (?:(?:an?|any|the|other|my|our|your) )?"
    r"messages?\b(?! (?:from|of|by)\b)"
)
_REACT = re.compile(
    r"(?<!or )(?<!and )(?<!, )\b(?P<verb>[Rr]eact(?:ing)?)"
    r"(?: to (?:(?:an?|any|the|other|my|our|your) )?messages?)?(?: with (?:an? )?emojis?)?"
    r"(?=[.,;!]?$|, | (?:in|but|without|unless|on) )"
)
_CHANNELS = r"(?P<where>(?:the )?#[\w-]+(?:(?:, | and | or |, and |, or )(?:the )?#[\w-]+)*(?: channels?)?)"
# "Never read #payroll": what is read are its messages
_READ = re.compile(
    rf"\b(?P<verb>[Rr]ead(?:ing)?|[Ll]ook(?:ing)? (?:at|in|into|through)|[Vv]iew(?:ing)?|[Ss]ee|[Cc]heck(?:ing)?|"
    rf"[Ss]earch(?:ing)?|[Oo]pen(?:ing)?) {_CHANNELS}(?=[.,;!]?$|[,;.] | (?:without|unless|but|and|or|on|at|between) )"
)
_EVERY = re.compile(
    r"\b(?P<k>keep )(?:every|each|all|all your|your) (?:slack |discord |teams )?messages? ", re.IGNORECASE
)
_DIRECTLY = re.compile(
    r"\b(?P<verb>[Mm]essag(?:e|ing)|[Ww]rit(?:e|ing)(?: to)?|[Dd][Mm](?:ing)?|[Cc]ontact(?:ing)?) "
    r"(?:anyone|anybody|people|someone|users?|members?|others|colleagues|my team)"
    r"(?P<how> (?:directly|privately|in private|by (?:dm|direct message)))?"
    r"(?=[.,;!]?$| (?:without|unless|is|needs?|requires?) )"
)
_TAGS = r"@(?:channel|here|everyone|all)(?:(?:,|/| or| and|, or) ?@(?:channel|here|everyone|all))*"
_TAGGED = re.compile(
    r"\b(?P<verb>[Tt]ag(?:ging)?|[Pp]ing(?:ing)?|[Nn]otify(?:ing)?|[Mm]ention(?:ing)?|[Uu]s(?:e|ing)) "
    rf"(?P<who>{_TAGS})"
)
# "Add reactions anywhere" says no more than to add them
_ANYWHERE = re.compile(
    r"(?<=[a-z]) (?:anywhere|everywhere|in (?:any|every) channel|in all channels)"
    r"(?=[.,;!]?$|[,;] | (?:without|unless)\b)"
)
# "No @here in messages, ever"
_NO_TAGS = re.compile(
    rf"^[Nn]o (?P<who>{_TAGS})(?: (?:pings?|mentions?|tags?|notifications?|messages?|posts?))?"
    r"(?: (?:in|on|to|at) (?:(?:any|the|your|our|all) )?(?:messages?|posts?|channels?|slack))?"
    r"(?=[.,;!]|$| (?:without|unless))"
)
_ANY_OF = re.compile(
    r"^(?P<first>[^,;]+)(?P<joint>(?:,|;)? but [^,;]*\b(?:write|send|post|create|add|make|delete|edit|remove)) "
    r"(?:any|one)(?: yourself| of your own)?(?P<end>[.!]?)$"
)


def with_read_channels(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with "read messages in #payroll" for "read #payroll", and "send direct messages" for "dm"."""
    if "`" in text or '"' in text or not _is_chat(toolbox):
        return text
    return _DIRECTLY.sub(_direct, _READ.sub(_reading_in, text))


def with_plain_messages(text: str, toolbox: Toolbox) -> str:
    """Return a sentence about the messages and reactions of a chat in plain words. Quoted text stays."""
    if "`" in text or '"' in text or not _is_chat(toolbox):
        return text
    text = _ANY_OF.sub(lambda found: _with_noun(found, toolbox), text)
    if "post" not in {one.head for one in toolbox.tools}:
        text = _POSTS.sub(_message, text)
    if not any(one.paths for one in toolbox.tools):
        text = _ANYWHERE.sub("", text)
    text = _NO_TAGS.sub(lambda found: f"Never post messages with {found['who'].replace('/', ' or ')}", text)
    text = _TAGGED.sub(_mentioning, text)
    text = _EVERY.sub(lambda found: f"{found['k']}messages ", text)
    text = _KEPT.sub(lambda found: f"Messages must be {_bound(found['how'])}", text)
    text = _YOURS.sub(lambda found: f"{found['open']} {found['what']}", text)
    text = _GO_OUT.sub(lambda found: f"Messages{found['place']} may only be posted ", text)
    text = _JUDGED.sub(lambda found: f"Posting messages{found['place']} {'needs' if found['need'] else 'is'}", text)
    text = _GOING.sub(lambda found: f"{found['may']} be posted {found['to']} ", text)
    reactions = [one for one in toolbox.tools if one.head == "reaction"]
    if reactions and all("message" in one.told_words for one in reactions):
        text = _REACTIONS.sub(lambda found: found["what"], text)
        adding = "react" not in toolbox.verbs and any("add" in one.verbs for one in reactions)
        text = _REACT.sub(_reacting, text) if adding else text
    return _SAID.sub(_posted, text) if _adds_messages(toolbox) else text


def _is_chat(toolbox: Toolbox) -> bool:
    """Return whether messages are posted, and none of them is an e-mail."""
    heads = {one.head for one in toolbox.tools}
    return "email" not in heads and any(one.head == "message" and one.verbs & _POSTING for one in toolbox.tools)


def _adds_messages(toolbox: Toolbox) -> bool:
    """Return whether messages are posted by a tool that adds them, and nothing else is sent or written here."""
    adding = any(one.head == "message" and "add" in one.verbs for one in toolbox.tools)
    return adding and toolbox.verbs.isdisjoint(_OTHERS)


def _posted(found: re.Match[str]) -> str:
    verb = _POSTED[found["verb"][-1]]
    return in_case_of(found["verb"], verb)


def _reading_in(found: re.Match[str]) -> str:
    """Return "read messages in #payroll" for "look at #payroll"."""
    verb = found["verb"].lower()
    said = "search" if verb.startswith("search") else "read"
    return f"{in_case_of(found['verb'], said + 'ing' * ('ing' in verb))} messages in {found['where']}"


def _direct(found: re.Match[str]) -> str:
    """Return "send direct messages" for "message anyone directly". Who writes to people may write in a channel."""
    private = found["how"] is not None or found["verb"].lower().startswith("dm")
    form = "sending" if found["verb"].lower().endswith("ing") else "send"
    verb = form if found["verb"][:2] == "DM" and found.start() else in_case_of(found["verb"], form)
    return f"{verb} direct messages" if private else found[0]


def _mentioning(found: re.Match[str]) -> str:
    """Return "post messages with @channel" for "tag @channel"."""
    form = "posting" if found["verb"].lower().endswith("ing") else "post"
    return f"{in_case_of(found['verb'], form)} messages with {found['who']}"


def _reacting(found: re.Match[str]) -> str:
    verb = "adding" if found["verb"].endswith("ing") else "add"
    return f"{in_case_of(found['verb'], verb)} reactions"


def _message(found: re.Match[str]) -> str:
    """Return "messages" for "posts", and "a message" for "a post"."""
    if found["a"]:
        return f"{found['a']}message"
    return f"{found['one']} messages" if found["one"] else "Messages"


def _bound(text: str) -> str:
    """Return "at most 300 characters" for "to 300 characters"."""
    return re.sub(r"^(?:within|at|to) (?:at most |a maximum of )?", "at most ", text)


def _with_noun(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "but you cannot write any messages" for "but you cannot write any", after the only things it can be."""
    heads = {one.head for one in toolbox.tools}
    words = [word for word in re.findall("[a-z]+", found["first"]) if word.endswith("s") and singular(word) in heads]
    return f"{found['first']}{found['joint']} any {words[0]}{found['end']}" if len(words) == 1 else found[0]
