//go:build unix && !solaris && !illumos && !aix

package server

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// lock locks a file, which it makes. The system lets the lock go when the process ends,
// however it does.
func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := flock(f, syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return sync.OnceFunc(func() { f.Close() }), nil
}

// awaited reports whether another process has locked a file.
func awaited(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(f, syscall.LOCK_SH), errLocked)
}

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
