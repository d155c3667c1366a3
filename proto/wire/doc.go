// Package wire encodes and decodes the protocol's messages, and bounds them.
//
//	bytes of a client ──► DecodeClient ──► ClientFrame (orders, chat, camera) ──► match
//	match ──► view.Diff ────► AppendTeam ─┐
//	      ──► view.OwnerDiff ► AppendOwn ─┴──► bytes of one ServerFrame
//	bytes of a server ──► Decoder ──► ServerFrame ──► match/client
//	bytes of either ──► Meter ──► Sizes (bytes by part and class)
//
// All functions depend on their arguments only, and any goroutine may call them.
// The package knows shapes and ranges of messages. It does not know the world:
// package orders decides at the tick whether a handle exists and whether an order
// is allowed.
//
// A client's message is counted before memory is allocated for it. So a message
// costs at most a small multiple of its bytes. No message causes a panic.
//
// The encoder of frames is written by hand and reads the diff directly, because
// it runs for every team at every tick. Encoded protobuf messages can be
// concatenated, so the team's part of a frame is encoded once for all its
// clients. The bytes are ordinary protobuf. A test compares them with the generated code of proto/fogkeep/v1.
//
// A client may ask for rows in fewer bits. AppendPacked makes them from the bytes that AppendTeam wrote, by the codes
// in Codes. Unpack turns them into fields again, so later readers do not notice the packing.
//
// The field table in match/view says which values of entities there are, and how
// the traffic is divided into parts. Rows of entities are written and read by one
// description (rows.go).
package wire
