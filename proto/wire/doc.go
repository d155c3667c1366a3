// Package wire turns messages into fogkeep's types and back, and bounds them.
//
//	bytes of a client ──► DecodeClient ──► ClientFrame (orders, chat, camera) ──► match
//	match ──► view.Diff ──► AppendTeam ──┐
//	      ──► view.OwnerDiff ► AppendOwn ─┴──► bytes of one ServerFrame
//	bytes of a server ──► DecodeServer ──► ServerFrame ──► match/client
//
// Pure functions of their arguments: any goroutine may call them. The package
// knows shapes and ranges, never the world: whether a handle exists or an order
// is allowed is asked at the tick, by orders.
//
// What a stranger sends is counted before anything is allocated for it, so
// that a message costs at most a small multiple of its bytes, and it never
// panics. What the server sends is written by hand, field by field, straight
// from the diff: a frame a team a tick is the hottest encoding of the server,
// and encoded protobuf parts concatenate, so nothing is encoded twice. The
// bytes are plain protobuf; proto/fogkeep/v1 is their description, and a test
// holds this code to the generated one.
package wire
