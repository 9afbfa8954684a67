import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import { CHAIN_ID } from "./database.ts";

export const SOCKETS = 20;
/** Operations that wait for an answer at the same time on each socket. */
const OUTSTANDING = 10;

/** Sends operations over WebSockets, each with a short document of its own, as fast as they are answered. Returns the number of answers. */
export async function floodWithDocuments(url: string, ms: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => connect(url)));
  let sent = 0;
  let answered = 0;
  const send = (socket: WebSocket) => {
    const query = `{ a${++sent}: chain(chainId: "${CHAIN_ID}") { chainId } }`;
    socket.send(JSON.stringify({ id: String(sent), type: "subscribe", payload: { query } }));
  };
  for (const socket of sockets) {
    socket.on("message", (bytes) => {
      const { type, payload } = JSON.parse(String(bytes));
      if (type === "error" || payload?.errors) throw new Error(`a document was refused: ${JSON.stringify(payload)}`);
      if (type !== "complete") return;
      answered++;
      send(socket);
    });
    for (let operation = 0; operation < OUTSTANDING; operation++) send(socket);
  }
  await sleep(ms);
  for (const socket of sockets) socket.terminate();
  return answered;
}

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/graphql`, "graphql-transport-ws");
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  return socket;
}
