import { connect, type Socket } from "node:net";
import { type Load, POST_HEADERS } from "./load.ts";

/** A client that takes as little processor time as it can, because it shares the cores with the server that it measures. Disposing it closes it. */
export interface Sockets extends AsyncDisposable {
  /** Sends a request and reads the whole answer. Returns its status. Rejects if the connection ends before. */
  statusOf(load: Load): Promise<number>;
}

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/** Sends each request on a connection that waits for no other answer, and opens one if there is none. */
export function createSockets(url: string): Sockets {
  const { hostname, port, host } = new URL(url);
  const free: Connection[] = [];
  const open = new Set<Connection>();
  const requests = new Map<Load, Buffer>();
  const requestOf = (load: Load): Buffer => {
    const known = requests.get(load) ?? bytesOf(load, host);
    requests.set(load, known);
    return known;
  };
  return {
    statusOf: (load) =>
      new Promise((resolve, reject) => {
        let connection = free.pop();
        if (!connection) {
          connection = createConnection(connect(Number(port), hostname), free);
          open.add(connection);
        }
        connection.send(requestOf(load), { resolve, reject });
      }),
    async [Symbol.asyncDispose]() {
      for (const { socket } of open) socket.destroy();
    },
  };
}

function bytesOf({ method, path, body = "" }: Load, host: string): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`];
  if (method === "POST") {
    lines.push(...Object.entries(POST_HEADERS).map(([name, value]) => `${name}: ${value}`));
    lines.push(`content-length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

interface Connection {
  readonly socket: Socket;
  send(request: Buffer, waiting: Waiting): void;
}

/** A connection that goes to `free` when its answer is complete. */
function createConnection(socket: Socket, free: Connection[]): Connection {
  let waiting: Waiting | null = null;
  let status = 0;
  /** Bytes of the body that have not arrived; null until the head has arrived. */
  let missing: number | null = null;
  let head: Buffer | null = null;
  socket.setNoDelay(true);
  const connection: Connection = {
    socket,
    send(request, next) {
      waiting = next;
      socket.write(request);
    },
  };
  const onData = (chunk: Buffer): void => {
    if (missing === null) {
      head = head ? Buffer.concat([head, chunk]) : chunk;
      const answer = readHead(head);
      if (!answer) return;
      status = answer.status;
      missing = answer.bytes - head.length;
      head = null;
    } else missing -= chunk.length;
    if (missing > 0) return;
    const done = waiting;
    waiting = null;
    missing = null;
    free.push(connection);
    done?.resolve(status);
  };
  socket.on("data", onData);
  socket.on("error", () => {});
  socket.on("close", () => {
    waiting?.reject(new Error("a connection ended before its answer"));
    const at = free.indexOf(connection);
    if (at >= 0) free.splice(at, 1);
  });
  return connection;
}

const END_OF_HEAD = "\r\n\r\n";
const STATUS_AT = "HTTP/1.1 ".length;

/** The status of an answer, and the bytes that it has in all. Null if its head is not complete. Throws if it has no length. */
function readHead(bytes: Buffer): { readonly status: number; readonly bytes: number } | null {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return null;
  const head = bytes.toString("latin1", 0, end);
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error(`an answer has no content-length: ${head}`);
  return { status: Number(head.slice(STATUS_AT, STATUS_AT + 3)), bytes: end + END_OF_HEAD.length + Number(length) };
}
