package wire

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// decodeOwn reads the player's own part. It returns nil if the frame has no such part.
func decodeOwn(m *pb.Own) (*view.OwnerDiff, error) {
	if m == nil {
		return nil, nil
	}
	d := &view.OwnerDiff{Resources: m.Resources}
	if m.Population != nil || m.PopulationMax != nil {
		d.HasPopulation, d.Population, d.PopulationMax = true, m.GetPopulation(), m.GetPopulationMax()
	}
	if err := decodeQueues(d, m.Queues); err != nil {
		return nil, err
	}
	err := rows(m.Rallies, 2, "rallies", 1, func(h grid.Handle, _ uint32, r []uint32) {
		if r[0] == 0 {
			d.Rallies = append(d.Rallies, view.RallyRow{Handle: h})
		} else {
			d.Rallies = append(d.Rallies, view.RallyRow{Handle: h, Has: true, Cell: r[0] - 1})
		}
	})
	if err != nil {
		return nil, err
	}
	for i, h := range m.Cancelled {
		d.Cancelled = append(d.Cancelled, view.Cancelled{Unit: grid.Handle(h), Code: uint8(at(m.CancelledCode, i))})
	}
	if err := decodeTasks(d, m.Tasks); err != nil {
		return nil, err
	}
	if len(m.Started)%2 != 0 {
		return nil, fmt.Errorf("started: %d numbers are no rows of 2", len(m.Started))
	}
	for i := 0; i < len(m.Started); i += 2 {
		d.Started = append(d.Started, view.Started{Request: m.Started[i], Handle: grid.Handle(m.Started[i+1])})
	}
	for i := range d.Values {
		if d.Values[i], err = decodeValues(m, ownValueFields[i]); err != nil {
			return nil, err
		}
	}
	err = rows(m.Running, 4, "running", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Running = append(d.Running, view.RunningRow{Handle: h, Ability: r[0], Ends: r[1] != 0, In: grid.Ticks(max(r[1], 1) - 1), Request: r[2]})
	})
	if err != nil {
		return nil, err
	}
	err = rows(m.Grants, 3, "grants", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Grants = append(d.Grants, view.GrantRow{Handle: h, Ability: r[0], Grant: r[1]})
	})
	if err != nil {
		return nil, err
	}
	return d, rows(m.Ready, 3, "ready", 1, func(h grid.Handle, _ uint32, r []uint32) {
		d.Ready = append(d.Ready, view.ReadyRow{Handle: h, Ability: r[0], In: grid.Ticks(r[1])})
	})
}

func decodeQueues(d *view.OwnerDiff, all []uint32) error {
	h := grid.Handle(0)
	for len(all) > 0 {
		if len(all) < 2 {
			return fmt.Errorf("queues: a row of %d numbers", len(all))
		}
		h += grid.Handle(all[0])
		q, n := view.Queue{Handle: h}, int(all[1])
		if all = all[2:]; n > 0 {
			if n >= len(all) { // one more number follows: the progress
				return fmt.Errorf("queues: %d types and a progress in %d numbers", n, len(all))
			}
			for _, t := range all[:n] {
				q.Types = append(q.Types, uint16(t))
			}
			q.Progress, all = all[n], all[n+1:]
		}
		d.Queues = append(d.Queues, q)
	}
	return nil
}

func decodeTasks(d *view.OwnerDiff, all []uint32) error {
	h, cell := grid.Handle(0), uint32(0)
	for len(all) > 0 {
		if len(all) < 2 {
			return fmt.Errorf("tasks: a row of %d numbers", len(all))
		}
		h += grid.Handle(all[0])
		row := view.TaskRow{Handle: h, Doing: uint8(kindOf(pb.OrderKind(all[1] / taskPlaces))), HasTo: all[1]%taskPlaces != taskNowhere}
		place := all[1] % taskPlaces
		if all = all[2:]; place == taskTo {
			if len(all) == 0 {
				return fmt.Errorf("tasks: a row without its cell")
			}
			cell, all = all[0], all[1:]
		}
		if row.HasTo {
			row.Cell = cell
		}
		d.Tasks = append(d.Tasks, row)
	}
	return nil
}

// answersMax bounds the answers of one message.
const answersMax = 1 << 14

// decodeAnswers returns one answer for each number of a run.
func decodeAnswers(all []*pb.Answer) ([]*pb.Answer, error) {
	out := all[:0:0]
	for _, a := range all {
		if uint64(len(out))+uint64(a.More) >= answersMax {
			return nil, fmt.Errorf("answers: more than %d", answersMax)
		}
		out = append(out, a)
		for i := range a.More {
			out = append(out, &pb.Answer{Seq: a.Seq + i + 1, Code: a.Code})
		}
		a.More = 0
	}
	return out, nil
}
