"""The engine: it plans prompts, calls models, checks every answer, retries what fails, and keeps a durable record.

It imports no recipe, no provider and no terminal. This page is its map.

Nouns (`types`; `RunOptions` is in `options`)
    A *run* is a directory. Its *units* are generated, checked and repaired as one each; a *page* is the part of a unit
    that one call produces. A `Prompt` is the stored text of one page. A `Request` is what is sent, a `Reply` what comes
    back, an `Attempt` both with their outcome. The accepted text of a page is its current *answer*; a manual edit that
    was adopted is the answer of its whole unit. An `Issue` is an error or a warning, found in a `Tier`: 1 syntax,
    2 schema, 3 semantic. A `RetryBudget` limits the retries of a unit. `RunOptions` is everything that a verb may use
    or limit. `Usage` adds up calls, tokens and cost.

Modules, each importing only those above it
    types, options, repair           values
    parts                            a page in two parts: its prompts, and how the answers are joined
    recipe                           `Recipe`, a frozen dataclass of plain functions; recipes and models by name
    tiers                            what was checked, passed or not run, and the status of a run; the same for recipes
    call_events                      the rows of the ledger about calls: prompts, requests and replies
    packs                            packed requests: several pages in one request, their answer, their shares of usage
    events                           one dataclass per kind of row in the ledger; notes have keys of their own
    chain                            the hashes through the rows of a ledger, by which damage is noticed
    ledger, history                  append and read rows; fold rows into their meaning
    stored_files                     compare JSON files with their hashes in the ledger; finish an interrupted scrub
    record                           both ledger and history, after secrets are replaced; warnings of likely secrets
    directory                        ir.json, prompts.json and pages.json
    judge                            the verdict on a unit's texts: read, automatic fixes, checks
    usage                            the cost of what was sent and received
    planned_calls                    the calls to make, which of them share a request, and who makes them
    calls                            intents, requests, replies; warm-up, the loop guard
    unit                             the state machine of one unit: accept, reject, revert, exhaust, dispute, adopt
    checks                           tier 3 over groups of units
    repairs, batches                 which pages are retried and how; first answers of a batch API or of workers
    round                            the loop over all units of a run
    compare, targets, files          answers of other models; which pages are called; files on disk
    overview                         results, figures
    verbs, scrub                     generate, regenerate, compare, repaginate, validate, adopt, assemble; remove a text

What happens to one reply
    1. `CallQueue._send` puts the intent on disk, sends the request, and stores the reply before anything reads it.
       A reply that an interrupted run has paid for is read from the ledger instead. The loop guard stops an answer
       that repeats itself; its finish reason is then "repeated". If the request was packed, each page gets its part of
       the reply as an attempt of its own, and a page without a part is called again alone.
    2. `Round._receive_reply` hands it to its unit. When the unit's last outstanding reply has arrived, `Unit.outcome`
       looks at the finish reason, merges repairs, and has the `Judge` read the texts and apply automatic fixes.
    3. `Unit.apply` accepts the new answers if they are no worse than the current ones (`judge.badness`), else rejects.
    4. `Round._decide` records the unit's new state as one `UnitSettled` row. If errors remain and the budget allows,
       `RepairPlanner` plans the next call of each page to blame: the model by the page's stage, and the strategy. A
       second row then holds the retried pages and the tier whose budget pays. A page whose own errors are known is
       repaired at once, while others are awaited (`Round._repair_early`).
    5. When all replies have settled, `GroupChecks` runs tier 3 over the groups that changed, and reverts new answers
       that made a group worse. Failing units are repaired as in 4. Then `Recipe.then` may add prompts.
    6. When nothing is left to do, `files.publish` writes the files, around manual edits; the outcomes of all tiers are
       recorded, and `overview.run_result` derives the status from them.

Where to change what
    a new kind of row           a dataclass in `events` or `call_events` with its line in `events._KINDS` (a branch in
                                `parse_event` if it has an attempt or a unit), one `case` in `history`, a line in
                                docs/reference/run.md; a note (`Record.note`) needs none of this
    a new repair strategy       a class in `repair` with `conversation` and `fold`; its place in
                                `RepairPlanner._strategies`
    what a reply is worth       finish reasons: `types.Finish`, `judge.unanswered`, `History.cut_at` and `repeats`; when
                                an answer is stopped in the stream: `calls._Listener`, `retouch.text.LoopDetector`
    a new status of a run       `tiers`: `Status`, `EXIT_STATUS`, `status_of`, `status_reason`; how it is shown:
                                `cli.outcome`, `cli.output.STYLES`, the tally of csharp; of a unit: `judge.unit_state`
    a new option of every verb  a field of `options.RunOptions` (and of `STORED_OPTIONS` if a resume needs it), an
                                option in `cli.options`, a field of `cli.runner.ModelOptions`
    a new option of one recipe  nothing here: an option of its command, and a field of the recipe's source (which makes
                                the prompts of older runs stale) or, for checks only, `own_options`
"""
