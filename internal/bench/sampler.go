package bench

import (
	"slices"
	"sync"
	"time"
)

// Sampler gathers the figures of the server that it is part of.
type Sampler struct {
	mu      sync.Mutex
	matches map[string]*ticks
	cpu     time.Duration
}

// ticks are the ticks of a match since the last sample.
type ticks struct{ took, late []time.Duration }

// ticksMax bounds what is kept of a match between two samples.
const ticksMax = 1 << 16

// Ticked takes in one tick of a match.
func (s *Sampler) Ticked(match string, took, late time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.matches == nil {
		s.matches = map[string]*ticks{}
	}
	t := s.matches[match]
	if t == nil {
		t = &ticks{}
		s.matches[match] = t
	}
	if len(t.took) < ticksMax {
		t.took, t.late = append(t.took, took), append(t.late, late)
	}
}

// Written returns what the process has written to the disk in all.
func (s *Sampler) Written() (out ServerSample, err error) {
	out.WrittenB, err = writtenBytes()
	return out, err
}

// Sample returns the figures since the last call, and of the memory now.
func (s *Sampler) Sample(matches []string) (out ServerSample, err error) {
	cpu, err := cpuTime()
	if err != nil {
		return out, err
	}
	written, err := writtenBytes()
	if err != nil {
		return out, err
	}
	if out.RSSMB, err = rssMB(); err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var took, late []time.Duration
	for name, t := range s.matches {
		if slices.Contains(matches, name) {
			took, late = append(took, t.took...), append(late, t.late...)
		}
	}
	clear(s.matches)
	out.CPUSeconds, out.WrittenB = (cpu - s.cpu).Seconds(), written
	out.Ticks, out.TickP99Ms, out.LateP99Ms = len(took), millis(took, 99), millis(late, 99)
	s.cpu = cpu
	return out, nil
}
