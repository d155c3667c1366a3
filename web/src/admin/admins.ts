// The admins: their roles and rights, and the change of one's own password.

import type { Admin } from "../gen/admin";
import { h } from "../ui/dom";
import { admin, may, type Role } from "./api";
import { action, ask } from "./dialog";
import { type Page, table } from "./tables";
import { when } from "./words";

const ROLES = [
  ["viewer", "viewer: reads"],
  ["moderator", "moderator: kicks, bans, ends matches, announces"],
  ["admin", "admin: everything"],
] as const;

const passwordResult = (name: string, password: string) => ({
  words: `The password of ${name}. It is shown once and not stored.`,
  secret: password,
});

export function admins(me: Admin): Page {
  const mayChange = may(me.role, "admin");
  return table<Admin>({
    title: "Admins",
    columns: ["Name", "Role", "Through the fog", "Since", ""],
    load: async () => ({ items: (await admin.admins()).admins }),
    empty: "There are no admins.",
    extra: (again) =>
      mayChange
        ? h(
            "button",
            {
              type: "button",
              "data-do": "add-admin",
              onclick: () =>
                ask({
                  title: "New admin",
                  fields: [
                    { name: "name", label: "Name" },
                    { name: "role", label: "Role", choices: ROLES },
                    { name: "fog", label: "May see through the fog of live matches", type: "checkbox" },
                  ],
                  submit: "Create",
                  run: async ({ name, role, fog }) =>
                    passwordResult(
                      name,
                      (await admin.addAdmin({ name, role: role as Role, fog: fog === "true" })).password,
                    ),
                  done: again,
                }),
            },
            "New admin",
          )
        : null,
    row: (x, again) => [
      x.name,
      h("span", { class: x.disabled ? "chip failed" : "chip" }, x.disabled ? `${x.role}, disabled` : x.role),
      x.fog ? "yes" : "",
      when(x.created),
      mayChange && x.name !== me.name
        ? h(
            "span",
            { class: "row end" },
            action("Rights", () =>
              ask({
                title: `Rights of ${x.name}`,
                fields: [
                  { name: "role", label: "Role", choices: ROLES, value: x.role },
                  {
                    name: "fog",
                    label: "May see through the fog of live matches",
                    type: "checkbox",
                    value: String(x.fog),
                  },
                ],
                submit: "Change",
                run: async ({ role, fog }) =>
                  void (await admin.changeAdmin(x.name, { role: role as Role, fog: fog === "true" })),
                done: again,
              }),
            ),
            action("New password", () =>
              ask({
                title: `A new password for ${x.name}`,
                note: "The old one stops working, and its sessions end.",
                submit: "Generate",
                run: async () => passwordResult(x.name, (await admin.newPassword(x.name)).password),
                done: again,
              }),
            ),
            action(x.disabled ? "Enable" : "Disable", () =>
              ask({
                title: x.disabled ? `Enable ${x.name}` : `Disable ${x.name}`,
                submit: x.disabled ? "Enable" : "Disable",
                danger: !x.disabled,
                run: async () => void (await admin.changeAdmin(x.name, { disabled: !x.disabled })),
                done: again,
              }),
            ),
          )
        : null,
    ],
  });
}

/** The dialog to change one's own password. */
export function changePassword(me: Admin): void {
  ask({
    title: `A new password for ${me.name}`,
    note: "8 to 128 characters, not a common one. Your other sessions end.",
    fields: [
      { name: "old", label: "Current password", type: "password", autocomplete: "current-password" },
      { name: "next", label: "New password", type: "password", autocomplete: "new-password" },
      { name: "again", label: "New password again", type: "password", autocomplete: "new-password" },
    ],
    submit: "Change",
    run: async ({ old, next, again }) => {
      if (next !== again) throw new Error("The new password is not the same twice.");
      await admin.changePassword({ old, new: next });
      return undefined;
    },
  });
}
