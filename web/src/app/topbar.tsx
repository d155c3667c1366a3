import { t } from "../text/text";
import { accountDialog } from "./account";
import { FriendsButton } from "./friends";
import type { Navigation } from "./navigation";

/** The bar over the screens of a logged-in player. */
export function TopBar({ nav }: { nav: Navigation }) {
  const { account } = nav;
  if (!account) return null;
  return (
    <header class="bar-top">
      <span class="logo small">fogkeep</span>
      <span class="grow" />
      <button
        type="button"
        class="ghost-button name"
        data-do="account"
        title={t("account.title")}
        onClick={() => accountDialog(nav)}
      >
        {account.guest ? t("home.guest", { name: account.name }) : account.name}
      </button>
      <FriendsButton nav={nav} />
      <button type="button" class="ghost-button" data-do="settings" onClick={() => nav.openSettings()}>
        {t("common.settings")}
      </button>
      <button type="button" class="ghost-button" data-do="logout" onClick={() => void nav.logOut()}>
        {t("home.logOut")}
      </button>
    </header>
  );
}
