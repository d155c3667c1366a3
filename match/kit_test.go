package match

import "github.com/fogkeep/fogkeep/internal/matchkit"

// Manual is the clock of most tests.
type Manual = matchkit.Manual

var NewManual = matchkit.NewManual
