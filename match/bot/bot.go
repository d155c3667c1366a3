package bot

import (
	"fmt"

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
	Easy Level = iota
	Medium
	Hard
)

var levelNames = []string{"easy", "medium", "hard"}

// Levels lists the levels, from the weakest.
func Levels() []Level { return []Level{Easy, Medium, Hard} }

// String returns the name of a level: easy, medium or hard.
func (l Level) String() string { return levelNames[l] }

// ParseLevel returns the level of a name. Of a name that it does not know it
// returns an error, and Medium.
func ParseLevel(name string) (Level, error) {
	for i, n := range levelNames {
		if n == name {
			return Level(i), nil
		}
	}
	return Medium, fmt.Errorf("bot: %q is no level: the levels are %v", name, levelNames)
}

// New returns a player of the level that plays by c's state. c was welcomed as a player. Errors are about a welcome
// that no bot could play by.
func (l Level) New(c *client.State) (Player, error) { return newMind(c, l, nil) }

// Without is [Level.New] for a player of level [Hard] that never makes the named types: games against the same player
// with all types show the value of one type. The other levels do not choose among types, and ignore the names.
func (l Level) Without(c *client.State, types []string) (Player, error) { return newMind(c, l, types) }
