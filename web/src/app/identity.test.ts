import { expect, it } from "vitest";
import { sharedAddress } from "./identity";

it("writes links with the server's public address, else with that of the page", () => {
  const page = { origin: "http://10.0.0.5:8080", pathname: "/" } as Location;
  const said = { providers: [], ownLogin: true, guests: true };
  expect(sharedAddress(null, page)).toBe("http://10.0.0.5:8080/");
  expect(sharedAddress(said, page)).toBe("http://10.0.0.5:8080/");
  for (const publicUrl of ["https://play.example.org/fog", "https://play.example.org/fog/"])
    expect(sharedAddress({ ...said, publicUrl }, page)).toBe("https://play.example.org/fog/");
});
