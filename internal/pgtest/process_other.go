//go:build !linux

package pgtest

import (
	"errors"
	"syscall"
)

// Servers for tests run on Linux alone: they read /proc, and end with their process.

func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func kill(int) {}

func dropTo(string, string, *syscall.SysProcAttr) error {
	return errors.New("PostgreSQL for tests runs on Linux only")
}
