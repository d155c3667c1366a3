package main

import (
	"fmt"
	"strings"

	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// fieldsCS returns the values of entities: their numbers, names, and the fields of a frame with rows for them.
func fieldsCS() string {
	var w writer
	w.line("// Made by internal/tools/csharp from match/view/fields.go: the values of entities.")
	w.line("using System.Collections.Generic;")
	w.line("using Fogkeep.Wire;")
	w.line("")
	w.line("namespace Fogkeep")
	w.line("{")
	counts := map[int]int{}
	for _, a := range view.Attributes {
		counts[a.Value] = a.Changes
	}
	table(&w, "Values", "The values of an entity, in the order in which a frame's rows of them are applied: indices of Entity.Values.",
		"ServerFrame", view.ValueNames[:])
	w.line("")
	w.line("/// <summary>The value that counts the changes of a value, or -1.</summary>")
	list := make([]string, len(view.ValueNames))
	for i := range list {
		if list[i] = "-1"; counts[i] != 0 {
			list[i] = pascal(view.ValueNames[counts[i]])
		}
	}
	w.line("internal static readonly int[] CountedBy = { %s };", strings.Join(list, ", "))
	w.line("}")
	w.line("")
	packedTable(&w)
	w.line("")
	table(&w, "OwnValues", "The values of a unit that only its owner knows: indices of OwnerState.Values.", "Own", view.OwnerValueNames[:])
	w.line("}")
	w.line("}")
	return w.String()
}

// packedTable writes the codes of packed frames, and the fields that have them.
func packedTable(w *writer) {
	w.doc("The codes of packed frames (docs/protocol.md).")
	w.line("internal static class Codes")
	w.line("{")
	w.line("/// <summary>For each number of bits from 0 to 32 the length of its prefix, a digit of base 36.</summary>")
	w.line("public static readonly Dictionary<char, string> Lengths = new Dictionary<char, string>")
	w.line("{")
	for _, c := range wire.Codes {
		w.line("{ '%c', \"%s\" },", c.Letter, c.Lengths)
	}
	w.line("};")
	w.line("")
	w.line("/// <summary>The fields that can be packed, in their order: name, and the code of each number of a row.</summary>")
	w.line("public static readonly string[][] Fields =")
	w.line("{")
	for i := range view.Fields {
		if f := &view.Fields[i]; f.Row != "" {
			w.line("%s", fmt.Sprintf("new[] { %q, %q },", f.Name, f.Row))
		}
	}
	w.line("};")
	w.line("")
	w.line("/// <summary>Of a sight: of its fields by their numbers.</summary>")
	w.line("public const string Sight = %q;", wire.SightCodes)
	w.line("")
	w.line("/// <summary>The rows of a field.</summary>")
	w.line("public static List<uint> RowsOf(ServerFrame f, int field)")
	w.line("{")
	w.line("switch (field)")
	w.line("{")
	n := 0
	for i := range view.Fields {
		if f := &view.Fields[i]; f.Row != "" {
			w.line("case %d: return f.%s;", n, pascal(f.Name))
			n++
		}
	}
	w.line("default: throw new System.ArgumentOutOfRangeException(nameof(field));")
	w.line("}")
	w.line("}")
	w.line("}")
}

func table(w *writer, name, doc, of string, names []string) {
	w.doc(doc)
	w.line("public static class %s", name)
	w.line("{")
	for i, n := range names {
		w.line("public const int %s = %d;", pascal(n), i)
	}
	w.line("public const int Count = %d;", len(names))
	w.line("")
	w.line("/// <summary>The names of the values, as in the protocol.</summary>")
	w.line(`public static readonly IReadOnlyList<string> Names = new[] { "%s" };`, strings.Join(names, `", "`))
	w.line("")
	w.line("internal static List<uint> RowsOf(%s f, int value)", of)
	w.line("{")
	w.line("switch (value)")
	w.line("{")
	for i, n := range names {
		word := fmt.Sprintf("case %s:", pascal(n))
		if i == len(names)-1 {
			word = "default:"
		}
		w.line("%s return f.%s;", word, pascal(n))
	}
	w.line("}")
	w.line("}")
}

// limitsCS returns the bounds of what a client sends.
func limitsCS() string {
	var w writer
	w.line("// Made by internal/tools/csharp from proto/wire/limits.go: the bounds of what a client sends.")
	w.line("namespace Fogkeep")
	w.line("{")
	w.doc("Bounds of what a client sends. docs/protocol.md says what happens beyond each.")
	w.line("public static class Limits")
	w.line("{")
	w.doc("The version of the protocol.")
	w.line("public const uint Protocol = %d;", wire.Protocol)
	w.doc("The most bytes of one message of a server.")
	w.line("public const int ServerBytes = %d;", wire.ServerBytesMax)
	for _, l := range wire.Limits {
		what := strings.ReplaceAll(l.What, "`", "")
		what = strings.ToUpper(what[:1]) + what[1:]
		if l.Unit != "" {
			what += ", " + l.Unit
		}
		w.doc(what + ".")
		w.line("public const int %s = %d;", pascal(l.Name), l.Max)
	}
	w.line("}")
	w.line("}")
	return w.String()
}
