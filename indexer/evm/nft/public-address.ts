import { BlockList, isIP } from "node:net";

/** Private, local, multicast, reserved and other special addresses (IANA's special-purpose registries). */
const SPECIAL = {
  ipv4: [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
  ],
  // Only 2000::/3 is global unicast. The rest holds loopback, ::ffff:0:0/96 and the other forms of an IPv4 address, NAT64,
  // unique local, link-local and multicast addresses.
  ipv6: [
    "::/3",
    "4000::/2",
    "8000::/1",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3ffe::/16",
    "3fff::/20",
  ],
} as const;

// One list per family: BlockList would also find an IPv4 address in ::ffff:0:0/96.
const lists = { ipv4: listOf("ipv4"), ipv6: listOf("ipv6") };

function listOf(family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const range of SPECIAL[family]) {
    const [network = "", prefix = ""] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}

/** True for a public internet address in canonical text form. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  return !lists[family].check(address, family);
}
