// Command csharp writes the generated part of the C# client library
// (proto/csharp/src/Gen).
//
//	proto/fogkeepv1 (descriptors) ──┐
//	proto/fogkeep/v1 (comments) ────┼──► Messages.cs   the messages, with reader and writer
//	match/view (values, flags) ─────┼──► Fields.cs     the values of entities, by number
//	proto/wire (limits) ────────────┘──► Limits.cs     the bounds of what a client sends
//
// The library takes no package, so that engines need nothing else: the messages
// are read by its own small reader (proto/csharp/src/Wire), which the generated
// code calls. A test fails if a written file is not what this command makes.
package main
