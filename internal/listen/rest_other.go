//go:build !unix

package listen

import "errors"

// canTry says whether [writeOnce] works on this system.
const canTry = false

func writeOnce(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
