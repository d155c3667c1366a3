// A small match without a server, for tests.

export * from "./state/fixture.js";
