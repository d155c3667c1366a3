//go:build !linux

package bench

import "errors"

func onCore(int, func() error) error { return errors.ErrUnsupported }

func stayOn(int) error { return errors.ErrUnsupported }

func usageNow() (usage, error) { return usage{}, errors.ErrUnsupported }
