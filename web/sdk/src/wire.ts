// The messages of the protocol, for code that reads or makes them itself: tests, recorders, scenes without a
// server. docs/reference/protocol.md explains them.

import type { ServerFrame } from "./gen/fogkeep/v1/server_pb.js";
import type { MatchState } from "./state/match.js";

export * from "./gen/fogkeep/v1/client_pb.js";
export * from "./gen/fogkeep/v1/server_pb.js";
export { readFrame } from "./net/packed.js";
export { infoOf, rulesOf, typeInfoOf } from "./state/welcome.js";

/** Applies one frame to a state. `nowMs` stamps when things happened, for drawing only. */
export function apply(state: MatchState, frame: ServerFrame, nowMs: number): void {
  state.apply(frame, nowMs);
}
