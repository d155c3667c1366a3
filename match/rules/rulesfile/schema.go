package rulesfile

import _ "embed"

// Schema is the JSON Schema of rulesets, for editors. A test of match/rules writes it from the fields that the reader
// asks for, with their bounds.
//
//go:embed schema.json
var Schema []byte
