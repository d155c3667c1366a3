package pgtest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// ownGroup keeps signals of the terminal from the server, and ends it with this process.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGQUIT}
}

// kill ends a process, which may have ended before.
func kill(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// dropTo makes the server run as a user, who gets the folder.
func dropTo(name, dir string, attr *syscall.SysProcAttr) error {
	u, err := user.Lookup(name) // made by Debian's package
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(dir, uid, gid)
}
