package jetstream

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
)

// A saved state lies in the subject fogkeep.state.MATCH.head, which keeps one message,
// little-endian:
//
//	1  version, 1
//	8  sequence of the message from which on the journal is needed, 0: from its start
//	8  number of the first record in that message
//	1  slot of the parts, 0 or 1
//	2  how many parts there are; 0: the state follows in this message
//	4  length of the state
//	4  CRC-32C of the state
//	4  CRC-32C of all that
//	…  the state
//
// The parts lie in fogkeep.state.MATCH.part.SLOT.N. Each save uses the slot that the one
// before did not, so a kill between them leaves the one before whole.
const (
	stateVersion    = 1
	stateHead       = 1 + 8 + 8 + 1 + 2 + 4 + 4 + 4
	stateMessageMax = 768 << 10
	// stateBytesMax bounds a packed state, and so the parts.
	stateBytesMax = 256 << 20
)

func stateOf(match string) place { return place{statesStream, statesSubject + match + ".head"} }

func statePart(match string, slot byte, n int) place {
	return place{statesStream, statesSubject + match + ".part." + strconv.Itoa(int(slot)) + "." + strconv.Itoa(n)}
}

// SaveState implements journal.Store. The match's log is open in this process.
func (s *Store) SaveState(match string, st journal.State) error {
	l := s.log0(match)
	if l == nil {
		return fmt.Errorf("saved state of %s: its journal is not open in this process", match)
	}
	b, err := journal.AppendState(nil, &st)
	if err != nil {
		return err
	}
	if len(b) > stateBytesMax {
		return fmt.Errorf("saved state of %s: %d bytes: want at most %d", match, len(b), stateBytesMax)
	}
	ctx, cancel := context.WithTimeout(l.ctx, openWait)
	defer cancel()
	l.mu.Lock()
	at, slot := l.positionOf(st.Record), l.slot
	err = l.err
	l.mu.Unlock()
	if err != nil {
		return err
	}
	parts := 0
	if len(b) > stateMessageMax-stateHead {
		parts = (len(b) + stateMessageMax - 1) / stateMessageMax
	}
	for n := range parts {
		if err := s.replace(ctx, statePart(match, slot, n), b[n*stateMessageMax:min((n+1)*stateMessageMax, len(b))]); err != nil {
			return fmt.Errorf("saved state of %s: %w", match, err)
		}
	}
	h := binary.LittleEndian.AppendUint64([]byte{stateVersion}, at.seq)
	h = binary.LittleEndian.AppendUint64(h, at.next)
	h = binary.LittleEndian.AppendUint16(append(h, slot), uint16(parts))
	h = binary.LittleEndian.AppendUint32(h, uint32(len(b)))
	h = binary.LittleEndian.AppendUint32(h, crc32.Checksum(b, castagnoli))
	h = seal(h)
	if parts == 0 {
		h = append(h, b...)
	}
	if err := s.replace(ctx, stateOf(match), h); err != nil {
		return fmt.Errorf("saved state of %s: %w", match, err)
	}
	l.mu.Lock()
	l.slot = 1 - slot
	l.mu.Unlock()
	return nil
}

// leaderTime is how long the leader of the states is waited for. Without it any log
// server answers, so that a takeover does not wait for an election.
const leaderTime = 300 * time.Millisecond

// State implements journal.Store. While the saved states have no leader, it may be older than the newest. If the
// match's log is open, the log then knows where to begin to read for the state.
func (s *Store) State(match string) (*journal.State, error) {
	if !matchForm.MatchString(match) {
		return nil, fmt.Errorf("saved state: %q is no match id", match)
	}
	ctx, cancel := context.WithTimeout(s.ctx, openWait)
	defer cancel()
	var err error
	for i := range 3 { // a save at this moment replaces parts, or a server lags
		time.Sleep(time.Duration(i) * readLagDelay)
		var st *journal.State
		var at position
		var slot byte
		if st, at, slot, err = s.readState(ctx, match); errors.Is(err, errNoMessage) {
			return nil, nil
		}
		if err == nil {
			if l := s.log0(match); l != nil {
				l.mu.Lock()
				l.hint, l.slot = at, 1-slot
				l.mu.Unlock()
			}
			return st, nil
		}
	}
	return nil, fmt.Errorf("saved state of %s: %w", match, err)
}

var errPart = errors.New("a part is missing or belongs to another save")

func (s *Store) readState(ctx context.Context, match string) (*journal.State, position, byte, error) {
	fail := func(err error) (*journal.State, position, byte, error) { return nil, position{}, 0, err }
	limited, cancel := context.WithTimeout(ctx, leaderTime)
	_, h, err := s.tail(limited, stateOf(match))
	cancel()
	if err != nil && !errors.Is(err, errNoMessage) {
		h, err = s.newest(ctx, stateOf(match))
	}
	if err != nil {
		return fail(err)
	}
	if len(h) < stateHead || h[0] != stateVersion || binary.LittleEndian.Uint32(h[stateHead-4:]) != crc32.Checksum(h[:stateHead-4], castagnoli) {
		return fail(errors.New("another build made its head, or the head is damaged"))
	}
	r := reader{b: h[1:stateHead]}
	at := position{r.u64(), r.u64()}
	slot := r.take(1)[0]
	parts := int(binary.LittleEndian.Uint16(r.take(2)))
	length, sum := r.u32(), r.u32()
	b := h[stateHead:]
	if slot > 1 || length > stateBytesMax || parts*stateMessageMax > stateBytesMax+stateMessageMax {
		return fail(fmt.Errorf("slot %d, %d parts, %d bytes", slot, parts, length))
	}
	for n := range parts {
		part, err := s.newest(ctx, statePart(match, slot, n))
		if errors.Is(err, errNoMessage) {
			err = errPart
		}
		if err != nil {
			return fail(err)
		}
		b = append(b, part...)
	}
	if len(b) != int(length) || crc32.Checksum(b, castagnoli) != sum {
		return fail(errPart)
	}
	st, err := journal.ParseState(b)
	return st, at, slot, err
}
