// A link that invites, with a button that copies it.

import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { t } from "../text/text";
import { isLoopback, sharedAddress, useLogins } from "./identity";

/** `to` is the link's target, as in the page's address: `lobby=ID`, `party=CODE`. */
export function InviteLink({ to }: { to: string }) {
  useLogins();
  const link = `${sharedAddress()}#${to}`;
  const input = useRef<HTMLInputElement>(null);
  const copied = useSignal(false);
  const copy = async () => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(link);
      copied.value = true;
    } catch {
      // A page without TLS has no clipboard; there the older way works.
      copied.value = document.execCommand("copy");
    }
  };
  return (
    <>
      <input
        ref={input}
        type="text"
        readOnly
        value={link}
        aria-label={t("lobby.inviteLink")}
        onFocus={(e) => e.currentTarget.select()}
      />
      <button type="button" class="wide" data-do="copy-link" onClick={copy}>
        {copied.value ? t("lobby.copied") : t("lobby.copy")}
      </button>
      {isLoopback(new URL(link).hostname) ? <p class="dim">{t("lobby.linkHere")}</p> : null}
      <span class="hidden-text" role="status">
        {copied.value ? t("lobby.copied") : ""}
      </span>
    </>
  );
}
