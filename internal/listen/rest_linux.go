package listen

import (
	"syscall"
	"unsafe"
)

// canTry says whether [writeOnce] works on this system.
const canTry = true

// writeOnce writes the bytes that the kernel takes at once. The descriptor is one of the net package, which never
// blocks. So the call bypasses the scheduler: that would give the goroutine's processor to another thread in the middle
// of the call, and wake one for that, which costs more than the call does.
func writeOnce(fd uintptr, b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, nil
		default:
			return 0, errno
		}
	}
}
