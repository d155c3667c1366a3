//go:build !linux

package bench

import (
	"errors"
	"time"
)

// processMeasured says whether [cpuTime] and [rssMB] work on this system.
const processMeasured = false

func cpuTime() (time.Duration, error) { return 0, errors.ErrUnsupported }

func rssMB() (float64, error) { return 0, errors.ErrUnsupported }

func writtenBytes() (int64, error) { return 0, errors.ErrUnsupported }
