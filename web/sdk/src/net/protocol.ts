// The connection's own names.

import type { ErrorCode } from "../base/errors.js";

/** The version of the protocol. */
export const PROTOCOL = 1;

/**
 * Why a connection was lost: `silent`, no message for long; `no_answer`, no welcome in time; `socket`, the network
 * or the server closed it; `dropped`, by this program; else the code of an error.
 */
export type LossReason = "silent" | "no_answer" | "socket" | "dropped" | ErrorCode;
