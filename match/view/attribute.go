package view

import "github.com/fogkeep/fogkeep/match/rules"

// The rule by which effects change attributes, for clients: they compute attributes from the effects that they see.
type (
	AttributeChange = rules.AttributeChange
	AttributeSum    = rules.Sum
	AttributeID     = rules.Attribute
)

// The attributes that clients in Go compute, and the number of attributes.
const (
	AttributeHealth = rules.AttributeHealth
	AttributeSight  = rules.AttributeSight
	AttributeEnd    = rules.AttributeEnd
)
