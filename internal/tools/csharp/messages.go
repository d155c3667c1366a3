package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// messagesCS returns the messages and enums of the protocol in C#.
func messagesCS(root string) (string, error) {
	files := []protoreflect.FileDescriptor{pb.File_fogkeep_v1_client_proto, pb.File_fogkeep_v1_server_proto}
	said := comments{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(root, "proto", f.Path()))
		if err != nil {
			return "", err
		}
		said.read(string(b))
	}
	var w writer
	w.line("// Made by internal/tools/csharp from proto/fogkeep/v1: the messages of the protocol.")
	w.line("// docs/protocol.md says how they work together.")
	w.line("using System.Collections.Generic;")
	w.line("")
	w.line("namespace Fogkeep.Wire")
	w.line("{")
	for _, f := range files {
		for i := range f.Enums().Len() {
			w.enum(f.Enums().Get(i), said)
		}
		for i := range f.Messages().Len() {
			if err := w.message(f.Messages().Get(i), said); err != nil {
				return "", err
			}
		}
	}
	w.line("}")
	return strings.Replace(w.String(), "{\n\n", "{\n", 1), nil
}

// writer gathers lines; what is between braces is indented.
type writer struct {
	strings.Builder
	depth int
}

func (w *writer) line(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if strings.HasPrefix(text, "}") {
		w.depth--
	}
	if text != "" {
		w.WriteString(strings.Repeat("    ", w.depth))
	}
	w.WriteString(text + "\n")
	if text == "{" {
		w.depth++
	}
}

// doc writes a comment.
func (w *writer) doc(text string) {
	if text == "" {
		return
	}
	text = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		w.line("%s", "/// <summary>"+lines[0]+"</summary>")
		return
	}
	w.line("/// <summary>")
	for _, l := range lines {
		w.line("%s", strings.TrimRight("/// "+l, " "))
	}
	w.line("/// </summary>")
}

func (w *writer) enum(e protoreflect.EnumDescriptor, said comments) {
	name := string(e.Name())
	w.line("")
	w.doc(said[name])
	w.line("public enum %s", name)
	w.line("{")
	prefix := screaming(name) + "_"
	for i := range e.Values().Len() {
		v := e.Values().Get(i)
		w.doc(said[name+"."+string(v.Name())])
		w.line("%s = %d,", pascal(strings.ToLower(strings.TrimPrefix(string(v.Name()), prefix))), v.Number())
	}
	w.line("}")
}

// field is how one field of a message is declared, read and written.
type field struct {
	name, typ, read, write string
	tag                    uint64
	list, packed           bool
}

func (w *writer) message(m protoreflect.MessageDescriptor, said comments) error {
	name := string(m.Name())
	var fields []field
	for i := range m.Fields().Len() {
		f, err := fieldOf(m.Fields().Get(i))
		if err != nil {
			return err
		}
		fields = append(fields, f)
	}
	w.line("")
	w.doc(said[name])
	w.line("public sealed class %s : IMessage", name)
	w.line("{")
	for i, f := range fields {
		w.doc(said[name+"."+string(m.Fields().Get(i).Name())])
		if f.list {
			w.line("%s", fmt.Sprintf("public List<%s> %s { get; } = new List<%[1]s>();", f.typ, f.name))
			continue
		}
		initial := ""
		if f.typ == "string" {
			initial = ` = "";`
		}
		w.line("%s", fmt.Sprintf("public %s %s { get; set; }%s", f.typ, f.name, initial))
	}
	w.line("")
	w.line("/// <summary>Reads fields to the end of the message. Lists grow; other fields are replaced.</summary>")
	w.line("public void MergeFrom(WireReader r)")
	w.line("{")
	w.line("for (uint tag = r.Tag(); tag != 0; tag = r.Tag())")
	w.line("{")
	w.line("switch (tag)")
	w.line("{")
	for _, f := range fields {
		w.line("%s", fmt.Sprintf("case %d: %s break;", f.tag, f.read))
		if f.packed { // a writer may put the numbers one by one
			w.line("%s", fmt.Sprintf("case %d: r.AddOne(%s); break;", f.tag&^7, f.name))
		}
	}
	w.line("default: r.Skip(tag); break;")
	w.line("}")
	w.line("}")
	w.line("}")
	w.line("")
	w.line("/// <summary>Writes the fields that are not at their default.</summary>")
	w.line("public void WriteTo(WireWriter w)")
	w.line("{")
	for _, f := range fields {
		w.line("%s", f.write)
	}
	w.line("}")
	w.line("}")
	return nil
}

// The types of a field on the wire.
const (
	varint  = 0
	bytes   = 2
	fixed32 = 5
)

func fieldOf(d protoreflect.FieldDescriptor) (field, error) {
	f := field{name: pascal(string(d.Name()))}
	if f.name == string(d.Parent().Name()) { // a member may not have the name of its class
		f.name += "Value"
	}
	tag := func(kind uint64) uint64 { return uint64(d.Number())<<3 | kind }
	fail := func() (field, error) {
		return field{}, fmt.Errorf("%s: this tool knows no fields of kind %s like it", d.FullName(), d.Kind())
	}
	list := d.IsList()
	if d.HasOptionalKeyword() {
		scalars := map[protoreflect.Kind]struct {
			typ, read, write string
			wire             uint64
		}{
			protoreflect.Uint32Kind:  {"uint?", "UInt32", "UInt32(%d, %s.Value)", varint},
			protoreflect.Fixed32Kind: {"uint?", "Fixed32", "Fixed32(%d, %s.Value)", fixed32},
			protoreflect.Sint32Kind:  {"int?", "SInt32", "SInt32(%d, %s.Value)", varint},
			protoreflect.BoolKind:    {"bool?", "Bool", "UInt32(%d, %s.Value ? 1u : 0u)", varint},
		}
		s, ok := scalars[d.Kind()]
		if !ok {
			return fail()
		}
		f.typ, f.tag = s.typ, tag(s.wire)
		f.read = fmt.Sprintf("%s = r.%s();", f.name, s.read)
		f.write = fmt.Sprintf("if (%s != null) w.%s;", f.name, fmt.Sprintf(s.write, f.tag, f.name))
		return f, nil
	}
	switch d.Kind() {
	case protoreflect.Uint32Kind, protoreflect.EnumKind:
		f.typ, f.tag = "uint", tag(varint)
		read, number := "r.UInt32()", f.name
		if d.Kind() == protoreflect.EnumKind {
			f.typ = string(d.Enum().Name())
			read, number = "("+f.typ+")r.Int32()", "(uint)"+f.name
		}
		if !list {
			f.read = fmt.Sprintf("%s = %s;", f.name, read)
			f.write = fmt.Sprintf("if (%s != 0) w.UInt32(%d, %s);", f.name, f.tag, number)
			return f, nil
		}
		f.typ, f.list, f.packed, f.tag = "uint", true, true, tag(bytes) // of an enum its numbers
		f.read, f.write = fmt.Sprintf("r.AddPacked(%s);", f.name), fmt.Sprintf("w.Packed(%d, %s);", f.tag, f.name)
		return f, nil
	case protoreflect.Sint32Kind:
		f.typ, f.tag = "int", tag(varint)
		f.read = fmt.Sprintf("%s = r.SInt32();", f.name)
		f.write = fmt.Sprintf("if (%s != 0) w.SInt32(%d, %[1]s);", f.name, f.tag)
	case protoreflect.BoolKind:
		f.typ, f.tag = "bool", tag(varint)
		f.read = fmt.Sprintf("%s = r.Bool();", f.name)
		f.write = fmt.Sprintf("if (%s) w.UInt32(%d, 1);", f.name, f.tag)
	case protoreflect.StringKind:
		f.typ, f.tag, f.list = "string", tag(bytes), list
		if list {
			f.read, f.write = fmt.Sprintf("r.Add(%s);", f.name), fmt.Sprintf("foreach (var x in %s) w.String(%d, x);", f.name, f.tag)
			return f, nil
		}
		f.read = fmt.Sprintf("%s = r.String();", f.name)
		f.write = fmt.Sprintf("if (%s.Length > 0) w.String(%d, %[1]s);", f.name, f.tag)
	case protoreflect.BytesKind:
		f.typ, f.tag = "byte[]", tag(bytes) // null: it was not there
		f.read = fmt.Sprintf("%s = r.Bytes();", f.name)
		f.write = fmt.Sprintf("if (%s != null) w.Bytes(%d, %[1]s);", f.name, f.tag)
	case protoreflect.MessageKind:
		f.typ, f.tag, f.list = string(d.Message().Name()), tag(bytes), list
		if list {
			f.read, f.write = fmt.Sprintf("r.Add(%s);", f.name), fmt.Sprintf("foreach (var x in %s) w.Message(%d, x);", f.name, f.tag)
			return f, nil
		}
		f.read = fmt.Sprintf("r.Message(%s ?? (%[1]s = new %s()));", f.name, f.typ)
		f.write = fmt.Sprintf("if (%s != null) w.Message(%d, %[1]s);", f.name, f.tag)
	default:
		return fail()
	}
	if list {
		return fail()
	}
	return f, nil
}

// pascal turns bytes_per_s into BytesPerS.
func pascal(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// screaming turns OrderKind into ORDER_KIND.
func screaming(name string) string {
	return strings.ToUpper(regexp.MustCompile(`([a-z0-9])([A-Z])`).ReplaceAllString(name, "${1}_$2"))
}

// comments has what a .proto file says of its messages, enums, and their members:
// by Message, or Message.member.
type comments map[string]string

var (
	protoHead   = regexp.MustCompile(`^(?:message|enum) (\w+) \{`)
	protoMember = regexp.MustCompile(`^\s+(?:(?:repeated|optional)\s+)?(?:\w+\s+)?(\w+) = \d+;\s*(?://\s*(.*))?$`)
	protoSaid   = regexp.MustCompile(`^\s*//\s?(.*)$`)
)

// read takes the comments before and behind each line of a file. Our files
// have a member a line, and no message inside another.
func (c comments) read(text string) {
	inside := ""
	var before []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := protoSaid.FindStringSubmatch(line); m != nil {
			before = append(before, m[1])
			continue
		}
		if m := protoHead.FindStringSubmatch(line); m != nil {
			inside = m[1]
			c[inside] = strings.Join(before, "\n")
		} else if m := protoMember.FindStringSubmatch(line); m != nil && inside != "" {
			if m[2] != "" {
				before = append(before, m[2])
			}
			c[inside+"."+m[1]] = strings.Join(before, "\n")
		}
		before = nil
	}
}
