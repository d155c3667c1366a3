// The admins: their roles and rights, and the change of one's own password.

import type { Admin } from "../gen/admin";
import { admin, may, type Role } from "./api";
import { Ask, type Field } from "./dialog";
import { DataTable, Time } from "./table";

const ROLES = [
  ["viewer", "viewer: reads"],
  ["moderator", "moderator: kicks, bans, ends matches, announces"],
  ["admin", "admin: everything"],
] as const;

const rights = (of?: Admin): Field[] => [
  { name: "role", label: "Role", choices: ROLES, value: of?.role },
  {
    name: "fog",
    label: "May see through the fog of live matches",
    type: "checkbox",
    value: String(of?.fog ?? false),
  },
];

const chosen = ({ role, fog }: Record<string, string>) => ({ role: role as Role, fog: fog === "true" });

const passwordResult = (name: string, secret: string) => ({
  words: `The password of ${name}. It is shown once and not stored.`,
  secret,
});

export const Admins = ({ me }: { me: Admin }) => (
  <DataTable
    title="Admins"
    list="admins"
    load={() => admin.admins()}
    id={(x) => x.name}
    columns={{
      Name: (x) => x.name,
      Role: (x) => (
        <span class={x.disabled ? "chip failed" : "chip"}>{x.disabled ? `${x.role}, disabled` : x.role}</span>
      ),
      "Through the fog": (x) => x.fog && "yes",
      Since: (x) => <Time at={x.created} />,
    }}
    empty="There are no admins."
    head={({ again }) =>
      may("admin") && (
        <Ask
          words="New admin"
          name="add-admin"
          strong
          title="New admin"
          fields={[{ name: "name", label: "Name" }, ...rights()]}
          submit="Create"
          run={async ({ name, ...given }) =>
            passwordResult(name, (await admin.addAdmin({ name, ...chosen(given) })).password)
          }
          done={again}
        />
      )
    }
    actions={(x, { again }) =>
      may("admin") &&
      x.name !== me.name && (
        <>
          <Ask
            words="Rights"
            title={`Rights of ${x.name}`}
            fields={rights(x)}
            submit="Change"
            run={async (given) => void (await admin.changeAdmin(x.name, chosen(given)))}
            done={again}
          />
          <Ask
            words="New password"
            title={`A new password for ${x.name}`}
            note="The old one stops working, and its sessions end."
            submit="Generate"
            run={async () => passwordResult(x.name, (await admin.newPassword(x.name)).password)}
            done={again}
          />
          <Ask
            words={x.disabled ? "Enable" : "Disable"}
            title={`${x.disabled ? "Enable" : "Disable"} ${x.name}`}
            danger={!x.disabled}
            run={async () => void (await admin.changeAdmin(x.name, { disabled: !x.disabled }))}
            done={again}
          />
        </>
      )
    }
  />
);

/** The button and dialog to change one's own password. */
export const ChangePassword = ({ me }: { me: Admin }) => (
  <Ask
    words="Password"
    name="password"
    title={`A new password for ${me.name}`}
    note="8 to 128 characters, not a common one. Your other sessions end."
    fields={[
      { name: "old", label: "Current password", type: "password", autocomplete: "current-password" },
      { name: "next", label: "New password", type: "password", autocomplete: "new-password" },
      { name: "again", label: "New password again", type: "password", autocomplete: "new-password" },
    ]}
    submit="Change"
    run={async ({ old, next, again }) => {
      if (next !== again) throw new Error("The new password is not the same twice.");
      await admin.changePassword({ old, new: next });
      return undefined;
    }}
  />
);
