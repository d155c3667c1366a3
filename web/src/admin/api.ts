// The admin listener's HTTP API, as its generated client calls it, and the logged-in admin.

import { Requests } from "@fogkeep/client";
import { signal } from "@preact/signals";
import { type Admin, client } from "../gen/admin";
import { closeDialogs } from "../ui/dialog";

const { call } = new Requests({ server: "" });

export const admin = client(call);

export type Role = Admin["role"];

const RANK: Record<Role, number> = { viewer: 1, moderator: 2, admin: 3 };

/** The session of this page. Without an admin the log-in is shown, with `note`; null until the server has answered. */
export const session = signal<{ admin?: Admin; note?: string } | null>(null);

/** Shows the log-in, and closes all dialogs with the secrets they show. */
export function leave(note?: string): void {
  closeDialogs();
  session.value = { note };
}

/** Whether the admin's role covers `least`. The server decides; the pages hide actions that it would refuse. */
export const may = (least: Role): boolean => RANK[session.value?.admin?.role ?? "viewer"] >= RANK[least];
