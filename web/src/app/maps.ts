// The maps, the rulesets and the modes that the server offers, read once for all forms.

import type { MapInfo, RulesetInfo } from "@fogkeep/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { api } from "./server";

const maps = signal<readonly MapInfo[]>([]);
const error = signal("");

async function load(): Promise<void> {
  try {
    maps.value = (await api.maps()).maps;
    error.value = maps.value.length > 0 ? "" : t("lobbyForm.noMaps");
  } catch (err) {
    error.value = errorText(err);
  }
}

/** The maps in the server's order, its first choice first; empty until they are there. `error` says why not. */
export function useMaps() {
  useEffect(() => {
    void load();
  }, []);
  return { maps: maps.value, error: error.value };
}

/** Small maps first: the order for a list to choose from. */
export const bySize = (list: readonly MapInfo[]): MapInfo[] =>
  [...list].sort((a, b) => a.starts - b.starts || a.name.localeCompare(b.name));

const rulesets = signal<readonly RulesetInfo[]>([]);

/** The rulesets in the server's order; empty until they are there. Without them a form does not offer any. */
export function useRulesets(): readonly RulesetInfo[] {
  useEffect(() => {
    api.rulesets().then(
      (list) => {
        rulesets.value = list.rulesets;
      },
      () => {},
    );
  }, []);
  return rulesets.value;
}

const modes = signal<readonly string[]>([]);

/** The modes that the server plays; empty until they are there. */
export function useModes(): readonly string[] {
  useEffect(() => {
    api.modes().then(
      (list) => {
        modes.value = list.modes;
      },
      () => {},
    );
  }, []);
  return modes.value;
}
