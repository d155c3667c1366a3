// Made by internal/tools/clientcodes from lobby.Codes, link.Closings and orders.Table. Do not edit.

/** Why the HTTP API refuses a request. */
export const API_CODES = [
  /** the request is malformed */
  "bad_request",
  /** the request is too large */
  "too_large",
  /** send the body as application/json */
  "wrong_media_type",
  /** this listener does not answer under this host name; the operator permits further names with --allowed-hosts */
  "wrong_host",
  /** the request comes from another site */
  "cross_origin",
  /** the database cannot be reached; try again shortly */
  "unavailable",
  /** the cluster's journal store does not answer this node: its matches stand still */
  "log_away",
  /** the server is busy; try again shortly */
  "busy",
  /** the server cannot start another match now; try again later */
  "server_full",
  /** too many attempts; try again later */
  "throttled",
  /** log in first */
  "unauthenticated",
  /** name or password is wrong */
  "wrong_credentials",
  /** your role does not allow this */
  "forbidden",
  /** you were logged out: log in again */
  "logged_out",
  /** not found */
  "not_found",
  /** this server has no log-in by name and password: continue with one of its providers */
  "login_off",
  /** the token is not valid here */
  "bad_identity_token",
  /** this log-in took too long, was used before, or began in another browser: begin again */
  "login_expired",
  /** the identity provider did not log you in */
  "provider_refused",
  /** the identity provider did not answer as it should: try again later */
  "provider_failed",
  /** this needs a log-in of the last 15 minutes: log out, log in again and repeat it */
  "log_in_again",
  /** this identity is linked with another account: log in with it, or unlink it there first */
  "identity_taken",
  /** an account has at most 8 linked identities: unlink one first */
  "too_many_identities",
  /** this is the only way into the account: set a password or link another identity first */
  "last_way_in",
  /** a name has 2 to 24 letters, digits, spaces, dots, dashes or underscores */
  "bad_name",
  /** this is not an email address */
  "bad_email",
  /** a password has 8 to 128 characters */
  "bad_password",
  /** this password is too common */
  "common_password",
  /** the name or email is taken */
  "name_taken",
  /** this account has a password already */
  "not_guest",
  /** guests have no password: make the guest an account first */
  "guest",
  /** the reset link is invalid, used or expired */
  "bad_reset_token",
  /** an option is unknown or out of range */
  "bad_option",
  /** the map is unknown */
  "unknown_map",
  /** the limit of players does not fit the map */
  "bad_limit",
  /** client and server speak different versions; reload */
  "bad_version",
  /** the server does not start new matches now */
  "draining",
  /** this account is banned */
  "banned_account",
  /** this address is banned */
  "banned_address",
  /** this account may not search for matches */
  "queue_banned",
  /** this account is muted */
  "muted",
  /** you are not on this lobby's list of players */
  "not_whitelisted",
  /** you were removed from this lobby: try again later, or choose another lobby */
  "kicked",
  /** the lobby's password is wrong */
  "wrong_password",
  /** leave the running match first */
  "in_match",
  /** the lobby is closed */
  "lobby_closed",
  /** you already have a seat in this lobby */
  "already_seated",
  /** the lobby does not take players now */
  "not_open",
  /** the lobby is full */
  "lobby_full",
  /** the game mode does not allow this */
  "mode_refused",
  /** you have no seat in this lobby */
  "not_seated",
  /** only the host may do this */
  "not_host",
  /** the seat is unknown */
  "no_such_seat",
  /** the team is unknown */
  "bad_team",
  /** the colour is unknown */
  "bad_color",
  /** another player has this colour */
  "color_taken",
  /** a line of chat has 1 to 500 characters */
  "bad_text",
  /** this is not possible in the lobby's present state */
  "wrong_state",
  /** the lobby's settings have changed: check them and say ready again */
  "settings_changed",
  /** not everyone is ready */
  "not_ready",
  /** a match needs players of at least two teams */
  "one_sided",
  /** the match could not be started */
  "start_failed",
  /** this match cannot be started */
  "start_refused",
  /** the queue is unknown */
  "unknown_queue",
  /** the queue is full; try again shortly */
  "queue_full",
  /** you did not accept a match that was found: wait a little */
  "queue_barred",
  /** your party waits in a queue already */
  "already_queued",
  /** your party waits in no queue */
  "not_queued",
  /** no such match waits for your answer */
  "no_offer",
  /** the party is unknown, or you are not in it */
  "no_party",
  /** only the leader of the party may do this */
  "not_leader",
  /** the party is full */
  "party_full",
  /** the party is larger than a team of this queue */
  "party_too_large",
  /** a player came or left: the party no longer waits in a queue */
  "party_changed",
  /** not everybody in your party accepted the match */
  "offer_missed",
  /** a match was found for the party: its players stay the same until all have answered */
  "offer_open",
  /** invalid ticket */
  "bad_ticket",
  /** the ticket has already been used */
  "ticket_used",
  /** the ticket has expired */
  "ticket_expired",
  /** the match is over */
  "match_over",
  /** another version of the server began the match: it waits for a server of that version */
  "match_waits",
  /** the match is not over yet: its replay can be watched then */
  "match_runs",
  /** the host does not allow the replay of this match */
  "replay_off",
  /** the replay of this match is not kept any more */
  "replay_expired",
  /** this version of the server cannot play this replay: another version recorded it */
  "replay_version",
  /** the match has no such moment to play on from */
  "bad_tick",
  /** the scenario cannot be played */
  "bad_scenario",
  /** the pack is faulty */
  "bad_pack",
  /** on this server only admins open scenarios */
  "scenarios_off",
  /** another node runs the match: ask there */
  "runs_elsewhere",
  /** the match was not moved */
  "not_moved",
  /** it exists already */
  "already_exists",
  /** the list is full: remove an entry first */
  "list_full",
  /** internal error: the server's log has the details */
  "internal",
] as const;
/** Why the HTTP API refuses a request. See {@link API_CODES}. */
export type ApiCode = (typeof API_CODES)[number];

/** Why the server ends a connection. */
export const CLOSING_CODES = [
  /** the first message was not a hello, or no message came in time */
  "no_hello",
  /** the server speaks another version of the protocol */
  "version",
  /** the hello has neither ticket nor resume token */
  "no_ticket",
  /** the ticket is unknown, or it is for another server */
  "bad_ticket",
  /** the ticket was used before; come back with the resume token of the welcome it gave */
  "ticket_used",
  /** the ticket is too old; ask the lobby for another */
  "ticket_expired",
  /** the resume token is invalid, or was replaced by a newer one */
  "bad_token",
  /** the match is over, or runs elsewhere */
  "no_match",
  /** the match is over, as the lobby says */
  "match_over",
  /** the match has no such seat, or no free seat for a spectator */
  "no_seat",
  /** the account left its seat in the lobby */
  "not_seated",
  /** the lobby admits only those on its list */
  "not_whitelisted",
  /** the account is banned */
  "banned_account",
  /** the address is banned */
  "banned_address",
  /** the account was logged out everywhere, its password changed, or it is gone */
  "logged_out",
  /** an admin or the lobby's host removed the player */
  "kicked",
  /** any other refusal; the text says which */
  "refused",
  /** a newer connection took the seat */
  "replaced",
  /** the match is over */
  "ended",
  /** the match failed */
  "failed",
  /** the match is on another server: connect to `url`; without one, where the ticket came from */
  "moved",
  /** another version of the server began the match: the lobby says until when the match waits, and gives tickets again once it goes on */
  "match_waits",
  /** the spectator broadcast failed; the match continues */
  "unwatchable",
  /** a message that is not a ClientFrame, or exceeds a limit that closes the connection */
  "bad_message",
  /** a message of more bytes than the limit */
  "too_big",
  /** a text message: the protocol is binary */
  "text_message",
  /** the rules of the websocket protocol were broken */
  "bad_frame",
  /** more websocket pings and pongs than a peer may send */
  "too_many",
  /** no message and no pong for too long */
  "silent",
  /** the connection took no data for thirty seconds */
  "too_slow",
  /** the server stops; the match continues after the restart */
  "stopping",
  /** the account or its network has too many sockets; a ticket is used up: ask the lobby for another */
  "too_many_sockets",
  /** the server has too many sockets; a ticket is used up: ask the lobby for another */
  "server_full",
  /** too many replays are being watched on this server, or by the account; a ticket may be used up: ask the lobby for another */
  "replay_busy",
  /** the match's journal is not kept any more */
  "replay_expired",
  /** this server plays such matches no more, or this one differently */
  "replay_version",
  /** the match's journal cannot be read */
  "replay_unreadable",
  /** the host has closed the replay of this match */
  "replay_off",
  /** the match is not over, so its replay cannot be watched yet */
  "match_runs",
  /** the database cannot be reached; the ticket is still good */
  "unavailable",
  /** the server had an internal error; its log has the details */
  "internal",
] as const;
/** Why the server ends a connection. See {@link CLOSING_CODES}. */
export type ClosingCode = (typeof CLOSING_CODES)[number];

/** Why the server refuses an order, or a unit of it. */
export const ORDER_CODES = [
  /** the sequence number is too old to be answered again */
  "STALE",
  /** too many orders; send fewer */
  "RATE_LIMITED",
  /** the match is not running */
  "NOT_RUNNING",
  /** the player is out of the match */
  "NOT_ALIVE",
  /** the order lacks a part or has too many */
  "MALFORMED",
  /** the team knows no such unit */
  "UNKNOWN_UNIT",
  /** the unit belongs to another player */
  "NOT_YOURS",
  /** the unit cannot do that */
  "UNABLE",
  /** the queue is full */
  "QUEUE_FULL",
  /** the unit has no such ability or product */
  "NOT_GRANTED",
  /** the ability is not ready */
  "COOLING_DOWN",
  /** not enough resources or energy */
  "UNAFFORDABLE",
  /** the population limit is reached */
  "POP_LIMIT",
  /** that is no target for this order */
  "BAD_TARGET",
  /** the target is out of sight */
  "TARGET_LOST",
  /** the point is off the map */
  "OFF_MAP",
  /** the site cannot be built on */
  "BAD_SITE",
  /** no known way leads there */
  "UNREACHABLE",
  /** the site was taken */
  "BLOCKED",
  /** the way was blocked for too long */
  "STUCK",
  /** the resource is used up */
  "EXHAUSTED",
  /** the order's target is gone */
  "INTERRUPTED",
  /** you are muted */
  "MUTED",
] as const;
/** Why the server refuses an order, or a unit of it. See {@link ORDER_CODES}. */
export type OrderRefusal = (typeof ORDER_CODES)[number];
