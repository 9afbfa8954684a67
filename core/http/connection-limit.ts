import type { Server } from "node:http";
import type { Socket } from "node:net";

const REASON = "too many open connections from this address";
const REFUSAL = [
  "HTTP/1.1 503 Service Unavailable",
  "connection: close",
  "retry-after: 1",
  "content-type: text/plain; charset=utf-8",
  `content-length: ${REASON.length}`,
  "",
  REASON,
].join("\r\n");

/**
 * Answers 503 on a connection of an address that has `maxPerAddress` open connections, and closes it. 0: no limit. IPv6 addresses
 * with the same first 64 bits count as one.
 */
export function limitConnections(server: Server, maxPerAddress: number): void {
  if (maxPerAddress === 0) return;
  const openByAddress = new Map<string, number>();
  const counted = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // The connection of an ignored upgrade is emitted a second time.
    if (remoteAddress === undefined || counted.has(socket)) return;
    counted.add(socket);
    const address = addressGroup(remoteAddress);
    const open = openByAddress.get(address) ?? 0;
    if (open >= maxPerAddress) {
      socket.end(REFUSAL);
      socket.destroySoon();
      return;
    }
    openByAddress.set(address, open + 1);
    socket.once("close", () => {
      const left = (openByAddress.get(address) ?? 1) - 1;
      if (left === 0) openByAddress.delete(address);
      else openByAddress.set(address, left);
    });
  });
}

/** An IPv4 address, or the first 64 bits of an IPv6 address: a single machine usually has all addresses of such a prefix. */
function addressGroup(address: string): string {
  if (address.startsWith("::ffff:")) return address.slice("::ffff:".length);
  if (!address.includes(":")) return address;
  const groups = (address.split("::")[0] as string).split(":").filter(Boolean);
  return [...groups, "0", "0", "0", "0"].slice(0, 4).join(":");
}
