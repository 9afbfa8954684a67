import type { IncomingMessage } from "node:http";
import { createAddressReader } from "./client-address.ts";

const PROXY = "::ffff:127.0.0.1";

function addressOf(
  headers: Readonly<Record<string, string>>,
  trustProxy: Parameters<typeof createAddressReader>[0]["trustProxy"],
  proxyHops = 1,
): string {
  const request = { headers, socket: { remoteAddress: PROXY } } as unknown as IncomingMessage;
  return createAddressReader({ trustProxy, proxyHops })(request);
}

describe("the address of a caller", () => {
  it.each([
    ["10.0.0.1", "10.0.0.1"],
    ["6.6.6.6, 10.0.0.1", "10.0.0.1"],
    ["10.0.0.1:443", "10.0.0.1"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
    ['"[2001:db8::1]:443"', "2001:db8:0:0::/64"],
    ["[2001:DB8::1]", "2001:db8:0:0::/64"],
    ["2001:db8:1:2:3::4", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["1.2.3.4,", "127.0.0.1"],
    ["unknown", "127.0.0.1"],
    ["", "127.0.0.1"],
  ])("in X-Forwarded-For %j is %s", (text, address) => {
    expect(addressOf({ "x-forwarded-for": text }, true)).toBe(address);
    expect(addressOf({ "x-forwarded-for": text }, "x-forwarded-for")).toBe(address);
  });

  it.each([
    ["for=192.0.2.43", "192.0.2.43"],
    ['for=1.1.1.1, For="[2001:db8:cafe::17]:4711";proto=http;by=203.0.113.43', "2001:db8:cafe:0::/64"],
    ['for="1.1.1.1, 2.2.2.2", for=9.9.9.9', "9.9.9.9"],
    ["for=1.1.1.1, for=_hidden", "127.0.0.1"],
    ["for=1.1.1.1, proto=http", "127.0.0.1"],
    ['for=1.1.1.1, "', "127.0.0.1"],
    ['for="192.0.2.43:4711"', "192.0.2.43"],
    ['for="192.0.2.43:_hidden.port"', "192.0.2.43"],
    ['for="[2001:db8:cafe::17]:_hidden"', "2001:db8:cafe:0::/64"],
    ["for=unknown", "127.0.0.1"],
    ['by="1.1.1.1";host="a, for=2.2.2.2";for=9.9.9.9', "9.9.9.9"],
    ['for=9.9.9.9;host="a\\", for=2.2.2.2"', "9.9.9.9"],
    ["for=192.0.2.60:80", "192.0.2.60"],
    ["for=1.1.1.1, proto=http; For=192.0.2.60:80 ;by=203.0.113.43", "192.0.2.60"],
    ["for=999.0.2.60:80", "127.0.0.1"],
    ["for=192.0.2.60:80:90", "127.0.0.1"],
    ["for=1.1.1.1, for=192.0.2.60, ,", "192.0.2.60"],
    ["for=192.0.2.60,", "192.0.2.60"],
    [", ,", "127.0.0.1"],
    ['for=9.9.9.9;host="a;for=6.6.6.6:80"', "9.9.9.9"],
    ['host="a;for=6.6.6.6:80"', "127.0.0.1"],
    ['host="\\";for=6.6.6.6:80;";for=9.9.9.9:80', "9.9.9.9"],
    ["for=9.9.9.9;host=a;for=6.6.6.6:80", "127.0.0.1"],
    ["host=a;for=6.6.6.6; For=9.9.9.9", "127.0.0.1"],
  ])("in Forwarded %j is %s", (text, address) => {
    expect(addressOf({ forwarded: text }, "forwarded")).toBe(address);
  });

  it.each(["=", '"', 'for="', 'for="1.1.1.1', "for=1.1.1.1,", ",", "é", 'for="\\"', ";;;", "for = 1.1.1.1"])(
    "cannot be hidden by %j before the element of the proxy in Forwarded",
    (text) => {
      expect(addressOf({ forwarded: `${text}, for=9.9.9.9` }, "forwarded")).toBe("9.9.9.9");
      const second = `${text}, for=8.8.8.8;proto=http,for="9.9.9.9:1"`;
      expect([1, 2].map((hops) => addressOf({ forwarded: second }, "forwarded", hops))).toEqual(["9.9.9.9", "8.8.8.8"]);
    },
  );

  it("in Forwarded is not read from an element before those of the proxies, whatever empty elements are sent", () => {
    for (const sent of ["for=6.6.6.6", "for=6.6.6.6,", ",for=6.6.6.6, ,", "for=6.6.6.6:80"]) {
      expect(addressOf({ forwarded: `${sent}, for=9.9.9.9:80,` }, "forwarded")).toBe("9.9.9.9");
      expect(addressOf({ forwarded: `${sent}, for=8.8.8.8, ,for=9.9.9.9` }, "forwarded", 2)).toBe("8.8.8.8");
    }
    expect(addressOf({ forwarded: ", for=9.9.9.9" }, "forwarded", 2)).toBe("9.9.9.9");
  });

  it("comes only from the header that the setting names", () => {
    const headers = { forwarded: "for=1.1.1.1", "x-forwarded-for": "2.2.2.2" };
    expect([false, true, "forwarded"].map((trust) => addressOf(headers, trust as boolean))).toEqual([
      "127.0.0.1",
      "2.2.2.2",
      "1.1.1.1",
    ]);
  });

  it("is the entry of the first of several trusted proxies", () => {
    const headers = { "x-forwarded-for": "1.1.1.1, 2.2.2.2, 3.3.3.3" };
    expect([1, 2, 3, 4].map((hops) => addressOf(headers, true, hops))).toEqual([
      "3.3.3.3",
      "2.2.2.2",
      "1.1.1.1",
      "1.1.1.1",
    ]);
  });
});
