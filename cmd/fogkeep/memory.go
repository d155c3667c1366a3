package main

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// memoryPercent is how much of a container's memory the Go runtime may take. The rest is for
// the memory that it does not count: stacks of the system's calls, and the pages of files.
const memoryPercent = 90

// memoryLimit returns how many bytes the Go runtime may take so that the process stays
// within the least memory of its control group and of those above; 0: there is no limit.
// system is the root of the file system.
func memoryLimit(system fs.FS) int64 {
	group, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return 0 // no Linux
	}
	least := int64(0)
	for _, line := range strings.Split(string(group), "\n") {
		// hierarchy:controllers:path. Version 2 has one hierarchy, 0, without controllers.
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, file := "sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" {
			root, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[0] != "0" || parts[1] != "" {
			continue
		}
		for group := path.Join("/", parts[2]); ; group = path.Dir(group) {
			// In a container its own group is mounted as the root, and the path may be the host's: missing groups are
			// passed over.
			if n := readLimit(system, path.Join(root, group, file)); n > 0 && (least == 0 || n < least) {
				least = n
			}
			if group == "/" {
				break
			}
		}
	}
	return least / 100 * memoryPercent
}

// noLimit is less than what version 1 says of a group without a limit.
const noLimit = 1 << 60

func readLimit(system fs.FS, name string) int64 {
	b, err := fs.ReadFile(system, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || n >= noLimit { // "max"
		return 0
	}
	return n
}
