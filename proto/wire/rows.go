package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// numbers are the numbers of a row, the handle first.
type numbers [4]uint32

// rowKind describes a packed field of rows, for writing and for reading. A row begins with the distance of its handle
// to the handle of the row before.
type rowKind[T any] struct {
	field protowire.Number
	name  string
	len   int // numbers of a row
	put   func(*T) numbers
	take  func(h grid.Handle, rest []uint32) T // rest: the numbers behind the handle
}

var (
	lastBurstRows = rowKind[view.LastBurstsRow]{
		fLast, "last_bursts", 1 + view.BurstsMax,
		func(r *view.LastBurstsRow) numbers {
			return numbers{uint32(r.Handle), r.Bursts[0], r.Bursts[1]}
		},
		func(h grid.Handle, n []uint32) view.LastBurstsRow {
			return view.LastBurstsRow{Handle: h, Bursts: [view.BurstsMax]uint32(n)}
		},
	}
	ownerRows = rowKind[view.OwnerRow]{
		fOwner, "owner", 2,
		func(r *view.OwnerRow) numbers { return numbers{uint32(r.Handle), ownerNumber(r.Owner)} },
		func(h grid.Handle, n []uint32) view.OwnerRow { return view.OwnerRow{Handle: h, Owner: slotOf(n[0])} },
	}
	motionRows = rowKind[view.MotionRow]{
		fMotion, "motion", 3,
		func(r *view.MotionRow) numbers {
			return numbers{uint32(r.Handle), uint32(r.Place), uint32(r.Course)}
		},
		func(h grid.Handle, n []uint32) view.MotionRow {
			return view.MotionRow{Handle: h, Place: view.Place(n[0]), Course: view.Course(n[1])}
		},
	}
	exactRows = rowKind[view.ExactRow]{
		fExact, "exact", 3,
		func(r *view.ExactRow) numbers { return numbers{uint32(r.Handle), uint32(r.Ago), r.Fine} },
		func(h grid.Handle, n []uint32) view.ExactRow {
			return view.ExactRow{Handle: h, Ago: grid.Ticks(n[0]), Fine: n[1]}
		},
	}
	actionRows = rowKind[view.ActionRow]{
		fActions, "actions", 3,
		func(r *view.ActionRow) numbers { return numbers{uint32(r.Handle), r.Ability, r.When} },
		func(h grid.Handle, n []uint32) view.ActionRow {
			return view.ActionRow{Handle: h, Ability: n[0], When: n[1]}
		},
	}
	effectRows = rowKind[view.EffectRow]{
		fEffects, "effects", 4,
		func(r *view.EffectRow) numbers {
			return numbers{uint32(r.Handle), r.Effect, r.When, uint32(r.Source)}
		},
		func(h grid.Handle, n []uint32) view.EffectRow {
			return view.EffectRow{Handle: h, Effect: n[0], When: n[1], Source: grid.Handle(n[2])}
		},
	}
	declaredRows    = declaredOf(fValues, "values")
	ownDeclaredRows = declaredOf(ownDeclared, "owner_values")
	fireRows        = rowKind[view.FireRow]{
		fFire, "fire", 2,
		func(r *view.FireRow) numbers { return numbers{uint32(r.Handle), uint32(r.Target)} },
		func(h grid.Handle, n []uint32) view.FireRow {
			return view.FireRow{Handle: h, Target: grid.Handle(n[0])}
		},
	}
	rallyRows = rowKind[view.RallyRow]{
		ownRallies, "rallies", 2,
		func(r *view.RallyRow) numbers { return numbers{uint32(r.Handle), maybe(r.Has, r.Cell)} },
		func(h grid.Handle, n []uint32) view.RallyRow {
			return view.RallyRow{Handle: h, Has: n[0] != 0, Cell: max(n[0], 1) - 1}
		},
	}
	readyRows = rowKind[view.ReadyRow]{
		ownReady, "ready", 3,
		func(r *view.ReadyRow) numbers {
			return numbers{uint32(r.Handle), r.Ability, uint32(r.In)}
		},
		func(h grid.Handle, n []uint32) view.ReadyRow {
			return view.ReadyRow{Handle: h, Ability: n[0], In: grid.Ticks(n[1])}
		},
	}
	runningRows = rowKind[view.RunningRow]{
		ownRunning, "running", 4,
		func(r *view.RunningRow) numbers {
			return numbers{uint32(r.Handle), r.Ability, maybe(r.Ends, uint32(r.In)), r.Request}
		},
		func(h grid.Handle, n []uint32) view.RunningRow {
			return view.RunningRow{Handle: h, Ability: n[0], Ends: n[1] != 0, In: grid.Ticks(max(n[1], 1) - 1), Request: n[2]}
		},
	}
	grantRows = rowKind[view.GrantRow]{
		ownGrants, "grants", 3,
		func(r *view.GrantRow) numbers { return numbers{uint32(r.Handle), r.Ability, r.Grant} },
		func(h grid.Handle, n []uint32) view.GrantRow {
			return view.GrantRow{Handle: h, Ability: n[0], Grant: n[1]}
		},
	}
	passengerRows = rowKind[view.PassengerRow]{
		ownPassengers, "passengers", 4,
		func(r *view.PassengerRow) numbers { return numbers{uint32(r.Handle), r.Place, r.Type, r.Missing} },
		func(h grid.Handle, n []uint32) view.PassengerRow {
			return view.PassengerRow{Handle: h, Place: n[0], Type: n[1], Missing: n[2]}
		},
	}
)

// declaredOf describes the rows of declared values in a field with that number.
func declaredOf(field protowire.Number, name string) rowKind[view.Declared] {
	return rowKind[view.Declared]{
		field, name, 3,
		func(r *view.Declared) numbers { return numbers{uint32(r.Handle), uint32(r.Value), r.N} },
		func(h grid.Handle, n []uint32) view.Declared {
			return view.Declared{Handle: h, Value: uint8(min(n[0], 255)), N: n[1]} // no ruleset declares 255
		},
	}
}

// valuesOf describes the rows of values of entities, each a field of a message.
func valuesOf(m protoreflect.ProtoMessage, names []string) (out []rowKind[view.ValueRow]) {
	for i, number := range numbersOf(m.ProtoReflect().Descriptor(), names) {
		out = append(out, rowKind[view.ValueRow]{
			number, names[i], 2,
			func(r *view.ValueRow) numbers { return numbers{uint32(r.Handle), r.Value} },
			func(h grid.Handle, n []uint32) view.ValueRow { return view.ValueRow{Handle: h, Value: n[0]} },
		})
	}
	return out
}

// readField appends the rows of the field in a message.
func (k *rowKind[T]) readField(to *[]T, m protoreflect.ProtoMessage) error {
	msg := m.ProtoReflect()
	f := msg.Descriptor().Fields().ByNumber(k.field)
	if !msg.Has(f) {
		return nil
	}
	list := msg.Get(f).List()
	all := make([]uint32, list.Len())
	for i := range all {
		all[i] = uint32(list.Get(i).Uint())
	}
	return k.read(to, all)
}

// maybe encodes a number that may be missing: 0, or 1 more than the number.
func maybe(has bool, n uint32) uint32 {
	if !has {
		return 0
	}
	return n + 1
}

// append writes the rows.
func (k *rowKind[T]) append(b []byte, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	at, last := beginField(&b, k.field), uint32(0)
	for i := range list {
		row := k.put(&list[i])
		b = protowire.AppendVarint(b, uint64(row[0]-last))
		for _, n := range row[1:k.len] {
			b = protowire.AppendVarint(b, uint64(n))
		}
		last = row[0]
	}
	return endField(b, at)
}

// read appends the rows of a packed field.
func (k *rowKind[T]) read(to *[]T, all []uint32) error {
	return rows(all, k.len, k.name, 1, func(h grid.Handle, _ uint32, rest []uint32) { *to = append(*to, k.take(h, rest)) })
}

// rows splits a packed field into rows of n numbers. The first number of a row is
// the difference of handles times per, plus a rest below per.
func rows(all []uint32, n int, name string, per uint32, each func(h grid.Handle, rest uint32, r []uint32)) error {
	if err := atMost(name+": rows", len(all)/n, rowsMax); err != nil {
		return err
	}
	if len(all)%n != 0 {
		return fmt.Errorf("%s: %d numbers are no rows of %d", name, len(all), n)
	}
	h := grid.Handle(0)
	for ; len(all) > 0; all = all[n:] {
		h += grid.Handle(all[0] / per)
		each(h, all[0]%per, all[1:n])
	}
	return nil
}
