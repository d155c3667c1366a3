// @fogkeep/client: plays matches of a fogkeep server, without a user interface.
//
//	const match = await connect({ url, ticket });
//	match.state.world       // columns of the entities in sight
//	match.order({ do: "move", units: [h], to: { x, y } })
//
//	server ──► net ──► state ◄── match ──► who uses this package
//
// docs/contributing/client.md says what each folder is.

export * from "./base/errors.js";
export * from "./base/ids.js";
export type { Call, CallOptions, FormField } from "./base/openapi.js";
export { query, segment } from "./base/openapi.js";
export * from "./base/signal.js";
export * from "./client/client.js";
export type { LobbyListener, StandingListener, StreamListener } from "./client/events.js";
export * from "./gen/codes.js";
export { PLAYER_COLORS, UNEXPLORED } from "./gen/colors.js";
export { type ClassName, FLAG, type Part } from "./gen/fields.js";
export { GROUP_ORDERS, type GroupOrder, type OrderName, TASK_ORDERS } from "./gen/orders.js";
export type * from "./gen/player.js";
export { optionWishesForm } from "./gen/player.js";
export * from "./match/match.js";
export type { Network, NetworkFigures } from "./match/network.js";
export type {
  Accepted,
  Answer,
  KnownRefusal,
  Order,
  RefusalCode,
  Refused,
  Sent,
} from "./match/order.js";
export { logPackets, type Packet, type PacketFilter, type PacketName } from "./match/packets.js";
export {
  openReplay,
  REPLAY_SPEEDS,
  type Replay,
  type ReplayCamera,
  type ReplayEvents,
  type ReplayInfo,
  type ReplayOptions,
  type ReplayPhase,
  type ReplayProduction,
  type ReplayStatus,
} from "./match/replay.js";
export { loadMap } from "./net/maps.js";
export { type LossReason, PROTOCOL } from "./net/protocol.js";
export { type RequestOptions, Requests } from "./net/request.js";
export type { Socket, SocketFactory } from "./net/socket.js";
export type { Count, Flow, Span, Traffic } from "./net/traffic.js";
export type { Actions, RunningAction, UnitEffect } from "./state/actions.js";
export { MatchClock } from "./state/clock.js";
export { allows, type Doing, FIRE, FIRING, type Grant } from "./state/doing.js";
export type * from "./state/events.js";
export { History } from "./state/history.js";
export type { Faction, Handicap, MatchInfo, ModeValue, PlayerInfo } from "./state/info.js";
export {
  CLIFF,
  decodeMap,
  type GameMap,
  type MapFeature,
  PASS_GROUND,
  PASS_NAVAL,
  TERRAIN,
  WATER,
} from "./state/map.js";
export { Mask } from "./state/mask.js";
export { MatchState } from "./state/match.js";
export { facingRad, turn } from "./state/motion.js";
export type { OwnerState, OwnUnit, Passenger, ProductionQueue } from "./state/ownerstate.js";
export { armyUnits, doingOf, idleWorkers, mostCentral, nearest, ownHandles } from "./state/queries.js";
export { CONTACT_CELL, type Contact, type Radar } from "./state/radar.js";
export {
  type AbilityInfo,
  type DisplayInfo,
  type EffectInfo,
  FEATURES,
  type FeatureKind,
  hasState,
  type Rules,
  type TypeInfo,
  typeOf,
  type WeaponInfo,
} from "./state/rules.js";
export { type DrawnShot, weaponOf } from "./state/shots.js";
export {
  type PlayerSeries,
  type ReplayEvent,
  type ReplayEventName,
  ReplayTimeline,
  SERIES,
  type SeriesName,
} from "./state/timeline.js";
export type { DeclaredValues, EntityValue } from "./state/values.js";
export { type Pose, PoseColumns, type World } from "./state/world.js";
