// The host's form: to make a lobby, and to change an open one.

import type { Lobby, NewLobby, OptionWishes } from "@fogkeep/client";
import { useSignal } from "@preact/signals";
import { t } from "../text/text";
import { bySize, useMaps, useModes, useRulesets } from "./maps";
import { formWith, OptionFields, optionsOf, valuesOf } from "./optionfields";
import { ErrorLine, useWork } from "./work";

/** The form's request. */
export type LobbyRequest = Omit<NewLobby, "options"> & { options: OptionWishes };

interface Props {
  /** The lobby to change; absent to make one. */
  lobby?: Lobby;
  /** The form asks for map, seats and options alone. */
  asks?: boolean;
  /** Name of a new one. */
  name?: string;
  title: string;
  submit: string;
  /** Sends the request. The form shows its errors. */
  send(request: LobbyRequest): Promise<void>;
}

export function LobbyForm({ lobby, asks, name: newName, title, submit, send }: Props) {
  // The form to change a lobby can be open over the one to make a lobby.
  const idOf = (field: string) => `${lobby ? "change" : "lobby"}-${field}`;
  const { busy, error, run } = useWork();
  const { maps, error: noMaps } = useMaps();
  const name = useSignal(lobby?.name ?? newName ?? "");
  const mapId = useSignal(lobby?.map.id ?? "");
  const limit = useSignal(lobby ? String(lobby.limit) : null); // null: all places of the map
  const password = useSignal("");
  const remove = useSignal(false);
  const values = useSignal(valuesOf(lobby?.options));
  const form = formWith(useRulesets(), useModes(), values.value.ruleset);
  const offered = bySize(maps);
  const map = offered.find((m) => m.id === mapId.value) ?? offered[0];
  const starts = map?.starts ?? 2;
  const seats = limit.value ?? String(starts);
  return (
    <form
      class={lobby ? "create" : "panel create"}
      onSubmit={(e) => {
        e.preventDefault();
        void run(() =>
          send({
            name: name.value.trim(),
            map: lobby?.from ? lobby.map.id : (map?.id ?? ""),
            limit: lobby?.from ? lobby.limit : Number(seats),
            password: passwordToSend(password.value, remove.value),
            options: optionsOf(values.value, form),
          }),
        );
      }}
    >
      <h2>{title}</h2>
      {asks ? null : (
        <>
          <label for={idOf("name")}>{t("common.name")}</label>
          <input
            id={idOf("name")}
            type="text"
            maxLength={40}
            required
            value={name}
            onInput={(e) => {
              name.value = e.currentTarget.value;
            }}
          />
        </>
      )}
      {lobby?.from ? null : (
        <>
          <label for={idOf("map")}>{t("lobbyForm.map")}</label>
          <select
            id={idOf("map")}
            value={map?.id}
            onChange={(e) => {
              mapId.value = e.currentTarget.value;
              // At once: a value that is set after the page is drawn would overwrite the user's typing.
              limit.value = lobby && mapId.value === lobby.map.id ? String(lobby.limit) : null;
            }}
          >
            {offered.map((m) => (
              <option key={m.id} value={m.id}>
                {t("lobbyForm.mapOption", { map: m.name, starts: m.starts })}
              </option>
            ))}
          </select>
          {map ? (
            <p class="dim">
              {t("lobbyForm.mapFacts", { width: map.width, height: map.height, starts: map.starts })}
            </p>
          ) : null}
          <label for={idOf("limit")}>{t("lobbyForm.seats")}</label>
          <input
            id={idOf("limit")}
            type="number"
            min={2}
            max={starts}
            required
            value={seats}
            onInput={(e) => {
              limit.value = e.currentTarget.value;
            }}
          />
        </>
      )}
      {asks ? null : (
        <>
          <label for={idOf("password")}>
            {lobby?.private ? t("lobbyForm.otherPassword") : t("lobbyForm.password")}
          </label>
          <input
            id={idOf("password")}
            type="text"
            maxLength={128}
            autocomplete="off"
            disabled={remove}
            value={password}
            onInput={(e) => {
              password.value = e.currentTarget.value;
            }}
          />
          {lobby?.private ? (
            <label class="row check" for={idOf("open")}>
              <input
                id={idOf("open")}
                type="checkbox"
                checked={remove}
                onChange={(e) => {
                  remove.value = e.currentTarget.checked;
                }}
              />
              {t("lobbyForm.removePassword")}
            </label>
          ) : null}
        </>
      )}
      <details open={lobby !== undefined}>
        <summary>{t("lobbyForm.rules")}</summary>
        <OptionFields idOf={idOf} values={values} form={form} />
      </details>
      <ErrorLine text={error.value || noMaps} />
      <button
        type="submit"
        class="wide primary"
        data-do={lobby ? "change" : "create"}
        disabled={busy.value || !map}
      >
        {submit}
      </button>
    </form>
  );
}

/** The settings that a request changes. */
export function changesOf(lobby: Lobby, { map, limit, options }: LobbyRequest) {
  const now = lobby.options as unknown as Record<string, unknown>;
  return {
    map: map === lobby.map.id ? undefined : map,
    limit: limit === lobby.limit ? undefined : limit,
    options: Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== now[name])),
  };
}

/** The password in a request: absent keeps it, empty removes it. */
export function passwordToSend(written: string, remove: boolean): string | undefined {
  return remove ? "" : written || undefined;
}
