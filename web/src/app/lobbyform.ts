// The host's form: to make a lobby, and to change one that is open.

import type { Lobby, MapInfo, NewLobby, OptionWishes } from "../gen/player";
import { api } from "../net/api";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { fill, h, text } from "../ui/dom";
import { optionFields } from "./optionfields";

/** What the form sends. */
export type LobbyRequest = Omit<NewLobby, "options"> & { options: OptionWishes };

export interface LobbyFormSettings {
  /** The lobby to change; absent to make one. */
  lobby?: Lobby;
  /** Name of a new one. */
  name?: string;
  title: string;
  submit: string;
  /** Sends the request. The form shows what it throws. */
  send(request: LobbyRequest): Promise<void>;
}

export function lobbyForm({ lobby, name, title, submit, send }: LobbyFormSettings): HTMLFormElement {
  // The form to change a lobby can be open over the one to make a lobby.
  const idOf = (field: string) => `${lobby ? "change" : "lobby"}-${field}`;
  const row = (field: string, label: string, control: HTMLElement) => [
    h("label", { for: idOf(field) }, label),
    control,
  ];
  const nameInput = h("input", {
    id: idOf("name"),
    type: "text",
    maxLength: 40,
    required: true,
    value: lobby?.name ?? name ?? "",
  });
  const button = h(
    "button",
    { type: "submit", class: "wide", "data-do": lobby ? "change" : "create" },
    submit,
  );
  const map = mapFields(idOf, lobby, () => {
    button.disabled = true;
  });
  const password = passwordFields(idOf, lobby);
  const options = optionFields(idOf, lobby?.options);
  const error = h("p", { class: "error", role: "alert", hidden: true });
  return h(
    "form",
    {
      class: lobby ? "create" : "panel create",
      onsubmit: async (e: Event) => {
        e.preventDefault();
        error.hidden = true;
        button.disabled = true;
        try {
          await send({
            name: nameInput.value.trim(),
            ...map.read(),
            password: password.read(),
            options: options.read(),
          });
        } catch (err) {
          text(error, errorText(err));
          error.hidden = false;
        } finally {
          button.disabled = false;
        }
      },
    },
    h("h2", null, title),
    row("name", t("common.name"), nameInput),
    row("map", t("lobbyForm.map"), map.select),
    map.facts,
    row("limit", t("lobbyForm.seats"), map.limit),
    row("password", password.label, password.input),
    password.removal,
    h("details", { open: lobby !== undefined }, h("summary", null, t("lobbyForm.rules")), options.rows),
    error,
    button,
  );
}

/** The choice of a map and of the number of seats, which the map bounds. */
function mapFields(idOf: (field: string) => string, lobby: Lobby | undefined, noMaps: () => void) {
  const select = h("select", { id: idOf("map") });
  const limit = h("input", {
    id: idOf("limit"),
    type: "number",
    min: 2,
    max: 16,
    required: true,
    value: String(lobby?.limit ?? 2),
  });
  const facts = h("p", { class: "dim" });
  let maps: MapInfo[] = [];
  const mapChanged = () => {
    const m = maps.find((x) => x.id === select.value);
    if (!m) return;
    limit.max = String(m.starts);
    limit.value = String(m.id === lobby?.map.id ? lobby.limit : m.starts);
    text(facts, t("lobbyForm.mapFacts", { width: m.width, height: m.height, starts: m.starts }));
  };
  select.addEventListener("change", mapChanged);
  const load = async () => {
    maps = (await api.maps()).maps.sort((a, b) => a.starts - b.starts || a.name.localeCompare(b.name));
    fill(
      select,
      maps.map((m) =>
        h(
          "option",
          { value: m.id, selected: m.id === lobby?.map.id },
          t("lobbyForm.mapOption", { map: m.name, starts: m.starts }),
        ),
      ),
    );
    mapChanged();
    if (maps.length > 0) return;
    text(facts, t("lobbyForm.noMaps"));
    noMaps();
  };
  load().catch((err) => text(facts, errorText(err)));
  return { select, limit, facts, read: () => ({ map: select.value, limit: Number(limit.value) }) };
}

/** The password, and for a lobby that has one the box that removes it. */
function passwordFields(idOf: (field: string) => string, lobby: Lobby | undefined) {
  const input = h("input", { id: idOf("password"), type: "text", maxLength: 128, autocomplete: "off" });
  const remove = h("input", { id: idOf("open"), type: "checkbox" });
  remove.addEventListener("change", () => {
    input.disabled = remove.checked;
  });
  return {
    input,
    label: t(lobby?.private ? "lobbyForm.otherPassword" : "lobbyForm.password"),
    removal: lobby?.private
      ? h("label", { class: "row", for: idOf("open") }, remove, t("lobbyForm.removePassword"))
      : null,
    read: () => passwordToSend(input.value, remove.checked),
  };
}

/** What a request says of the password: absent keeps it, empty removes it. */
export function passwordToSend(written: string, remove: boolean): string | undefined {
  return remove ? "" : written || undefined;
}
