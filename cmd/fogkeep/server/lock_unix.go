//go:build unix && !solaris && !illumos && !aix

package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDataDir keeps a second server out of a data folder: both would write to
// the same journals. The system lets the lock go when the process ends, however
// it does.
func lockDataDir(dir string) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, cause(err))
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return func() { f.Close() }, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("data folder %s is in use by another server: stop it, or name another folder with FOGKEEP_DATA_DIR", dir)
	}
	return nil, fmt.Errorf("data folder %s cannot be locked (%w): put it on a disk of this machine, or name another with FOGKEEP_DATA_DIR", dir, err)
}
