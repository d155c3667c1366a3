//go:build unix

package server

import (
	"fmt"
	"syscall"
)

// dataDisk is the disk that a folder lies on.
type dataDisk string

// Free implements match.Disk: the space for a user without special rights.
func (d dataDisk) Free() (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(string(d), &s); err != nil {
		return 0, fmt.Errorf("room on the disk of %s: %w", string(d), err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
