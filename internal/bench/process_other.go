//go:build !linux

package bench

import "errors"

// processMeasured says whether [usageNow] and [writtenBytes] work on this system.
const processMeasured = false

func usageNow() (usage, error) { return usage{}, errors.ErrUnsupported }

func writtenBytes(int) (int64, error) { return 0, errors.ErrUnsupported }

func onCore(int, func() error) error { return errors.ErrUnsupported }

func stayOn(int) error { return errors.ErrUnsupported }
