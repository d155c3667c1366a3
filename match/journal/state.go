package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
)

// State is a match's saved state at one tick: a shortcut for replays of its journal. The journal alone decides: a state
// counts only if the journal has its hash at its tick, and without one the match is played from the start.
type State struct {
	Tick  grid.Tick
	Hash  uint64 // of the state, as in the journal's record of that tick
	Bytes []byte // [sim.World.Save]
	// Record is the number of the hash's record or of an earlier one: a reader that goes on from the state may
	// skip the records between the setup and it. 0: unknown.
	Record uint64
	// Extra is the match service's own.
	Extra []byte
}

// A state as bytes, little-endian: "fogkstt" and the version, 2; the tick, 4 bytes;
// the hash, 8 bytes; the record, 8 bytes; the length of the extra part, 4 bytes, and
// that part; CRC-32C of all that, 4 bytes; the save, zstd, which has a sum of its own.
const (
	stateMagic  = "fogkstt\x02"
	stateHead   = len(stateMagic) + 4 + 8 + 8 + 4
	stateSuffix = ".state"
	// stateBytesMax bounds a save: a map of 1024 x 1024 and 16 teams take a quarter.
	stateBytesMax = 512 << 20
	// StateExtraMax bounds the extra part of a saved state.
	StateExtraMax = 1 << 20
)

// AppendState appends a state to b, packed, as a [Store] keeps it.
func AppendState(b []byte, s *State) ([]byte, error) {
	if len(s.Bytes) > stateBytesMax || len(s.Extra) > StateExtraMax {
		return nil, fmt.Errorf("saved state: %d bytes and %d: want at most %d and %d", len(s.Bytes), len(s.Extra), stateBytesMax, StateExtraMax)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("saved state: %w", err)
	}
	defer enc.Close()
	at := len(b)
	b = binary.LittleEndian.AppendUint32(append(b, stateMagic...), uint32(s.Tick))
	b = binary.LittleEndian.AppendUint64(b, s.Hash)
	b = binary.LittleEndian.AppendUint64(b, s.Record)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s.Extra)))
	b = append(b, s.Extra...)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
	return enc.EncodeAll(s.Bytes, b), nil
}

// ParseState reads the bytes of AppendState.
func ParseState(b []byte) (*State, error) {
	if len(b) < stateHead || string(b[:len(stateMagic)]) != stateMagic {
		return nil, errors.New("saved state: another build made it")
	}
	head, rest := b[len(stateMagic):stateHead], b[stateHead:]
	s := &State{
		Tick:   grid.Tick(binary.LittleEndian.Uint32(head)),
		Hash:   binary.LittleEndian.Uint64(head[4:]),
		Record: binary.LittleEndian.Uint64(head[12:]),
	}
	extra := binary.LittleEndian.Uint32(head[20:])
	if extra > StateExtraMax || int(extra)+4 > len(rest) {
		return nil, fmt.Errorf("saved state: an extra part of %d bytes", extra)
	}
	if sum := stateHead + int(extra); binary.LittleEndian.Uint32(b[sum:]) != crc32.Checksum(b[:sum], castagnoli) {
		return nil, errors.New("saved state: its sum does not fit")
	}
	if extra > 0 {
		s.Extra = bytes.Clone(rest[:extra])
	}
	var err error
	if s.Bytes, err = inflate(rest[extra+4:], stateBytesMax); err != nil {
		return nil, fmt.Errorf("saved state: %w", err)
	}
	return s, nil
}

func (d *Dir) statePath(match string) string { return filepath.Join(d.path, match+stateSuffix) }

// SaveState keeps a state of a match in place of the one before. A kill leaves
// the one or the other.
func (d *Dir) SaveState(match string, s State) error {
	b, err := AppendState(nil, &s)
	if err != nil {
		return err
	}
	path := d.statePath(match)
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("saved state: %w", err)
	}
	if err = errors.Join(write(f, b), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("saved state: %w", err)
	}
	return nil
}

// State returns the saved state of a match, nil if the match has no saved state.
func (d *Dir) State(match string) (*State, error) {
	path := d.statePath(match)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("saved state: %w", err)
	}
	s, err := ParseState(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// dropState removes the files of SaveState, and the leftovers of a killed process.
func (d *Dir) dropState(match string) error {
	var errs []error
	for _, path := range []string{d.statePath(match), d.statePath(match) + ".new"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("saved state: %w", err))
		}
	}
	return errors.Join(errs...)
}
