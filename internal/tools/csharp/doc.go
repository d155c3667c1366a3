// Command csharp writes the generated part of the C# client library
// (proto/csharp/src/Gen).
//
//	proto/fogkeepv1 (descriptors) ──┐
//	proto/fogkeep/v1 (comments) ────┼──► Messages.cs   the messages, with reader and writer
//	match/view (values, flags) ─────┼──► Fields.cs     the values of entities, by number
//	proto/wire (limits) ────────────┤──► Limits.cs     the bounds of what a client sends
//	orders (kinds) ─────────────────┘──► Orders.cs     the orders, and the kinds that replace tasks
//
// The messages are read by the library's own small reader (proto/csharp/src/Wire). A
// test fails if a written file is not what this command makes.
//
// protoc's own generator does not replace it. Its code needs the package Google.Protobuf and its dependencies; Unity
// has no client for NuGet, and the tests compile with Mono alone. It makes 19,500 lines (676 KB) of the two files of
// the protocol, this command 2,700 (121 KB) with a reader of 280 lines. buf has no generator of C# without its online
// registry, so each developer would install protoc. The other files would still need this command.
package main
