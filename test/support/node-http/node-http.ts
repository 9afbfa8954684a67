import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { gunzipSync } from "node:zlib";

type Repeated = { readonly prefix?: string; readonly repeat: string; readonly times: number; readonly suffix?: string };
type Sent = string | null | Repeated | { readonly base64: string };
type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A raw response; `framing` is the way in which its body ends. */
export interface WireResponse {
  readonly version: string;
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
  readonly framing: string;
  readonly body: Buffer;
}

/** One recorded call of a node. */
export interface NodeCall {
  readonly file: string;
  readonly name: string;
  /** Calls with the same number used one connection, in order. */
  readonly connection: string | undefined;
  readonly verb: string;
  readonly path: string;
  readonly requestBody: string | null;
  readonly bytes: Buffer;
  /** Null if the node did not respond. */
  readonly response: WireResponse | null;
}

interface Line {
  readonly name: string;
  readonly connection?: string;
  readonly request: {
    readonly verb: string;
    readonly path: string;
    readonly version: string;
    readonly headers: readonly (readonly [string, string | Repeated])[];
    readonly chunks?: readonly string[];
    readonly body: Sent;
  };
  readonly response: Omit<WireResponse, "body"> & { readonly body: Sent; readonly error?: string };
}

const FOLDER = new URL("../../../recordings/node-http/", import.meta.url);

/** Every recorded call, by file name without extension. */
export function recordedCalls(): ReadonlyMap<string, readonly NodeCall[]> {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".gz"));
  return new Map(files.map((file) => file.replace(".jsonl.gz", "")).map((file) => [file, callsOf(file)]));
}

function callsOf(file: string): NodeCall[] {
  const text = gunzipSync(readFileSync(new URL(`${file}.jsonl.gz`, FOLDER))).toString();
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const { name, connection, request, response } = JSON.parse(line) as Line;
      const { verb, path, body } = request;
      return {
        file,
        name,
        connection,
        verb,
        path,
        requestBody: typeof body === "string" ? body : null,
        bytes: bytesOfRequest(request),
        response: response.error === undefined ? { ...response, body: bytesOf(response.body) } : null,
      };
    });
}

function bytesOfRequest({ verb, path, version, headers, chunks, body }: Line["request"]): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${typeof value === "string" ? value : repeated(value)}`);
  const head = Buffer.from(`${[`${verb} ${path} ${version}`, ...lines].join("\r\n")}\r\n\r\n`, "latin1");
  const isChunked = headers.some(([name, value]) => name === "Transfer-Encoding" && value === "chunked");
  const parts = (chunks ?? []).map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`);
  return Buffer.concat([head, isChunked ? Buffer.from(`${parts.join("")}0\r\n\r\n`) : bytesOf(body)]);
}

function bytesOf(sent: Sent): Buffer {
  if (sent === null || typeof sent === "string") return Buffer.from(sent ?? "");
  return "base64" in sent ? Buffer.from(sent.base64, "base64") : Buffer.from(repeated(sent));
}

function repeated({ prefix = "", repeat, times, suffix = "" }: Repeated): string {
  return prefix + repeat.repeat(times) + suffix;
}

const PATIENCE_MS = 5_000;

/** A raw connection to a port of this machine. */
export interface Wire extends Disposable {
  /** The response without interim ones; null if the connection closed without a response. */
  exchange(bytes: Buffer, verb: string): Promise<WireResponse | null>;
}

/** A connection for one exchange or, kept alive, several. */
export function openWire(port: number): Wire {
  const socket = connect(port, "127.0.0.1").setNoDelay();
  const received: Received = { bytes: Buffer.alloc(0), isOver: false, wake: () => {} };
  socket.on("data", (chunk) => {
    received.bytes = Buffer.concat([received.bytes, chunk]);
    received.wake();
  });
  const over = () => {
    received.isOver = true;
    received.wake();
  };
  socket.on("end", over).on("close", over).on("error", over);
  return {
    async exchange(bytes, verb) {
      socket.write(bytes);
      return receive(socket, received, verb);
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

interface Received {
  bytes: Buffer;
  isOver: boolean;
  wake(): void;
}

async function receive(socket: Socket, received: Received, verb: string): Promise<WireResponse | null> {
  const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
  try {
    for (;;) {
      const parsed = parseResponse(received.bytes, verb, received.isOver);
      if (parsed) {
        received.bytes = received.bytes.subarray(parsed.end);
        if (parsed.response.status !== 100) return parsed.response;
      } else if (received.isOver) return null;
      else await new Promise<void>((wake) => Object.assign(received, { wake }));
    }
  } finally {
    clearTimeout(timer);
  }
}

function parseResponse(bytes: Buffer, verb: string, isOver: boolean): { response: WireResponse; end: number } | null {
  const start = bytes.indexOf("\r\n\r\n") + 4;
  if (start < 4) return null;
  const [first = "", ...lines] = bytes
    .subarray(0, start - 4)
    .toString("latin1")
    .split("\r\n");
  const [, version = "", status = "", reason = ""] = /^(\S+) (\d+) ?(.*)$/.exec(first) ?? [];
  const headers = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
  const of = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const found = (framing: string, body: Buffer, end: number) => ({
    response: { version, status: Number(status), reason, headers, framing, body },
    end,
  });
  const rest = bytes.subarray(start);
  if (verb === "HEAD" || status.startsWith("1")) return found("none", Buffer.alloc(0), start);
  if (of("transfer-encoding") === "chunked") {
    const chunked = unchunk(rest);
    return chunked && found("chunked", chunked.body, start + chunked.end);
  }
  const length = of("content-length");
  if (length === undefined) return isOver ? found("close", rest, bytes.length) : null;
  if (rest.length < Number(length)) return null;
  return found("length", rest.subarray(0, Number(length)), start + Number(length));
}

function unchunk(bytes: Buffer): { body: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16);
    if (line < 0 || bytes.length < line + 2 + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(parts), end: line + 4 };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
}
