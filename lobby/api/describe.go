package api

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// chatText is a line of chat or an announcement, as long as the lobby takes them.
type chatText string

// Schema implements huma.SchemaProvider.
func (chatText) Schema(huma.Registry) *huma.Schema {
	least, most := 1, model.ChatLenMax
	return &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most}
}

// describeOptions writes [model.OptionTable] into the API's document. The
// document alone says it: requests are judged by the lobby, which names the
// option that is wrong.
//
// Beside what OpenAPI has: x-label and x-order are of the host's form, x-words
// the labels of values, x-modes the modes that have the option.
func describeOptions(h huma.API) {
	doc := h.OpenAPI()
	given := doc.Components.Schemas.Map()["Options"]
	if given == nil {
		return // no operation has options
	}
	wished := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false,
		Description: "options that differ from the default; the server refuses unknown options by name",
	}
	defaults := model.DefaultOptions()
	for i := range model.OptionTable {
		d := &model.OptionTable[i]
		p := given.Properties[d.Name]
		p.Description = d.Text
		p.Default = reflect.ValueOf(d.Value(&defaults)).Elem().Interface()
		if d.Max > 0 {
			least, most := float64(d.Min), float64(d.Max)
			p.Minimum, p.Maximum = &least, &most
		}
		labels := map[string]string{}
		for _, v := range d.Values {
			labels[v.Value] = v.Label
			if p.Type == huma.TypeString {
				p.Enum = append(p.Enum, v.Value)
			}
		}
		if d.Open && len(p.Enum) > 0 { // a program may have more
			p.AnyOf, p.Enum = []*huma.Schema{{Type: huma.TypeString, Enum: p.Enum}, {Type: huma.TypeString}}, nil
		}
		p.Extensions = map[string]any{}
		if len(labels) > 0 {
			p.Extensions["x-words"] = labels
		}
		if d.Label != "" {
			p.Extensions["x-label"], p.Extensions["x-order"] = d.Label, i
		}
		if len(d.Modes) > 0 {
			p.Extensions["x-modes"] = d.Modes
		}
		wished.Properties[d.Name] = p
	}
	doc.Components.Schemas.Map()["OptionWishes"] = wished
	for _, path := range doc.Paths {
		for _, o := range []*huma.Operation{path.Post, path.Patch} {
			if o == nil || o.RequestBody == nil {
				continue
			}
			for _, media := range o.RequestBody.Content {
				describeWishes(doc, media)
			}
		}
	}
}

// describeWishes points the options of a request at their description, in a copy
// of the schema: the original judges requests.
func describeWishes(doc *huma.OpenAPI, media *huma.MediaType) {
	s := media.Schema
	if s.Ref != "" {
		s = doc.Components.Schemas.SchemaFromRef(s.Ref)
	}
	if s == nil || s.Properties["options"] == nil {
		return
	}
	answer := *s
	answer.Properties = map[string]*huma.Schema{}
	for name, p := range s.Properties {
		answer.Properties[name] = p
	}
	answer.Properties["options"] = &huma.Schema{Ref: "#/components/schemas/OptionWishes"}
	answer.Required = slices.Clone(s.Required)
	media.Schema = &answer
}
