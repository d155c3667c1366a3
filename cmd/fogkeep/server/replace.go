package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
)

// A server takes the place of another one by two locks of the data folder, which the
// system lets go when their process ends. No process needs to know the other's number,
// so the two may be in two containers.
//
//	successor: holds "next", waits for "lock" ──────────────► has it, lets "next" go
//	server:    holds "lock", sees that "next" is held ──► stops its matches, lets "lock" go
//
// The successor has read its settings, maps and rulesets before.

const (
	lockFile = "lock" // has the addresses of its holder's listeners, one a line
	nextFile = "next"

	awaitedEvery = 100 * time.Millisecond // between two looks of a server for a successor
	lockEvery    = 2 * time.Millisecond   // between two attempts of a successor
	replaceWait  = 30 * time.Second       // for a server to stop its matches, besides its grace
)

// errLocked: another process holds the lock.
var errLocked = errors.New("is in use")

// lockDataDir keeps a second server out of a data folder: both would write to the same
// journals.
func lockDataDir(dir string) (release func(), err error) {
	release, err = lock(filepath.Join(dir, lockFile))
	switch {
	case errors.Is(err, errLocked):
		return nil, fmt.Errorf("data folder %s %w by another server: stop it, take its place with `fogkeep replace`, or name another folder with FOGKEEP_DATA_DIR", dir, errLocked)
	case err != nil:
		return nil, fmt.Errorf("data folder %s cannot be locked (%w): put it on a disk of this machine, or name another with FOGKEEP_DATA_DIR", dir, cause(err))
	}
	return release, nil
}

// replace locks the data folder in place of the server that has locked it, which stops.
func (s *Server) replace(ctx context.Context, dir string) (release func(), err error) {
	if release, err = lockDataDir(dir); !errors.Is(err, errLocked) {
		return release, err
	}
	if err := s.vacant(ctx, dir); err != nil {
		return nil, err
	}
	next, err := lock(filepath.Join(dir, nextFile))
	if errors.Is(err, errLocked) { // perhaps the server looks at it just now
		time.Sleep(lockEvery)
		next, err = lock(filepath.Join(dir, nextFile))
	}
	if err != nil {
		return nil, fmt.Errorf("data folder %s: its server cannot be replaced, file %s: %w", dir, nextFile, cause(err))
	}
	defer next()
	s.log.Info("waiting for the server on the data folder to stop its matches", "folder", dir)
	most := replaceWait + 3*s.cfg.Grace // a node of a cluster moves its matches first
	for end := time.Now().Add(most); time.Now().Before(end); {
		if release, err = lock(filepath.Join(dir, lockFile)); err == nil {
			return release, nil
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return nil, fmt.Errorf("data folder %s: the server there has not stopped for %v: stop it by hand, it may be of a build that cannot be replaced", dir, most)
}

// vacant returns an error if an address of this server's belongs to a program that the
// replaced server is not: then that one goes on.
func (s *Server) vacant(ctx context.Context, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, lockFile))
	if err != nil {
		return fmt.Errorf("data folder %s: %w", dir, cause(err))
	}
	held := func(port string) bool {
		return slices.ContainsFunc(strings.Fields(string(text)), func(at string) bool { return strings.HasSuffix(at, ":"+port) })
	}
	for _, l := range s.listeners() {
		err := l.Open(ctx)
		_, port, _ := net.SplitHostPort(l.Addr)
		switch {
		case err == nil:
			l.Close()
		case !errors.Is(err, listen.ErrInUse) || !held(port):
			return err
		}
	}
	return nil
}

// noteAddresses lets successors know the addresses that become free with the folder.
func (s *Server) noteAddresses(dir string) error {
	var text strings.Builder
	for _, l := range s.listeners() {
		fmt.Fprintln(&text, l.Bound())
	}
	return os.WriteFile(filepath.Join(dir, lockFile), []byte(text.String()), 0o600)
}

// awaitSuccessor waits until another process waits for the data folder. It returns false if ctx
// ends before.
func awaitSuccessor(ctx context.Context, dir string) bool {
	look := time.NewTicker(awaitedEvery)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			if awaited(filepath.Join(dir, nextFile)) {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}
