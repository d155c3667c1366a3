// The admin listener's HTTP API: the client that is generated from its
// OpenAPI document, and what each role covers.

import { Requests } from "@fogkeep/client";
import { type Admin, client } from "../gen/admin";

const { call } = new Requests({ server: "" });

export const admin = client(call);

export type Role = Admin["role"];

const RANK: Record<Role, number> = { viewer: 1, moderator: 2, admin: 3 };

/** Whether a role covers what `least` may do. The server decides; the pages hide what it would refuse. */
export const may = (role: Role, least: Role): boolean => RANK[role] >= RANK[least];
