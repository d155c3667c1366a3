package notes

import (
	"fmt"
	"io"
	"os"
	"sort"
)

// Notes is the content of a file of notes, in the order of writing.
type Notes struct {
	Runs    []Run
	Cameras []Camera
	Links   []Link
	Times   []Times
	Refused []Refused
	Reports []Report
	Full    bool // the match had more to note than [BytesMax]
	Lost    int  // seconds that were left out because the disk was slow
	Torn    bool // the end is no whole row: it is being written, or was cut off

	end int // of the last whole row
}

// Read reads the file at path. It takes the rows before the first that is damaged. A
// file that is none of notes is an error.
func Read(path string) (*Notes, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, BytesMax+bufferBytesMax))
	if err != nil {
		return nil, fmt.Errorf("notes %s: %w", path, err)
	}
	n := Parse(raw)
	if n.end < len(magic) && len(raw) >= len(magic) {
		return nil, fmt.Errorf("notes %s: this is no file of notes of this version", path)
	}
	return n, nil
}

// Parse reads the whole rows of a file of notes, or of the beginning of one. Other bytes give empty notes.
func Parse(raw []byte) *Notes {
	n := &Notes{}
	if len(raw) < len(magic) || string(raw[:len(magic)]) != magic {
		n.Torn = len(raw) > 0
		return n
	}
	n.end = len(magic)
	for n.end < len(raw) {
		kind, payload, size, err := nextRow(raw[n.end:])
		if err == nil {
			err = n.take(kind, payload)
		}
		if err != nil {
			n.Torn = true
			break
		}
		n.end += size
	}
	n.order()
	return n
}

// Join joins the notes of several processes on one match, each for the ticks that it ran.
func Join(list ...*Notes) *Notes {
	out := &Notes{}
	for _, n := range list {
		if n == nil {
			continue
		}
		out.Runs, out.Cameras, out.Links = append(out.Runs, n.Runs...), append(out.Cameras, n.Cameras...), append(out.Links, n.Links...)
		out.Times, out.Refused, out.Reports = append(out.Times, n.Times...), append(out.Refused, n.Refused...), append(out.Reports, n.Reports...)
		out.Full, out.Torn = out.Full || n.Full, out.Torn || n.Torn
		out.Lost += n.Lost
	}
	sort.SliceStable(out.Runs, func(i, j int) bool { return out.Runs[i].From < out.Runs[j].From })
	out.order()
	return out
}

// order sorts by tick the rows of several runs.
func (n *Notes) order() {
	if len(n.Runs) < 2 {
		return
	}
	sort.SliceStable(n.Cameras, func(i, j int) bool { return n.Cameras[i].Tick < n.Cameras[j].Tick })
	sort.SliceStable(n.Links, func(i, j int) bool { return n.Links[i].Tick < n.Links[j].Tick })
	sort.SliceStable(n.Times, func(i, j int) bool { return n.Times[i].Tick < n.Times[j].Tick })
	sort.SliceStable(n.Refused, func(i, j int) bool { return n.Refused[i].Tick < n.Refused[j].Tick })
	sort.SliceStable(n.Reports, func(i, j int) bool { return n.Reports[i].Tick < n.Reports[j].Tick })
}
