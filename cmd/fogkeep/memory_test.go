package main

import (
	"testing"
	"testing/fstest"
)

// TestMemoryLimit: the least limit of the process's groups counts, of either version.
func TestMemoryLimit(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"no Linux":              {nil, 0},
		"none":                  {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		"version 2":             {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, gib / 100 * 90},
		"version 2, above":      {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, gib / 100 * 90},
		"version 2, the least":  {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/b/memory.max": "2147483648\n"}, gib / 100 * 90},
		"version 1":             {map[string]string{"proc/self/cgroup": "12:cpu:/x\n9:memory:/docker/abc\n0::/x\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n"}, gib / 100 * 90},
		"version 1, none":       {map[string]string{"proc/self/cgroup": "9:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"a path that goes back": {map[string]string{"proc/self/cgroup": "0::/../..\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, gib / 100 * 90},
		"nonsense":              {map[string]string{"proc/self/cgroup": "what\n0:\n", "sys/fs/cgroup/memory.max": "1"}, 0},
	} {
		system := fstest.MapFS{}
		for path, text := range c.files {
			system[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := memoryLimit(system); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
