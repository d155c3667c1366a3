// Of its own, since the lobby tells it too, without a connection.

/** The version of the protocol. */
export const PROTOCOL = 1;
