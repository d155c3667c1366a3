// Package strictjson reads the JSON files that people write, and says where a fault is.
//
//	bytes ──► Reader: one value after another ──► match/grid/mapfile
//	             └──► Parse: a tree of nodes, all faults ──► match/rules, match/scenario
//
// A Reader ends at the first fault, with its offset. Parse reads on after the faults that
// people make most, as if the text were right: a comma too many or missing, a missing
// colon, a comment, single quotes, a text or name without quotes, a name that appears
// twice. After an ambiguous fault, such as a text without its closing quote or a mismatched bracket, it ends. Then
// it reports no other fault in this line.
//
// Depth is bounded, and so is the number of faults. The package keeps no state, and does not know the meaning of
// the files.
package strictjson
