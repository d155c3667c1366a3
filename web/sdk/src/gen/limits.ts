// Made by go test ./proto/wire -update from proto/wire/limits.go: the bounds
// of what a client sends. docs/reference/protocol.md says what happens beyond each.

/** From the open socket to the hello, s. */
export const HELLO_SECONDS = 5;

/** Without any message, pong included, s. */
export const SILENCE_SECONDS = 30;

/** A ticket or resume token, bytes. */
export const CREDENTIAL_BYTES = 256;

/** One message, bytes. */
export const MESSAGE_BYTES = 16384;

/** Of one client in one tick, messages. */
export const MESSAGES_A_TICK = 4;

/** One message, orders. */
export const ORDERS_A_MESSAGE = 64;

/** Chat lines (says) of one message, lines. */
export const LINES_A_MESSAGE = 4;

/** One message, pings. */
export const PINGS_A_MESSAGE = 4;

/** Units of one order, handles. */
export const UNITS_AN_ORDER = 2048;

/** What of BUILD and TRAIN. */
export const ORDER_TYPE = 65535;

/** What of ABILITY and STOP_ABILITY. */
export const ORDER_ABILITY = 255;

/** What of CANCEL. */
export const ORDER_ITEM = 255;

/** A chat line in UTF-8, bytes. */
export const LINE_BYTES = 256;

/** Together, after a pause, lines and pings. */
export const LINES_AT_ONCE = 5;

/** Together, sustained, lines and pings. */
export const LINES_A_SECOND = 1;

/** A seq further than this below the highest sent, numbers. */
export const NUMBERS_KEPT = 256;

/** X, y and radius of the camera, tiles. */
export const CAMERA_TILES = 1024;
