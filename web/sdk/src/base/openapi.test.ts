import { describe, expect, it } from "vitest";
import { query, segment } from "./openapi.js";

describe("addresses of generated clients", () => {
  it("leave out what is not given, and quote the rest", () => {
    expect(query({})).toBe("");
    expect(query({ q: undefined, page: 0 })).toBe("?page=0");
    expect(query({ q: "a&b=ü", public: true })).toBe("?q=a%26b%3D%C3%BC&public=true");
    expect(`/lobbies/${segment("a/b?")}/seats/${segment(3)}`).toBe("/lobbies/a%2Fb%3F/seats/3");
  });
});
