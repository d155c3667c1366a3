// Package jetstream keeps journals in NATS JetStream, where several processes share
// them and each message lies on a majority of the journal servers' disks.
//
//	match loop ──Append──► Log ──one message at a time, compare-and-set──► fogkeep.j2.MATCH
//	match loop ◄─Synced──   │     (later records go into the next message)       │
//	             Confirm ◄──┘ lease, renewed by each acknowledged message        │
//	another process ──Store.Open──► an epoch message, compare-and-set ───────────┘
//	                                the former owner: ErrFenced
//
// Each match has a subject in one of a few streams. A message is sent on condition that the subject's last message is
// the one the sender knows. So exactly one process can go on with a match: the process whose epoch message came last.
// No clock decides it.
//
// A message holds records with their chained sums, as a journal's file does; see message.go for its form. A record is
// acknowledged ([Log.Synced]) once JetStream has acknowledged its message, which it does after a majority has synced
// it. If an answer is missing, the log reads the subject's end before it concludes anything, and sends again. It never
// gives up while it is open: a log without a leader is [Log.Stalled].
//
// Reading goes through any server, also a lagging one: the sums show that no record is missing, and the leader says how
// far to read. A takeover never needs a new consumer or stream, which JetStream's own leader would have to create: that
// leader may have died with the owner.
//
// Saved states and the index of matches lie in one more stream, and ended matches in an object store, as files like
// those in a [journal.Dir]. The package never looks inside a record, and players' connections cannot reach it.
package jetstream
