import { BlockList, isIP, isIPv6 } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

const PRIVATE = new BlockList();
PRIVATE.addSubnet("0.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("10.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("100.64.0.0", 10, "ipv4");
PRIVATE.addSubnet("127.0.0.0", 8, "ipv4");
PRIVATE.addSubnet("169.254.0.0", 16, "ipv4");
PRIVATE.addSubnet("172.16.0.0", 12, "ipv4");
PRIVATE.addSubnet("192.168.0.0", 16, "ipv4");
PRIVATE.addSubnet("224.0.0.0", 3, "ipv4");
PRIVATE.addAddress("::", "ipv6");
PRIVATE.addAddress("::1", "ipv6");
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("fe80::", 10, "ipv6");
PRIVATE.addSubnet("ff00::", 8, "ipv6");

/** True for `localhost` and for loopback addresses. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || isIn(LOOPBACK, host);
}

/** True if an IP address does not belong to the public internet. False for host names. */
export function isPrivate(host: string): boolean {
  return isIn(PRIVATE, host);
}

function isIn(list: BlockList, host: string): boolean {
  return isIP(host) !== 0 && list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}
