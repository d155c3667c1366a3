package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/orders"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: clientcodes OUTPUT")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], generate(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "clientcodes:", err)
		os.Exit(1)
	}
}

// row is a code with what it means.
type row struct{ code, why string }

// generate returns the file.
func generate() []byte {
	var api, closing, refused []row
	for _, c := range model.Codes {
		api = append(api, row{string(c.Code), c.Text})
	}
	for _, c := range link.Closings {
		closing = append(closing, row{c.Code, c.Why})
	}
	for _, c := range orders.Table {
		if c.Code != orders.OK {
			refused = append(refused, row{c.Name, c.Why})
		}
	}
	var b bytes.Buffer
	b.WriteString("// Made by internal/tools/clientcodes from lobby.Codes, link.Closings and orders.Table. Do not edit.\n")
	write(&b, "API_CODES", "ApiCode", "Why the HTTP API refuses a request.", api)
	write(&b, "CLOSING_CODES", "ClosingCode", "Why the server ends a connection.", closing)
	write(&b, "ORDER_CODES", "OrderRefusal", "Why the server refuses an order, or a unit of it.", refused)
	return b.Bytes()
}

func write(b *bytes.Buffer, list, name, what string, rows []row) {
	fmt.Fprintf(b, "\n/** %s */\nexport const %s = [\n", what, list)
	for _, r := range rows {
		fmt.Fprintf(b, "  /** %s */\n  %q,\n", strings.ReplaceAll(r.why, "*/", "* /"), r.code)
	}
	fmt.Fprintf(b, "] as const;\n/** %s See {@link %s}. */\nexport type %s = (typeof %s)[number];\n", what, list, name, list)
}
