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

	Scenarios []PackScenario `json:"scenarios"`
}

// PackScenario is a scenario of a pack.
type PackScenario struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// PackBytesMax bounds the file of a pack.
const PackBytesMax = 32 << 20

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
	// Add checks the file of a pack and puts it into this server's folder. The error of a faulty one is [BadPack], with all
	// faults; of a second file at a time it is [Busy].
	Add(file []byte) (PackInfo, error)
	// Missions lists the missions of the shipped pack and of packs that lobbies may choose, in their order.
	Missions() []Mission
	// Scenario returns the file of a scenario of a pack that lobbies may choose, or of the shipped pack.
	Scenario(hash, id string) ([]byte, bool)
}
