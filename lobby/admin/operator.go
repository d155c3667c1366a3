package admin

import "github.com/fogkeep/fogkeep/lobby/model"

// Operator is the system's user at the command line.
type Operator struct {
	Name    string // by the process's real user id
	UID     string // that id; "" where the system has none
	Claimed string // whom the environment says it is for (SUDO_USER); anybody can set it
}

// from is what the audit says about where an operator was.
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
