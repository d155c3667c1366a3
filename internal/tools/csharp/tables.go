package main

import (
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// table is a class with the numbers and names of values, and the message that has rows of them.
type table struct {
	Name, Of string
	Names    []string
}

// fieldTables returns the values of entities: their numbers, names, and the fields of a frame that have rows of them.
func fieldTables() map[string]any {
	counted := make([]string, len(view.ValueNames))
	for i := range counted {
		counted[i] = "-1"
	}
	for _, a := range view.Attributes {
		if a.Changes != 0 {
			counted[a.Value] = pascal(view.ValueNames[a.Changes])
		}
	}
	var packed, apart []view.Field
	for _, f := range view.Fields {
		switch {
		case f.Apart:
			apart = append(apart, f)
		case f.Row != "":
			packed = append(packed, f)
		}
	}
	return map[string]any{
		"Values": table{"Values", "ServerFrame", view.ValueNames[:]}, "CountedBy": counted, "Codes": wire.Codes, "Together": len(packed), "Packed": append(packed, apart...),
		"Sight": wire.SightCodes, "Own": table{"OwnValues", "Own", view.OwnerValueNames[:]},
	}
}

// limits returns the bounds of a client's messages.
func limits() map[string]any {
	return map[string]any{"Protocol": wire.Protocol, "ServerBytes": wire.ServerBytesMax, "Limits": wire.Limits}
}
