package grid

import "fmt"

// Handicap makes a match harder or easier for the player of one seat. It is in percent; 0 is 100, as for a
// player without a handicap. All players and spectators may know it.
type Handicap struct {
	Start  int32 `json:"start,omitempty" doc:"of the resources at the start, in percent; absent: 100"`
	Income int32 `json:"income,omitempty" doc:"of each load that workers bring, in percent; absent: 100"`
	Damage int32 `json:"damage,omitempty" doc:"of the damage that the player's units, structures and effects do, in percent; absent: 100"`
}

// The bounds of each percentage of a [Handicap].
const (
	HandicapMin = 10
	HandicapMax = 400
)

// Check returns an error that names the percentage that is out of bounds, or nil.
func (h Handicap) Check() error {
	for _, x := range []struct {
		name    string
		percent int32
	}{{"start", h.Start}, {"income", h.Income}, {"damage", h.Damage}} {
		if x.percent != 0 && (x.percent < HandicapMin || x.percent > HandicapMax) {
			return fmt.Errorf("%s of %d percent is outside %d to %d", x.name, x.percent, HandicapMin, HandicapMax)
		}
	}
	return nil
}

// Compact returns the handicap with 0 in place of each 100, as it is stored: handicaps with the same effect are equal.
func (h Handicap) Compact() Handicap {
	for _, x := range []*int32{&h.Start, &h.Income, &h.Damage} {
		if *x == 100 {
			*x = 0
		}
	}
	return h
}

// Full returns the handicap with 100 in place of each 0.
func (h Handicap) Full() Handicap {
	for _, x := range []*int32{&h.Start, &h.Income, &h.Damage} {
		if *x == 0 {
			*x = 100
		}
	}
	return h
}

// Exceeds reports whether a percentage is higher than in another handicap.
func (h Handicap) Exceeds(o Handicap) bool {
	h, o = h.Full(), o.Full()
	return h.Start > o.Start || h.Income > o.Income || h.Damage > o.Damage
}
