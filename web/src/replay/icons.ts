// Line icons of the viewer of replays, 24 px, drawn here; and the icons of events.

export const REPLAY_ICONS: Readonly<Record<string, string>> = {
  play: "M7 4l13 8-13 8z",
  pause: "M8 5v14M16 5v14",
  stepBack: "M17 5L8 12l9 7zM6 5v14",
  stepOn: "M7 5l9 7-9 7zM18 5v14",
  previous: "M12 5l-8 7 8 7M20 5l-8 7 8 7",
  next: "M12 5l8 7-8 7M4 5l8 7-8 7",
  table: "M4 5h16v14H4zM4 10h16M10 10v9",
  graph: "M4 4v16h16M7 15l4-5 3 3 5-7",
  link: "M10 14l4-4M8 12l-3 3a3 3 0 0 0 4 4l3-3M16 12l3-3a3 3 0 0 0-4-4l-3 3",
  hide: "M3 3l18 18M10 6c6-1 10 6 10 6s-1 2-3 4M6 8c-2 2-3 4-3 4s4 7 9 7c1 0 2 0 3-1",
  keys: "M3 7h18v11H3zM7 11h.01M11 11h.01M15 11h.01M8 15h8",
  branch: "M6 4v16M6 14c0-5 12-3 12-9M15 7l3-3 3 3",
  difference: "M9 12m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0M15 12m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0",
  // Events.
  contact: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 13h.01",
  fight: "M5 4l14 16M19 4L5 20",
  structureLost: "M4 20h16M6 20V9l6-5 6 5v11M9 12l6 5M15 12l-6 5",
  expansion: "M4 20h16M6 20V10l6-5 6 5v10M12 11v6M9 14h6",
  captured: "M6 21V4M6 4h12l-3 4 3 4H6",
  surrendered: "M6 21V4M6 5h12v8H6",
  away: "M4 4l16 16M5 12a10 10 0 0 1 3-2M19 12a10 10 0 0 0-6-4M12 18h.01",
  left: "M10 4H5v16h5M14 8l5 4-5 4M19 12H9",
  out: "M12 12m-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0M8 8l8 8M16 8l-8 8",
  ended: "M6 21V4M6 4h13v9H6M12 4v9M6 8.5h13",
};
