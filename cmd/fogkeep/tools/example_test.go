package tools_test

import (
	"context"
	"fmt"
	"os"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
)

// hello is a command of the program's own.
type hello struct{}

func (hello) Run(in *tools.Invocation) error {
	_, err := fmt.Fprintln(in.Stdout, "hello from", in.Program)
	return err
}

// A program has the tools beside a command of its own.
func Example() {
	type commands struct {
		tools.Commands
		Hello hello `cmd:"" help:"Say hello."`
	}
	for _, args := range [][]string{{"hello"}, {"rules", "check", "testdata/dread.json"}} {
		fmt.Println(tools.Run(context.Background(), "mygame", "A game of mine.", &commands{}, args, os.Stdout, os.Stdout))
	}
	// Output:
	// hello from mygame
	// 0
	// testdata/dread.json: valid, 2 types, 0 warnings, hash bfb88de440042774e9ab92f371de3c6751f11997f1c0a3f5312fbb63cc69432a
	// 0
}
