// Made by go test ./proto/wire -update from orders.Forms.

/** The kinds of orders, with their numbers on the wire. */
export const ORDER_KINDS = {
  move: 1,
  attackMove: 2,
  attack: 3,
  attackGround: 4,
  stop: 5,
  hold: 6,
  patrol: 7,
  follow: 8,
  harvest: 9,
  build: 10,
  train: 11,
  rally: 12,
  ability: 13,
  stopAbility: 16,
  cancel: 14,
  surrender: 15,
} as const;
/** The kind of an order. */
export type OrderName = keyof typeof ORDER_KINDS;
