/** A time in the reader's language and time zone. */
export function when(iso: string): string {
  const d = new Date(iso);
  return Number.isNaN(d.getTime())
    ? ""
    : d.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
}

/** The sides of a match: `Ada and Ben against Cleo`. */
export function sides(players: readonly { name: string; team: number }[]): string {
  const teams = [...new Set(players.map((p) => p.team))].sort((a, b) => a - b);
  const words = teams.map((t) => {
    const names = players.filter((p) => p.team === t).map((p) => p.name);
    const last = names.pop() ?? "";
    return names.length > 0 ? `${names.join(", ")} and ${last}` : last;
  });
  return words.join(" against ");
}

/** Match time: `3:07`. */
export function clock(tick: number, ticksPerSecond: number): string {
  const s = Math.floor(tick / Math.max(1, ticksPerSecond));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

/** The sentence to show for anything that was thrown. */
export function sentence(err: unknown): string {
  if (err instanceof Error && err.message) return err.message;
  return "Something went wrong. Reload the page and try again.";
}
