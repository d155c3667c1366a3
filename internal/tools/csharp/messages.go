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

// definition is a message or an enum.
type definition struct {
	Name, Doc string
	Enum      bool
	Values    []enumValue
	Fields    []field
}

type enumValue struct {
	Name, Doc string
	Number    protoreflect.EnumNumber
}

// field is how one field of a message is declared, read and written.
type field struct {
	Name, Doc, Type, Read, Write string
	Tag                          uint64
	List, Packed                 bool
}

// TagOfOne is the tag of a packed field's numbers one by one: a writer may put them so.
func (f field) TagOfOne() uint64 { return f.Tag &^ 7 }

// messagesOf returns the messages and enums of the protocol.
func messagesOf(root string) (out []definition, err error) {
	files := []protoreflect.FileDescriptor{pb.File_fogkeep_v1_client_proto, pb.File_fogkeep_v1_server_proto}
	said := comments{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(root, "proto", f.Path()))
		if err != nil {
			return nil, err
		}
		said.read(string(b))
	}
	for _, f := range files {
		for i := range f.Enums().Len() {
			e := f.Enums().Get(i)
			d := definition{Name: string(e.Name()), Doc: said[string(e.Name())], Enum: true}
			for i := range e.Values().Len() {
				v := e.Values().Get(i)
				name := pascal(strings.ToLower(strings.TrimPrefix(string(v.Name()), screaming(d.Name)+"_")))
				d.Values = append(d.Values, enumValue{name, said[d.Name+"."+string(v.Name())], v.Number()})
			}
			out = append(out, d)
		}
		for i := range f.Messages().Len() {
			m := f.Messages().Get(i)
			d := definition{Name: string(m.Name()), Doc: said[string(m.Name())]}
			for i := range m.Fields().Len() {
				f, err := fieldOf(m.Fields().Get(i))
				if err != nil {
					return nil, err
				}
				f.Doc = said[d.Name+"."+string(m.Fields().Get(i).Name())]
				d.Fields = append(d.Fields, f)
			}
			out = append(out, d)
		}
	}
	return out, nil
}

// The types of a field on the wire.
const (
	varint  = 0
	bytes   = 2
	fixed32 = 5
)

func fieldOf(d protoreflect.FieldDescriptor) (field, error) {
	f := field{Name: pascal(string(d.Name()))}
	if f.Name == string(d.Parent().Name()) { // a member may not have the name of its class
		f.Name += "Value"
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
		f.Type, f.Tag = s.typ, tag(s.wire)
		f.Read = fmt.Sprintf("%s = r.%s();", f.Name, s.read)
		f.Write = fmt.Sprintf("if (%s != null) w.%s;", f.Name, fmt.Sprintf(s.write, f.Tag, f.Name))
		return f, nil
	}
	switch d.Kind() {
	case protoreflect.Uint32Kind, protoreflect.EnumKind:
		f.Type, f.Tag = "uint", tag(varint)
		read, number := "r.UInt32()", f.Name
		if d.Kind() == protoreflect.EnumKind {
			f.Type = string(d.Enum().Name())
			read, number = "("+f.Type+")r.Int32()", "(uint)"+f.Name
		}
		if !list {
			f.Read = fmt.Sprintf("%s = %s;", f.Name, read)
			f.Write = fmt.Sprintf("if (%s != 0) w.UInt32(%d, %s);", f.Name, f.Tag, number)
			return f, nil
		}
		f.Type, f.List, f.Packed, f.Tag = "uint", true, true, tag(bytes) // of an enum its numbers
		f.Read, f.Write = fmt.Sprintf("r.AddPacked(%s);", f.Name), fmt.Sprintf("w.Packed(%d, %s);", f.Tag, f.Name)
		return f, nil
	case protoreflect.Sint32Kind:
		f.Type, f.Tag = "int", tag(varint)
		f.Read = fmt.Sprintf("%s = r.SInt32();", f.Name)
		f.Write = fmt.Sprintf("if (%s != 0) w.SInt32(%d, %[1]s);", f.Name, f.Tag)
	case protoreflect.BoolKind:
		f.Type, f.Tag = "bool", tag(varint)
		f.Read = fmt.Sprintf("%s = r.Bool();", f.Name)
		f.Write = fmt.Sprintf("if (%s) w.UInt32(%d, 1);", f.Name, f.Tag)
	case protoreflect.StringKind:
		f.Type, f.Tag, f.List = "string", tag(bytes), list
		if list {
			f.Read, f.Write = fmt.Sprintf("r.Add(%s);", f.Name), fmt.Sprintf("foreach (var x in %s) w.String(%d, x);", f.Name, f.Tag)
			return f, nil
		}
		f.Read = fmt.Sprintf("%s = r.String();", f.Name)
		f.Write = fmt.Sprintf("if (%s.Length > 0) w.String(%d, %[1]s);", f.Name, f.Tag)
	case protoreflect.BytesKind:
		f.Type, f.Tag = "byte[]", tag(bytes) // null: it was not there
		f.Read = fmt.Sprintf("%s = r.Bytes();", f.Name)
		f.Write = fmt.Sprintf("if (%s != null) w.Bytes(%d, %[1]s);", f.Name, f.Tag)
	case protoreflect.MessageKind:
		f.Type, f.Tag, f.List = string(d.Message().Name()), tag(bytes), list
		if list {
			f.Read, f.Write = fmt.Sprintf("r.Add(%s);", f.Name), fmt.Sprintf("foreach (var x in %s) w.Message(%d, x);", f.Name, f.Tag)
			return f, nil
		}
		f.Read = fmt.Sprintf("r.Message(%s ?? (%[1]s = new %s()));", f.Name, f.Type)
		f.Write = fmt.Sprintf("if (%s != null) w.Message(%d, %[1]s);", f.Name, f.Tag)
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
