// The fields of a name and a password, as password managers know them.

import { type Signal, useSignal } from "@preact/signals";
import { t } from "../text/text";

/** The content of the fields. */
export interface Credentials {
  readonly name: Signal<string>;
  readonly password: Signal<string>;
}

export function useCredentials(): Credentials {
  return { name: useSignal(""), password: useSignal("") };
}

/** The values for the server. */
export const written = ({ name, password }: Credentials) => ({
  name: name.value.trim(),
  password: password.value,
});

interface CredentialFieldsProps {
  credentials: Credentials;
  /** Ids of the two fields, different for each form of a page. */
  ids: readonly [name: string, password: string];
  passwordLabel: string;
  /** The player chooses the password here. */
  fresh: boolean;
}

export function CredentialFields({ credentials, ids, passwordLabel, fresh }: CredentialFieldsProps) {
  const { name, password } = credentials;
  return (
    <>
      <label for={ids[0]}>{t("common.name")}</label>
      <input
        id={ids[0]}
        type="text"
        name="username"
        maxLength={24}
        autocomplete="username"
        required
        value={name}
        onInput={(e) => {
          name.value = e.currentTarget.value;
        }}
      />
      <PasswordField id={ids[1]} label={passwordLabel} value={password} fresh={fresh} />
    </>
  );
}

interface PasswordFieldProps {
  id: string;
  label: string;
  value: Signal<string>;
  /** The player chooses the password here. */
  fresh: boolean;
}

export function PasswordField({ id, label, value, fresh }: PasswordFieldProps) {
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="password"
        name="password"
        minLength={fresh ? 8 : 1}
        maxLength={128}
        autocomplete={fresh ? "new-password" : "current-password"}
        required
        value={value}
        onInput={(e) => {
          value.value = e.currentTarget.value;
        }}
      />
    </>
  );
}
