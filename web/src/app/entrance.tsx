// The follower of a link: the account that is logged in, or a guest with a name.

import { type Signal, useSignal } from "@preact/signals";
import { t } from "../text/text";
import { useLogins } from "./identity";
import type { Navigation } from "./navigation";
import { api } from "./server";

/** One enters with an account, or as a guest where there are guests. */
export function useEntrance(nav: Navigation) {
  const name = useSignal("");
  const { guests } = useLogins();
  /** Makes the guest's account, if there is no account yet. */
  const enter = async (): Promise<void> => {
    if (!nav.account)
      nav.accountChanged((await api.playAsGuest({ name: name.value.trim() || undefined })).account);
  };
  return { name, enters: nav.account !== null || guests, enter };
}

export function WhoEnters({ nav, name }: { nav: Navigation; name: Signal<string> }) {
  if (nav.account) return <p>{t("invite.as", { name: nav.account.name })}</p>;
  return (
    <>
      <label for="guest-name">{t("invite.yourName")}</label>
      <input
        id="guest-name"
        type="text"
        maxLength={24}
        autocomplete="nickname"
        placeholder={t("invite.anyName")}
        value={name}
        onInput={(e) => {
          name.value = e.currentTarget.value;
        }}
      />
    </>
  );
}
