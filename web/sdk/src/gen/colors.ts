// Made by go test ./minimap -update from minimap/palette.go: the colours that
// the pictures of the server and of the page share (sRGB).

/** By the number of a player's colour. */
export const PLAYER_COLORS = [
  "#b183ff",
  "#dd6304",
  "#ffff59",
  "#338e96",
  "#f4ae00",
  "#8fffea",
  "#ac00dc",
  "#53c8b7",
  "#00adff",
  "#ad899a",
  "#ffff26",
  "#bb00a9",
  "#f9ba80",
  "#33fdff",
  "#0060ff",
  "#e57300",
] as const;

/** Ground that was never seen. */
export const UNEXPLORED = "#0b1016";
