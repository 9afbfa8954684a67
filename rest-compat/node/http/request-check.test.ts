import { isAllowedHost } from "./request-check.ts";

describe("the hosts localhost and * as settings", () => {
  it.each([
    ["localhost", true],
    ["LOCALHOST:1", true],
    ["localhost.", false],
    ["localhost.evil.com", false],
    ["127.0.0.1", true],
    ["[::1]:9650", true],
    ["::1", true],
    ["[::1]", false],
    ["0x7f.1", false],
    ["", true],
  ])("allow the Host header %j: localhost %s, * always", (host, isAllowed) => {
    expect(isAllowedHost(host, ["localhost"])).toBe(isAllowed);
    expect(isAllowedHost(host, ["*"])).toBe(true);
  });
});
