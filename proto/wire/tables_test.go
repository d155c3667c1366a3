package wire

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

//go:generate go test . -run TestFieldsAreToldOnce -update

// fieldsTS returns the field table for the TypeScript client: the parts of the
// traffic, the packed rows of a frame, the values of entities with the columns
// that hold them, and the flags.
func fieldsTS() string {
	var b strings.Builder
	b.WriteString(`// Made by go test ./proto/wire -update from match/view/fields.go: the fields of
// the messages. docs/reference/protocol.md says how each is sent.

/** Classes of entities; the index is the number of the wire's TypeClass. */
export const CLASSES = [`)
	for c := range Classes {
		comma(&b, int(c))
		fmt.Fprintf(&b, "%q", ClassName(c))
	}
	b.WriteString(`] as const;
export type ClassName = (typeof CLASSES)[number];

/** A part of a message, by which traffic is counted. */
export interface Part {
  /** Of the field on the wire; tick, span and skipped of a frame are ` + "`clock`" + ` together. */
  readonly name: string;
  /** Of parts that belong together. */
  readonly group: string;
  readonly from: "server" | "client";
  /** Numbers of its fields in the message. */
  readonly fields: readonly number[];
  /** Numbers of a row, for a packed field whose rows name an entity each. */
  readonly row?: number;
  /** Packed fields inside it of which each number counts as a row. Without, each time it occurs is one. */
  readonly lists?: readonly number[];
  /** Class that all of it counts for. */
  readonly cls?: ClassName;
}

/** Index 0 is for fields that this build does not know. */
export const PARTS: readonly Part[] = [
`)
	for i := range PartTable {
		p := &PartTable[i]
		from := "server"
		if p.Client {
			from = "client"
		}
		fmt.Fprintf(&b, "  { name: %q, group: %q, from: %q, fields: %s", p.Name, p.Group, from, list(p.Fields))
		if p.Numbers > 0 {
			fmt.Fprintf(&b, ", row: %d", p.Numbers)
		}
		if p.Lists != nil {
			fmt.Fprintf(&b, ", lists: %s", list(p.Lists))
		}
		if p.class != 0 {
			fmt.Fprintf(&b, ", cls: %q", ClassName(p.class))
		}
		b.WriteString(" },\n")
	}
	b.WriteString(`];

/** Fields of a frame that are rows: their property in the message, how many numbers a row has, the code of each in a packed frame, and whether the packed rows are in a field of their own. */
export const ROWS = [
`)
	for i := range view.Fields {
		if f := &view.Fields[i]; f.Row != "" {
			fmt.Fprintf(&b, "  { name: %q, key: %q, length: %d, codes: %q, apart: %v },\n", f.Name, camel(f.Name), len(f.Row), f.Row, f.Apart)
		}
	}
	b.WriteString(`] as const;

/** The codes of a packed frame: for each number of bits from 0 to 32, how long its prefix is, in base 36. */
export const CODES: Readonly<Record<string, string>> = {
`)
	for _, c := range Codes {
		fmt.Fprintf(&b, "  %c: %q,\n", c.Letter, c.Lengths)
	}
	fmt.Fprintf(&b, `};

/** The codes of a sight of a packed frame: of its fields by their numbers. */
export const SIGHT_CODES = %q;
`, SightCodes)
	b.WriteString(`
/** The values of entities, in the order in which a frame's rows of them are applied. */
export const VALUES = [
`)
	names := valuesInOrder()
	for _, name := range names {
		fmt.Fprintf(&b, "  { name: %q, key: %q },\n", name, camel(name))
	}
	b.WriteString(`] as const;
export type ValueKey = (typeof VALUES)[number]["key"];

/** A column for each value: what the client has of it, by row of the world. */
export class ValueColumns {
`)
	for _, name := range names {
		fmt.Fprintf(&b, "  %s = new Uint32Array(0);\n", camel(name))
	}
	b.WriteString("\n  /** All values are 0 until told otherwise. */\n  protected clearValues(row: number): void {\n")
	for _, name := range names {
		fmt.Fprintf(&b, "    this.%s[row] = 0;\n", camel(name))
	}
	b.WriteString("  }\n\n  protected growValues(wider: (column: Uint32Array<ArrayBuffer>) => Uint32Array<ArrayBuffer>): void {\n")
	for _, name := range names {
		fmt.Fprintf(&b, "    this.%s = wider(this.%[1]s);\n", camel(name))
	}
	b.WriteString(`  }
}

/** Attributes of entities: a value (what is missing to the full one), and the value that counts its changes. */
export const ATTRIBUTES = [
`)
	for _, a := range view.Attributes {
		fmt.Fprintf(&b, "  { value: %q, changes: %q },\n", camel(view.ValueNames[a.Value]), camel(view.ValueNames[a.Changes]))
	}
	b.WriteString(`] as const;
export type AttributeKey = (typeof ATTRIBUTES)[number]["value"];

/** Bits of the column flags; the wire's EntityFlag. */
export const FLAG = {
`)
	for _, f := range view.Flags {
		fmt.Fprintf(&b, "  %s: %d,\n", f.Name, f.Bit)
	}
	b.WriteString(`} as const;

/** The values of units that only their owner knows; 0 until told otherwise. */
export const OWN_VALUES = [
`)
	zero := ""
	for _, name := range view.OwnerValueNames {
		fmt.Fprintf(&b, "  { name: %q, key: %q },\n", name, camel(name))
		zero += fmt.Sprintf(" %s: 0,", camel(name))
	}
	fmt.Fprintf(&b, `] as const;
export type OwnValueKey = (typeof OWN_VALUES)[number]["key"];
export type OwnValues = Record<OwnValueKey, number>;
export const NO_OWN_VALUES: Readonly<OwnValues> = {%s };

/** The role that computes a field of an own thing between two updates: the server alone, its owner's client by prediction, or every client. */
export const ROLES = {
`, strings.TrimSuffix(zero, ","))
	for _, fields := range [][]view.Field{view.Fields[:], view.OwnFields[:]} {
		for i := range fields {
			if f := &fields[i]; f.Sent != nil {
				fmt.Fprintf(&b, "  %s: %q,\n", camel(f.Name), roleNames[f.Sent[0].Role])
			}
		}
	}
	b.WriteString(`} as const;
/** Fields of which a client may show its own guess, for things of its own. */
export type Predicted = {
  [K in keyof typeof ROLES]: (typeof ROLES)[K] extends "owner" ? K : never;
}[keyof typeof ROLES];

/** Attributes of units that only their owner knows: a value (what is there), and the value that counts its changes. */
export const OWN_ATTRIBUTES = [
`)
	for _, a := range view.OwnerAttributes {
		fmt.Fprintf(&b, "  { value: %q, changes: %q },\n", camel(view.OwnerValueNames[a.Value]), camel(view.OwnerValueNames[a.Changes]))
	}
	b.WriteString(`] as const;
export type OwnAttributeKey = (typeof OWN_ATTRIBUTES)[number]["value"];
`)
	return b.String()
}

var roleNames = [...]string{view.ByServer: "server", view.ByOwner: "owner", view.ByAll: "all"}

func comma(b *strings.Builder, i int) {
	if i > 0 {
		b.WriteString(", ")
	}
}

// list returns numbers as an array of TypeScript.
func list[T any](numbers []T) string {
	var b strings.Builder
	for i, n := range numbers {
		comma(&b, i)
		fmt.Fprint(&b, n)
	}
	return "[" + b.String() + "]"
}

// camel returns the name of a field's property in TypeScript.
func camel(name string) string {
	words := strings.Split(name, "_")
	for i := range words[1:] {
		words[1+i] = upper(words[1+i])
	}
	return strings.Join(words, "")
}

// valuesInOrder returns the names of the values of entities in the order of the
// field table, in which they are applied.
func valuesInOrder() (out []string) {
	for i := range view.Fields {
		if view.Fields[i].Group == "values" && !view.Fields[i].Apart {
			out = append(out, view.Fields[i].Name)
		}
	}
	return out
}

// ordersTS returns the kinds of orders for the TypeScript client, and the type of an order.
func ordersTS() string {
	var numbers strings.Builder
	var tasks, groups []string
	variants := map[string][]string{}
	var shapes []string
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		f := k.Form()
		name := camel(strings.ToLower(f.ProtocolName()))
		fmt.Fprintf(&numbers, "  /** %s. */\n  %s: %d,\n", upper(f.Does), name, f.Wire)
		if f.Tasks == orders.Replaces || f.Tasks == orders.Drops {
			tasks = append(tasks, strconv.Quote(name))
		}
		if f.Group {
			groups = append(groups, strconv.Quote(name))
		}
		for _, shape := range shapesOf(f) {
			if variants[shape] == nil {
				shapes = append(shapes, shape)
			}
			variants[shape] = append(variants[shape], strconv.Quote(name))
		}
	}
	var b strings.Builder
	b.WriteString(`// Made by go test ./proto/wire -update from orders.Forms.

import type { AbilityId, Handle, Pos, TypeId } from "../base/ids.js";

/** The kinds of orders, with their numbers on the wire. */
export const ORDER_KINDS = {
`)
	b.WriteString(numbers.String())
	b.WriteString("} as const;\n/** The kind of an order. */\nexport type OrderName = keyof typeof ORDER_KINDS;\n\n")
	for _, set := range [][3]string{
		{"TASK_ORDERS", "Kinds that replace a unit's tasks.", strings.Join(tasks, ", ")},
		{"GROUP_ORDERS", "Kinds that give each unit a place of its own around the point.", strings.Join(groups, ", ")},
	} {
		fmt.Fprintf(&b, "/** %s */\nexport const %s: ReadonlySet<string> = new Set([%s]);\n", set[1], set[0], set[2])
	}
	fmt.Fprintf(&b, "/** A kind in {@link GROUP_ORDERS}. */\nexport type GroupOrder = %s;\n\n/** The parts of an order by its kind. */\nexport type OrderParts =\n", strings.Join(groups, " | "))
	for _, shape := range shapes {
		fmt.Fprintf(&b, "  | { do: %s%s }\n", strings.Join(variants[shape], " | "), shape)
	}
	return strings.TrimSuffix(b.String(), "\n") + ";\n"
}

// shapesOf returns the parts of orders of a kind in TypeScript. A kind that takes a place or a
// target has a shape for each; its number goes with the place.
func shapesOf(f *orders.Form) []string {
	what := map[orders.Number]string{orders.TypeNumber: "; what: TypeId", orders.AbilityNumber: "; what: AbilityId", orders.ItemNumber: "; what: number"}[f.Number]
	together := ""
	if f.Group {
		together = "; together?: boolean"
	}
	switch {
	case f.Target == orders.OneOf:
		return []string{what + "; to: Pos; target?: Handle", "; target: Handle"}
	case f.Target == orders.Optional:
		return []string{what + "; to?: Pos; target?: Handle"}
	case f.Target == orders.Needed:
		return []string{what + "; target: Handle"}
	case f.Point == orders.Needed:
		return []string{what + "; to: Pos" + together}
	}
	return []string{what}
}

// ordersTable returns the parts and the effect of each kind of order, in Markdown.
func ordersTable() string {
	var b strings.Builder
	b.WriteString("| kind | effect | `units` | `to` | `target` | `what` | `queued` | ends |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for n := 1; n < orders.Kinds; n++ {
		f := kindOf(pb.OrderKind(n)).Form()
		what := f.What
		if what == "" {
			what = "ignored"
		}
		fmt.Fprintf(&b, "| %s (%d) | %s | %s | %s | %s | %s | %s |\n",
			f.ProtocolName(), n, f.Does, part(f.Units, ""), part(f.Point, f.To), part(f.Target, f.On), what, taskWords[f.Tasks])
	}
	return b.String()
}

var taskWords = map[orders.Tasks]string{
	orders.Keeps: "ignored | nothing", orders.Replaces: "after its tasks | its tasks, unless queued",
	orders.ReplacesToAim: "after its tasks | its tasks, if the ability has an aim, unless queued",
	orders.Removes:       "ignored | the place in the queue", orders.Drops: "ignored | its tasks",
}

func part(n orders.Need, what string) string {
	word := map[orders.Need]string{
		orders.Ignored: "ignored", orders.Needed: "needed", orders.OneOf: "this or the other", orders.Optional: "optional", orders.Forbidden: "none",
	}[n]
	switch {
	case what == "":
		return word
	case n == orders.Ignored:
		return what
	}
	return word + ": " + what
}

// limitsTable returns the limits in Markdown.
func limitsTable() string {
	var b strings.Builder
	b.WriteString("| limit | at most | of | beyond it |\n| --- | ---: | --- | --- |\n")
	for _, l := range Limits {
		beyond := beyondWords[l.Beyond]
		if l.Code != "" {
			beyond += ": `" + l.Code + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", l.Name, strings.TrimSpace(fmt.Sprint(l.Max, " ", l.Unit)), l.What, beyond)
	}
	return b.String()
}

// limitConstants returns the limits as constants for TypeScript.
func limitConstants() string {
	var b strings.Builder
	b.WriteString("// Made by go test ./proto/wire -update from proto/wire/limits.go: the bounds\n// of what a client sends. docs/reference/protocol.md says what happens beyond each.\n")
	for _, l := range Limits {
		unit := l.Unit
		if unit != "" {
			unit = ", " + unit
		}
		fmt.Fprintf(&b, "\n/** %s%s. */\nexport const %s = %d;\n", upper(strings.ReplaceAll(l.What, "`", "")), unit, strings.ToUpper(l.Name), l.Max)
	}
	return b.String()
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

var beyondWords = [...]string{
	"the socket is closed",
	"that order, line or ping is answered `MALFORMED`",
	"taken as the limit",
	"read in a later tick",
	"answered `RATE_LIMITED`",
	"answered `STALE`",
}

// codesTable returns the codes, and the fields whose rows have them, in Markdown.
func codesTable() string {
	var b strings.Builder
	b.WriteString("| code | for | lengths of the prefixes of 0, 1, 2 ... 32 bits |\n| --- | --- | --- |\n")
	for _, c := range Codes {
		fmt.Fprintf(&b, "| %c | %s | `%s` |\n", c.Letter, c.Of, c.Lengths)
	}
	b.WriteString("\n| field | codes of a row |\n| --- | --- |\n")
	for i := range view.Fields {
		if f := &view.Fields[i]; f.Row != "" && !f.Apart {
			fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, f.Row)
		}
	}
	fmt.Fprintf(&b, "| `sights` | %s |\n", SightCodes)
	return b.String()
}

// partsTable returns the table in Markdown.
func partsTable() string {
	var b strings.Builder
	b.WriteString("| part | group | sent by | a row is |\n| --- | --- | --- | --- |\n")
	for _, row := range PartTable {
		by, is := "server", "each time it occurs"
		if row.Client {
			by = "client"
		}
		switch {
		case row.Numbers > 0:
			is = "an entity: " + plural(row.Numbers, "number")
		case len(row.Lists) > 0:
			is = "a member of its columns"
		}
		if row.Group == "other" {
			by = "either"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, row.Group, by, is)
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
