package main

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// table is a class with the numbers and names of values, and the message with their rows.
type table struct {
	Name, Of string
	Names    []string
}

// fieldTables returns the values of entities: their numbers, names, and the fields of a frame with their rows.
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
		"Parts": partRows(), "Sight": wire.SightCodes, "Own": table{"OwnValues", "Own", view.OwnerValueNames[:]},
	}
}

// partRow is a row of the table of parts, as text.
type partRow struct {
	Name          string
	Client        bool
	Numbers       int
	Fields, Lists []string
}

func partRows() (out []partRow) {
	for _, p := range wire.PartTable {
		out = append(out, partRow{p.Name, p.Client, p.Numbers, texts(p.Fields), texts(p.Lists)})
	}
	return out
}

func texts(numbers []protowire.Number) (out []string) {
	for _, n := range numbers {
		out = append(out, strconv.Itoa(int(n)))
	}
	return out
}

// limits returns the bounds of a client's messages.
func limits() map[string]any {
	return map[string]any{"Protocol": wire.Protocol, "ServerBytes": wire.ServerBytesMax, "Limits": wire.Limits}
}
