//go:build !unix || solaris || illumos || aix

package server

import (
	"fmt"
	"os"
	"path/filepath"
)

// lockDataDir keeps a second server out of a data folder: both would write to the same
// journals. Without flock a file that exists is the lock; after a kill the operator has
// to know that no server holds it.
func lockDataDir(dir string) (release func(), err error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder %s is in use (%w): stop the other server, or remove %s if no server runs", dir, cause(err), path)
	}
	return func() { f.Close(); os.Remove(path) }, nil
}
