import { readFileSync } from "node:fs";

/** Lists of the TCP connections of Linux, by IPv4 and by IPv6. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
/** An open connection: neither end has closed it. */
const ESTABLISHED = "01";

/** The local ports of the connections to `serverPort` which the clients have not closed. Null where the system does not tell. */
export function openClientPorts(serverPort: number): ReadonlySet<number> | null {
  const tables = TABLES.flatMap((path) => contentOf(path) ?? []);
  if (tables.length === 0) return null;
  const connections = tables
    .flatMap((table) => table.trim().split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/));
  return new Set(
    connections
      .filter(([, , remote = "", state]) => state === ESTABLISHED && portOf(remote) === serverPort)
      .map(([, local = ""]) => portOf(local)),
  );
}

/** The port of an address such as `0100007F:1538`. */
function portOf(address: string): number {
  return Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
