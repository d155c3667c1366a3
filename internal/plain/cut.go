//go:build ignore

// cut keeps the lines of Unicode's confusables.txt that are about characters
// which a name can hold.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/internal/plain"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	head := true
	for in.Scan() {
		line := strings.TrimPrefix(in.Text(), "\ufeff")
		if line == "" || line[0] == '#' {
			if head {
				fmt.Fprintln(out, line)
			}
			continue
		}
		head = false
		fields := strings.SplitN(line, ";", 3)
		source, err := strconv.ParseUint(strings.TrimSpace(fields[0]), 16, 32)
		if err == nil && len(fields) == 3 && plain.InNames(rune(source)) {
			fmt.Fprintf(out, "%s;%s\n", strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]))
		}
	}
}
