import { t } from "../text/text";
import { openDialog } from "./mount";

/** Asks for the password of a lobby; null if the dialog is cancelled. */
export function askPassword(): Promise<string | null> {
  return new Promise((resolve) => {
    let written = "";
    openDialog(
      t("lobby.passwordTitle"),
      "",
      (close) => (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            resolve(written);
            close();
          }}
        >
          <h2>{t("lobby.passwordTitle")}</h2>
          <input
            type="password"
            autocomplete="off"
            aria-label={t("lobby.password")}
            onInput={(e) => {
              written = e.currentTarget.value;
            }}
          />
          <div class="row end">
            <button type="button" onClick={close}>
              {t("common.cancel")}
            </button>
            <button type="submit" class="primary">
              {t("common.join")}
            </button>
          </div>
        </form>
      ),
      () => resolve(null),
    );
  });
}
