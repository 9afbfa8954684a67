import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

const OF_UPGRADES: ReadonlySet<string> = new Set(["upgrade", "http2-settings"]);

/**
 * Has a server read a request once more as if nobody had asked for another protocol, which a server is free to do. `head`
 * is what came after its headers.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    const kept = name.toLowerCase() === "connection" ? withoutUpgrade(value) : value;
    if (!OF_UPGRADES.has(name.toLowerCase()) && kept !== null) lines.push(`${name}: ${kept}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

/** The other words of a `Connection` header; null when there are none. */
function withoutUpgrade(value: string): string | null {
  const kept = value.split(",").filter((word) => !OF_UPGRADES.has(word.trim().toLowerCase()));
  return kept.length > 0 ? kept.join(",") : null;
}
