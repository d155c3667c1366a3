// Failures, each with a code that a program can tell apart.

import type { ApiCode, ClosingCode } from "../gen/codes.js";

/** Failures that this side notices. */
export type OwnCode =
  /** the program's address is not a server's */
  | "bad_server"
  /** the server does not answer */
  | "unreachable"
  /** the server did not come back for several minutes */
  | "gone"
  /** a message of the server is not valid */
  | "bad_frame"
  /** a map is unavailable, invalid, or of a newer format */
  | "map_missing"
  | "map_format"
  /** the platform has no WebSocket, and the caller gave no socket */
  | "no_socket"
  /** the server closed the connection without a code */
  | "closed"
  /** the match did not begin in time */
  | "not_started"
  /** the server showed a match where a replay was asked for */
  | "no_replay"
  /** the eyes of this replay cannot be chosen */
  | "eyes_fixed"
  /** an answer of the HTTP API without a code */
  | `http_${number}`;

/** The codes that this version knows. */
export type KnownErrorCode = OwnCode | ApiCode | ClosingCode;

/** A known code, or one of a newer server. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>);

/** A failure. Programs go by `code`; `message` is English, for logs. */
export class FogkeepError extends Error {
  constructor(
    /** Stable, for programs: `unreachable`, `ticket_used`, `lobby_full`… */
    readonly code: ErrorCode,
    message: string,
    /** Whether doing the same again may work. */
    readonly retryable = false,
    /** HTTP status, where there was one. */
    readonly status = 0,
    /** The option or field at fault, where the server named one. */
    readonly field = "",
  ) {
    super(message);
    this.name = "FogkeepError";
  }
}
