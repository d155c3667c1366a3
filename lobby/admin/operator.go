package admin

import "github.com/fogkeep/fogkeep/lobby/model"

// Operator is the system's user at the command line.
type Operator struct {
	Name    string // by the process's real user id
	UID     string // that id; "" on systems without ids
	Claimed string // the user that the environment names (SUDO_USER); any user can set it
}

// from returns the audit's text about an operator's place.
func (o Operator) from() string {
	text := "uid " + o.UID
	if o.UID == "" {
		text = "no uid"
	}
	if o.Claimed != "" {
		text += ", claims to be " + o.Claimed
	}
	return model.CutText(text, 100)
}
