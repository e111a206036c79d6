"""Replaces phrases by shorter ones with the same meaning, so that the frames need to know only one of them.

A phrase is only replaced by one that means exactly the same. A word that nobody knows stays where it is.
"""

from __future__ import annotations

import re
from itertools import accumulate

from retouch.recipes.policy.english.words import idioms
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.tokens import Token

_AGENT = r"(?:it|yourself|claude|(?:the|this|my|our|your) (?:\w+ )?(?:agent|assistant|bot|ai|model))"
_YOU = rf"(?:you|{_AGENT})"
_MODAL = r"(?:must|may|can|should|shall)"
_CAN = rf"(?:{_MODAL}|could|will|would|are|is|do|does)"
_NO_CASE = (
    r"(?:under no circumstances?|under no condition|in no circumstances|at no time|in no case|at no point|"
    r"by no means|on no account|in no event|in no way)"
)
_NEVER = (
    rf"(?:{_NO_CASE}|never ever|never , ever|absolutely never|never under any circumstances|never in any case|never)"
)
_TO = r"(?:(?:allowed|permitted|authorized|authorised|supposed|meant) to|to)"
_CLEAR = r"(?:explicit|prior|full|express|clear|written|personal|direct)"
_CONSENT = rf"(?:my|our|the user's|a human's|human|manual|user|explicit|prior)(?: {_CLEAR})* {idioms.APPROVAL}"
_NEEDED = r"(?:is|are) (?:always )?(?:required|needed|necessary|mandatory|a must)"
_NEED = (
    rf"^{idioms.YOU} (?:always )?(?:needs?|will need|requires?|(?:must|should|need to) (?:have|get|"
    rf"obtain)) {_CONSENT}(?: first)?"
)
# Somebody of the house. A customer who is asked is no approval.
_STAFF = (
    r"(?:(?:mr|mrs|ms|miss|dr|prof)\.? [a-z-]+(?: (?!not |never |no |only )[a-z-]+)?|"
    r"(?:the|our|my) (?:front office|back office|office|front desk|head office|reception|accounting|bookkeeper|"
    r"secretary|librarian|owner|team|team lead|boss|chef|director|colleagues?|partner|wife|husband|"
    r"(?:night |duty |shift |office |shop |store |account |project )?manager))"
)
_WANTING = (
    r"(?:(?:if|when|whenever|any time|every time|each time|in case) you (?:want|need|wish|plan|intend|have|would like|"
    r"are about|are going) to|before you(?: (?:ever|even|actually))?(?: (?:decide to|start to|go and|go ahead and))?)"
)
_THEY_ARE = r"(?:is|are|lies|lie|lives|live|sits|sit)"
_NUMBER = (
    r"[$\u20ac\u00a3]?\d[\d.,]*[%\u20ac$\u00a3]?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|"
    r"twenty|thirty|fifty|"
    r"a dozen|an hour|once|twice"
)
_STORED = "(?: stored| located| saved| kept)?"
_OPENING = (
    r"(?:also|so|additionally|in addition|furthermore|moreover|finally|of course|obviously|naturally|importantly|"
    r"above all|most importantly|(?:important|rule|note|remember|reminder|warning) ,|"
    r"(?:note|remember|be aware|keep in mind|bear in mind)(?: that)?)"
)
_IN = r"(?= (?:in|inside|under|below|within|outside) )"
_AS_IT_IS = r"(?:alone|untouched|unchanged|as (?:it is|they are))"
_HAVE_TO = "(?:must|should|is to|are to|will|has to|have to|needs? to)"
_AS_NOW = (
    r"(?:unchanged|untouched|intact|as (?:it is|they are|is)(?: now)?|(?:the|just the) way (?:it is|they are)(?: now)?)"
)
_STAY = rf"(?:must|should|has to|have to|needs? to) (?:be left|remain|stay)(?: exactly)? {_AS_IT_IS}"
_CONTAINING = r"(?:with|containing|mentioning|(?:that|which) (?:contains?|mentions?|includes?|uses?))"
_FORCED = word_set(
    "push pushes pushing delete deletes deleting remove removing merge merges merging close closing stop stopping "
    "restart restarting update updating overwrite overwriting"
)
_MESSAGES = r"(?: (?:the|any|all|all the) (?:messages?|history|posts|content)| messages| posts) (?:in|of|from)"
# What a phrase is replaced by, and patterns of such phrases over words that are joined by blanks.
PATTERNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "",
        (
            r"(?:, )?(?<!as you )(?:please|kindly)$",
            r"(?<!as you )(?:please|kindly)(?: ,)?",
            r", (?:thanks|thank you|ok|right)$",
            r"(?:by hand|manually)$",
            rf"^{_OPENING}(?: ,)?",
            r"^(?:make sure|ensure|see to it|be sure)(?: that)?(?= (?:no|nothing|you (?:never|do not|only|ask)) )",
            r"^(?:could|can|would|will) you(?= (?:always |first )?(?:ask|check|confirm|never|not|make sure|consult) )",
            r"(?:straight|directly)(?= (?:to|into|on) )",
            r"(?:at night|overnight|(?:in|during) the (?:morning|evening|night))(?: ,)?(?= (?:between|from) \d)",
        ),
    ),
    # Prohibitions
    (
        "never read or change anything {rest}",
        (
            (
                r"^(?:please )?leave (?:everything|anything|all files|files) (?P<rest>(?:in|under|inside|below|within) "
                r"[^,;]+?) alone , (?:(?:and that )?includ(?:ing|es) reading|reading included)$"
            ),
        ),
    ),
    (
        "never",
        (
            rf"^{_NEVER} {_CAN} {_YOU}(?: ever)?(?: {_TO})?",
            rf"^{_NEVER}",
            rf"^(?:never|do not|{_YOU} {_MODAL} not) , (?:{idioms.EVER.pattern}) ,",
            rf"^{_YOU} (?:is|are) (?:not|never) to(?! be )",
            rf"^(?:do not|never) (?:ever )?(?:let|allow|permit) {_AGENT}(?: to)?",
            rf"^{_YOU} {_MODAL} (?:not|never) ever",
            r"^do not you (?:ever )?dare(?: to)?",
            r"^(?:you|nobody) (?:had|would) better (?:not|never)",
            r"^(?:think twice|be warned) , (?:do not|never)",
            rf"^(?:prevent|stop|keep|block) {_AGENT} from",
            rf"^{_YOU} (?:have|has|get|gets) no (?:right|authority|license|reason|mandate|clearance) to",
            r"^i would (?:rather|prefer)(?: that| it if)? you (?:did not|do not|not|never)",
            r"^(?:i|we) (?:would|will) (?:never|not) (?:want|allow|permit) you to",
        ),
    ),
    (
        "look at",
        (r"(?:have|take) a (?:quick |close |good )?(?:look|peek) (?:at|into|in)", r"(?:look into|peek (?:at|into))"),
    ),
    (
        "keep out of",
        (
            r"^(?:always )?keep (?:your|its) (?:hands|fingers|paws|nose) (?:off|out of|away from)",
            r"^(?:stay|hands|keep|stay well|get) (?:off|out of|well away from|away from|clear of)",
            rf"^{_YOU} (?:have|has) (?:no|nothing) (?:business|to do|to look for) (?:in|with|inside)",
            r"^(?:never|do not) (?:ever )?(?:go|look|poke around|set foot|snoop) (?:near|into|in|inside|around in)",
            r"^(?:block|deny|forbid|prevent|no)(?: all| any)? access to(?= [~/]|.*\w\.\w)",
        ),
    ),
    ("keep out of {rest}", (r"^keep out of (?P<rest>[^,;]+?) (?:completely|entirely|altogether|at all)$",)),
    (
        "never use",
        (
            (
                r"^keep out of(?= (?:(?:the|my|our) )?(?:[\w-]+ ){0,8}?(?:tables?|databases?|schemas?|"
                r"calendars?|namespaces?|"
                r"projects?|repositor(?:y|ies)|repos?|buckets?|boards?|collections?)(?: |$))"
            ),
            r"^never touch(?= (?:(?:the|my|our) )?(?:[\w-]+ ){0,6}?(?:tables?|databases?|schemas?)(?: |$))",
        ),
    ),
    (
        "{rest}",
        (
            (
                r"^(?P<rest>(?:keep out of|never (?:use|touch)) [^,;]+?) , (?:not )?even (?:just |only )?"
                r"(?:for reading|to (?:read|look at|look into|open|view|list)(?: (?:it|them))?)$"
            ),
        ),
    ),
    (
        "never touch anything in {rest}",
        (r"^keep out of (?P<rest>(?:my )?~[^\s,;]*(?:(?: ,)?(?: and| or)? ~[^\s,;]*)*)$",),
    ),
    ("", (r"(?<=alone )(?:completely|entirely|altogether|at all|for good)$",)),
    ("look up", (r"(?:pull up|read along|look around)(?= )", r"read along")),
    ("create", (r"(?:set up|prepare|hand out)(?= )",)),
    ("creating", (r"(?:setting up|preparing|handing out)(?= )",)),
    ("looking up", (r"(?:pulling up|looking around)(?= )",)),
    ("remove", (r"(?:take (?:away|off)|get rid of)(?= )",)),
    ("removing", (r"(?:taking (?:away|off)|getting rid of)(?= )",)),
    ("remove {rest}", (r"take (?P<rest>[a-z' ]+?) (?:away|off)(?= again|$| ,)",)),
    ("", (r"(?<=[a-z] )(?:for good|again)(?= (?:is|are|needs)|$| ,)",)),
    (
        "any",
        (
            r"(?:a|any|every) single(?= [a-z]+)",
            r"(?<!\S)single(?= [a-z]+s )",
        ),
    ),
    (
        "any {rest}",
        (
            (
                r"(?:whatever|what|all|any|the|which) (?P<rest>(?!you |it |is )[a-z]+(?: , [a-z]+)*"
                r"(?: (?:and|or) [a-z]+)?) you (?:need|like|want|have to|wish)"
            ),
            r"(?:whatever|which) (?P<rest>(?!you |it |is |they )[a-z]+)(?= (?:in|on|from|of) )",
        ),
    ),
    ("everything", (r"whatever you (?:need|like|want|wish)(?= (?:in|on|from|of) )",)),
    ("add", (r"put(?= (?:things|something|items|entries|events|appointments|meetings) (?:in|into|on) )",)),
    ("anything", (r"(?:things|items|stuff)(?= (?:in|into|on|inside|from) )",)),
    (
        "move {rest}",
        (r"move (?P<rest>[a-z]+(?: [a-z]+){0,2}?) around(?= (?:in|inside|within|under|below) |$)",),
    ),
    (
        "at most {rest}",
        (
            (
                rf"(?<!up to )(?P<rest>(?:{_NUMBER})(?: [a-z%-]+){{0,4}}) "
                r"(?:at (?:the )?(?:very )?(?:most|max|longest|maximum)|max|tops)(?= and | ,|$)"
            ),
        ),
    ),
    (
        "at most {rest}",
        (
            (
                rf"^(?P<rest>(?:{_NUMBER})(?: [a-z-]+){{1,5}}) (?:is|are) (?:the (?:maximum|most|limit|upper limit|cap)"
                r"(?: (?:that )?(?:i|we|you) (?:can stand|want|need|may do|allow))?|plenty|enough)(?: for you)?"
                r"(?: , (?:so )?stop there| , (?:all|everything) [a-z ]+ (?:taken )?together)?$"
            ),
        ),
    ),
    (
        "",
        (
            r", (?:so )?(?:stop|leave it) there$",
            r", (?:not|and not|but not) (?:two|three|more|another)$",
            r", no more$",
        ),
    ),
    ("or less", (r"or (?:less|fewer) , (?:up or down|either way)",)),
    ("12", (r"(?<=up to )a dozen", r"(?<=than )a dozen", r"(?<=at most )a dozen")),
    ("up to", (r"as (?:many|much) as(?= [\d$€£]| (?:two|three|four|five|six|seven|eight|nine|ten) )",)),
    ("any", (r"(?:anyone|anybody|somebody|someone)'s",)),
    (
        "turn on and turn off {rest}",
        (r"(?:turn|switch) (?P<rest>(?!on |off )[a-z' ]+?) on (?:and|or) off(?= (?:in|at|after|before|between)|$)",),
    ),
    ("turned on and turned off", (r"(?:turned|switched) on (?:and|or) off",)),
    ("turn on and turn off", (r"(?:turn|switch) on (?:and|or) off",)),
    (
        "turn on {rest}",
        (r"(?:turn|switch) (?P<rest>(?!on |off )[a-z' ]+?) on(?= (?:in|at|after|before|between|without|if)|$)",),
    ),
    (
        "turn off {rest}",
        (r"(?:turn|switch) (?P<rest>(?!on |off )[a-z' ]+?) off(?= (?:in|at|after|before|between|without|if)|$)",),
    ),
    ("never leave", (rf"^{_YOU} {_CAN} (?:not|never) leave",)),
    (
        "{rest} unless i agree",
        (rf"^(?:unless|until|before) (?:{idioms.AGREED}) , (?:then )?(?P<rest>(?:never|do not) .+)$",),
    ),
    (
        "{rest} must not be changed",
        (rf"^(?:what|whatever|all that) {_THEY_ARE}(?: in| inside| under| below)? (?P<rest>[~/]\S*) {_STAY}",),
    ),
    (
        "must not be changed",
        (
            rf"(?:must|should|has to|have to|needs? to) (?:be left|remain|stay) {_AS_IT_IS}",
            rf"(?:stays?|remains?|{_HAVE_TO} (?:be left|be kept|remain|stay))(?: exactly| just)? {_AS_NOW}",
        ),
    ),
    (
        "do not change {rest}",
        (rf"^(?:please )?(?:you )?(?:leave|keep) (?P<rest>[^,;]+?)(?: exactly| just)? {_AS_NOW}$",),
    ),
    ("must not be", (r"(?:is|are) (?:strictly |absolutely |completely )?not to be",)),
    ("must never be", (rf"(?:is|are) (?:never|{_NO_CASE}) to be",)),
    ("must never", (rf"{_MODAL} {_NO_CASE}",)),
    ("must", (r"(?<!not )(?:has|have) to",)),
    # Permissions
    (
        "you may",
        (
            rf"^{_YOU} (?:have|has|got|get) (?:my|our|full|the)?(?: {_CLEAR})? ?(?:{idioms.APPROVAL}|authority) to",
            rf"^{_YOU} (?:is|are) (?:always |also |of course )?(?:entitled|able|cleared|invited|welcome|trusted) to",
            r"^(?:i|we) (?:give|grant) you (?:my |full )?(?:permission|authority|leave) to",
            r"^you (?:can|may) (?:safely|freely|happily|certainly|absolutely|simply|just|go ahead and|of course)",
            r"^by all means(?: ,)?",
            r"^(?:it|claude) (?:can|may|could|is allowed to|is permitted to)",
        ),
    ),
    ("you may", (rf"^(?P<who>{_YOU}) (?:have|has|get|gets) (?:the )?(?:right|permission|licence|license) to",)),
    ("you may only", (rf"^{_YOU} (?:is|are) only (?:allowed|permitted|authorized|authorised) to",)),
    ("feel free to", (r"^there is (?:no problem|nothing wrong|no issue|no objection) (?:with|to) you",)),
    # Questions
    (
        "ask before you",
        (
            rf"{_NEED} (?:to|before you|if you want to|in order to)",
            rf"^{_CONSENT} {_NEEDED} (?:to|before you|if you want to|in order to)",
        ),
    ),
    ("ask before", (rf"{_NEED} (?:before|for)", rf"^{_CONSENT} {_NEEDED} (?:before|for|when)")),
    ("ask before you {rest}", (rf"^{_WANTING} (?P<rest>[^,]+) , (?:{idioms.ASK.pattern})$",)),
    ("ask before you", (rf"^(?:{idioms.ASK.pattern}) {_WANTING}",)),
    ("ask before", (rf"^(?:always |please )?ask {_STAFF}(?: first)? before",)),
    (
        "ask before you send a message that contains {rest}",
        (
            (
                rf"^(?:{idioms.ASK.pattern}) (?:first )?(?:if|when|whenever) (?:an?|any|the|your) messages? "
                r"(?:contains?|mentions?|includes?|uses?) (?P<rest>[^,;]+)$"
            ),
        ),
    ),
    ("send a message that contains", (rf"post (?:an? |any )?messages? {_CONTAINING}(?= @)",)),
    ("sending a message that contains", (rf"posting (?:an? |any )?messages? {_CONTAINING}(?= @)",)),
    ("", (r"(?<=people )to (?:one|a single|any one) (?:event|meeting|appointment)$",)),
    (
        "without a condition",
        (r"without (?:an? |any )?(?:where|sql) (?:condition|clause)", r"without (?:an? |any )?where"),
    ),
    ("add {rest} to", (r"insert (?P<rest>(?:[a-z-]+ ){0,3}(?:rows?|records?|entries|entry)) into",)),
    ("adding {rest} to", (r"inserting (?P<rest>(?:[a-z-]+ ){0,3}(?:rows?|records?|entries|entry)) into",)),
    ("except {rest}", (r"unless (?:the channel|it) is (?P<rest>#[^\s]+)",)),
    (
        "{rest}",
        (r"^(?P<rest>.+ (?:must|should|has to|have to|needs? to) (?:go|be [a-z]+) .+?)(?: ,)? and nowhere else$",),
    ),
    (
        "{rest}",
        (
            (
                r"^(?P<rest>.*(?:more than|over|above|up to|at most) [$\u20ac\u00a3]?\d[\d.,]*[$\u20ac\u00a3]?"
                r"(?: [a-z]+)?)"
                r" (?:in (?:one|a single) (?:go|payment|transfer|"
                r"transaction)|at one go)$"
            ),
        ),
    ),
    (
        "{rest}",
        (
            (
                r"(?P<rest>(?:overwrite|overwriting|replace|replacing|change|changing|edit|editing|delete|deleting|update|"
                r"updating) (?:an?|any|the)) existing(?= )"
            ),
        ),
    ),
    ("open pages", (r"(?:open|visit|load|browse) (?:anything|something)(?= (?:on|from|at) [\w-]+\.[a-z])",)),
    (
        "opening pages",
        (r"(?:opening|visiting|loading|browsing) (?:anything|something)(?= (?:on|from|at) [\w-]+\.[a-z])",),
    ),
    ("", (r"(?<=percent )off", r"(?<=% )off")),
    (
        "only i may",
        (
            (
                r"only (?:i|we)(?= (?!(?:may|can|could|should|must|am|are|will|have|shall|know|want|agree|say) )"
                r"[a-z]+ (?:them|it|those|these|any)(?:$| ))"
            ),
        ),
    ),
    # Names of flags
    *((f"force {verb}", (rf"force-{verb}",)) for verb in sorted(_FORCED)),
    ("", (r"(?<!not )at all(?=$| ,)",)),
    # Channels
    *(
        (
            f"{verb} anything in",
            (
                rf"{verb}(?:{_MESSAGES})?(?: the| my| our)? channels?(?= #)",
                rf"{verb}{_MESSAGES}(?= #)",
            ),
        )
        for verb in ("read", "reading")
    ),
    # Places and objects
    (
        "anything",
        (
            rf"(?:what|whatever) {_THEY_ARE}{_IN}",
            rf"(?:everything|anything|all|files|folders|documents) (?:that|which) {_THEY_ARE}{_STORED}{_IN}",
            r"something",
        ),
    ),
    ("anything in", (r"(?:the )?(?:contents?|files) of(?= [~/])",)),
    ("do anything", (r"do (?:whatever|what|anything|as) you (?:want|like|please|wish|need)(?: to)?",)),
    ("inside", (r"(?:inside of|underneath|beneath|anywhere (?:in|inside|under|below))",)),
    ("except", (r"(?:with the exception of|apart from|aside from|excluding|except for|other than)",)),
    ("all", (r"(?:all|each|every one) of(?= (?:my|our|its|these|those) )",)),
    (
        "",
        (
            r"(?:outgoing|outbound)(?= (?:e-?mails?|mails?|messages?)(?: |$))",
            r"sent(?= (?:emails?|messages?) (?:a|per|each|every) )",
        ),
    ),
    (
        "adding {rest}",
        (
            (
                r"^(?:emoji )?(?P<rest>reactions?|comments?|notes)(?= (?:is|are) (?:always )?(?:fine|ok|welcome|"
                r"allowed))"
            ),
        ),
    ),
    (
        "any",
        (
            r"(?:even )?a single(?! (?:call|go))",
            r"(?:any|every|all) (?:kind|sort|type)s? of",
            r"any (?:one )?of (?:the|my|our)",
        ),
    ),
    ("", (r"(?<=[a-z]s )of (?:any|whatever) (?:kind|sort|type)s?(?=$| ,)",)),
    ("anyone", (r"somebody",)),
    (
        "before you create a repeating event",
        (
            (
                r"(?:if|when|whenever) (?:an|any|the|a) (?:event|meeting|appointment) "
                r"(?:(?:is going to|is to|will|would|should) (?:repeat|recur)|(?:repeats|recurs)(?: itself)?)(?=$| ,)"
            ),
        ),
    ),
    ("from", (r"out of(?! (?:the )?(?:question|bounds|reach|line)$)(?= (?:the )?[a-z]+(?:$| [a-z]+$))",)),
    (
        "",
        (r"to (?:whatever|anything|any \w+)(?: that)? (?:you (?:like|want|prefer|see fit)|(?:seems?|feels?) \w+)",),
    ),
)
_RULES = tuple((re.compile(rf"(?<!\S)(?:{one})(?!\S)"), words) for words, patterns in PATTERNS for one in patterns)
_QUOTED = "\x00"
_REST = "{rest}"


def plain_words(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the words of a sentence with known phrases replaced, each once. Names in quotes stay as they are."""
    for pattern, words in _RULES:
        tokens = _replaced(tokens, pattern, words)
    return tokens


def _replaced(tokens: tuple[Token, ...], pattern: re.Pattern[str], words: str) -> tuple[Token, ...]:
    texts = [_QUOTED if one.quoted else one.text for one in tokens]
    found = pattern.search(" ".join(texts))
    if found is None or found.end() == found.start():
        return tokens
    starts = accumulate((len(one) + 1 for one in texts), initial=0)
    number_of = {start: number for number, start in enumerate(starts)}  # the end of a word, plus one, is the next start
    kept = tuple(number_of[end] for end in (found.start("rest"), found.end("rest") + 1)) if _REST in words else (0, 0)
    made: list[Token] = []
    for word in words.split():
        made += tokens[kept[0] : kept[1]] if word == _REST else [Token(text=word, raw=word)]
    return (*tokens[: number_of[found.start()]], *made, *tokens[number_of[found.end() + 1] :])
