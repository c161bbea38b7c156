// Package correlate turns reports into facts. A report is what one source says of one
// thing; a fact is what happened: the set of the reports about it. The facts of a [Set]
// depend on the set of its reports alone. Order, batches, repeats and a restart change
// nothing. The package has no clock, no session and no telemetry types.
//
// # From reports to facts
//
// An account is everything that one source reports under one id of its own: the first of
// [Report.IDs]. Reports of an account are joined field by field with operations that are
// commutative, associative and idempotent, so a start and an end may come in either order,
// and a repeat changes nothing. A report without ids is an account of its own, named by
// all of its content.
//
// Ids join. Accounts of one kind that share an id are linked, also through others. If all
// ids in such a component agree, and no two accounts fill the same slot (source and stage),
// the component is one thing. Otherwise it is contested, as when A and B share an id, B and
// C another one, and A and C contradict each other: its accounts are then placed in the
// order of source, start and id, each into the first thing that it shares an id with and
// does not contradict; further things that it links are merged as far as they do not
// contradict. So an account stays with the better source, and whoever contradicts is
// another fact.
//
// Time joins what ids do not. Things are grouped by kind and the last word of their name,
// sorted by start, end and id, and walked once. Each one joins the best of the facts
// before it that it may be part of: the names are names of one tool or model (the SHA-256 of
// its server and the SHA-256 of a tool, in hex with a slash between them, are one too), the
// threads are equal where both are known, no kind of id is known to both and differs, the
// input digest (of a model call: the tokens) is equal where both have one, the slots are
// free, none begins behind its own source's end, what was refused has not returned, nor has
// a call of a model that failed, and the intervals are at most [Reach] apart; being inside
// an interval, or after the beginning of what has no end yet, is no distance. The best one has an equal digest, else touches in
// time, else is the earliest; of those that have only begun the latest, so that an end that
// was lost does not shift all later ones. If there is none, the thing begins a fact.
//
// This is the nearest definition to "laid over each other source by source, walked with two
// pointers" that can be kept up to date: what a thing joins depends on what is before it
// only, and on no more than the lookback of 64 things, so that a change is followed just as
// far as it reaches. It differs where reports of three sources are strung out over more
// than the reach: their order in time decides, not their source.
//
// # Layers
//
// The agent's call and the message on the wire are one fact of two layers. Each layer has
// its own total; an error in either or in both is one error of the fact.
//
// # Errors
//
// A failed fact is an error, unless it failed because a failed fact below it did: both have
// the same text, or the one below ended less than [Reach] before it. Models go on after most
// failures of tools, so the text of a tool's must be part of the other one's too, or the
// other way round, unless one has none.
//
// That the connection to an MCP server failed, as the agent says, is an error too: one for
// each server however often it is tried, and none if a call of one of its tools failed at
// that time.
//
// # Transactions and storage
//
// [Set.Rollback] takes back all reports since the last [Set.Commit]. Commit folds the
// oldest facts beyond the limit into totals that never change; a new fact of their time is
// late. Accounts are stored in chunks, facts are not: [Restore] makes them again. In memory
// old chunks are kept as they are stored until something needs them.
//
// # Bounds
//
// A report has at most three ids, an account too, and at most 64 accounts are linked by
// ids; a report beyond is refused. Only here does the order matter, and no agent comes
// near.
//
// Reports that ids join cost the same however many there are. A report without ids that
// comes late costs as much as it changes: among equal things less than the reach apart it
// may shift all pairs behind it. So, after 512 such things without a pause, time joins
// nothing across about each 256th one. Which one depends on its own id alone, and the order
// of the reports does not matter here either; a pair that lies across it is two facts.
package correlate
