package api

import (
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby"
)

// chatText is a line of chat or an announcement, as long as the lobby takes them.
type chatText string

// Schema implements huma.SchemaProvider.
func (chatText) Schema(huma.Registry) *huma.Schema {
	least, most := 1, lobby.ChatLenMax
	return &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most}
}

// describeOptions writes into the API's document what [lobby.ParseOptions] takes.
// The document alone says it: requests are judged by the lobby, which names the
// option that is wrong.
func describeOptions(h huma.API) {
	doc := h.OpenAPI()
	given := doc.Components.Schemas.Map()["Options"]
	if given == nil {
		return // no operation has options
	}
	wished := &huma.Schema{
		Type: huma.TypeObject, Properties: map[string]*huma.Schema{}, AdditionalProperties: false,
		Description: "those that differ from the default; an unknown one is refused by name",
	}
	for _, name := range lobby.OptionNames() {
		p := given.Properties[name]
		p.Description = lobby.OptionTexts[name]
		if r, ok := lobby.OptionRanges[name]; ok {
			least, most := float64(r[0]), float64(r[1])
			p.Minimum, p.Maximum = &least, &most
		}
		for _, word := range lobby.OptionWords[name] {
			p.Enum = append(p.Enum, word)
		}
		wished.Properties[name] = p
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
	told := *s
	told.Properties = map[string]*huma.Schema{}
	for name, p := range s.Properties {
		told.Properties[name] = p
	}
	told.Properties["options"] = &huma.Schema{Ref: "#/components/schemas/OptionWishes"}
	told.Required = slices.Clone(s.Required)
	media.Schema = &told
}
