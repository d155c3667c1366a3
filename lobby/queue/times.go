package queue

import "time"

// The times of matchmaking.
const (
	AcceptFor  = 15 * time.Second // how long an offer waits for answers
	QueueKeep  = 30 * time.Second // how long a place is kept for one whose page is gone
	partyKeep  = 5 * time.Minute  // the same, while the party does not wait
	pairEvery  = 900 * time.Millisecond
	startPause = 10 * time.Second // without pairing, when no match could be started
)
