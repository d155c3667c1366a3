// The choice of a faction.

import type { FactionInfo } from "@fogkeep/client";
import { factionName } from "../text/names";

/** The server draws the faction. */
export const RANDOM = "random";

interface FactionSelectProps {
  label: string;
  factions: readonly FactionInfo[];
  value: string;
  change: (faction: string) => void;
}

export function FactionSelect({ label, factions, value, change }: FactionSelectProps) {
  return (
    <select
      class="faction"
      data-do="faction"
      aria-label={label}
      title={factions.find((f) => f.name === value)?.text}
      value={value}
      onChange={(e) => change(e.currentTarget.value)}
    >
      {[RANDOM, ...factions.map((f) => f.name)].map((name) => (
        <option key={name} value={name} title={factions.find((f) => f.name === name)?.text}>
          {factionName(name)}
        </option>
      ))}
    </select>
  );
}
