import { isPublicAddress } from "./public-address.ts";

/** First and last address of each range that is not public, and the public addresses next to it. */
const INWARD = [
  "0.0.0.0 0.255.255.255",
  "10.0.0.0 10.255.255.255",
  "100.64.0.0 100.127.255.255",
  "127.0.0.0 127.255.255.255",
  "169.254.0.0 169.254.255.255",
  "172.16.0.0 172.31.255.255",
  "192.0.0.0 192.0.0.255",
  "192.0.2.0 192.0.2.255",
  "192.88.99.0 192.88.99.255",
  "192.168.0.0 192.168.255.255",
  "198.18.0.0 198.19.255.255",
  "198.51.100.0 198.51.100.255",
  "203.0.113.0 203.0.113.255",
  "224.0.0.0 239.255.255.255",
  "240.0.0.0 255.255.255.255",
  ":: ::1",
  "::7f00:1 ::ffff:ffff",
  "::ffff:0.0.0.0 ::ffff:8.8.8.8",
  "::ffff:127.0.0.1 ::ffff:255.255.255.255",
  "::ffff:0:7f00:1 ::ffff:0:808:808",
  "64:ff9b::7f00:1 64:ff9b::808:808",
  "64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
  "100:: 100::ffff:ffff:ffff:ffff",
  "2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
  "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
  "2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
  "4000:: 5f00::1",
  "fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "ff00:: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];
const OUTWARD = [
  "1.0.0.0 9.255.255.255",
  "11.0.0.0 100.63.255.255",
  "100.128.0.0 126.255.255.255",
  "128.0.0.0 169.253.255.255",
  "169.255.0.0 172.15.255.255",
  "172.32.0.0 191.255.255.255",
  "192.0.1.0 192.0.1.255",
  "192.167.255.255 192.169.0.0",
  "198.17.255.255 198.20.0.0",
  "203.0.114.0 223.255.255.255",
  "2000:: 2000:ffff::",
  "2001:200:: 2001:db7:ffff::",
  "2001:4860:4860::8888 2606:4700:4700::1111",
  "2400:: 2fff::",
];

const addresses = (ranges: readonly string[]) => ranges.flatMap((range) => range.split(" "));

describe("a public address", () => {
  it.each(addresses(INWARD))("is not %s", (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(addresses(OUTWARD))("is %s", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(["", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "fe80::1%eth0", "8.8.8.8 "])(
    "is not %j, which is not an address",
    (text) => expect(isPublicAddress(text)).toBe(false),
  );
});
