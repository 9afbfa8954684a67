import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

const UPGRADE_HEADERS: ReadonlySet<string> = new Set(["upgrade", "http2-settings"]);

/**
 * Passes a request to the server again without its upgrade headers, so that it is answered as an ordinary request and the
 * connection stays open. RFC 9110 allows a server to ignore an upgrade. `head` is what the client sent after the headers.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = "", value = ""] = rawHeaders.slice(i, i + 2);
    const kept = name.toLowerCase() === "connection" ? withoutUpgrade(value) : value;
    if (!UPGRADE_HEADERS.has(name.toLowerCase()) && kept !== null) lines.push(`${name}: ${kept}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}

/** The other options of a `Connection` header; null if there are none. */
function withoutUpgrade(value: string): string | null {
  const kept = value.split(",").filter((option) => !UPGRADE_HEADERS.has(option.trim().toLowerCase()));
  return kept.length > 0 ? kept.join(",") : null;
}
