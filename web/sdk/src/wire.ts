// The messages of the protocol, for those who read or make them themselves: tests,
// recorders, scenes without a server. docs/protocol.md says what they mean.

export * from "./gen/fogkeep/v1/client_pb.js";
export * from "./gen/fogkeep/v1/server_pb.js";
