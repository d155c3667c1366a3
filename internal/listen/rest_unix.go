//go:build unix && !linux

package listen

import "syscall"

// canTry says whether [writeOnce] works on this system.
const canTry = true

// writeOnce writes the bytes that the kernel takes at once. The descriptor is one of the net package, which never
// blocks.
func writeOnce(fd uintptr, b []byte) (int, error) {
	for {
		n, err := syscall.Write(int(fd), b)
		switch err {
		case nil:
			return n, nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}
