import { createOriginCheck } from "./request-origin.ts";

const NO_PROXY = { trustProxy: false, proxyHops: 1 } as const;

function isOther(
  headers: Readonly<Record<string, string>>,
  settings: Parameters<typeof createOriginCheck>[0] = NO_PROXY,
) {
  return createOriginCheck(settings)({ headers });
}

describe("a WebSocket", () => {
  it.each([
    ["name", "https://name"],
    ["name:443", "https://name"],
    ["name", "https://name:443"],
    ["name:443", "https://name:443"],
    ["name:80", "http://name"],
    ["name", "http://name:80"],
    ["NAME:443", "https://name"],
    ["name:8443", "https://name:8443"],
    ["127.0.0.1:4000", "http://127.0.0.1:4000"],
    ["[::1]:443", "https://[::1]"],
    ["bücher.example:443", "https://xn--bcher-kva.example"],
  ])("to the host %s is from the same origin as a page of %s", (host, origin) => {
    expect(isOther({ host, origin })).toBe(false);
  });

  it.each([
    ["name", "https://other"],
    ["name", "https://name.other"],
    ["name:80", "https://name"],
    ["name:443", "http://name"],
    ["name", "https://name:8443"],
    ["name:8443", "https://name"],
    ["name", "null"],
    ["name", "nonsense"],
    ["", "file:///"],
    ["other, name", "https://name"],
  ])("to the host %s is from another origin than a page of %s", (host, origin) => {
    expect(isOther({ host, origin })).toBe(true);
  });

  it("without an origin is from no page", () => {
    expect(isOther({ host: "name" })).toBe(false);
  });

  it.each([
    [true, { "x-forwarded-host": "name:443" }],
    ["x-forwarded-for", { "x-forwarded-host": "name" }],
    ["forwarded", { forwarded: "proto=https;host=name" }],
  ] as const)("through a proxy is compared with the host that the proxy names (trustProxy %s)", (trustProxy, proxy) => {
    const headers = { host: "inner:4000", ...proxy };
    const settings = { trustProxy, proxyHops: 1 };
    expect(isOther({ ...headers, origin: "https://name" }, settings)).toBe(false);
    expect(isOther({ ...headers, origin: "https://other" }, settings)).toBe(true);
    expect(isOther({ ...headers, origin: "https://name" })).toBe(true);
  });
});
