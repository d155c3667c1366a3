//go:build !unix || solaris || illumos || aix

package server

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// lock makes a file that must not exist. Without flock the file is the lock: after a kill
// the operator removes it, once no server runs.
func lock(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, errLocked
	}
	if err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { f.Close(); os.Remove(path) }), nil
}

// awaited reports whether another process has locked a file.
func awaited(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
