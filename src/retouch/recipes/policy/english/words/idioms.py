"""The fixed parts of ordinary sentences as patterns over whole words: who may, must not, must ask, has to agree.

A pattern matches complete words only, so it never ignores one. The words that fill a pattern are synonyms.
"""

from __future__ import annotations

import re

_ROLE = (
    r"(?:human(?: being| operator| agent| supervisor| reviewer)?|supervisor|manager|owner|operator|administrator|admin|"
    r"team lead|lead|boss|user|doctor|physician|pharmacist|nurse|clinician|accountant|engineer|teammate|colleague|"
    r"director|(?:security|legal|finance|hr|compliance|platform|on-call) (?:team|department|officer|engineer))"
)
# How a sentence names the agent.
YOU = r"(?:you|the agent|the assistant)"
PERMITTING = rf"{YOU} (?:may|can)(?! not\b| never\b)|feel free"
"""How a sentence begins that permits something."""
_PERSON = rf"(?:me|us|the user|a person|hr|(?:a|an|the|your|my|our|another) {_ROLE})"
_SUBJECT = _PERSON.replace("me|us", "i|we", 1)
_KIND = r"(?:explicit|prior|written|manual|human|user|express|clear|advance|supervisor|manager|owner|admin)"
_WHOSE = rf"(?:my|our|the|an|a|any|(?:a|an|the|your|my|our) {_ROLE}'s)"
APPROVAL = (
    r"(?:approval|confirmation|permission|ok|consent|sign-off|authorization|authorisation|go-ahead|agreement|say-so|"
    r"green light|blessing)"
)
_OUT = r"before (?:it|they) (?:goes|go|is|are) (?:out|sent|live|published|booked|paid)"
_FIRST = rf"(?: first| beforehand| in advance| {_OUT})?"
_CONSENT = rf"(?:{_WHOSE} )?(?:{_KIND} )*{APPROVAL}(?: (?:from|by|of) {_PERSON})?"
_ASK = (
    rf"(?:ask(?: {_PERSON})?(?: for {_CONSENT})?|"
    rf"(?:check|double-check|confirm|verify|clear it|check in|check back) with {_PERSON}|confirm|"
    rf"run (?:it|this|that) (?:by|past) {_PERSON}|"
    rf"(?:get|obtain|request|seek|wait for|have|ask for) {_CONSENT}|escalate(?: it)?(?: to {_PERSON})?|"
    rf"consult {_PERSON}|(?:ping|message|contact|call|text) {_PERSON}(?: for {_CONSENT})?|"
    rf"(?:come|go|talk|speak|write|turn|get back|reach out) to {_PERSON}|get (?:a|my|an) (?:yes|ok|nod|go)(?: from "
    rf"{_PERSON})?|"
    rf"make sure (?:that )?{_SUBJECT} (?:agrees?|approves?|confirms?|knows? about it|(?:am|are|is) (?:ok|fine) with "
    rf"it))"
)
_ASKING = (
    rf"(?:asking(?: {_PERSON})?(?: for {_CONSENT})?|(?:checking|confirming) with {_PERSON}|"
    rf"(?:getting|obtaining|requesting|waiting for|having) {_CONSENT}|consulting {_PERSON})"
)
_AGREE = (
    r"(?:agree[ds]?|approve[ds]?|confirm(?:ed|s)?|sa(?:y|ys|id) (?:so|yes)|allow(?:ed|s)?|permit(?:ted|s)?|"
    r"consent(?:ed|s)?|"
    rf"(?:give|gives|gave|given)(?: {YOU})? {_CONSENT}|sign off|signed off|(?:tell|told|ask|asked) (?:you|it|the "
    rf"agent) to)"
)
_AGREEING = (
    r"approve|confirm|agree|say yes|authorize|authorise|sign off|ok|okay|give (?:my|the) (?:ok|go-ahead|approval)"
)
AGREED = (
    rf"{_SUBJECT} (?:(?:have|has|had) )?(?:explicitly |already |first )?{_AGREE}(?: (?:it|this|that|them|to it|on it))?"
    rf"(?: explicitly)?{_FIRST}"
)
_ALSO = r"(?:also |always |freely |still |of course |already )?"
_AUX = r"(?:must|ought to|may|can|should|shall|will|could|are to|is to)"
_ALLOWED = r"(?:allowed|permitted|authorized|authorised)"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in alternatives))


WHO = _pattern(
    r"you",
    r"(?:the|this|my|our|your) (?:ai |coding |support )?(?:agent|assistant|bot|ai|model)",
    r"agents",
    r"the system",
)
MAY = re.compile(
    rf"(?:may|can|could)(?: also| always| freely| still)?|(?:are|is) {_ALSO}(?:{_ALLOWED}|free|welcome) to|"
    r"(?:have|has) (?:my |full |the )?permission to"
)
MUST_NOT = _pattern(
    rf"{_AUX} (?:not|never)(?: ever| under any circumstances)?",
    rf"(?:are|is) (?:not|never) {_ALLOWED} to",
    r"(?:are|is) (?:by no means|on no account) allowed to",
    r"(?:are|is) (?:strictly )?(?:forbidden|prohibited|banned) (?:to|from)",
    r"(?:have|has) no permission to",
    r"(?:are|is) not (?:supposed|meant) to",
    r"do not get to",
    r"have no business",
    r"do not have (?:my |the |any )?permission to",
)
PERMIT_OPENINGS = _pattern(
    r"feel free to",
    r"it is (?:always |perfectly |totally |completely )?(?:fine|ok|allowed|permitted|acceptable|no problem)"
    rf"(?: for {YOU})? to",
    rf"it is (?:always |perfectly )?(?:fine|ok) (?:if|when) {YOU}",
    r"go ahead and",
    r"(?:i|we) (?:have|see) no (?:problem|issue) with(?: you)?",
    r"you are good to",
    r"(?:allow|let) (?:the agent|the assistant|the bot|yourself)(?: to)?",
    r"i am (?:fine|ok|happy) with you",
    r"i do not mind (?:if )?you",
    r"you have my permission to",
    r"you have free rein to",
    rf"(?:i|we) (?:allow|permit|authorize|authorise) {YOU} to",
    r"(?:you do not|there is no) need to ask (?:me )?before you",
)
FORBID_OPENINGS = _pattern(
    r"(?:please )?(?:never|do not|not)(?: ever)?(?: try to| attempt to)?",
    r"(?:please )?(?:be careful|be sure|make sure|take care) (?:not|never) to",
    r"(?:please )?(?:ensure|make sure)(?: that)? you (?:never|do not)",
    r"(?:by no means|on no account)(?: ever)?",
    rf"it is (?:strictly |absolutely )?(?:forbidden|prohibited) (?:for {YOU} )?to",
    rf"it is (?:not|never) (?:ok|allowed|permitted|acceptable|fine) (?:for {YOU} )?to",
    rf"(?:under no circumstances|at no time|in no case|at no point)(?: {_AUX} {YOU})?",
    rf"(?:i|we) (?:do not|would not|never) (?:want|allow|like|wish)(?: for)? {YOU}(?: to)?",
    rf"(?:i|we) (?:forbid|prohibit) {YOU} to",
    r"(?:please )?refrain from",
    r"you do not have permission to",
    r"(?:please )?steer clear of",
    r"(?:please )?keep away from",
    r"(?:please )?(?:hold off|hold back) (?:on|from)",
)
NO_ACTION = _pattern(r"no", r"forbid", r"there (?:must|should|shall|may) be no", r"absolutely no", r"strictly no")
ONLY_PEOPLE = _pattern(
    r"only (?:i|we|hr|the user|humans|people|a human|a person|the owner|an administrator|admins|administrators|"
    r"supervisors|managers|doctors|physicians|nurses|pharmacists|engineers|accountants|operators|owners|employees|"
    r"staff|"
    r"a (?:manager|supervisor|doctor|physician|nurse|pharmacist)|(?:human|senior|licensed) \w+s)(?: myself)? "
    r"(?:may|can|should|must|shall|(?:am|are|is) allowed to)",
    r"(?:nobody|no one|no-one) (?:but|except|other than) (?:me|us|the user|humans|people|a human|the owner|an? "
    r"administrator|admins) (?:may|can|should|must|shall|is allowed to)",
)
_HUMANS = (
    r"(?:me|us|the user|a human|humans|people|a person|the owner|admins|administrators|supervisors|staff|employees)"
)
BY_PEOPLE = _pattern(
    rf"(?:only )?by {_HUMANS}(?: only| alone| myself)?",
)
YOURS = _pattern(r"(?:is|are) (?:yours|free for you) to")
BY_AGENT = _pattern(
    r"by (?:the|this|my|our|your) (?:ai |coding |support )?(?:agent|assistant|bot|ai|model)",
    r"by you",
)
NEVER_HAPPENS = _pattern(r"(?:must|should|may|can|shall) (?:not|never)(?: ever)? (?:happen|be done|occur)")
ONLY_FINE = _pattern(r"only (?:fine|ok|allowed|permitted|acceptable)")
ALONE = _pattern(r"alone", r"untouched", r"as (?:it is|they are|is)", r"unchanged")
LEAVE = _pattern(r"leave", r"always leave", r"please leave")
TO_ME = _pattern(rf"to {_PERSON}")
FINE = _pattern(
    r"(?:always |also |perfectly |generally |completely |totally |of course )?(?:fine|ok|allowed|permitted|acceptable)"
    r"(?: for you| with me| by me)?",
    r"no problem",
    r"fair game",
    r"up to you",
)
BAD = _pattern(
    r"(?:strictly |absolutely |always )?(?:forbidden|prohibited|banned|disallowed|off limits|off-limits)",
    r"(?:not|never) (?:ok|allowed|permitted|acceptable|fine|an option|something you (?:may|can) do)(?: for you)?",
    r"(?:not|never) to be done",
    r"(?:a |an absolute |absolutely )?(?:no-go|no go|not happening|not on)",
    r"(?:closed|not meant|not there|not open) (?:for|to) you",
    r"(?:mine|ours)(?: alone| only)?",
    r"taboo",
    r"(?:strictly |simply |just )?(?:out|closed|denied|refused|barred|blocked|impossible|unacceptable|illegal|not "
    r"for you)",
    r"(?:my|our|a human's) (?:job|task|responsibility|business)(?: alone)?",
    rf"(?:strictly )?(?:reserved|only) for (?:{_PERSON}|humans|people|staff)",
    rf"left to {_PERSON}",
    r"not your (?:job|task|business|responsibility)",
    r"(?:off the table|out of bounds|out of the question|none of your business|not an option|not for you)",
)
WITHOUT = _pattern(rf"without (?:first )?{_ASKING}{_FIRST}", rf"without {_CONSENT}{_FIRST}")
UNLESS = _pattern(
    rf"(?:unless|until|before) {AGREED}",
    rf"before {_ASKING}{_FIRST}",
    rf"before (?:you (?:have|get|got)|getting|having) {_CONSENT}{_FIRST}",
    rf"unless you (?:ask|asked|have asked) {_PERSON}{_FIRST}",
    rf"unless (?:it|this) (?:is|was|has been) (?:explicitly )?(?:approved|confirmed|authorized) by {_PERSON}",
    rf"(?:unless|until) you (?:have|get|got) {_CONSENT}",
)
ONLY_IF = _pattern(
    rf"only (?:after|if|when|once) {AGREED}",
    rf"only (?:with|after) {_CONSENT}",
    rf"only after {_ASKING}{_FIRST}",
    rf"only (?:if|when|once) you (?:have|get|got) {_CONSENT}",
)
IF_AGREED = re.compile(ONLY_IF.pattern.replace("only ", ""))
NEEDS = _pattern(
    rf"(?:always |also )?(?:needs?|requires?) {_CONSENT}{_FIRST}",
    rf"(?:needs?|requires?) {_PERSON}",
    rf"(?:is|are) (?:always )?subject to {_CONSENT}",
    rf"(?:may|can|must|should) only (?:happen|be done) (?:(?:after|if|when|once) {AGREED}|(?:with|after) {_CONSENT})",
    rf"(?:must|should|may|can) (?:not|never) (?:happen|be done) without (?:{_ASKING}|{_CONSENT}){_FIRST}",
    rf"(?:(?:must|should|has to|have to|needs? to) )?(?:always )?(?:goe?s?|comes?) (?:through|past|by|to) "
    rf"{_PERSON}{_FIRST}",
    rf"(?:must|should|has to|have to|needs? to) (?:always |first )?be (?:signed off|cleared) by {_PERSON}{_FIRST}",
    rf"(?:must|should|has to|have to|needs? to) (?:always |first )?be (?:explicitly )?"
    rf"(?:confirmed|approved|authorized|authorised)(?: by {_PERSON})?(?: with {_PERSON})?{_FIRST}",
    rf"(?:must|should|has to|have to|needs? to) (?:always )?be (?:confirmed|cleared|checked) with {_PERSON}{_FIRST}",
    rf"(?:is|are) (?:only )?(?:ok|fine|allowed|permitted|possible|acceptable|done) (?:only )?(?:{IF_AGREED.pattern})",
    rf"(?:only )?(?:happens?|takes? place) (?:only )?(?:{IF_AGREED.pattern})",
)
NEEDED = _pattern(rf"you (?:always )?(?:need|require) {_CONSENT}{_FIRST}", rf"{_CONSENT} is (?:needed|required)")
ASK = re.compile(
    rf"(?:please )?(?:always |first |make sure to |remember to |be sure to )?{_ASK}{_FIRST}|"
    rf"{YOU} (?:must|should|have to|has to|need to|needs to|are to) (?:always |first )?"
    rf"{_ASK}{_FIRST}|make sure you (?:always )?{_ASK}{_FIRST}|"
    rf"(?:i|we) (?:want|would like|need|have|expect) (?:you to {_ASK}{_FIRST}|to be (?:asked|consulted|in the "
    rf"loop){_FIRST})|"
    rf"(?:i|we) (?:have|need|want|would like) to (?:{_AGREEING})(?: (?:to )?(?:it|this|that|them))?{_FIRST}"
    r"(?: (?:on|from|with) my (?:phone|laptop|computer))?|"
    rf"(?:i|we) (?:must|should) (?:be (?:asked|consulted)|{_AGREEING}(?: (?:to )?(?:it|this|that|them))?){_FIRST}|"
    rf"(?:wait for|not without) {_CONSENT}"
)
BEFORE = _pattern(
    r"(?:before|prior to)", r"before you", r"if you want to", r"when you want to", r"whenever you want to"
)
FREELY = _pattern(
    r"at any time",
    r"any time",
    r"whenever you (?:like|want|need|need to|wish|please|want to|have to|must|see fit|think it is (?:useful|needed))",
    r"(?:whenever|when|if) (?:you|it|the agent|the assistant) (?:thinks?|feels?|believes?|finds?|considers?|deems?)"
    r"(?: that)? (?:it|this|that)(?: is)? (?:necessary|needed|useful|helpful|appropriate|right|sensible|best|wise)",
    r"whenever (?:it|the agent|the assistant) (?:likes|wants|needs to|needs)",
    r"whenever (?:needed|necessary)",
    (
        r"whenever (?:it|they|that|this) (?:helps?|(?:is|are|seems?) (?:useful|helpful|needed|necessary|"
        r"required|convenient))"
    ),
    r"as (?:much|often|many times) as (?:you (?:like|want|need)|(?:it|the agent|the assistant) (?:likes|wants|needs))",
    r"as (?:you|it) (?:likes?|wish(?:es)?|pleases?|sees? fit|wants?(?: to)?|needs?(?: to)?)",
    r"anytime(?: you (?:like|want))?",
    r"no questions asked",
    rf"(?:all|any time|as you|wherever|however|whichever way) (?:{YOU} )?(?:like|want|need|wish|please|see fit)s?",
    r"(?:to your heart's content|without a second thought|right away|straight away|immediately|anytime|by yourself)",
    rf"without (?:any )?(?:questions?|delay|having to ask|needing to ask)(?: {_PERSON})?(?: first)?",
    r"for (?:me|us)",
    r"(?:without|with no) (?:hesitation|problems?|worries)",
    r"as (?:needed|necessary)",
    r"at will",
    r"automatically",
    r"directly",
    r"on (?:your|its) own",
    r"yourself",
    r"on my behalf",
    r"at your discretion",
    r"without (?:any )?(?:restrictions?|limits?|limitations?)",
    rf"without {_ASKING}{_FIRST}",
    r"without (?:any )?(?:approval|confirmation|permission|further confirmation)",
    r"freely",
    r"too",
    r"as well",
    r"if you (?:like|want|need to|want to)",
)
EVER = _pattern(
    r"at all", r"under any circumstances?", r"ever", r"for any reason", r"in any case", r"whatsoever",
    r"no matter (?:what|why|who asks|what happens)", r"period", r"full stop", r"no exceptions?", r"without exceptions?",
    r"in any way", r"in any form", r"under no circumstances?", r"for whatever reason", r"please",
)  # fmt: skip
NOWHERE_ELSE = _pattern(
    r"(?:, )?(?:but |and )?(?:nowhere else|not anywhere else|(?:to|in|into|from) (?:no|nowhere|none) (?:other|else)"
    r"(?: (?:places?|folders?|director(?:y|ies)|channels?|sites?|hosts?|address(?:es)?|accounts?))?)",
    r"(?:, )?(?:but |and )?(?:to |with |in |from |for )?(?:nothing|nobody|no one|none) else",
    r"(?:, )?(?:but |and )?(?:everything|anything|anyone|everyone|all|any place|anywhere|the rest)(?: else)?"
    r" (?:is|are|stays?|remains?) (?:strictly )?(?:closed|off limits|off-limits|forbidden|prohibited|denied|banned|"
    r"out|taboo|not "
    r"(?:ok|allowed|permitted|fine))",
    r"(?:, )?(?:but |and )?nothing (?:must|may|should|can|is to) (?:ever )?leave (?:it|them|(?:that|this|the) "
    r"(?:folder|directory|place))",
    r"(?:, )?(?:but |and )?(?:at|on|in) no other (?:times?|days?|hours?)",
    r"(?:, )?(?:but |and )?(?:to|in|into|from|with|for) no other (?:one|ones|places?|folders?|people|person|teams?)",
    r"(?:, )?(?:but |and )?(?:no|not any) other (?:places?|folders?|director(?:y|ies)|channels?|sites?|hosts?|ones?)",
)
NOT_TOUCHED = _pattern(
    rf"{_AUX} (?:not|never) be (?:touched|accessed|opened|used)(?: at all| ever| under any circumstances)?"
)
NOBODY = _pattern(r"(?:nobody|no one|no-one|none of you)(?: (?:ever|may|can|must|should|is allowed to|gets to))?")
STAY_IN = _pattern(
    r"(?:always )?(?:stay|remain|work only|operate only|act only) (?:in|inside|within|on)",
    r"(?:always )?(?:stick|keep|(?:limit|restrict|confine) (?:yourself|itself|your work|your changes)) to",
    r"only touch (?:files|anything|things) (?:in|inside|within|under)",
    r"do not leave",
    r"never leave",
)
WHEN_BROWSING = re.compile(
    r"(?:when|while|for|if|whenever) (?:you (?:are )?)?(?:brows(?:e|ing)|surf(?:ing)?|visit(?:ing)? (?:pages|sites))"
    r"(?: the (?:web|internet|net))?"
)
NEEDS_NOT = _pattern(
    rf"(?:go|goes|can go|may go) (?:through|ahead|out) (?:{FREELY.pattern})",
    rf"(?:does|do) not (?:need|require) (?:any )?{_CONSENT}",
    r"(?:needs?|requires?) no (?:approval|"
    r"confirmation|permission|ok|consent)",
)
READ_ACCESS = _pattern(r"(?:read-only|read only|read) access (?:to|for|in)")
HAVE_ACCESS = _pattern(rf"(?:{WHO.pattern}) (?:have|has|get|gets) (?:read-only|read only|read) access to")
_MORE = (
    r"(?:(?:everything|anything|all) (?:above|over|beyond|more|larger|higher|bigger)(?: (?:that|this|expensive))?"
    r"|above that|over that|(?:larger|higher|bigger|longer|more expensive) (?:ones|amounts))"
)
OVER = re.compile(_MORE)
FOR_MORE = re.compile(rf"(?:for|before|about) {_MORE}")
MAY_BE = ("may be", "can be", "may always be", "can always be", "may also be", "can also be")
MAY_ONLY_BE = ("may only be", "can only be", "should only be", "must only be", "shall only be", "may be only")
MUST_NOT_BE = (
    "is never", "are never",
    "is not to be", "are not to be", "is never to be", "are never to be", "ought not to be", "will never be",
    "will not be",
    "must not be", "must never be", "may not be", "may never be", "can not be", "should not be", "should never be",
    "shall not be", "shall never be", "can never be",
)  # fmt: skip
ALL: tuple[re.Pattern[str], ...] = (
    WHO,
    MAY,
    MUST_NOT,
    PERMIT_OPENINGS,
    FORBID_OPENINGS,
    NO_ACTION,
    ONLY_PEOPLE,
    BY_PEOPLE,
    YOURS,
    BY_AGENT,
    NEVER_HAPPENS,
    ONLY_FINE,
    ALONE,
    LEAVE,
    TO_ME,
    FINE,
    BAD,
    WITHOUT,
    UNLESS,
    ONLY_IF,
    IF_AGREED,
    NEEDS,
    NEEDED,
    ASK,
    BEFORE,
    FREELY,
    EVER,
    NOWHERE_ELSE,
    NOT_TOUCHED,
    NOBODY,
    STAY_IN,
    WHEN_BROWSING,
    NEEDS_NOT,
    READ_ACCESS,
    HAVE_ACCESS,
    OVER,
    FOR_MORE,
)  # of whole phrases
