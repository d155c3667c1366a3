import { expect, it } from "vitest";
import { isLoopback, sharedAddress } from "./identity";

it("writes links with the server's public address, else with that of the page", () => {
  const page = { origin: "http://10.0.0.5:8080", pathname: "/" } as Location;
  const said = { providers: [], ownLogin: true, guests: true };
  expect(sharedAddress(null, page)).toBe("http://10.0.0.5:8080/");
  expect(sharedAddress(said, page)).toBe("http://10.0.0.5:8080/");
  for (const publicUrl of ["https://play.example.org/fog", "https://play.example.org/fog/"])
    expect(sharedAddress({ ...said, publicUrl }, page)).toBe("https://play.example.org/fog/");
});

it("writes links for others with the server's address in its network, where the page's own leads to their machines", () => {
  const said = { providers: [], ownLogin: true, guests: true, networkUrl: "http://192.168.1.20:8080" };
  const at = (hostname: string) =>
    ({ origin: `http://${hostname}:8080`, hostname, pathname: "/" }) as Location;
  for (const host of ["127.0.0.1", "127.0.0.2", "localhost", "[::1]"])
    expect(sharedAddress(said, at(host))).toBe("http://192.168.1.20:8080/");
  expect(sharedAddress({ ...said, publicUrl: "https://play.example.org" }, at("localhost"))).toBe(
    "https://play.example.org/",
  );
  expect(sharedAddress(said, at("192.168.1.30"))).toBe("http://192.168.1.30:8080/");
  expect(isLoopback("localhost.example.org")).toBe(false);
});
