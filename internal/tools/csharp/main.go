package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
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

//go:embed files.tmpl
var filesText string

// makeFiles returns the text of each file, by its name.
func makeFiles(root string) (map[string]string, error) {
	messages, err := messagesOf(root)
	if err != nil {
		return nil, err
	}
	t, err := template.New("").Funcs(template.FuncMap{
		"pascal": pascal, "doc": doc, "join": strings.Join,
		"sentence": func(s string) string {
			s = strings.ReplaceAll(s, "`", "")
			return strings.ToUpper(s[:1]) + s[1:]
		},
		"last": func(list []string) string { return list[len(list)-1] },
	}).Parse(filesText)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, content := range map[string]any{"Messages.cs": messages, "Fields.cs": fieldTables(), "Limits.cs": limits(), "Orders.cs": orderCalls()} {
		var b strings.Builder
		if err := t.ExecuteTemplate(&b, name, content); err != nil {
			return nil, err
		}
		out[name] = indented(b.String())
	}
	return out, nil
}

// indented indents the lines between braces.
func indented(text string) string {
	var b strings.Builder
	depth := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "}") {
			depth--
		}
		if line != "\n" {
			b.WriteString(strings.Repeat("    ", depth))
		}
		b.WriteString(line)
		if line == "{\n" {
			depth++
		}
	}
	return b.String()
}

// doc returns a comment, with its line break.
func doc(text string) string {
	if text == "" {
		return ""
	}
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	if !strings.Contains(text, "\n") {
		return "/// <summary>" + text + "</summary>\n"
	}
	text = strings.ReplaceAll("/// <summary>\n"+text+"\n</summary>", "\n", "\n/// ")
	return strings.ReplaceAll(text, "/// \n", "///\n") + "\n"
}
