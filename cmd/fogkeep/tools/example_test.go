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
	// testdata/dread.json: valid, 2 types, 0 warnings, hash f81c46de720896682c7031f070af2716dae94c0705746ce55b9f17cf4576c038
	// 0
}
