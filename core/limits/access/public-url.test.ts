import { createPublicUrlReader } from "./public-url.ts";

type TrustProxy = Parameters<typeof createPublicUrlReader>[0]["trustProxy"];

function urlOf(headers: Readonly<Record<string, string>>, trustProxy: TrustProxy, proxyHops = 1): string | null {
  return createPublicUrlReader({ trustProxy, proxyHops })({ headers });
}

describe("the URL at which callers reach Moraine", () => {
  it.each([
    ["name:4000", "http://name:4000"],
    ["Name.Example", "http://name.example"],
    ["name:80", "http://name"],
    ["127.0.0.1:9650", "http://127.0.0.1:9650"],
    ["[::1]:4000", "http://[::1]:4000"],
    ["", null],
    ["name:99999", null],
    ["name/path", null],
    ["user@name", null],
    ['name"', null],
  ])("has the host of the header Host: %s gives %s, whatever the setting", (host, url) => {
    for (const trustProxy of [false, true, "forwarded"] as const) expect(urlOf({ host }, trustProxy)).toBe(url);
  });

  it("is unknown if a proxy sent the request and no setting names its header", () => {
    for (const header of [
      "x-forwarded-for",
      "x-forwarded-proto",
      "x-forwarded-host",
      "x-forwarded-prefix",
      "forwarded",
    ])
      expect(urlOf({ host: "name", [header]: "x" }, false)).toBeNull();
  });

  it.each<[Record<string, string>, string | null]>([
    [{ "x-forwarded-proto": "https" }, "https://inner:4000"],
    [{ "x-forwarded-proto": "HTTPS", "x-forwarded-host": "name" }, "https://name"],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "name:443" }, "https://name"],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "name:80" }, "https://name:80"],
    [{ "x-forwarded-proto": "http", "x-forwarded-host": "name:8080" }, "http://name:8080"],
    [{ "x-forwarded-proto": "https", "x-forwarded-prefix": "/moraine" }, "https://inner:4000/moraine"],
    [{ "x-forwarded-proto": "https", "x-forwarded-prefix": "/a/b.c/" }, "https://inner:4000/a/b.c"],
    [{ "x-forwarded-proto": "https", "x-forwarded-prefix": "/" }, "https://inner:4000"],
    [{ "x-forwarded-proto": "https", "x-forwarded-prefix": "//other" }, null],
    [{ "x-forwarded-proto": "https", "x-forwarded-prefix": "/a?b" }, null],
    [{ "x-forwarded-proto": "javascript", "x-forwarded-host": "name" }, null],
    [{ "x-forwarded-proto": "https", "x-forwarded-host": "a b" }, null],
    [{ "x-forwarded-for": "10.0.0.1", "x-forwarded-host": "name" }, null],
    [{ "x-forwarded-proto": "http, https", "x-forwarded-host": "evil, name" }, "https://name"],
    [{ "x-forwarded-proto": "https", forwarded: "host=evil" }, "https://inner:4000"],
  ])("has what the proxy says in X-Forwarded-*: %j gives %s", (headers, url) => {
    for (const trustProxy of [true, "x-forwarded-for"] as const)
      expect(urlOf({ host: "inner:4000", ...headers }, trustProxy)).toBe(url);
  });

  it.each<[string, string | null]>([
    ["proto=https;host=name", "https://name"],
    ['for=192.0.2.1;proto=https;host="name:8443"', "https://name:8443"],
    ["for=192.0.2.1:1234;proto=https;host=name:8443", "https://name:8443"],
    ['for=a;host=evil, for=b;proto=https;host="[::1]:443"', "https://[::1]"],
    ["proto=https", "https://inner:4000"],
    ["for=192.0.2.1;host=name", null],
    ["proto=https;host=evil;host=name", null],
    ['proto=https;host="', null],
  ])("has what the proxy says in Forwarded: %s gives %s", (forwarded, url) => {
    const headers = { host: "inner:4000", forwarded, "x-forwarded-host": "evil" };
    expect(urlOf(headers, "forwarded")).toBe(url);
    expect(urlOf({ ...headers, "x-forwarded-prefix": "/p" }, "forwarded")).toBe(url && `${url}/p`);
  });

  it("has the entries of the outermost of several trusted proxies, or the only ones", () => {
    const headers = {
      host: "inner",
      "x-forwarded-proto": "ftp, https, http",
      "x-forwarded-host": "evil, name, middle",
    };
    expect(urlOf(headers, true, 2)).toBe("https://name");
    expect(urlOf({ host: "inner", "x-forwarded-proto": "https", "x-forwarded-host": "name" }, true, 2)).toBe(
      "https://name",
    );
    expect(
      urlOf({ host: "inner", forwarded: "host=evil, proto=https;host=name, proto=http;host=m" }, "forwarded", 2),
    ).toBe("https://name");
  });
});
