/** A time for people, in their own words and zone. */
export function when(iso: string): string {
  const d = new Date(iso);
  return Number.isNaN(d.getTime())
    ? ""
    : d.toLocaleString(undefined, { dateStyle: "short", timeStyle: "medium" });
}
