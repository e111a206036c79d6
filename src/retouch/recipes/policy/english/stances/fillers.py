"""Words that say nothing more about an action, by the stances that they can be said with, as templates.

"Without asking" can only be said of what is permitted, and "no exceptions" only of what is forbidden or asked about. A
filler that fits another stance than the one of its clause is no filler there, so the sentence is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.word_templates import templates_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.words.acts import Stance

_ALWAYS = templates_of("""
(please|kindly|thanks|thank you|of course|as usual|as always|as ever|as before|for (me|us)|(on|in) (my|our)
    (behalf|name)|from now on|for now|for the time being|until further notice|by the way|to be clear|to be on the safe
    side|as i said|like i said|as mentioned|obviously|naturally|clearly|to be honest|honestly|
    needless to say|it goes without saying|in (any case|any event|fact|short|particular)|mind you|
    if (you|i) may say so|by yourself|yourself|for (that|the) matter|basically|essentially|
    though|however)
(no matter|regardless of|irrespective of|never mind|it does not matter|i do not care) (who|what|which|where|
    when|why|how|whose|to whom|whom) [(asks|is asking|wants it|it is|they are|happens|comes up|they say|anyone says|
    you think|it is about|it is for|it comes from|it goes to|urgent|small|big|large|important|trivial|tempting|late|
    early|busy)] [(it|they|you|we|i) (is|are|seems|seem|looks|look|may be|might be|am|get)]
(whoever|whatever|whichever|however|wherever) (asks|it is|they are|wants it|it comes from|the reason|the case|
    they say|happens|urgent it (is|seems)|small it (is|seems))
""")
_PERMITTED = templates_of("""
(whenever|wherever|whichever way|however|as|as (much|often|many|far|long|many times|many of (them|those)|often
    and as much) as|any time|anytime|all|any way|the way|in any way|every time) {you_like}
(if|when|where) you [ever|happen to]* (like|want [to]|need [to]|wish|please|see fit|feel like [it])
(at (any (time|hour|moment)|will|leisure|your leisure|your discretion|your own discretion|your convenience|all
    times|all hours)|day (or|and) night|night and day|around the clock|all (day|night|day long|the time|year round)|
    any (time|day|hour)|anytime|freely|happily|gladly|right away|straight away|directly|immediately|on the spot|
    automatically|no questions asked|to your heart's content|without (hesitation|a second thought|any fuss|fuss|
    limits|limit|any limits|restriction|restrictions|any restrictions|further ado|delay|me|worrying|thinking twice|
    any ceremony)|on your own [initiative|authority|account|steam]|by yourself|yourself|alone|all by yourself|under
    your own steam|as you (go|go along)|and so on|as needed|as required|as appropriate|whenever|with no
    (restrictions|limits|hesitation)|in your own time|off your own bat)
without (asking|checking|having to ask|needing to ask|consulting|bothering|telling|waiting for|checking with|
    having to check with|talking to|coming to|involving|troubling|running it (by|past)|having to bother) [{me}]
    [[for] {my_ok}|about it] [first|beforehand|every time|each time]*
without (any|my|further|prior|special|extra|explicit)* (approval|confirmation|permission|ok|consent|say-so|
    sign-off)
[for that|there] {unasked}
{no_asking}
(that|it|this) is {quite} (fine|ok|no problem|all right|alright|not a problem) [{with_me}]
no (problem|worries|objections|objection)
by all means
go [right|straight] ahead
you do not need {me} for {it}
{no_ok_needed}
no {ok} (needed|required|necessary)
i (trust|do not mind) [you|it|that|you with {it}|you there]
i do not (need|have) to (know|see (it|them|that)|be asked|hear about (it|them)|approve (it|them)) [first|about
    it|about them]*
(that|it|this) is (up to you|your call|your job|yours|your decision|your choice)
feel free
(if|as) (you|it) (want|like)
(no need for|never mind) {my_ok}
""")
_STRICT = templates_of("""
(ever|at all|whatsoever|period|full stop|anywhere|not ever|not at all)
(no|without) [any|a single]* (exception|exceptions|excuse|excuses|discussion|debate|arguments|argument|ifs or
    buts|ifs and buts|buts) [at all|please|whatsoever|there|here]
no (ifs|ifs no buts|ifs , no buts)
not (even|ever) (once|one|a single (one|time)|for (a (second|moment|minute|while|good reason)|anyone|anybody|me|
    testing|fun)|a little|a bit|if (asked|i ask|they ask|somebody asks|you are asked|asked nicely|it is urgent|
    tempted)|by accident|as a test|to test|as a joke|in an emergency|in emergencies|then|when it is urgent|to tidy
    up)
not for (anyone|anybody|any reason|any money|anything)
(under|in|for|at|on) any (circumstances|circumstance|case|reason|condition|event|account|form|way|price|shape or
    form|pretext|conditions)
in any (way|form|shape or form|way , shape or form|way shape or form)
even (if|when) (it is (urgent|tempting|small|late|only once|important|an emergency)|(i|you|they|he|she|a
    customer|the customer|somebody|anyone|a client|the client|a guest|a user|the user|people|customers|clients)
    (ask|asks|am asking|are asking|insist|insists|beg|begs|complain|complains|say it is urgent|says it is urgent|
    want it|wants it|ask for it|asks for it|are asked|tell you to|tells you to|are tempted|am away|am busy|am
    asleep) [nicely|to|for it|very nicely|politely]|asked [to|nicely]|told to|in doubt|(it|that) (seems|looks|
    sounds) (urgent|harmless|useful|obvious|trivial|tempting))
(i mean it|i am serious|seriously|got it|understood|is that clear|that is (final|non-negotiable|not negotiable|
    not up for (debate|discussion)|a (hard|strict|firm) (rule|line|limit|no)|an order|important [to me]|very
    important)|this is (final|important|a hard rule|non-negotiable)|no discussion|for good reason|for good reasons|
    strictly|really|absolutely)
""")
_FORBIDDEN = templates_of("""
(that|this|it|those|these|they) is {strictly} {mine}
(that|this|those|these|they) are {strictly} {mine}
(that|this|it) is {strictly} (forbidden|off limits|off-limits|out of bounds|a no-go|a no go|taboo|not ok|not
    allowed|not for you|not your job|none of your business|not up to you|not on|out of the question)
(those|these|they) are {strictly} (forbidden|off limits|off-limits|out of bounds|taboo|not ok|not allowed|not
    for you|none of your business|not your business)
(i|we) [will|would rather|always|prefer to|want to|like to]* (do|handle|take care of|deal with|manage|decide|see
    to) {it} [myself|ourselves|personally]
leave {it} (to me|to us|alone|as (it is|they are)|be|untouched)
{hands_off} [{it}]
let me (do|handle|worry about) {it}
i do not (want|like|need|allow) {it} [at all]
(i|we) (do not|never) do {it}
(that|it|this) must not happen
(that|it|this) is (not acceptable|unacceptable|not what i want)
""")
_ASKED = templates_of("""
(every|each) [single] time
each and every time
always
in (every|each) [single] case
[and|then|and then]* wait for (my|our|the|an) [{kind}]* (ok|answer|reply|response|yes|approval|confirmation|
    go-ahead|word|decision|consent|permission)
[and|then|and then]* wait (until|till) {agreed}
(so|so that) (i|we) (can|may|could) ({see}) [{it}] [first]
[and|then]* (i|we) will (decide|tell you|have a look|take a look|look at it|let you know|say yes or no|check|
    answer|sort it out|think about it|see|see to it|get back to you|take it from there|decide then|let you know
    then)
(i|we) [always]* (want|would like|need|like) to ({see}|be {asked}) [{it}|about {it}] [first|myself]*
(first|beforehand|in advance|ahead of time|up front|upfront)
{happens}
(i|we) (decide|have the (last|final) (word|say))
it is my (call|decision)
rather once too often [than (never|too rarely|not at all)]
just to be (safe|sure|on the safe side)
to be (safe|sure|on the safe side)
and do not go ahead (until|before|without) ({agreed}|{my_ok}|it|that)
and not before
""")
FILLERS: tuple[tuple[frozenset[Stance], tuple[str, ...]], ...] = (
    (frozenset({"permit", "forbid", "ask"}), _ALWAYS),
    (frozenset({"permit"}), _PERMITTED),
    (frozenset({"forbid", "ask"}), _STRICT),
    (frozenset({"forbid"}), _FORBIDDEN),
    (frozenset({"ask"}), _ASKED),
)
