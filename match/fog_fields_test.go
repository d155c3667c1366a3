//go:build !race

package match

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// fieldRow is one field of the schema: its permitted receivers, its check, and leaks that
// prove the check. docs/contributing/fog.md says how to add one.
type fieldRow struct {
	path  string // of the field, from ServerFrame on
	who   string // may know it
	truth string // the permitted value
	check func(*fieldClient)
	leaks []fieldLeak
	told  int // its receivers
}

// The receivers of a field.
const (
	toAll     = iota
	toPlayers // and to no spectator
	toWatcher // a spectator
	toNobody  // it is reserved
)

// sees are the words of rows about things in sight.
const sees = "the teams that see it"

// publicRow is a field of the welcome.
func publicRow(path, truth string) fieldRow {
	return fieldRow{path, "everybody", truth, checkWelcome(path), []fieldLeak{leaksNumber(path)}, toAll}
}

// valueRow is a value of an entity in sight: rows of [handle, value].
type valueRow struct {
	path  string // of the field, in ServerFrame
	truth string // the permitted value
	is    func(h *history, m *moments, s stay, y *thing, value uint32) bool
	leak  func(x *thing) uint32                          // only the owner may know it: told as the value, it is found
	age   func(now grid.Tick, s stay, value uint32) bool // of a value that says when it became true
	// read is of a value that is as the simulation has it. The history keeps it,
	// and is holds the value to it.
	read func(e *sim.Entity) uint32
}

// valueTable has the values in the order in which they are applied. A receiver that sees
// an entity may know them.
var valueTable = []valueRow{
	{path: "health", truth: "full health less health, of the last ticks in sight", is: isMissing, leak: itsEnergy},
	{path: "health_changes", truth: "ticks in sight in which health changed", is: isChanges, leak: itsNumber},
	{path: "shield", truth: "full shield less shield, of the last ticks in sight", is: isShield, leak: itsEnergy},
	{path: "shield_changes", truth: "ticks in sight in which the shield changed", is: isShieldChanges, leak: itsNumber},
	{path: "flags", truth: "what it shows that it does", is: isFlags, leak: func(x *thing) uint32 { return uint32(bit(x.busy)) * 2 }},
	{path: "amount", truth: "a resource's stock, a building site's progress in sixteenths, a feature's state", is: isAmount, leak: itsQueue},
	{path: "burst", truth: "the shots of its first weapon seen since it came into sight, and that it fires", is: isBurst(0), age: ageOf(0), leak: itsShots},
	{path: "burst_second", truth: "the same of its second weapon", is: isBurst(1), age: ageOf(1), leak: itsShots},
}

// valueRows are the rows of the values in the table of fields.
func valueRows() (out []fieldRow) {
	for _, v := range valueTable {
		check := checkValue(v)
		if v.path == "flags" {
			check = checkFlags(v)
		}
		out = append(out, fieldRow{v.path, sees, v.truth, check, []fieldLeak{leaksIn(v.path, 2, 1), leaksOf(v.path, v.leak)}, toAll})
	}
	return out
}

// ownValueRow is a value that only the owner of a unit may know: rows of [handle, value]
// in Own. read returns the true value, step is the least change that the server tells.
type ownValueRow struct {
	path string // of the field, from ServerFrame on
	read func(e *sim.Entity) uint32
	step int64
}

var ownValueTable = []ownValueRow{
	{"own.energy", func(e *sim.Entity) uint32 { return uint32(max(0, e.Energy()) / 1000) }, 4},
	{"own.firing", func(e *sim.Entity) uint32 { return e.Firing() }, 1},
	{"own.energy_changes", func(e *sim.Entity) uint32 { return uint32(e.EnergySpent() % 128) }, 1},
}

// ownValueRows are the values' rows in the table of fields.
func ownValueRows() (out []fieldRow) {
	for _, v := range ownValueTable {
		out = append(out, fieldRow{v.path, "the player", "of its own units", ownRows(v.path, checkOwnValue(v)), []fieldLeak{leaksIn(v.path, 2, 1)}, toPlayers})
	}
	return out
}

// fieldTable has a row for each field of ServerFrame and of each message in it.
var fieldTable = slices.Concat(valueRows(), ownValueRows(), []fieldRow{
	{"tick", "the receiver", "the tick that the frame shows, in a snapshot", checkTick, []fieldLeak{leaksClock("tick")}, toAll},
	{"span", "the receiver", "ticks since its last frame", checkSpan, []fieldLeak{leaksClock("span")}, toAll},
	{"skipped", "the receiver", "fewer than the span, none over a good link", checkSkipped, []fieldLeak{leaksClock("skipped")}, toAll},
	{"partial", "the receiver", "that what the team saw at the tick comes later", checkPartial, []fieldLeak{leaksPartial}, toAll},
	{"packed", "the receiver", "the frame's rows, which have one packed form", checkPacked, []fieldLeak{leaksPacked}, toAll},
	{"leave", "who saw it", "what was out of sight since the frame before", checkLeave, []fieldLeak{lingers, leavesEarly}, toAll},
	{"destroyed", "who saw it go", "what died in sight, by the masks of the tick in which it did", checkDestroyed, []fieldLeak{diesUnseen, diesEarly}, toAll},
	{"enter", sees, "type, owner, cell, course as they are now; handles by number and place", checkEnter, []fieldLeak{
		entersUnseen,
		entersAs(0, func(p *planting, was uint32) uint32 { return was + p.kinds()*(1+p.secret()%9) }),                          // a handle that counts
		entersAs(0, func(p *planting, was uint32) uint32 { return was/p.kinds()*p.kinds() + (was+p.secret()%40+1)%p.kinds() }), // another type or owner
		entersAs(1, func(p *planting, was uint32) uint32 { return was + 1 + p.secret()%100 }),
		entersAs(2, goal),
	}, toAll},
	{"owner", sees, "whose it is now, of what was somebody else's", checkOwner, []fieldLeak{leaksIn("owner", 2, 1), leaksOf("owner", func(x *thing) uint32 { return 1 + uint32(x.slot+1)%5 })}, toAll},
	{"motion", sees, "place and course as they are now, rounded as the rules say", checkMotion, []fieldLeak{
		movesTo(1, hiddenPlace), movesTo(1, nudge), movesTo(2, goal),
	}, toAll},
	{"exact", sees, "the place that all with these eyes reckon with, of a tick in which it was in sight", checkExact, []fieldLeak{
		leaksIn("exact", 3, 1), func(p *planting) bool {
			if len(p.f.Exact) < 3 {
				return false
			}
			p.f.Exact[2] = (p.f.Exact[2] + 1 + p.secret()%4000) % 4096
			return true
		},
	}, toAll},
	{"last_bursts", "who saw it", "the shots that it was seen firing until it was out of sight", checkLastBursts, []fieldLeak{leaksIn("last_bursts", 3, 1), leaksIn("last_bursts", 3, 2)}, toAll},
	{"fire", "who sees both", "who shot at whom in the last ticks", checkFire, []fieldLeak{leaksIn("fire", 2, 1)}, toAll},

	{"actions", sees, "what it runs, and since when if it was in sight before", checkActions, []fieldLeak{leaksIn("actions", 3, 2), leaksIn("actions", 3, 1), beganUnseen}, toAll},
	{"effects", sees, "what is on it, since when, and from whom, if they were in sight before", checkEffects, []fieldLeak{leaksIn("effects", 4, 2), leaksIn("effects", 4, 1), leaksIn("effects", 4, 3)}, toAll},

	{"values", "the teams that see it, or all by its declaration", "how far it is from its start, now or as it came into sight", checkDeclared, []fieldLeak{
		leaksIn("values", 3, 2), leaksValueOf("values", ownerAlone), leaksValueOf("values", teamAlone), leaksValueOf("values", sentOnce), leaksValueOf("values", whileOff), valueOfHidden,
	}, toAll},
	{"packed_values", "the receiver", "the rows of values, which have one packed form", checkPackedValues, []fieldLeak{leaksPackedValues}, toAll},
	{"own.owner_values", "the player", "of its own units", ownRows("own.owner_values", checkOwnDeclared), []fieldLeak{leaksIn("own.owner_values", 3, 2), leaksOwnerValue}, toPlayers},

	{"ghosts", "who saw it once", "all columns", together("ghosts", checkGhostHandle, checkGone), []fieldLeak{ghostOfHidden, leaksForeign("ghosts")}, toAll},
	{"ghosts.handle", "who saw it once", "the name it had in sight; for all eyes the lowest that is free", checkGhostHandle, []fieldLeak{ghostOfHidden, leaksIn("ghosts.handle", 1, 0)}, toAll},
	{"ghosts.type", "who saw it once", "as last seen", checkGhosts("type", func(g *ghostHeld, x *thing) bool { return g.typ == x.typ }), []fieldLeak{ghostNow("type", func(x *thing) uint32 { return uint32(x.typ) })}, toAll},
	{"ghosts.owner", "who saw it once", "as last seen", checkGhosts("owner", func(g *ghostHeld, x *thing) bool { return g.owner == x.slot }), []fieldLeak{leaksIn("ghosts.owner", 1, 0)}, toAll},
	{"ghosts.x", "who saw it once", "as last seen", checkGhosts("x", func(g *ghostHeld, x *thing) bool { return g.pos.X == x.pos.X }), []fieldLeak{leaksIn("ghosts.x", 1, 0)}, toAll},
	{"ghosts.y", "who saw it once", "as last seen", checkGhosts("y", func(g *ghostHeld, x *thing) bool { return g.pos.Y == x.pos.Y }), []fieldLeak{leaksIn("ghosts.y", 1, 0)}, toAll},
	{"ghosts.facing", "who saw it once", "as last seen", checkGhosts("facing", func(g *ghostHeld, x *thing) bool { return g.face == x.face }), []fieldLeak{ghostNow("facing", func(x *thing) uint32 { return uint32(x.face) })}, toAll},
	{"ghosts.hp_missing", "who saw it once", "as in the last tick in sight", checkGhosts("hp_missing", func(g *ghostHeld, x *thing) bool { return g.missing == uint32(x.missing) }), []fieldLeak{ghostNow("hp_missing", func(x *thing) uint32 { return uint32(x.missing) })}, toAll},
	{"ghosts.amount", "who saw it once, and all from the start if the map places it", "of a feature: its state as last seen", checkGhosts("amount", func(g *ghostHeld, x *thing) bool { return g.amount == featureAmount(x) }), []fieldLeak{ghostNow("amount", func(x *thing) uint32 { return uint32(x.stock) + 1 })}, toAll},
	{"ghosts.gone", "who remembers it", "those whose ground is in sight", checkGone, []fieldLeak{ghostFades}, toAll},

	{"mask", "the eyes", "all columns", together("mask", checkMaskRow), []fieldLeak{maskOfOthers(false), maskOfOthers(true), leaksForeign("mask")}, toAll},
	{"mask.row", "the eyes", "what is in sight now, and was", checkMaskRow, []fieldLeak{leaksIn("mask.row", 1, 0), maskOfOthers(false)}, toAll},
	{"mask.visible_runs", "the eyes", "the runs of what is in sight", checkMask("mask.visible_runs", false), []fieldLeak{leaksIn("mask.visible_runs", 1, 0)}, toAll},
	{"mask.visible", "the eyes", "what is in sight now, every tile", checkMask("mask.visible", false), []fieldLeak{maskOfOthers(false), leaksIn("mask.visible", 2, 1)}, toAll},
	{"mask.explored_runs", "the eyes", "the runs of what was in sight", checkMask("mask.explored_runs", true), []fieldLeak{leaksIn("mask.explored_runs", 1, 0)}, toAll},
	{"mask.explored", "the eyes", "what was in sight once, every tile", checkMask("mask.explored", true), []fieldLeak{maskOfOthers(true)}, toAll},
	{"mask_hash", "the eyes", "the hash of what is in sight", checkMaskHash, []fieldLeak{hashOfOthers}, toAll},

	{"events", "who sees them", "all columns", together("events", checkEvents("kind")), []fieldLeak{eventInTheDark, leaksForeign("events")}, toAll},
	{"events.kind", sees, "what happened in the tick, as these eyes catch it", checkEvents("kind"), []fieldLeak{leaksNumber("events.kind"), eventInTheDark, soundOfOthers}, toAll},
	{"events.x", sees, "where it happened, the end of a shot", checkEvents("x"), []fieldLeak{leaksNumber("events.x"), soundsPlace}, toAll},
	{"events.y", sees, "where it happened, the end of a shot", checkEvents("y"), []fieldLeak{leaksNumber("events.y")}, toAll},
	{"events.what", sees, "the weapon, type, ability or class of sound", checkEvents("what"), []fieldLeak{leaksNumber("events.what")}, toAll},
	{"events.source", "who sees the one who did it", "its handle", checkEvents("source"), []fieldLeak{leaksNumber("events.source")}, toAll},
	{"events.target", "nobody: rows of fire tell it", "nothing", checkEvents("target"), []fieldLeak{leaksWithEvents(func(e *pb.Events, n uint32) { e.Target = []uint32{n} })}, toNobody},

	{"sights", "the eyes", "all columns", together("sights", checkSights("sights")), []fieldLeak{sightOfOthers, leaksNumber("sights.radius")}, toAll},
	{"sights.x", "the eyes", "of a source of theirs that ends by itself", checkSights("sights.x"), []fieldLeak{leaksNumber("sights.x"), sightOfOthers}, toAll},
	{"sights.y", "the eyes", "of a source of theirs that ends by itself", checkSights("sights.y"), []fieldLeak{leaksNumber("sights.y")}, toAll},
	{"sights.radius", "the eyes", "of a source of theirs that ends by itself", checkSights("sights.radius"), []fieldLeak{leaksNumber("sights.radius")}, toAll},
	{"sights.flyer", "the eyes", "of a source of theirs that ends by itself", checkSights("sights.flyer"), []fieldLeak{leaksNumber("sights.flyer")}, toAll},
	{"sights.level_bonus", "the eyes", "of a source of theirs that ends by itself", checkSights("sights.level_bonus"), []fieldLeak{leaksNumber("sights.level_bonus")}, toAll},
	{"sights.ticks", "the eyes", "until it ends", checkSights("sights.ticks"), []fieldLeak{leaksNumber("sights.ticks")}, toAll},

	{"contacts", "the team", "all columns", together("contacts", checkContacts("contacts")), []fieldLeak{contactOfOthers, leaksForeign("contacts")}, toAll},
	{"contacts.class", "the team", "of a signature that its radar found", checkContacts("contacts.class"), []fieldLeak{leaksNumber("contacts.class")}, toAll},
	{"contacts.x", "the team", "of the cell, or of a cell of the block", checkContacts("contacts.x"), []fieldLeak{leaksNumber("contacts.x"), contactsPlace}, toAll},
	{"contacts.y", "the team", "of the cell, or of a cell of the block", checkContacts("contacts.y"), []fieldLeak{leaksNumber("contacts.y")}, toAll},
	{"contacts.ago", "the team", "when its radar found it", checkContacts("contacts.ago"), []fieldLeak{leaksNumber("contacts.ago")}, toAll},

	{"players", "everybody", "all columns", together("players", checkPlayers("players")), []fieldLeak{leaksStrength}, toAll},
	{"players.slot", "everybody", "whose state changed", checkPlayers("players.slot"), []fieldLeak{leaksNumber("players.slot")}, toAll},
	{"players.name", "everybody", "of who took a bot's seat over, once that is so", checkPlayers("players.name"), []fieldLeak{leaksPlayerName}, toAll},
	{"players.score", "the team, and all in a mode that shows them to all", "of what the player's team saw fall, and of the mode", checkPlayers("players.score"), []fieldLeak{leaksNumber("players.score"), leaksScore}, toAll},
	{"players.values", "open ones everybody, others the team, all once the match is over", "as the mode has set them", checkPlayers("players.values"), []fieldLeak{leaksNumber("players.values"), leaksValue}, toAll},
	{"players.state", "everybody", "away, defeated, left, or none of them, as of the frame's tick", checkPlayers("players.state"), []fieldLeak{leaksNumber("players.state"), leaksStrength}, toAll},

	{"said", "the team, or all", "all columns", together("said", checkSaid("said")), []fieldLeak{overhears(false)}, toAll},
	{"said.slot", "who hears it", "who said it", checkSaid("said.slot"), []fieldLeak{leaksNumber("said.slot")}, toAll},
	{"said.all", "who hears it", "to whom it was said", checkSaid("said.all"), []fieldLeak{leaksNumber("said.all")}, toAll},
	{"said.handed", "who hears it", "whose units a team-mate was given, or gave back", checkSaid("said.handed"), []fieldLeak{leaksNumber("said.handed")}, toPlayers},
	{"said.units", "who hears it", "how many these were", checkSaid("said.units"), []fieldLeak{leaksNumber("said.units")}, toPlayers},
	{"said.text", "who hears it", "what was said to its team or to all, by then", checkSaid("said.text"), []fieldLeak{leaksNumber("said.text"), overhears(false)}, toAll},
	{"pinged", "the team", "all columns", together("pinged", checkPinged("pinged")), []fieldLeak{overhears(true)}, toPlayers},
	{"pinged.slot", "the team", "who pointed", checkPinged("pinged.slot"), []fieldLeak{leaksNumber("pinged.slot")}, toPlayers},
	{"pinged.kind", "the team", "what for", checkPinged("pinged.kind"), []fieldLeak{leaksNumber("pinged.kind")}, toPlayers},
	{"pinged.at", "the team", "where", checkPinged("pinged.at"), []fieldLeak{overhears(true)}, toPlayers},
	{"pinged.at.x", "the team", "where", checkPinged("pinged.at.x"), []fieldLeak{leaksNumber("pinged.at.x")}, toPlayers},
	{"pinged.at.y", "the team", "where", checkPinged("pinged.at.y"), []fieldLeak{leaksNumber("pinged.at.y")}, toPlayers},

	{"answers", "who asked", "all columns", together("answers", checkAnswers("answers")), []fieldLeak{leaksForeign("answers")}, toAll},
	{"answers.seq", "who asked", "of an order of its own", checkAnswers("answers.seq"), []fieldLeak{leaksNumber("answers.seq")}, toAll},
	{"answers.code", "who asked", "what the rules say of it, by what the team knows", checkAnswers("answers.code"), []fieldLeak{leaksNumber("answers.code"), leaksTarget}, toAll},
	{"answers.left_out", "who asked", "units of the order", checkAnswers("answers.left_out"), []fieldLeak{leaksNumber("answers.left_out")}, toPlayers},
	{"answers.left_out_code", "who asked", "why each is left out", checkAnswers("answers.left_out_code"), []fieldLeak{leaksNumber("answers.left_out_code")}, toPlayers},
	{"answers.more", "who asked", "how many orders after it are answered alike", checkAnswers("answers.more"), []fieldLeak{leaksNumber("answers.more")}, toPlayers},

	{"own", "the player", "what is its own", together("own", ownRows("own", checkResources), ownRows("own", checkQueues), ownRows("own", checkTasks)), []fieldLeak{ownsToo}, toPlayers},
	{"own.upgrades", "the player", "of its team", ownRows("own.upgrades", checkUpgrades), []fieldLeak{leaksNumber("own.upgrades"), ownsToo}, toPlayers},
	{"own.resources", "the player", "what it has now", ownRows("own.resources", checkResources), []fieldLeak{leaksNumber("own.resources"), ownsToo}, toPlayers},
	{"own.population", "the player", "as it is now", ownRows("own.population", checkPopulation), []fieldLeak{leaksNumber("own.population")}, toPlayers},
	{"own.population_max", "the player", "as it is now", ownRows("own.population_max", checkPopulationMax), []fieldLeak{leaksNumber("own.population_max")}, toPlayers},
	{"own.queues", "the player", "of its own structures, as they are now", ownRows("own.queues", checkQueues), []fieldLeak{leaksIn("own.queues", 4, 2), leaksQueue}, toPlayers},
	{"own.rallies", "the player", "of its own structures", ownRows("own.rallies", checkRallies), []fieldLeak{leaksIn("own.rallies", 2, 1), leaksIn("own.rallies", 2, 0)}, toPlayers},
	{"own.cancelled", "the player", "own units whose orders ended early", checkCancelled("own.cancelled"), []fieldLeak{leaksNumber("own.cancelled")}, toPlayers},
	{"own.cancelled_code", "the player", "why they did", checkCancelled("own.cancelled_code"), []fieldLeak{leaksNumber("own.cancelled_code")}, toPlayers},
	{"own.tasks", "the player", "what its own units do now, and where to", ownRows("own.tasks", checkTasks), []fieldLeak{leaksIn("own.tasks", 2, 1), leaksTask}, toPlayers},
	{"own.started", "the player", "own shots that it numbered", ownRows("own.started", checkStarted), []fieldLeak{leaksIn("own.started", 2, 0), leaksIn("own.started", 2, 1)}, toPlayers},
	{"own.ready", "the player", "when abilities of its own units can be used", ownRows("own.ready", checkReady), []fieldLeak{leaksIn("own.ready", 3, 2), leaksIn("own.ready", 3, 1)}, toPlayers},

	{"own.running", "the player", "abilities of its own units that run, their ends and its own numbers", ownRows("own.running", checkRunning), []fieldLeak{leaksIn("own.running", 4, 2), leaksIn("own.running", 4, 3), leaksIn("own.running", 4, 1)}, toPlayers},
	{"own.passengers", "the player", "the units in its own transports", ownRows("own.passengers", checkPassengers), []fieldLeak{leaksIn("own.passengers", 4, 2), leaksIn("own.passengers", 4, 3)}, toPlayers},
	{"own.grants", "the player", "what its own units may do, and why", ownRows("own.grants", checkGrants), []fieldLeak{leaksIn("own.grants", 3, 2), leaksIn("own.grants", 3, 1)}, toPlayers},

	{"ended", "everybody", "how it ended, not before", together("ended", checkEnded("ended")), []fieldLeak{endsEarly}, toAll},
	{"ended.winners", "everybody", "the result's", checkEnded("ended.winners"), []fieldLeak{leaksNumber("ended.winners")}, toAll},
	{"ended.reason", "everybody", "the result's", checkEnded("ended.reason"), []fieldLeak{leaksNumber("ended.reason")}, toAll},
	{"ended.scores", "everybody", "the result's", checkEnded("ended.scores"), []fieldLeak{endsEarly, leaksNumber("ended.scores")}, toAll},
	{"ended.scores.kills", "everybody", "the result's", checkEnded("ended.scores.kills"), []fieldLeak{leaksNumber("ended.scores.kills")}, toAll},
	{"ended.scores.assists", "everybody", "the result's", checkEnded("ended.scores.assists"), []fieldLeak{leaksNumber("ended.scores.assists")}, toAll},
	{"ended.scores.losses", "everybody", "the result's", checkEnded("ended.scores.losses"), []fieldLeak{leaksNumber("ended.scores.losses")}, toAll},
	{"ended.scores.made", "everybody", "the result's", checkEnded("ended.scores.made"), []fieldLeak{leaksNumber("ended.scores.made")}, toAll},
	{"ended.scores.points", "everybody", "the result's", checkEnded("ended.scores.points"), []fieldLeak{leaksNumber("ended.scores.points")}, toAll},
	{"ended.series_ticks", "everybody", "the result's", checkEnded("ended.series_ticks"), []fieldLeak{leaksNumber("ended.series_ticks")}, toAll},
	{"ended.series", "everybody", "the result's, and nothing of it before the end", checkEnded("ended.series"), []fieldLeak{endsEarly, leaksNumber("ended.series")}, toAll},
	{"ended.series.gathered", "everybody", "the result's", checkEnded("ended.series.gathered"), []fieldLeak{leaksNumber("ended.series.gathered")}, toAll},
	{"ended.series.army", "everybody", "the result's", checkEnded("ended.series.army"), []fieldLeak{leaksNumber("ended.series.army")}, toAll},

	{"closing", "the receiver", "the last message", checkClosing("closing"), []fieldLeak{leaksNumber("closing.text")}, toAll},
	{"closing.code", "the receiver", "one of a closed list", checkClosing("closing.code"), []fieldLeak{leaksNumber("closing.code")}, toAll},
	{"closing.text", "the receiver", "the text of its code, of a closed list", checkClosing("closing.text"), []fieldLeak{leaksNumber("closing.text"), leaksPanic}, toAll},
	{"closing.url", "the receiver", "with the code moved: the address of a server, as the operator wrote it", checkClosing("closing.url"), []fieldLeak{leaksNumber("closing.url")}, toAll},
	{"closing.retry", "the receiver", "as its code has it", checkClosing("closing.retry"), []fieldLeak{leaksNumber("closing.retry")}, toAll},
	{"waiting", "a spectator", "before its first frame", checkWaiting, []fieldLeak{leaksNumber("waiting.ticks")}, toWatcher},
	{"waiting.ticks", "a spectator", "until its first frame", checkWaiting, []fieldLeak{leaksNumber("waiting.ticks")}, toWatcher},

	{"budget", "the receiver", "what it may be sent from now on", checkBudget, []fieldLeak{leaksNumber("budget.bytes_per_s")}, toAll},
	{"budget.bytes_per_s", "the receiver", "as it was set", checkBudget, []fieldLeak{leaksNumber("budget.bytes_per_s")}, toAll},

	{"speed", "everybody", "how fast the match runs, and what is asked of it", checkSpeed("speed"), []fieldLeak{leaksNumber("speed.percent")}, toAll},
	{"speed.percent", "everybody", "as it was set", checkSpeed("speed.percent"), []fieldLeak{leaksNumber("speed.percent")}, toAll},
	{"speed.paused", "everybody", "as it was set", checkSpeed("speed.paused"), []fieldLeak{leaksNumber("speed.paused")}, toAll},
	{"speed.by", "everybody", "who asked for it", checkSpeed("speed.by"), []fieldLeak{leaksNumber("speed.by")}, toAll},
	{"speed.pause_ms", "everybody", "how long a pause lasts at most", checkSpeed("speed.pause_ms"), []fieldLeak{leaksNumber("speed.pause_ms")}, toAll},
	{"speed.pauses_left", "the receiver", "of its own player", checkSpeed("speed.pauses_left"), []fieldLeak{leaksNumber("speed.pauses_left")}, toPlayers},
	{"speed.held", "everybody", "how busy the server is with all its matches: with none of them, it is 0", checkSpeed("speed.held"), []fieldLeak{leaksNumber("speed.held")}, toNobody},
	{"speed.wishes", "everybody", "what was asked for and not agreed to", checkSpeed("speed.wishes"), []fieldLeak{leaksNumber("speed.wishes")}, toAll},
	{"speed.wishes.slot", "everybody", "who asks", checkSpeed("speed.wishes.slot"), []fieldLeak{leaksNumber("speed.wishes.slot")}, toAll},
	{"speed.wishes.percent", "everybody", "as it asked", checkSpeed("speed.wishes.percent"), []fieldLeak{leaksNumber("speed.wishes.percent")}, toAll},
	{"speed.wishes.paused", "everybody", "as it asked", checkSpeed("speed.wishes.paused"), []fieldLeak{leaksNumber("speed.wishes.paused")}, toAll},
	{"speed.wishes.ms", "everybody", "how long it is still asked", checkSpeed("speed.wishes.ms"), []fieldLeak{leaksNumber("speed.wishes.ms")}, toAll},

	{"votes", "the players asked", "the open questions to them", checkVotes("votes"), []fieldLeak{leaksNumber("votes.polls.by")}, toPlayers},
	{"votes.refused", "the receiver", "why its vote had no effect", checkVotes("votes.refused"), []fieldLeak{leaksNumber("votes.refused")}, toPlayers},
	{"votes.polls", "the team asked", "its question", checkVotes("votes.polls"), []fieldLeak{leaksNumber("votes.polls.by")}, toPlayers},
	{"votes.polls.kind", "the team asked", "as it was asked", checkVotes("votes.polls.kind"), []fieldLeak{leaksNumber("votes.polls.kind")}, toPlayers},
	{"votes.polls.by", "the team asked", "the player who asks", checkVotes("votes.polls.by"), []fieldLeak{leaksNumber("votes.polls.by")}, toPlayers},
	{"votes.polls.slot", "the team asked", "the player whose removal is asked for", checkVotes("votes.polls.slot"), []fieldLeak{leaksNumber("votes.polls.slot")}, toPlayers},
	{"votes.polls.voters", "the team asked", "its players", checkVotes("votes.polls.voters"), []fieldLeak{leaksNumber("votes.polls.voters")}, toPlayers},
	{"votes.polls.yes", "the team asked", "the votes for it", checkVotes("votes.polls.yes"), []fieldLeak{leaksNumber("votes.polls.yes")}, toPlayers},
	{"votes.polls.no", "the team asked", "the votes against it", checkVotes("votes.polls.no"), []fieldLeak{leaksNumber("votes.polls.no")}, toPlayers},
	{"votes.polls.needed", "the team asked", "how many it needs", checkVotes("votes.polls.needed"), []fieldLeak{leaksNumber("votes.polls.needed")}, toPlayers},
	{"votes.polls.ms", "the team asked", "how long it is open", checkVotes("votes.polls.ms"), []fieldLeak{leaksNumber("votes.polls.ms")}, toPlayers},
	{"votes.polls.result", "the team asked", "as it ended", checkVotes("votes.polls.result"), []fieldLeak{leaksNumber("votes.polls.result")}, toPlayers},

	{"welcome", "the receiver", "public rules and the own seat", checkWelcome("welcome"), []fieldLeak{leaksNumber("welcome.slot")}, toAll},
	{"welcome.resume", "the receiver", "the right to its own seat", checkWelcome("welcome.resume"), []fieldLeak{leaksNumber("welcome.resume"), leaksForeign("welcome")}, toAll},
	{"welcome.team", "the receiver", "whose eyes it has", checkWelcome("welcome.team"), []fieldLeak{leaksNumber("welcome.team")}, toAll},
	{"welcome.slot", "the receiver", "its own seat", checkWelcome("welcome.slot"), []fieldLeak{leaksNumber("welcome.slot")}, toAll},
	{"welcome.spectator", "the receiver", "that it looks on", checkWelcome("welcome.spectator"), []fieldLeak{leaksNumber("welcome.spectator")}, toWatcher},
	{"welcome.delay_ticks", "the receiver", "how late its frames are", checkWelcome("welcome.delay_ticks"), []fieldLeak{leaksNumber("welcome.delay_ticks")}, toWatcher},
}, publicRows, replayRows())

// replayRows are the fields of replays: a match never sends them.
func replayRows() (out []fieldRow) {
	for _, path := range schemaFields() {
		if top, rest, _ := cutPath(path); top == "replay" || top == "timeline" || top == "welcome" && strings.HasPrefix(rest, "replay") {
			check := func(c *fieldClient) {
				if told := (tellings{}); c.f != nil {
					if told.note(c.f.ProtoReflect(), ""); told[path] > 0 {
						c.wrong(path, "told by a match")
					}
				}
			}
			out = append(out, fieldRow{path, "who watches a replay", "of no live match", check, []fieldLeak{leaksAnew(path)}, toNobody})
		}
	}
	return out
}

var publicRows = []fieldRow{
	publicRow("welcome.protocol", "the protocol's number"),
	publicRow("welcome.match_id", "the match's name"),
	publicRow("welcome.map_hash", "the map, which is public"),
	publicRow("welcome.tick_rate", "of the setup"),
	publicRow("welcome.players", "all who play, as the lobby shows them"),
	publicRow("welcome.players.name", "of the setup"),
	publicRow("welcome.players.team", "of the setup"),
	publicRow("welcome.players.color", "of the setup"),
	publicRow("welcome.players.bot", "of the setup"),
	publicRow("welcome.players.state", "playing; frames tell what changes"),
	publicRow("welcome.players.start", "of the setup"),
	publicRow("welcome.players.faction", "of the setup"),
	publicRow("welcome.players.handicap_start", "of the setup"),
	publicRow("welcome.players.handicap_income", "of the setup"),
	publicRow("welcome.players.handicap_damage", "of the setup"),
	publicRow("welcome.factions", "of the rules"),
	publicRow("welcome.factions.name", "of the rules"),
	publicRow("welcome.factions.text", "of the rules"),
	publicRow("welcome.factions.color", "of the rules"),
	publicRow("welcome.mode_values", "of the mode"),
	publicRow("welcome.mode_values.name", "of the mode"),
	publicRow("welcome.mode_values.open", "of the mode"),
	publicRow("welcome.values", "of the rules"),
	publicRow("welcome.values.name", "of the rules"),
	publicRow("welcome.values.min", "of the rules"),
	publicRow("welcome.values.max", "of the rules"),
	publicRow("welcome.values.class", "of the rules"),
	publicRow("welcome.values.when", "of the rules"),
	publicRow("welcome.displays", "of the rules"),
	publicRow("welcome.displays.of", "of the rules"),
	publicRow("welcome.displays.bar", "of the rules"),
	publicRow("welcome.displays.color", "of the rules"),
	publicRow("welcome.displays.icon", "of the rules"),
	publicRow("welcome.displays.loss", "of the rules"),
	publicRow("welcome.displays.gain", "of the rules"),
	publicRow("welcome.types.values", "of the rules"),
	publicRow("welcome.types.values.value", "of the rules"),
	publicRow("welcome.types.values.start", "of the rules"),
	publicRow("welcome.mode_areas", "of the mode"),
	publicRow("welcome.mode_areas.name", "of the mode"),
	publicRow("welcome.mode_areas.x", "of the mode"),
	publicRow("welcome.mode_areas.y", "of the mode"),
	publicRow("welcome.mode_areas.radius", "of the mode"),
	publicRow("welcome.types", "of the rules"),
	publicRow("welcome.types.name", "of the rules"),
	publicRow("welcome.types.class", "of the rules"),
	publicRow("welcome.types.health", "of the rules"),
	publicRow("welcome.types.sight", "of the rules"),
	publicRow("welcome.types.speed", "of the rules"),
	publicRow("welcome.types.size", "of the rules"),
	publicRow("welcome.types.size_y", "of the rules"),
	publicRow("welcome.types.needs", "of the rules"),
	publicRow("welcome.types.move_kind", "of the rules"),
	publicRow("welcome.types.cost", "of the rules"),
	publicRow("welcome.types.build_ticks", "of the rules"),
	publicRow("welcome.types.population", "of the rules"),
	publicRow("welcome.types.weapons", "of the rules"),
	publicRow("welcome.types.abilities", "of the rules"),
	publicRow("welcome.types.trains", "of the rules, as far as the own faction makes them"),
	publicRow("welcome.types.builds", "of the rules, as far as the own faction makes them"),
	publicRow("welcome.types.worker", "of the rules"),
	publicRow("welcome.types.flyer_sight", "of the rules"),
	publicRow("welcome.types.level_bonus", "of the rules"),
	publicRow("welcome.types.detect", "of the rules"),
	publicRow("welcome.types.turn", "of the rules"),
	publicRow("welcome.types.shield", "of the rules"),
	publicRow("welcome.types.armour", "of the rules"),
	publicRow("welcome.types.energy", "of the rules"),
	publicRow("welcome.types.population_gives", "of the rules"),
	publicRow("welcome.types.drop_off", "of the rules"),
	publicRow("welcome.types.centre", "of the rules"),
	publicRow("welcome.types.signature", "of the rules"),
	publicRow("welcome.types.radar", "of the rules"),
	publicRow("welcome.types.jam", "of the rules"),
	publicRow("welcome.types.feature", "of the rules"),
	publicRow("welcome.types.blocks_sight", "of the rules"),
	publicRow("welcome.types.breakable", "of the rules"),
	publicRow("welcome.types.repairs", "of the rules"),
	publicRow("welcome.types.wreck", "of the rules"),
	publicRow("welcome.types.slots", "of the rules"),
	publicRow("welcome.types.carries", "of the rules"),
	publicRow("welcome.types.takes", "of the rules"),
	publicRow("welcome.types.shore", "of the rules"),
	publicRow("welcome.armours", "of the rules"),
	publicRow("welcome.sounds", "of the rules"),
	publicRow("welcome.signatures", "of the rules"),
	publicRow("welcome.contact_ticks", "of the rules"),
	publicRow("welcome.mode", "of the setup"),
	publicRow("welcome.time_limit_ticks", "of the setup"),
	{"welcome.score_limit", "everybody", "of the setup: in skirmish there is none", checkWelcome("welcome.score_limit"), []fieldLeak{leaksNumber("welcome.score_limit")}, toNobody},
	publicRow("welcome.servers", "addresses of the service's servers, as the operator wrote them"),
	publicRow("welcome.weapons.versus", "of the rules"),
	publicRow("welcome.codes", "the table of codes"),
	publicRow("welcome.resources", "of the rules"),
	publicRow("welcome.abilities", "of the rules"),
	publicRow("welcome.abilities.name", "of the rules"),
	publicRow("welcome.abilities.kind", "of the rules"),
	publicRow("welcome.abilities.target", "of the rules"),
	publicRow("welcome.abilities.range", "of the rules"),
	publicRow("welcome.abilities.cooldown_ticks", "of the rules"),
	publicRow("welcome.abilities.energy", "of the rules"),
	publicRow("welcome.abilities.lasting", "of the rules"),
	publicRow("welcome.abilities.passive", "of the rules"),
	publicRow("welcome.abilities.sight", "of the rules"),
	publicRow("welcome.abilities.radius", "of the rules"),
	publicRow("welcome.abilities.weapon", "of the rules"),
	publicRow("welcome.abilities.duration_ticks", "of the rules"),
	publicRow("welcome.abilities.effect", "of the rules"),
	publicRow("welcome.abilities.targets", "of the rules"),
	publicRow("welcome.abilities.needs", "of the rules"),
	publicRow("welcome.abilities.spends", "of the rules"),
	publicRow("welcome.abilities.spend_amount", "of the rules"),
	publicRow("welcome.effects", "of the rules"),
	publicRow("welcome.effects.name", "of the rules"),
	publicRow("welcome.effects.kind", "of the rules"),
	publicRow("welcome.effects.duration_ticks", "of the rules"),
	publicRow("welcome.effects.strength", "of the rules"),
	publicRow("welcome.effects.every_ticks", "of the rules"),
	publicRow("welcome.effects.changes", "of the rules"),
	publicRow("welcome.effects.changes.attribute", "of the rules"),
	publicRow("welcome.effects.changes.add", "of the rules"),
	publicRow("welcome.effects.changes.percent", "of the rules"),
	publicRow("welcome.effects.changes.cap_percent", "of the rules"),
	publicRow("welcome.effects.changes.cap", "of the rules"),
	publicRow("welcome.weapons", "of the rules"),
	publicRow("welcome.weapons.name", "of the rules"),
	publicRow("welcome.weapons.range", "of the rules"),
	publicRow("welcome.weapons.min_range", "of the rules"),
	publicRow("welcome.weapons.cooldown_ticks", "of the rules"),
	publicRow("welcome.weapons.damage", "of the rules"),
	publicRow("welcome.weapons.projectile", "of the rules"),
	publicRow("welcome.weapons.wind_up_ticks", "of the rules"),
	publicRow("welcome.weapons.projectile_type", "of the rules"),
	publicRow("welcome.weapons.projectile_speed", "of the rules"),
	publicRow("welcome.weapons.homing", "of the rules"),
	publicRow("welcome.weapons.at_ground", "of the rules"),
	publicRow("welcome.weapons.hits_ground", "of the rules"),
	publicRow("welcome.weapons.hits_air", "of the rules"),
	publicRow("welcome.weapons.splash", "of the rules"),
	publicRow("welcome.weapons.burst", "of the rules"),
	publicRow("welcome.weapons.burst_ticks", "of the rules"),
	publicRow("welcome.weapons.alternate", "of the rules"),
	publicRow("welcome.weapons.lob", "of the rules"),
	publicRow("welcome.weapons.bounces", "of the rules"),
	publicRow("welcome.weapons.pierces", "of the rules"),
	publicRow("welcome.weapons.splits", "of the rules"),
	publicRow("welcome.weapons.steered", "of the rules"),
	publicRow("welcome.rules_hash", "the rules, which are public"),
	publicRow("welcome.pack_hash", "of the pack, which is public"),
	publicRow("welcome.occlusion", "of the map"),
	publicRow("welcome.bytes_per_s", "of the server's settings"),
	publicRow("welcome.dying_sight_ticks", "of the rules"),
	publicRow("welcome.orders_per_s", "of the rules and the match's options"),
	publicRow("welcome.order_burst", "of the rules and the match's options"),
	publicRow("welcome.lag_max_ticks", "of the rules"),
}

// publicWelcome returns each receiver's welcome, made of the match's setup: no state of
// the world goes into it.
func publicWelcome(w *sim.World, spec *Spec, bytesPerS int) func(*receiver) *pb.Welcome {
	rules := w.Rules()
	out := &pb.Welcome{
		Protocol: wire.Protocol, MatchId: spec.ID, MapHash: spec.Map.Hash().String(), TickRate: uint32(spec.TickRate), RulesHash: rules.Hash.String(), PackHash: spec.Pack,
		Occlusion: uint32(spec.Map.Occlusion), Resources: rules.Resources, BytesPerS: uint32(bytesPerS),
		OrdersPerS: uint32(rules.Settings.OrdersPerSecond), OrderBurst: uint32(rules.Settings.OrderBurst), LagMaxTicks: uint32(w.LagMax()),
		DyingSightTicks: uint32(int(rules.Settings.DyingSightMs) * spec.TickRate / 1000),
		Armours:         rules.Armours, Sounds: rules.Sounds, Signatures: rules.Signatures, Mode: spec.Options.Mode, Servers: []string{nodeURL},
		TimeLimitTicks: uint32(int(spec.Options.TimeLimitMs) * spec.TickRate / 1000), ScoreLimit: uint32(spec.Options.ScoreLimit),
	}
	if len(rules.Signatures) > 0 {
		out.ContactTicks = uint32(int(rules.Settings.RadarKeepMs) * spec.TickRate / 1000)
	}
	if out.Mode == "" {
		out.Mode = "skirmish"
	}
	if out.Mode == "valued" {
		out.ModeValues = []*pb.ModeValue{{Name: "wave", Open: true}, {Name: "held"}}
		out.ModeAreas = []*pb.ModeArea{{Name: "hill", X: 3, Y: 4, Radius: 2048}}
	}
	for _, p := range spec.Seats {
		out.Players = append(out.Players, &pb.Player{
			Name: p.Name, Team: uint32(p.Team), Color: uint32(p.Color), Bot: p.Bot, State: pb.PlayerState_PLAYER_STATE_PLAYING, Start: uint32(p.Start + 1), Faction: uint32(p.Faction),
			HandicapStart: uint32(p.Handicap.Start), HandicapIncome: uint32(p.Handicap.Income), HandicapDamage: uint32(p.Handicap.Damage),
		})
	}
	for _, x := range rules.Factions {
		out.Factions = append(out.Factions, &pb.FactionInfo{Name: x.Name, Text: x.Text, Color: x.Color})
	}
	for code := range orders.Table {
		out.Codes = append(out.Codes, orders.Reject(code).String())
	}
	for i := range rules.Types {
		out.Types = append(out.Types, publicType(w, uint16(i)))
	}
	for i, a := range rules.Abilities {
		x := &pb.AbilityInfo{
			Name: a.Name, Kind: a.Kind, Range: uint32(a.Range), CooldownTicks: uint32(w.AbilityTicks(uint8(i))), Energy: uint32(a.Energy / 1000),
			Sight: uint32(a.Sight), Radius: uint32(a.Radius), Weapon: uint32(1 + a.Weapon), DurationTicks: uint32(int(a.DurationMs) * spec.TickRate / 1000), Effect: uint32(a.Effect + 1), Targets: uint32(a.Targets),
		}
		for _, n := range a.Needs {
			x.Needs = append(x.Needs, uint32(n))
		}
		if a.Spends.Amount > 0 {
			x.Spends, x.SpendAmount = uint32(a.Spends.Value)+1, uint32(a.Spends.Amount)
		}
		var target uint8
		target, x.Lasting, x.Passive = w.AbilityNeeds(uint8(i))
		x.Target = uint32(target)
		out.Abilities = append(out.Abilities, x)
	}
	for _, x := range rules.Effects {
		info := &pb.EffectInfo{Name: x.Name, Kind: x.KindName, DurationTicks: uint32(int(x.DurationMs) * spec.TickRate / 1000), Strength: uint32(x.Strength)}
		if x.KindName == "modify" {
			for _, c := range x.Changes { // none of energy and speed, whose units differ
				info.Changes = append(info.Changes, &pb.AttributeChange{
					Attribute: uint32(c.Attribute), Add: c.Add, Percent: c.Percent, CapPercent: uint32(c.CapPercent), Cap: uint32(c.Cap),
				})
			}
		}
		if info.Kind == "damage" {
			info.EveryTicks = uint32(int(x.EveryMs) * spec.TickRate / 1000)
		}
		out.Effects = append(out.Effects, info)
	}
	for _, v := range rules.Values {
		class, when := [...]string{"owner", "seeing", "all"}[v.Class], [...]string{"change", "initial", "acting", "affected", "damaged"}[v.When]
		out.Values = append(out.Values, &pb.ValueInfo{Name: v.Name, Min: v.Min, Max: v.Max, Class: class, When: when})
	}
	for _, d := range rules.Displays {
		out.Displays = append(out.Displays, &pb.DisplayInfo{Of: d.Of, Bar: d.Bar, Color: d.Color, Icon: d.Icon, Loss: d.Loss, Gain: d.Gain})
	}
	for i, x := range rules.Weapons {
		info := &pb.WeaponInfo{
			Name: x.Name, Range: uint32(x.Range), MinRange: uint32(x.MinRange), CooldownTicks: uint32(w.Cooldown(uint8(i))),
			Damage: uint32(x.Damage), Projectile: x.Speed > 0, WindUpTicks: uint32(w.WindUp(uint8(i))), ProjectileSpeed: uint32(w.ShotSpeed(uint8(i))),
			ProjectileType: uint32(x.Look), Homing: x.Homing, AtGround: x.AtGround, HitsGround: x.HitsGround, HitsAir: x.HitsAir,
			Splash: uint32(x.Splash), Alternate: uint32(1 + x.Alternate),
			Lob: uint32(x.Lob), Bounces: uint32(x.Bounces), Pierces: uint32(x.Pierces), Splits: uint32(x.Splits), Steered: x.Steered,
		}
		if x.Burst > 1 {
			info.Burst, info.BurstTicks = uint32(x.Burst), uint32(int(x.BurstMs)*spec.TickRate/1000)
		}
		for _, percent := range x.Versus {
			info.Versus = append(info.Versus, uint32(percent))
		}
		out.Weapons = append(out.Weapons, info)
	}
	return func(r *receiver) *pb.Welcome {
		mine := proto.Clone(out).(*pb.Welcome)
		mine.Team, mine.Slot, mine.Resume = uint32(r.team), uint32(r.slot), r.token
		mine.Spectator, mine.DelayTicks = r.spectator(), uint32(r.delay)
		if r.slot != grid.NoSlot && spec.Seats[r.slot].Faction > 0 {
			makes := rules.Factions[spec.Seats[r.slot].Faction-1].Makes
			for _, x := range mine.Types {
				for _, list := range []*[]uint32{&x.Trains, &x.Builds} {
					*list = slices.DeleteFunc(*list, func(n uint32) bool { return !makes[n] })
				}
			}
		}
		return mine
	}
}

func publicType(w *sim.World, typ uint16) *pb.TypeInfo {
	t := &w.Rules().Types[typ]
	x := &pb.TypeInfo{
		Name: t.Name, Class: pb.TypeClass(1 + t.Class), Health: uint32(t.Health), Sight: uint32(t.Sight), Speed: uint32(w.Speed(typ)),
		Size: uint32(t.Radius), SizeY: uint32(t.Radius), MoveKind: uint32(t.Move), BuildTicks: uint32(w.BuildTicks(typ)), Population: uint32(t.Pop),
		Worker: t.Carry > 0 || len(t.Builds) > 0, FlyerSight: t.Class == rules.ClassUnit && t.Move == 3, LevelBonus: uint32(t.LevelBonus), Detect: uint32(t.Detect),
		Turn:   uint32(w.Turn(typ)),
		Shield: uint32(t.Shield.Max), Armour: uint32(t.Armour), Energy: uint32(t.EnergyMax / 1000), PopulationGives: uint32(t.PopGives),
		DropOff: t.DropOff, Centre: t.Centre, Shore: t.Shore, Feature: uint32(t.Feature.Kind()), BlocksSight: t.Feature.BlocksSight, Breakable: t.Feature.Breakable,
		Signature: uint32(t.Signature), Radar: uint32(t.Radar), Jam: uint32(t.Jam.Radius),
	}
	if x.Slots, x.Carries = uint32(t.Transport.Slots), wideOf(t.Transport.Types); t.Slots > 1 {
		x.Takes = uint32(t.Slots)
	}
	for _, other := range w.Rules().Types {
		x.Wreck = x.Wreck || other.Wreck.Left && other.Wreck.Type == typ
	}
	switch t.Class {
	case rules.ClassProjectile:
		x.Class = pb.TypeClass_TYPE_CLASS_PROJECTILE
	case rules.ClassResource:
		x.Class = pb.TypeClass_TYPE_CLASS_RESOURCE
		fallthrough
	case rules.ClassStructure:
		x.Size, x.SizeY = uint32(t.FootW), uint32(t.FootH)
	}
	for i := range w.Rules().Resources {
		x.Cost = append(x.Cost, uint32(t.Cost[i]))
	}
	for _, n := range t.Weapons {
		x.Weapons = append(x.Weapons, uint32(n))
	}
	for _, n := range t.Abilities {
		x.Abilities = append(x.Abilities, uint32(n))
	}
	for _, v := range t.Values {
		x.Values = append(x.Values, &pb.TypeValue{Value: uint32(v.Value), Start: v.Start})
	}
	x.Trains, x.Builds, x.Needs, x.Repairs = wideOf(t.Trains), wideOf(t.Builds), wideOf(t.Needs), wideOf(t.Repairs.Types)
	return x
}

func wideOf(list []uint16) (out []uint32) {
	for _, n := range list {
		out = append(out, uint32(n))
	}
	return out
}

// together checks a whole message: each of its fields, and that only permitted receivers
// get it.
func together(path string, checks ...func(*fieldClient)) func(*fieldClient) {
	return func(c *fieldClient) {
		say := c.say
		c.say = func(_, what string) { say(path, what) }
		for _, check := range checks {
			check(c)
		}
		c.say = say
	}
}

// closings are the texts that go with the codes of [link.Closings], and whether it is
// worth coming back. A moderator's text is free; all other texts are from this list.
var closings = map[string]struct {
	retry bool
	texts string // a regular expression; "": the lobby's, which has a table of its own
}{
	"no_hello":          {true, `the first message has to be a hello`},
	"version":           {false, `this server speaks protocol \d+, not \d+: load the page again`},
	"no_ticket":         {false, `the hello has neither a ticket nor a resume token`},
	"bad_ticket":        {false, ``},
	"ticket_used":       {false, ``},
	"ticket_expired":    {false, ``},
	"bad_token":         {false, `invalid resume token|this resume token was replaced by a newer one`},
	"logged_out":        {false, `you were logged out: log in again`},
	"no_match":          {false, `this match is over or runs elsewhere`},
	"match_over":        {false, ``},
	"no_seat":           {false, `this match takes no spectators|you play in this match|all seats for spectators are taken|the match has no seat \d+`},
	"not_seated":        {false, ``},
	"not_whitelisted":   {false, ``},
	"banned_account":    {false, ``},
	"banned_address":    {false, ``},
	"kicked":            {false, `a moderator's words|you were removed from this match`},
	"refused":           {false, ``},
	"replaced":          {false, `this seat was taken over by a newer connection of yours|you now watch from a newer connection of yours`},
	"ended":             {false, `the match is over`},
	"failed":            {false, `the match failed: (internal error|the journal could not be written|aborted: a moderator's words)`},
	"moved":             {true, `this match is on another server of the service`},
	"unwatchable":       {true, `the spectator broadcast failed; the match continues`},
	"bad_message":       {true, `bad client message: .{1,100}|a second hello on one connection`}, // the error in its own bytes
	"too_big":           {true, `.{1,100}`},
	"text_message":      {true, `a text message: the protocol is binary`},
	"bad_frame":         {true, `a websocket frame with an invalid length`},
	"too_many":          {true, `too many pings and pongs`},
	"too_many_sockets":  {true, `too many match sockets for your (account|address|network): at most \d+ at once`},
	"server_full":       {true, `too many match sockets for this server: at most \d+ at once`},
	"silent":            {true, `no message for \d+ seconds`},
	"too_slow":          {true, `your connection is too slow for this match`},
	"stopping":          {true, `the server is stopping(; the match continues after the restart)?`},
	"replay_busy":       {true, `too many replays are being watched on this server: try again later`},
	"replay_expired":    {false, ``},
	"replay_version":    {false, ``},
	"replay_unreadable": {false, `this match's journal cannot be read`},
	"replay_off":        {false, ``},
	"match_runs":        {false, ``},
	"match_waits":       {false, ``}, // of builds, which the lobby says too
	"unavailable":       {true, ``},
	"internal":          {true, `something went wrong in the server|the server could not check the ticket; try again`},
}

// Every code with which a connection is closed is in the list of texts.
func TestEveryClosingHasItsTexts(t *testing.T) {
	for _, row := range link.Closings {
		if is, ok := closings[row.Code]; !ok || is.retry != row.Retry {
			t.Errorf("%s: listed %v with retry %v, closed with retry %v", row.Code, ok, is.retry, row.Retry)
		}
	}
	if len(closings) != len(link.Closings) {
		t.Errorf("%d codes with texts, and %d are sent", len(closings), len(link.Closings))
	}
}

func checkClosing(field string) func(*fieldClient) {
	return func(c *fieldClient) {
		if c.closed && c.f.Welcome == nil {
			c.wrong(field, "a message after the last: %v", c.f)
		}
		x := c.f.Closing
		if x == nil {
			return
		}
		is, ok := closings[x.Code]
		if !ok || is.texts == "" || is.retry != x.Retry || !regexp.MustCompile(`^(`+is.texts+`)$`).MatchString(x.Text) ||
			x.Url != "" && (x.Code != "moved" || x.Url != nodeURL) {
			c.wrong(field, "%v is not in the list", x)
		}
	}
}

func leaksPanic(p *planting) bool {
	if p.f.Closing == nil {
		return false
	}
	p.f.Closing.Code, p.f.Closing.Text = "failed", "the match failed: internal error: runtime error: index out of range [7] with length 3"
	return true
}

// leaksClock writes the secret into one of the numbers of a frame's clock.
func leaksClock(path string) fieldLeak {
	return func(p *planting) bool {
		if p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil || (p.f.Tick != 0) != (path == "tick") {
			return false
		}
		switch path {
		case "tick":
			p.f.Tick += p.secret() % 3
		case "span":
			p.f.Span = 1 + p.secret()%5
		default:
			p.f.Skipped = p.secret()
		}
		return true
	}
}

// leaksPartial puts the team's sights into a partial frame.
func leaksPartial(p *planting) bool {
	if !p.f.Partial {
		return false
	}
	p.f.Skipped = 1 + p.secret()%3
	return true
}

// leaksPacked tells by a byte behind the rows.
func leaksPacked(p *planting) bool {
	if len(p.f.Packed) == 0 {
		return false
	}
	p.f.Packed = append(bytes.Clone(p.f.Packed), byte(p.secret()))
	return true
}

func leaksWithEvents(set func(e *pb.Events, n uint32)) fieldLeak {
	return func(p *planting) bool {
		if p.f.Events == nil {
			return false
		}
		set(p.f.Events, p.secret())
		return true
	}
}

// leaksStrength tells by a player's state how much it has.
func leaksStrength(p *planting) bool {
	if p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil {
		return false
	}
	p.f.Players = []*pb.PlayerNote{{Slot: 1, State: pb.PlayerState(2 + p.secret()%2)}}
	return true
}

// leaksPlayerName tells by a player's name how much it has.
func leaksPlayerName(p *planting) bool {
	if p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil {
		return false
	}
	p.f.Players = []*pb.PlayerNote{{Slot: 1, State: pb.PlayerState_PLAYER_STATE_PLAYING, Name: fmt.Sprint("b", p.secret()%2)}}
	return true
}

// leaksTarget answers an order about an unknown target with the truth about the target.
func leaksTarget(p *planting) bool {
	for _, a := range p.f.Answers {
		if o := p.r.orders[a.Seq]; o != nil && o.Order != nil && o.Target != 0 && !o.targets {
			a.Code = uint32(orders.BadTarget)
			return true
		}
	}
	return false
}

// leaksQueue tells the queue of another player's structure.
func leaksQueue(p *planting) bool {
	return p.foreign(func(x *held, y *thing) bool {
		if y.makes && len(y.made.Queue) > 0 {
			p.f.Own = &pb.Own{Queues: []uint32{x.handle, 1, uint32(y.made.Queue[0]), 0}}
		}
		return y.makes && len(y.made.Queue) > 0
	})
}

// leaksTask tells the task of another player's unit.
func leaksTask(p *planting) bool {
	return p.foreign(func(x *held, y *thing) bool {
		if y.busy {
			p.f.Own = &pb.Own{Tasks: []uint32{x.handle, 3 * uint32(orderKinds[y.task.Kind])}}
		}
		return y.busy
	})
}

// foreign finds a thing in sight that is not the receiver's own.
func (p *planting) foreign(do func(x *held, y *thing) bool) bool {
	m := p.h.at(p.now())
	if m == nil || p.f.Tick != 0 || p.f.Welcome != nil || p.f.Closing != nil || p.f.Waiting != nil {
		return false
	}
	for _, x := range p.c.sorted() {
		if len(x.may) == 1 && m.things[x.may[0]] != nil && m.things[x.may[0]].slot != p.r.slot {
			if _, seen := m.eyes[p.h.eyesOf(p.r.team)].seen[x.may[0]]; seen && do(x, m.things[x.may[0]]) {
				return true
			}
		}
	}
	return false
}

// schemaFields lists every field of ServerFrame and of each message in it.
func schemaFields() (out []string) {
	var walk func(md protoreflect.MessageDescriptor, prefix string)
	walk = func(md protoreflect.MessageDescriptor, prefix string) {
		for i := range md.Fields().Len() {
			fd := md.Fields().Get(i)
			path := prefix + string(fd.Name())
			if out = append(out, path); fd.Message() != nil {
				walk(fd.Message(), path+".")
			}
		}
	}
	walk((&pb.ServerFrame{}).ProtoReflect().Descriptor(), "")
	return out
}

// Every field of the schema has a row, with a check and a leak, and every row a
// field.
func TestEveryFieldHasARow(t *testing.T) {
	rows := map[string]bool{}
	for _, row := range fieldTable {
		if rows[row.path] {
			t.Errorf("%s has two rows", row.path)
		}
		if rows[row.path] = true; row.who == "" || row.truth == "" || row.check == nil || len(row.leaks) == 0 {
			t.Errorf("%s: a row says who may know it and what it is held to, has a check, and a leak that shows that it bites", row.path)
		}
	}
	for _, path := range schemaFields() {
		if !rows[path] {
			t.Errorf("%s is a field of the schema and has no row in fieldTable (docs/contributing/fog.md says how to add one)", path)
		}
		delete(rows, path)
	}
	for path := range rows {
		t.Errorf("%s has a row in fieldTable and is no field of the schema", path)
	}
}

// tellings counts the messages with each field.
type tellings map[string]int

func (n tellings) note(m protoreflect.Message, prefix string) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		path := prefix + string(fd.Name())
		n[path]++
		switch {
		case fd.Message() == nil:
		case fd.IsList():
			for i := range v.List().Len() {
				n.note(v.List().Get(i).Message(), path+".")
			}
		default:
			n.note(v.Message(), path+".")
		}
		return true
	})
}

// judged is the result of checking messages by the table.
type judged struct {
	frames, wrong int
	first         []string
}

// judge reads a receiver's messages and runs the checks on each. plant, if not nil, may
// change a message first; then judge ends at the first error.
func judge(h *history, r *receiver, likeMe *fieldClient, checks []fieldRow, plant func(c *fieldClient, s sent, f *pb.ServerFrame)) (*fieldClient, judged) {
	var out judged
	only := ""
	if len(checks) == 1 {
		only = checks[0].path
	}
	c := newFieldClient(h, r, nil)
	c.say = func(field, what string) {
		if only != "" && field != only && !strings.HasPrefix(field, only+".") {
			return
		}
		if out.wrong++; len(out.first) < 12 {
			out.first = append(out.first, what)
		}
	}
	c.likeMe = likeMe
	for _, s := range r.got {
		f, err := parse(s.bytes)
		if err != nil {
			c.wrong("tick", "no message: %v", err)
			break
		}
		if plant != nil {
			plant(c, s, f)
		}
		c.take(s.at, f)
		for i := range checks {
			if c.frame() && (!f.Partial || ofPartial(checks[i].path)) || isMessage(checks[i].path) {
				checks[i].check(c)
			}
		}
		if !c.frame() {
			c.alone()
		}
		c.closed = f.Closing != nil
		if plant != nil && out.wrong > 0 {
			break
		}
	}
	out.frames = c.frames
	return c, out
}

// isMessage reports whether a field is of messages that are no frames.
func isMessage(path string) bool {
	name, _, _ := cutPath(path)
	return name == "welcome" || name == "waiting" || name == "closing"
}

// ofPartial reports whether a field may be in a partial frame. checkPartial enforces
// that: no other check looks at the frame.
func ofPartial(path string) bool {
	name, _, _ := cutPath(path)
	return slices.Contains([]string{"span", "skipped", "partial", "answers", "said", "pinged", "budget", "speed", "votes"}, name)
}

// alone checks that a message other than a frame has one part only.
func (c *fieldClient) alone() {
	n := 0
	if c.standing() {
		return
	}
	c.f.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if n++; !isMessage(string(fd.Name())) || n > 1 {
			c.wrong(string(fd.Name()), "in a message that is no frame")
		}
		return true
	})
}

// like names the receivers with the same eyes and the same delay.
func (r *receiver) like() string { return fmt.Sprint(r.team, r.delay, r.spectator()) }

// playFields plays a match to its end, and its late broadcasts.
func playFields(t *testing.T, seed uint64) *fieldMatch {
	t.Helper()
	fm := newFieldMatch(t, seed)
	for range 420 {
		fm.step()
	}
	if fm.ended == 0 {
		t.Fatal("the match did not end")
	}
	for _, s := range fm.seats {
		if s.conn != nil {
			t.Errorf("%s was not let go", s.name)
		}
	}
	return fm
}

// judgeAll holds all that was sent in a match to the table.
func judgeAll(h *history, receivers []*receiver, players, watchers tellings) (out judged, models map[string]*fieldClient) {
	models = map[string]*fieldClient{}
	for _, steady := range []bool{true, false} {
		for _, r := range receivers {
			if r.steady != steady {
				continue
			}
			c, j := judge(h, r, models[r.like()], fieldTable, nil)
			if steady && models[r.like()] == nil {
				models[r.like()] = c
			}
			out.frames += j.frames
			out.wrong += j.wrong
			out.first = append(out.first, j.first...)
			for _, s := range r.got {
				f, _ := parse(s.bytes)
				if n := players; f.Waiting != nil && f.Said != nil {
					continue // a line of chat in a pause
				} else if r.spectator() {
					watchers.note(f.ProtoReflect(), "")
				} else {
					n.note(f.ProtoReflect(), "")
				}
			}
		}
	}
	return out, models
}

// TestEveryField checks every field of every message of a match, to players and
// spectators, against the obvious world and knowledge. A field that no message had proves
// nothing, and fails.
func TestEveryField(t *testing.T) {
	seeds := uint64(1)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		seeds = 25
	}
	players, watchers, frames := tellings{}, tellings{}, 0
	for seed := uint64(1); seed <= seeds; seed++ {
		fm := playFields(t, seed)
		out, _ := judgeAll(fm.h, fm.receivers(), players, watchers)
		frames += out.frames
		for _, what := range out.first {
			t.Errorf("seed %d: %s", seed, what)
		}
		if out.wrong > 0 {
			t.Fatalf("seed %d: %d things are wrong", seed, out.wrong)
		}
	}
	frames += judgePartings(t, players, watchers)
	checkTellings(t, players, watchers)
	t.Logf("%d fields, %d frames held to them", len(fieldTable), frames)
}

// judgePartings holds all that is sent in matches that let their clients go
// early to the table.
func judgePartings(t *testing.T, players, watchers tellings) (frames int) {
	t.Helper()
	for _, way := range partings {
		fm := newFieldMatch(t, 1)
		for range 50 {
			fm.step()
		}
		way.do(fm)
		for _, s := range fm.seats {
			fm.receive(s, fm.now())
		}
		out, _ := judgeAll(fm.h, fm.receivers(), players, watchers)
		frames += out.frames
		for _, what := range out.first {
			t.Errorf("%s: %s", way.name, what)
		}
	}
	return frames
}

// checkTellings checks that each field reached its receivers.
func checkTellings(t *testing.T, players, watchers tellings) {
	t.Helper()
	for _, row := range fieldTable {
		p, w := players[row.path] > 0, watchers[row.path] > 0
		if wants := row.told == toAll || row.told == toPlayers; p != wants {
			t.Errorf("%s: told to players %v, and it is to be %v", row.path, p, wants)
		}
		if wants := row.told == toAll || row.told == toWatcher; w != wants {
			t.Errorf("%s: told to spectators %v, and it is to be %v", row.path, w, wants)
		}
	}
}

// TestEveryFieldLeakIsCaught plants a leak into each field on its way out: a match is
// played once, and then one field at a time of its messages gets another value, which the
// receiver may not know. The field's own row has to notice it.
func TestEveryFieldLeakIsCaught(t *testing.T) {
	fm := playFields(t, 1)
	receivers := fm.receivers()
	_, models := judgeAll(fm.h, receivers, tellings{}, tellings{})
	planted := 0
	for i := range fieldTable {
		row := &fieldTable[i]
		for n, leak := range row.leaks {
			for _, watching := range []bool{false, true} {
				name := fmt.Sprintf("%s/%d/%s", row.path, n, map[bool]string{false: "players", true: "spectators"}[watching])
				placed, caught := false, ""
				for _, r := range receivers {
					if r.spectator() != watching || caught != "" {
						continue
					}
					_, j := judge(fm.h, r, models[r.like()], fieldTable[i:i+1], func(c *fieldClient, s sent, f *pb.ServerFrame) {
						if leak(&planting{h: fm.h, r: r, c: c, all: receivers, f: f, at: s.at}) {
							placed = true
						}
					})
					if j.wrong > 0 {
						caught = j.first[0]
					}
				}
				switch {
				case caught != "":
					planted++
				case placed:
					t.Errorf("%s: not noticed", name)
				case !watching && row.told != toWatcher || watching && row.told == toWatcher:
					t.Errorf("%s: the leak found no message to be told in", name)
				}
			}
		}
	}
	t.Logf("%d leaks planted in %d fields, each caught by its field's row", planted, len(fieldTable))
}
