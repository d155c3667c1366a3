package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
)

// State is a match's saved state at one tick: a shortcut for those who play its
// journal again. The journal alone decides: a state counts only if the journal
// has its hash at its tick, and without one everything is played from the
// start.
type State struct {
	Tick  grid.Tick
	Hash  uint64 // of the state, as in the journal's record of that tick
	Bytes []byte // [sim.World.Save]
}

// The file of a state, little-endian: "fogkstt" and the version, 1; the tick, 4
// bytes; the hash, 8 bytes; the save, zstd. A match has at most one.
const (
	stateMagic  = "fogkstt\x01"
	stateHead   = len(stateMagic) + 4 + 8
	stateSuffix = ".state"
	// stateBytesMax bounds a save: a map of 1024 x 1024 and 16 teams take a
	// quarter of it.
	stateBytesMax = 512 << 20
)

func (d *Dir) statePath(match string) string { return filepath.Join(d.path, match+stateSuffix) }

// SaveState keeps a state of a match in place of the one before. A kill leaves
// the one or the other.
func (d *Dir) SaveState(match string, s State) error {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("saved state: %w", err)
	}
	defer enc.Close()
	b := binary.LittleEndian.AppendUint32([]byte(stateMagic), uint32(s.Tick))
	b = enc.EncodeAll(s.Bytes, binary.LittleEndian.AppendUint64(b, s.Hash))
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

// State returns the state that was saved of a match, nil if there is none.
func (d *Dir) State(match string) (*State, error) {
	path := d.statePath(match)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("saved state: %w", err)
	}
	if len(b) < stateHead || string(b[:len(stateMagic)]) != stateMagic {
		return nil, fmt.Errorf("saved state: %s is none of this build's", path)
	}
	s := &State{
		Tick: grid.Tick(binary.LittleEndian.Uint32(b[len(stateMagic):])),
		Hash: binary.LittleEndian.Uint64(b[len(stateMagic)+4:]),
	}
	if s.Bytes, err = inflate(b[stateHead:], stateBytesMax); err != nil {
		return nil, fmt.Errorf("saved state: %s: %w", path, err)
	}
	return s, nil
}

// dropState removes what SaveState kept, and what a kill left of it.
func (d *Dir) dropState(match string) error {
	var errs []error
	for _, path := range []string{d.statePath(match), d.statePath(match) + ".new"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("saved state: %w", err))
		}
	}
	return errors.Join(errs...)
}
