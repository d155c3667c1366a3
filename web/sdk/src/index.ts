// @fogkeep/client: plays matches of a fogkeep server, without a user interface.
//
//	const match = await connect({ url, ticket });
//	match.state.world       // columns of what is in sight
//	match.order({ do: "move", units: [h], to: { x, y } })
//
//	server ──► net ──► state ◄── match ──► who uses this package
//
// docs/client.md says what each folder is.

export * from "./base/errors.js";
export * from "./base/ids.js";
export type { Call, FormField } from "./base/openapi.js";
export { query, segment } from "./base/openapi.js";
export * from "./base/signal.js";
export { PLAYER_COLORS, UNEXPLORED } from "./gen/colors.js";
export { type ClassName, FLAG, type Part } from "./gen/fields.js";
export type * from "./gen/player.js";
export { client as playerClient, optionWishesForm } from "./gen/player.js";
export * from "./match/match.js";
export { api, lobbyEvents } from "./net/api.js";
export { loadMap } from "./net/maps.js";
export { PROTOCOL } from "./net/protocol.js";
export { request } from "./net/request.js";
export type { Socket, SocketFactory } from "./net/socket.js";
export type { Count, Flow, Span, Traffic } from "./net/traffic.js";
export type { Actions } from "./state/actions.js";
export { MatchClock } from "./state/clock.js";
export type * from "./state/events.js";
export { History } from "./state/history.js";
export { infoOf, type MatchInfo, type PlayerInfo } from "./state/info.js";
export { CLIFF, decodeMap, type GameMap, PASS_GROUND, TERRAIN, WATER } from "./state/map.js";
export { Mask } from "./state/mask.js";
export { MatchState } from "./state/match.js";
export { facingRad, turn } from "./state/motion.js";
export { allows, type OwnerState } from "./state/ownerstate.js";
export { armyUnits, doingOf, idleWorkers, mostCentral, ownHandles } from "./state/queries.js";
export {
  type AbilityInfo,
  type EffectInfo,
  type Rules,
  type TypeInfo,
  typeOf,
  type WeaponInfo,
} from "./state/rules.js";
export { weaponOf } from "./state/shots.js";
export { type Pose, PoseColumns, type World } from "./state/world.js";
