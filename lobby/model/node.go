package model

import "time"

// Node is a process that runs matches, beside others on one store.
type Node struct {
	Name       string
	URL        string // where players reach it, http(s)://host; "": where they reach any node
	Heartbeats int64  // counts up while it lives
	Seen       time.Time
}
