// Those who run the house: who they are, what they may do, and one's own password.

import { h } from "../ui/dom";
import { type Admin, admin, may } from "./api";
import { ask } from "./dialog";
import { type Page, table } from "./tables";
import { when } from "./words";

const ROLES = [
  ["viewer", "viewer: looks"],
  ["moderator", "moderator: kicks, bans, ends, announces"],
  ["admin", "admin: everything else too"],
] as const;

const told = (name: string, password: string) => ({
  words: `The password of ${name}. It is shown this once and kept nowhere.`,
  secret: password,
});

export function admins(me: Admin): Page {
  const chief = may(me.role, "admin");
  return table<Admin>({
    title: "Admins",
    columns: ["Name", "Role", "Through the fog", "Since", ""],
    load: async () => ({ items: (await admin.admins()).admins }),
    none: "There are no admins.",
    extra: (again) =>
      chief
        ? h(
            "button",
            {
              type: "button",
              "data-do": "add-admin",
              onclick: () =>
                ask({
                  title: "A new admin",
                  fields: [
                    { name: "name", label: "Name" },
                    { name: "role", label: "Role", choices: ROLES },
                    { name: "fog", label: "May look through the fog of live matches", type: "checkbox" },
                  ],
                  go: "Make",
                  work: async ({ name, role, fog }) =>
                    told(name, (await admin.addAdmin(name, role, fog === "true")).password),
                  done: again,
                }),
            },
            "New admin",
          )
        : null,
    row: (x, again) => [
      x.name,
      h("span", { class: x.disabled ? "chip failed" : "chip" }, x.disabled ? `${x.role}, shut out` : x.role),
      x.fog ? "may look" : "",
      when(x.created),
      chief && x.name !== me.name
        ? h(
            "span",
            { class: "row end" },
            action("Rights", () =>
              ask({
                title: `What ${x.name} may do`,
                fields: [
                  { name: "role", label: "Role", choices: ROLES, value: x.role },
                  {
                    name: "fog",
                    label: "May look through the fog of live matches",
                    type: "checkbox",
                    value: String(x.fog),
                  },
                ],
                go: "Change",
                work: async ({ role, fog }) =>
                  void (await admin.changeAdmin(x.name, { role, fog: fog === "true" })),
                done: again,
              }),
            ),
            action("New password", () =>
              ask({
                title: `A new password for ${x.name}`,
                note: "The old one stops working, and its sessions end.",
                go: "Generate",
                work: async () => told(x.name, (await admin.newAdminPassword(x.name)).password),
                done: again,
              }),
            ),
            action(x.disabled ? "Let in again" : "Shut out", () =>
              ask({
                title: x.disabled ? `Let ${x.name} in again` : `Shut ${x.name} out`,
                go: x.disabled ? "Let in" : "Shut out",
                danger: !x.disabled,
                work: async () => void (await admin.changeAdmin(x.name, { disabled: !x.disabled })),
                done: again,
              }),
            ),
          )
        : null,
    ],
  });
}

const action = (words: string, onclick: () => void) =>
  h("button", { type: "button", class: "ghost-button", onclick }, words);

/** Asks for one's own new password. */
export function ownPassword(me: Admin): void {
  ask({
    title: `A new password for ${me.name}`,
    note: "8 to 128 characters, not a common one. Your other sessions end.",
    fields: [
      { name: "old", label: "The password now", type: "password", autocomplete: "current-password" },
      { name: "next", label: "The new one", type: "password", autocomplete: "new-password" },
      { name: "again", label: "The new one again", type: "password", autocomplete: "new-password" },
    ],
    go: "Change",
    work: async ({ old, next, again }) => {
      if (next !== again) throw new Error("The new password is not the same twice.");
      await admin.password(old, next);
      return undefined;
    },
  });
}
