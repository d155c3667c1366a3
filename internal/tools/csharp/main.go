package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . ../../..

// gen is the folder of the generated files, below the root.
const gen = "proto/csharp/src/Gen"

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "csharp:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := makeFiles(root)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, gen, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// makeFiles returns the text of each file, by its name.
func makeFiles(root string) (map[string]string, error) {
	messages, err := messagesCS(root)
	if err != nil {
		return nil, err
	}
	return map[string]string{"Messages.cs": messages, "Fields.cs": fieldsCS(), "Limits.cs": limitsCS(), "Orders.cs": ordersCS()}, nil
}
