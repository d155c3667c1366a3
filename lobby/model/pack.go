package model

import "time"

// PackInfo describes a pack of this server.
type PackInfo struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Version  string   `json:"version"`
	Licence  string   `json:"licence"`
	About    string   `json:"about,omitempty"`
	Hash     string   `json:"hash" doc:"of the pack's content, in hexadecimal; GET /packs/{hash} has the index of its files"`
	Rulesets []string `json:"rulesets" doc:"their values for a lobby's option \"ruleset\""`
	Maps     []string `json:"maps" doc:"the names of its maps"`
}

// PublishedPack is the version of a pack that lobbies may choose.
type PublishedPack struct {
	Name, Hash string
	At         time.Time
	By         string // the admin's name
}

// Packs is the packs of this server. Any goroutine may call it.
type Packs interface {
	Packs() []PackInfo // all of the folder, by name and version
	// Offer lets lobbies choose the rulesets and maps of these versions, and of no others. A version that this server does
	// not have is left out.
	Offer([]PublishedPack)
}
