//go:build !linux

package clustertest

import (
	"errors"
	"os"
	"syscall"
	"time"
)

var errLinux = errors.New("clustertest: only Linux can do that here")

func endsWithUs() *syscall.SysProcAttr { return nil }

func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
func freeze(*os.Process) error      { return errLinux }
func thaw(*os.Process) error        { return nil }

func cpuOf(int) time.Duration { return 0 }

func MemoryMB(int) float64 { return 0 }

func descriptorsOf(int) int { return 0 }
