package bot

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/client"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Player decides for one seat. One goroutine calls it.
type Player interface {
	// Take is called after the client has applied a message of the server: a frame, or the welcome of a new connection
	// (f.Welcome is not nil): requests that waited for an answer then will not get one.
	Take(f *wire.ServerFrame)
	// Think is called after the frames that have come. It returns the orders to
	// send now. Each has a number of its own, of [client.State.Number].
	Think() []*pb.Order
}

// Level is how well a player of this package plays.
type Level uint8

// The levels, from the weakest.
const (
	Beginner Level = iota
	Easy
	Medium
	Hard
	Expert
	Master
)

// Style is how a player of this package plays.
type Style uint8

// The styles.
const (
	Balanced Style = iota
	Rush           // attacks early, with few fighters
	Turtle         // guards its bases, and attacks late, with many
	Raid           // strikes often, with flyers and hidden units where it has them
	Tech           // pays for upgrades and dear units first
	Expand         // has more workers and bases
)

// Skill is a level in a style.
type Skill struct {
	Level Level
	Style Style
}

var (
	levelNames = []string{"beginner", "easy", "medium", "hard", "expert", "master"}
	styleNames = []string{"balanced", "rush", "turtle", "raid", "tech", "expand"}
)

// Levels lists the levels, from the weakest.
func Levels() []Level { return []Level{Beginner, Easy, Medium, Hard, Expert, Master} }

// Styles lists the styles.
func Styles() []Style { return []Style{Balanced, Rush, Turtle, Raid, Tech, Expand} }

// String returns the name of a level.
func (l Level) String() string { return levelNames[l] }

// String returns the name of a style.
func (s Style) String() string { return styleNames[s] }

// String returns the name of a skill: its level, and a colon with its style if that is not [Balanced].
func (s Skill) String() string {
	if s.Style == Balanced {
		return s.Level.String()
	}
	return s.Level.String() + ":" + s.Style.String()
}

// Parse returns the skill of a name, such as hard or hard:rush. With an error it returns [Medium], balanced.
func Parse(name string) (Skill, error) {
	level, style, styled := strings.Cut(name, ":")
	l, s := slices.Index(levelNames, level), slices.Index(styleNames, style)
	switch {
	case l < 0:
		return Skill{Level: Medium}, fmt.Errorf("bot: %q is no level: the levels are %v", level, levelNames)
	case !styled:
		s = int(Balanced)
	case s < 0:
		return Skill{Level: Medium}, fmt.Errorf("bot: %q is no style: the styles are %v", style, styleNames)
	}
	return Skill{Level(l), Style(s)}, nil
}

// New returns a player of the level that plays by c's state. c was welcomed as a player. Errors are about a welcome
// that no bot could play by.
func (l Level) New(c *client.State) (Player, error) { return Skill{Level: l}.New(c) }

// New is [Level.New] in the skill's style.
func (s Skill) New(c *client.State) (Player, error) { return s.Without(c, nil) }

// Without is [Skill.New] for a player of level [Hard] or higher that never makes the named types: games against the same
// player with all types show the value of one type. The other levels do not choose among types, and ignore the names.
func (s Skill) Without(c *client.State, types []string) (Player, error) {
	return newMind(c, plans[s.Level].styled(s.Style), types)
}

// Income is how much more of each load a player of the skill is to get, in percent: see sim.Player.
func (s Skill) Income() int32 { return plans[s.Level].income }
