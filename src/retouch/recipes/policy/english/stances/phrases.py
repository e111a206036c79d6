"""Phrases that say what may happen, wherever they stand in a sentence: as templates, by stance and what they take.

They add to the patterns of `stances`. A negation is always a word of the phrase that it belongs to: "is not off limits"
is no prohibition, and "does not need my okay" no question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.words.word_templates import templates_of

if TYPE_CHECKING:
    from retouch.recipes.policy.english.words.acts import Stance

Kind: TypeAlias = Literal["plain", "only", "alone"]
Takes: TypeAlias = Literal["base", "ing", "ed", "s", "thing", "place", "none"]

_PERMIT_BASE = templates_of("""
{you} {also} (may|can|could) {also} [go ahead and|go right ahead and|choose to|feel free to] {also}
{you} {am_are} {also} {allowed} to {also}
{you} {am_are} {also} (good|ok|fine|all set|clear) to {also}
{you} (have|has|get|got|have got) {also} [my|our|the|full|every|a general|my full|your|a|all]* [{kind}]* (ok|
    permission|approval|blessing|consent|go-ahead|authority|right|licence|license|leave|green light|freedom|power)
    to
{you} (have|has|get|got) {free_hand} to
{you} (get|gets) to
{you} (may|might|can) (as well|just as well)
[please|do|always]* feel [completely|absolutely|totally|entirely]* free to
[please] go [right|straight] ahead and
do not hesitate to
do not be (afraid|shy) to
by all means [,]
be my guest and
it is {quite} {good} [for {you}|with me|by me|with us|by us] [to|if {you}|when {you}]
it is {quite} {good} [with me|by me] (for you to|that {you})
it does not (bother|worry|hurt) me (if|when) {you}
i [really] do not (mind|care) (if|when) {you}
i {am} {quite} (fine|ok|happy|good|cool|comfortable) (if {you}|when {you}|for you to|with it if {you}|letting
    you)
(i|we) (have|see|had|would have) no (problem|problems|issue|issues|objection|objections|trouble|worries) (if|
    when) {you}
(i|we) [happily|gladly|hereby|do]* (let|trust) you [to]
(i|we) [happily|gladly|hereby|do]* (allow|permit|authorize|authorise|invite|encourage|empower|trust|want) {you}
    to
(i|we) (give|grant|gave|have given) {you} [my|full|the|a]* [{kind}]* (permission|ok|authority|leave|right|
    free_hand|go-ahead|blessing|freedom|green light|approval|consent) to
there is (no problem|no issue|no objection|nothing wrong|no harm|nothing bad) [in it] if {you}
(no problem|no issue|no worries|not a problem) if {you}
nothing (stops|prevents|keeps) you
{unasked} (before you|if you want to|when you|whenever you|to|before you ever)
{no_asking} (before you|if you want to|when you|whenever you)
you do not need {no_ok} (to|before you|if you want to)
you need no {ok} (to|before you)
{no_ok_needed} (to|before you|for you to|if you want to)
{you} {am_are} in charge of
it is (up to you|your call|your decision|your choice) to
nobody minds if {you}
nobody will mind if {you}
i trust you to
""")
_PERMIT_ING = templates_of("""
(i|we) {am} {quite} (fine|ok|happy|good|cool|comfortable) with [you|the agent|the assistant]
(i|we) (have|see) (no|nothing) (problem|problems|issue|issues|objection|objections|trouble|wrong|against|bad)
    [with|to|in|against] [you|your|the agent]
(i|we) have nothing against [you]
(i|we) do not (mind|object to) [you|your]
(no|not a|there is no|there are no) (problem|problems|issue|issues|objection|objections|harm|worries|trouble)
    (with|to|in|against) [you|your]
nothing (against|wrong with) [you|your]
there is nothing (wrong with|against) [you|your]
go [right|straight] ahead with
feel free about
(allow|permit)
(i|we) (allow|permit|welcome|encourage|ok)
{unasked} (before|about|for|when|prior to)
{no_asking} (before|about|for|when)
you do not need {no_ok} (for|before|when)
you need no {ok} (for|before|when)
{no_ok_needed} (for|before|when)
no {ok} (needed|required|necessary) (for|before|when)
you {am_are} in charge of
i trust you with
do not hesitate about
(i|we) am all for
""")
_PERMIT_ED = templates_of("""
(may|can|could) {also} (be|get) {also}
{am_are} {also} {allowed} to be {also}
{am_are} {also} (ok|fine|good|safe|allowed) to be
(may|can) (as well|just as well) be
(may|can) {also} all be
""")
_FORBID_BASE = templates_of("""
[please] do not you [ever] dare [to]
[please|kindly|just|also|so|and|really|always]* {never} [even|ever|just|simply|so much as]* [try to|attempt to|
    go and|go ahead and|dare [to]|think you may|think you can|presume to|offer to|start to|begin to]
{you} {also} {modal} {also} {not} [even|ever|just|simply]* [try to|attempt to|go and|go ahead and]
{you} (do|does) not [ever|simply|just|even]* [get to|dare to|have to right to]
{you} (never [ever]|(never|do not ever) get to)
{you} {am_are} {not} {allowed} to
{you} {am_are} {not} (supposed|meant|to|in a position|here|ok|fine|cleared|asked|qualified|wanted) to
{you} {am_are} {not} to
{you} {am_are} {strictly} (forbidden|prohibited|banned|barred|not allowed) to
{you} (have|has|get|gets|got) (no|absolutely no|not any|never any|neither the) {right} to
{you} (do not|never) have (the|any|my) {right} to
{you} lack the {right} to
{you} (had|would|are) (better|best|better off) (not|never)
better not
[please] try not to
[please] (be careful|take care|be sure|make sure|mind|remember|see to it) (not|never) to
[please] (make sure|ensure|see to it|take care|mind|be careful|be sure) [that] {you} (never|do not|does not|at
    no time)
(i|we) (do not|would not|never|will not|really do not|simply do not|definitely do not) [ever]* (want|like|wish|
    allow|permit|expect|need|authorize|authorise|let|trust) [for] {you} [ever]* [to]
(i|we) (would rather|would prefer|prefer|would rather have it|would like it better|would appreciate it) [that|
    if|it if]* {you} (did not|do not|not to|never|would not|does not)
(i|we) (would rather have|would prefer|want|would like|need|ask|expect|tell|told|order) {you} (not to|never to)
(i|we) (forbid|prohibit|ban) {you} to
(i|we) (would hate|hate) [for] {you} to
it is {strictly} (forbidden|prohibited|not allowed|off limits|not ok|wrong|unacceptable|never ok|not permitted|
    not acceptable|not your job|not your place|not your business|not your task|not for you|not up to you|never up to
    you|not on|out of the question|not an option|never allowed) [for {you}] to
it is not {good} [for {you}|with me] (if|when) {you}
{am_are} not to
(nobody|no one|no-one) (may|can|must|should|shall|is to|is allowed to|gets to|is supposed to|is ever to) [ever]
[never|do not] (let|allow|permit) (yourself|the agent) to
resist the urge to
no one ever
""")
_FORBID_ING = templates_of("""
[please|and|also|absolutely|strictly|definitely|so|just]* no [more|further]
there (is|will be|must be|should be|shall be|may be|is going to be|can be) [to be] (no|absolutely no) [more]
[please|just|always]* (refrain|abstain|desist) from
[please|just]* (stop|avoid|quit|cease|give up)
[please|just]* (hold off|hold back|lay off) [on|from|with]
[please|just]* (keep|stay) [well] (away from|clear of|from|out of|off)
[please] (steer|stay) [well] clear of
[please] shy away from
(do not|never|{never}) [ever|even]* (go|start|keep|try|begin|think of|think about|consider|be|get into|go
    around|go on|end up|dare|dream of|risk)
(i|we) (do not|never|would not|will not) [ever]* (want|like|appreciate|need|have|tolerate|accept|allow|permit|
    see) [any|you|to see you|to see any|to catch you|to find you]
(i|we) (want|will have|allow|accept|tolerate|need) no [more]
(i|we) (forbid|prohibit|ban) [you]
{you} {am_are} {strictly} (forbidden|prohibited|barred|banned|blocked|excluded|kept) from
{you} (have|has) no business
(i|we) {am} not (ok|fine|happy|comfortable|cool) with [you]
(i|we) (have a problem|have an issue) with [you]
(i|we) object to [you|your]
(i|we) {am} against [you|your]
there is no place for
{you} (have|has) nothing to do with
not a word about
""")
_FORBID_ED = templates_of("""
{modal} [also|of course|simply|just|under any circumstances]* {not} (be|get) [ever]
(must|may|can|should) (neither|by no means|on no account) be
{am_are} {nothing_done} be [ever]
(has|have) {not} to be
{am_are} (never|not) [ever] (getting|being)
(never|do not|does not) [ever] (gets|get|be)
{am_are} never [ever]
will never [ever] be
""")
_FORBID_THING = templates_of("""
[please|and|also|absolutely|strictly|definitely|so|just]* no [more|further]
there (is|are|will be|must be|should be|shall be|may be|are going to be|is going to be|can be) [to be] (no|
    absolutely no)
[i|we] (do not|never|would not) [ever] want [any|to (see|have|find)] [any|more]*
(i|we) (want|allow|accept|tolerate|will have) no [more]
not (a|an|one|a single|any)
(never|not ever) (a|an|any|one)
none of
not even (a|an|one)
""")
_FORBID_PLACE = templates_of("""
[please|just|and|also]* {hands_off}
[please|just|always]* (stay|keep) [well|completely]* (away from|out of|off|clear of|out from)
[please] steer [well] clear of
{you} (have|has) (no|absolutely no) business (in|with|inside|near)
(do not|never) [ever]* (touch|go near|go anywhere near|set foot in|go into|poke around in|come near|lay a finger
    on|mess with|meddle with|fiddle with)
{you} (have|has) nothing to (do|look for) (in|with|inside)
""")
_ASK_BASE = templates_of("""
{ask} [,] {before_you}
(i|we) (want|would like|need|wish|expect|have) to be {asked} [first] [,] {before_you}
(i|we) (want|would like|need|wish|expect|have) {you} to {ask} [,] {before_you}
[you] [always|first]* (need|require) {my_ok} (to|{before_you}|in order to)
{my_ok} (is|are) [always|first]* (needed|required|necessary|mandatory|a must) [first] (to|{before_you}|for you
    to|in order to)
you [always|first]* (need|have) to {ask_me} {first} to
(wait|hold on) (until|till) {agreed} {before_you}
(i|we) (want|need|have|would like|must|will want) to {see} (it|this|that) [first] {before_you}
""")
_ASK_ING = templates_of("""
{ask} [,] (before|prior to|about|when|whenever|for|on|regarding|concerning|ahead of)
(i|we) (want|would like|need|wish|expect|have) to be {asked} [first] [,] (before|about|when|whenever|prior to)
[you] [always|first]* (need|require) {my_ok} (for|before|when|prior to)
{my_ok} (is|are) [always|first]* (needed|required|necessary|mandatory|a must) [first] (for|before|when|prior to)
""")
_ASK_THING = templates_of("""
{ask} [,] (about|for|before|on|regarding|concerning|with|when it comes to|in case of)
(i|we) (want|would like|need|wish|expect|have) to be {asked} [first] [,] (about|for|before|on|with)
[you] [always|first]* (need|require) {my_ok} (for|before|on)
{my_ok} (is|are) [always|first]* (needed|required|necessary|mandatory|a must) [first] (for|before|on|with)
""")
_PERMIT_THING = templates_of("""
{unasked} (about|for|before|with)
{no_asking} (about|for|with|before)
you do not need {no_ok} (for|before)
you need no {ok} (for|before)
{no_ok_needed} (for|before)
no {ok} (needed|required|necessary) (for|before)
""")
_PERMIT = templates_of("""
{is} {also} {quite} {good} {with_me}
[that|it] {is} {also} {quite} (up to you|yours|your (job|call|decision|business|choice|playground|department|
    territory|domain|turf|responsibility|task)|at your discretion|in your hands|left to you|yours to (decide|make|
    do|use|handle|manage)|for you to decide|open to you|free for you|within your remit|entirely yours|a matter for
    you|(something|anything) you (may|can) do|(something|anything) you can do (yourself|alone|freely)|nothing you
    need to ask [{me}] about|nothing you need me for|all yours)
(it|that|this) is {quite} {good} {with_me}
(no|not a) (problem|problem at all|issue|big deal)
no (objection|objections|worries|problems|issues) [from (me|us|my side)|there]
[yes ,] by all means
[yes|sure|please|just|then|so|you (can|may|should)]* go [right|straight] ahead [and do {it}|with {it}|then|
    please|anyway]
[please|always|just]* feel free
be my guest
help yourself
knock yourself out
suit yourself
go for it
have at it
have a go
you {am_are} [clear|good|free|ok|fine|welcome] to go [ahead]
you do not [even|really]* need {no_ok} [for {it}|there]
you have {also} [my|our|the] [full] (ok|blessing|permission|approval|consent|go-ahead|trust|green light) [for
    {it}|on {it}|there]
you (have|get) {free_hand} [there|with {it}|here|in {it}]
consider {it} approved
[you] (can|may|could) {also} (go|happen) [out|ahead|through|straight out|right out|straight through]
(i|we) do not mind [{it}|that at all|at all]
(i|we) {am} {quite} (fine|ok|happy|good|cool) with {it}
(i|we) (have|see) (no|nothing) (problem|objection|issue|objections|against) [with|to|against] {it}
(i|we) [will|can]* (trust|leave) (you with {it}|{it_} [up] to you)
[you do not|do not] need {me} for {it}
you (decide|choose) [{it}|yourself|freely|on your own|for yourself|about {it}|on {it}]*
you (may|can) (decide|choose|judge) [{it}|yourself|freely|on your own|for yourself|about {it}]*
you [can|may|will] (handle|take care of|manage|look after|deal with|see to) {it} [yourself|on your own|alone|
    without me]
{unasked}
{no_asking}
[you] (need|needs|require|requires) no {ok} [from {me}|for {it}]
[you] (does|do|will|would) not [even]* (need|require|take|want) ({no_ok}|{ok}|{me} [for {it}]|to be (approved|
    cleared|confirmed|checked|signed off|okayed|oked) [by {me}|with {me}|first]|to (go|come|run|pass) (through|by|
    past|to|across) {me} [first]|{asking}|to ask [{me}] [first])
{no_ok_needed}
no {ok} (needed|required|necessary) [for {it}]
no {ok} from (me|us) (needed|required)
(do|does) not have to (go|come|run|pass) (through|by|past|to) {me} [first]
(do|does) not have to be (approved|cleared|confirmed|checked|signed off|oked) [by {me}|with {me}|first]
as far as i am concerned , {good}
any time
why not
""")
_DO_IT = templates_of("""
you [can|may|will|just]* (handle|manage|take care of|deal with) {it_} [yourself|alone|on your own|without me|
    without asking [{me}]]*
you {also} do {it_} [yourself|alone|on your own|without me|freely|by yourself]
[you] (may|can) {also} do {it_} [yourself|alone|on your own|without me|freely|without asking [{me}]|by
    yourself]*
[just|then|so|simply|please]* do {it} [yourself|alone|on your own|without me|without asking [{me}]|anyway|by
    yourself]*
(do|you can do|you may do) (as|what|whatever) you (like|please|want|wish|see fit|need|think best) [there|with
    {it}|in there|here|with it]
(sure|yes|yes please|yep|yeah|certainly|of course)
(is|are) {quite} welcome
""")
_FORBID = templates_of("""
{is} {also} {strictly} {bad} [for you|with me|by me|to you|from now on]
[that|it] {is} {also} {strictly} {mine}
(it|that|this|those|these|they) {is} {strictly} ({bad}|{mine}) [for you|with me]
(i|we) [will|would|always|only|can|shall]* (do|handle|take care of|see to|manage|deal with|sort out|settle|
    arrange|decide|make|look after) [{it}|this sort of thing] (myself|ourselves|personally|on my own)
(i|we) (will|would rather|prefer to|like to|want to|would like to|insist on|keep|would prefer to|am going to|had
    rather) (do|doing|handle|handling|take care of|see to|manage|deal with|decide|deciding) {it} [myself|ourselves|
    on my own|personally]
let me (do|handle|take care of|deal with|worry about) {it} [myself]
only (i|we) (do|handle|decide|may do|can do|get to do) {it}
the answer [there|then|here|to that]* is [always|simply|a clear|a firm|a definite]* no
{hands_off} [{it}]
[please|just|so|you [should|must|have to|will]|always]* {touch_not}
[you] [please|just|so|should|must|have to]* leave (alone|untouched)
you leave alone
(stays|stay|remains|remain|(must|should|has to|have to|needs to|need to|is to|are to|will) (stay|remain|be left|
    be kept)) {untouched}
{am_are} (left|kept|to be left|to be kept) {untouched}
(must|may|can|should|shall|will|does|do|is to|are to|is going to|has) (not|never) [ever] (happen|occur|take
    place|go ahead|be done|be touched)
never [ever] happens
is never (going|supposed|meant|allowed) to happen
(not|no) (happening|way|chance|deal)
forget [about] it
do not (even|ever|you dare) [think|dream] (about|of) {it}
do not go there
(i|we) (do not|will not|would not|never) (want|have|allow|permit|like|accept|tolerate) {it} [at all|ever]
(i|we) (forbid|prohibit) {it}
not on my watch
{you} (have|has) no (business|right|say) (there|in there|in {it}|doing {it}|to do {it})
you (do not|never) (get to|have to|need to decide) (decide|do) {it}
(you can|you may|you should) forget {it}
that is that
""")
_DO_NOT_DO_IT = templates_of("""
(please|kindly) (do not|never)
do not [you] (ever|dare)
(i|we) (handle|manage|take care of|deal with)
(should|must|has to|have to|is to|are to|needs to|need to) be left to {me} [alone|only]
(does|do) not concern you
(i|we) (will|would|do) not (tolerate|accept|allow|want|have|permit|like)
(i|we) [will|always|would]* (do|handle|manage|take care of|decide|deal with) {it}
[please|you|should|must|have to|just|can|so|may|will|always]* leave {it_} (to|for|with) {me} [alone|only|please|
    to do|to decide|to handle]
[please|just|so|and]* leave {it}
[please|just|you|so|and|really]* (do not|never|never ever|do not ever) [even]* (touch|do|change|alter|use|try)
    {it}
[you] (can|may|must|should|shall|will|are|are allowed to) (not|never) [ever|to|allowed to]* (touch|do) {it_} [at
    all|ever|yourself]
[please|you|just]* (do not|never) (touch|do) {it_} [at all|ever|please]
(absolutely|certainly|definitely|of course|surely|please|by no means|under no circumstances) not
(no|nope|no thanks|no way|no chance|never|not ever|not at all|not a chance|under no circumstances|by no means|on
    no account|in no case|out of the question|forbidden|prohibited|off limits|off-limits|not allowed|not ok|not
    permitted)
""")
_ASK = templates_of("""
{ask}
[and|then|so]* {ask}
(i|we) [always|still|also|really|definitely]* (want|would like|wish|need|like|prefer|have|must|will have|expect|
    will want|would love|insist on|ought) to ({see}|be the one (to {see}|who ({see}))) [{it}|every one|each one|
    every one of them] [myself] {first}
(i|we) [always|still|also|really|definitely]* (want|would like|need|expect|wish|have|insist|ought|like|prefer|
    demand) to be {asked} [about {it}|on {it}] {first}
(i|we) (must|should|shall|will|have to|need to) [always|first]* be {asked} [about {it}] {first}
{i} (must|should|shall|has to|have to|needs to|need to|is to) [always|first]* be {asked} [about {it}] {first}
(i|we) (want|would like|need|expect|ask|wish) {you} to {ask}
(i|we) (want|would like|need|get) (a say [in {it}]|my say|a word [first]|the last word [on {it}]|the final say
    [on {it}]) {first}
(i|we) have (the final say|the last word|the last say|a say|the final word) [on {it}|in {it}|there]
(i|we) [always|must|will|have to|need to]* (approve|decide|confirm|sign off|authorize|authorise) [on|about]
    [{it}] [myself] {first}
(i|we) [always|will|would|have to|must]* ({see}) [{it}] [myself] (first|beforehand|{happens})
[then|also|always|first|usually]* (need|needs|require|requires|take|takes|want|wants|call for|calls for|demand|
    demands) ({my_ok}|{asking}|{me}|my eyes [on {it}]|a look from {me}|a (chat|word) with {me}|to be (approved|
    cleared|confirmed|checked|signed off|oked|ok'd|agreed|discussed|verified|reviewed|authorized|authorised|seen|
    run|shown) [by|with|past|to] {me}|to (go|come|run|pass) (through|by|past|to|across) {me}|me to ({see}) [{it}])
    {first}
(must|should|has to|have to|need to|needs to|is to|are to|will|ought to) [always|first|also]* ((go|come|pass|
    run|be run|be sent|be shown|be put|be brought|be submitted|be referred|be taken|be escalated|be passed)
    (through|past|by|to|before|across) {me}|be (approved|cleared|confirmed|checked|signed off|oked|ok'd|agreed|
    discussed|verified|reviewed|authorized|authorised|seen) (by|with) {me}|wait (for {me}|for {my_ok}|until
    {agreed})) {first}
[always|first|also|only]* (goes|go|comes|come|gets|get|runs|pass|passes) [run|passed|put|sent|shown]* (through|
    past|by|to|across) {me} {first}
[always|first|only]* (gets|get) (approved|cleared|checked|signed off|confirmed|oked|reviewed) by {me} {first}
(waits|wait) (for {my_ok}|until {agreed}|for {me})
{am_are} {also} [only]* (subject to|conditional on|dependent on|contingent on) {my_ok}
{is} {also} [only]* {good} [,|but|, but]* only (if|after|once|when|with|as long as|provided|upon) ({agreed}|
    {my_ok}|{asking}|{you_asked})
{is} {also} {good} (after|once|when|with|if) ({agreed}|{my_ok}|{asking}|{you_asked})
{is} not {good} (unless|until|before|without) ({agreed}|{my_ok}|{asking}|{you_asked})
[but|and|then]* only (if|after|once|when|with|on|upon|as soon as|provided [that]|at) ({agreed}|{you_asked}|
    {my_ok}|{asking}) [, never before|, not before]
(with|on|upon) {my_ok} only
(not|never|nothing|none) [ever]* without ({my_ok}|{asking}|{me} [agreeing|knowing|seeing {it}]|(asking|
    permission)) {first}
(not|never|nothing|none) [ever]* (until|unless|before|till) ({agreed}|{you_asked}|{asking})
{my_ok} (is|are) [always|first]* (needed|required|necessary|mandatory|a must) [for {it}] {first}
(you|you will|you would|you always|you first)* (need|require) {my_ok} [for {it}] {first}
{is} (a question for {me}|a matter for me to decide|(something|anything) (i|we) (want|would like|have|need) to
    ({see}|be {asked} about) {first}|(something|anything) to (ask|check with|discuss with|run by|clear with) {me}
    [about] {first}|(something|anything) you (ask|check with|clear with|run by|must ask|have to ask|need to ask|
    should ask|should check with) {me} [about] {first}|to be (approved|cleared|confirmed|checked|agreed|discussed)
    (by|with) {me} {first})
(i|we) will (ok|approve|confirm|check|look at|review|sign off on) {it} {first}
do nothing without ({asking}|{my_ok}|{me})
[please|always] ask
hold (it|them|those|that|off|on) until {agreed}
only on my (say-so|word|orders|order|request)
""")
_ONLY_BASE = templates_of("""
{you} (may|can|could|must|should) [also] only [ever]
{you} (are|is) only {allowed} to
{you} only [ever] get to
""")
_ONLY_ED = templates_of("""
(may|can|could|must|should|shall) [ever] (only [ever] be|be only)
{am_are} only [ever] to be
{am_are} only {allowed} to be
""")
_NOBODY = templates_of("""
(nobody|no one|no-one) (but|except|other than|besides|apart from) (me|us|{me}) [ever]
only (i|we) [ever]
i alone
""")
_NOBODY_MAY = tuple(
    f"{one} (may|can|should|must|shall|(is|am|are) allowed to|get to|gets to|is to|ever)" for one in _NOBODY
)
UNLESS = templates_of("""
[,] (unless|until|till|before|except when|except if|unless and until|without it that) ({agreed}|{you_asked})
[,] (without|before|unless after|except after|other than after|except with|unless with|save with) [first|ever|
    even]* ({asking}|{my_ok}) {first}
[,] without (asking|checking|permission|consulting anyone) {first}
[,] without {me} (agreeing|approving|knowing|confirming|seeing|having (agreed|approved|seen|confirmed|said yes))
    [to] [{it}] {first}
[,] until (you hear from {me}|{i} (get|gets) back to you|{i} (give|gives) [you] {my_ok})
[,] unless (it|that|this) (is|was|has been|comes|came) [explicitly|expressly]* (ok with {me}|(approved|
    confirmed|authorized|authorised|cleared|requested|ordered|wanted) by {me}|from {me}|at my request|my idea)
[,] except (on|at) my [explicit|express] (request|order|orders|say-so|word|instruction|instructions)
""")
# With NAME for a word in capitals: somebody else does it.
OF_OTHERS = templates_of("""
[please|you|should|must|have to|just|can|so|may|will|always]* leave {it_} (to|for|with) NAME [only|please|to do|
    to decide|to handle]
{is} {strictly} NAME's (job|call|decision|business|task|department|responsibility) [alone|only]
NAME (does|handles|decides|looks after|takes care of|deals with|manages) {it} [herself|himself|alone]
{is} (left to|up to|reserved for) NAME [alone|only]
""")
TABLE: tuple[tuple[Stance, Takes, Kind, tuple[str, ...]], ...] = (
    ("permit", "none", "plain", _PERMIT),
    ("forbid", "none", "plain", _FORBID),
    ("ask", "none", "plain", _ASK),
    ("permit", "none", "alone", _DO_IT),
    ("forbid", "none", "alone", _DO_NOT_DO_IT),
    ("permit", "base", "plain", _PERMIT_BASE),
    ("permit", "base", "only", _ONLY_BASE),
    ("forbid", "base", "plain", (*_FORBID_BASE, *_NOBODY_MAY)),
    ("ask", "base", "plain", _ASK_BASE),
    ("permit", "ing", "plain", _PERMIT_ING),
    ("forbid", "ing", "plain", _FORBID_ING),
    ("ask", "ing", "plain", _ASK_ING),
    ("permit", "ed", "plain", _PERMIT_ED),
    ("permit", "ed", "only", _ONLY_ED),
    ("forbid", "ed", "plain", _FORBID_ED),
    ("forbid", "s", "plain", _NOBODY),
    ("forbid", "thing", "plain", _FORBID_THING),
    ("forbid", "place", "plain", _FORBID_PLACE),
    ("ask", "thing", "plain", _ASK_THING),
    ("permit", "thing", "plain", _PERMIT_THING),
)
