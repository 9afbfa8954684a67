import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SOCKETS = 1_000;
/** How long the sockets stay open, unless Moraine closes them earlier. */
const HOLD_MS = 10_000;
const READ_MS = 1_000;
const COLLECT_MS = 1_000;
const COLLECTIONS = { min: 3, max: 15 } as const;
/** If a collection frees less than this, no garbage is left. */
const GARBAGE_MB = 1;
/** Below this processor time in a second, the process has ended the work of the connections. */
const IDLE_MS = 300;
const MAX_WORK_SECONDS = 120;
const SUBSCRIPTION = JSON.stringify({ query: "subscription { healthChanged { healthy checks { name message } } }" });
const QUERY = JSON.stringify({
  query: `{ evmBlocks(chainId: "760011", first: 100) {
  blocks: nodes { blockHash parentHash stateRoot receiptsRoot blockNumber blockTimestamp gasUsed gasLimit txCount miner } } }`,
});
const QUERIES = 100;
/** Requests before the first measurement: a process that has run requests keeps more memory than a new one. */
const WARM_UP = { requests: 5_000, atTheSameTime: 20 } as const;
const LARGE_PATH = "/v1/chains/760011/blocks?pageSize=100";

/** What a client of a kind sends. It never reads. `later` is sent after a second. */
interface Kind {
  readonly name: string;
  readonly first: string | Buffer;
  readonly later?: Buffer;
}

const HANDSHAKE = [
  "GET /graphql HTTP/1.1",
  "host: a",
  "connection: upgrade",
  "upgrade: websocket",
  "sec-websocket-version: 13",
  `sec-websocket-key: ${Buffer.alloc(16).toString("base64")}`,
  "sec-websocket-protocol: graphql-transport-ws",
  "\r\n",
].join("\r\n");

const STREAM = [
  "POST /graphql HTTP/1.1",
  "host: a",
  "content-type: application/json",
  "accept: text/event-stream",
  `content-length: ${SUBSCRIPTION.length}`,
  "",
  SUBSCRIPTION,
].join("\r\n");

const KINDS: readonly Kind[] = [
  { name: "HTTP without a request", first: "" },
  { name: "half a request", first: `GET ${LARGE_PATH} HTTP/1.1\r\nhost: a\r\nx-half:` },
  { name: "a REST answer that is not read", first: `GET ${LARGE_PATH} HTTP/1.1\r\nhost: a\r\n\r\n` },
  { name: "GraphiQL that is not read", first: "GET /graphql HTTP/1.1\r\nhost: a\r\naccept: text/html\r\n\r\n" },
  { name: "WebSocket without connection_init", first: HANDSHAKE },
  {
    name: "WebSocket with an unread subscription",
    first: HANDSHAKE,
    later: Buffer.concat([frame(JSON.stringify({ type: "connection_init" })), subscribeFrame("1", SUBSCRIPTION)]),
  },
  {
    name: "WebSocket with unread queries",
    first: HANDSHAKE,
    later: Buffer.concat([
      frame(JSON.stringify({ type: "connection_init" })),
      ...Array.from({ length: QUERIES }, (_, at) => subscribeFrame(`q${at}`, QUERY)),
    ]),
  },
  { name: "event stream that is not read", first: STREAM },
];

/** A client's frame. A mask of zeros leaves the text as it is. */
function frame(text: string): Buffer {
  const length = text.length < 126 ? [0x80 | text.length] : [0x80 | 126, text.length >> 8, text.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), Buffer.from(text)]);
}

function subscribeFrame(id: string, payload: string): Buffer {
  return frame(JSON.stringify({ id, type: "subscribe", payload: JSON.parse(payload) }));
}

async function open(address: TcpNetConnectOpts, { first, later }: Kind): Promise<Socket> {
  const socket = connect(address).pause();
  socket.on("error", () => {});
  if (first !== "") socket.write(first);
  if (later) setTimeout(() => socket.write(later), 1_000);
  return socket;
}

/** Makes a process collect garbage when it gets SIGUSR2. */
const COLLECTOR = "data:text/javascript,process.on('SIGUSR2',()=>gc())";

/** Resident memory of a process in MB, without garbage. */
async function collectedMb(pid: number): Promise<number> {
  // V8 gives memory back in several collections.
  let before = Number.POSITIVE_INFINITY;
  for (let collection = 1; ; collection++) {
    process.kill(pid, "SIGUSR2");
    await sleep(COLLECT_MS);
    const after = residentMb(pid);
    const isLast = collection === COLLECTIONS.max || before - after < GARBAGE_MB;
    if (isLast && collection >= COLLECTIONS.min) return after;
    before = after;
  }
}

/** Processor time of a process in milliseconds. */
function processorMs(pid: number): number {
  // The name of the program, in parentheses, may contain anything. The times are in hundredths of a second.
  const [, text = ""] = /.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const [user, system] = text.split(" ").slice(11, 13).map(Number);
  return 10 * ((user ?? 0) + (system ?? 0));
}

/** Waits until a process has ended its work, for at most two minutes: what it needs to run operations is not the cost of connections. */
async function untilIdle(pid: number): Promise<void> {
  for (let second = 0; second < MAX_WORK_SECONDS; second++) {
    const before = processorMs(pid);
    await sleep(1_000);
    if (processorMs(pid) - before < IDLE_MS) return;
  }
}

/** Resident memory of a process in MB. */
function residentMb(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}

/**
 * Prints what 1,000 connections of each kind, whose clients read nothing, cost Moraine in memory. Moraine runs over the bundled
 * recording, in a process of its own that starts like `npm start`: transpiled without a build, each function needs more memory.
 */
export async function measureUnreadSockets(): Promise<void> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "moraine-sockets-"));
  const settings = join(dataDirectory, "settings.json");
  writeFileSync(settings, JSON.stringify({ subscriptions: { connectionsPerCaller: SOCKETS } }));
  const env = {
    ...process.env,
    MORAINE_CONFIG: settings,
    MORAINE_DATA: dataDirectory,
    MORAINE_DEMO: "full",
    PORT: "0",
    LOG_LEVEL: "error",
  };
  const child = spawn(
    process.execPath,
    [
      "--expose-gc",
      "--import",
      COLLECTOR,
      "--import",
      "./tools/build/source-positions.mjs",
      "commands/run.mjs",
      "start",
    ],
    {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    const port = await portOf(child);
    const pid = child.pid as number;
    await warmUp(port);
    await sleep(HOLD_MS);
    for (const kind of KINDS) await measure(pid, port, [kind]);
    await measure(pid, port, KINDS);
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** Sends the queries that the connections send, and reads the answers. */
async function warmUp(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  const read = async (path: string, request: RequestInit = {}) => (await fetch(`${url}${path}`, request)).text();
  await read("/graphql", { headers: { accept: "text/html" } });
  const query = { method: "POST", headers: { "content-type": "application/json" }, body: QUERY };
  const requests = Array.from({ length: WARM_UP.requests }, (_, at) =>
    at % 2 === 0 ? () => read(LARGE_PATH) : () => read("/graphql", query),
  );
  const sendNext = async (): Promise<void> => {
    for (let next = requests.pop(); next; next = requests.pop()) await next();
  };
  await Promise.all(Array.from({ length: WARM_UP.atTheSameTime }, sendNext));
}

/** Opens 1,000 connections of each of the kinds, prints what they cost together, and closes them. */
async function measure(pid: number, port: number, kinds: readonly Kind[]): Promise<void> {
  const before = await collectedMb(pid);
  // Each kind has an address of its own: no limit for one address is reached.
  const opened = kinds.flatMap((kind, at) =>
    Array.from({ length: SOCKETS }, () => open({ host: "127.0.0.1", port, localAddress: `127.0.1.${at + 1}` }, kind)),
  );
  const sockets = await Promise.all(opened);
  let highest = before;
  for (let waited = 0; waited < HOLD_MS; waited += 100) {
    await sleep(100);
    highest = Math.max(highest, residentMb(pid));
  }
  const isOpen = sockets.filter((socket) => !socket.destroyed).length;
  await untilIdle(pid);
  const cost = (await collectedMb(pid)) - before;
  const name = kinds.length > 1 ? "all kinds at the same time" : kinds[0]?.name;
  const added = `${cost.toFixed(1)} MB, at most ${(highest - before).toFixed(1)} MB above ${before.toFixed(0)} MB`;
  console.log(`${name}: ${added}; ${isOpen} open; answers: ${await answersOf(sockets)}`);
  for (const socket of sockets) socket.destroy();
  await sleep(1_000);
}

/** Reads for a second, and counts the first lines of the answers. */
async function answersOf(sockets: readonly Socket[]): Promise<string> {
  const counts = new Map<string, number>();
  for (const socket of sockets)
    socket.resume().once("data", (chunk: Buffer) => {
      const [line = ""] = String(chunk).split("\r\n", 1);
      counts.set(line, (counts.get(line) ?? 0) + 1);
      socket.pause();
    });
  await sleep(READ_MS);
  return [...counts].map(([line, count]) => `${count} × ${line}`).join(", ") || "none";
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.once("exit", () => reject(new Error(`Moraine has ended: ${text}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      text += String(chunk);
      const [, port] = /answers on http:\/\/[\d.]+:(\d+)/.exec(text) ?? [];
      if (port) resolve(Number(port));
    });
  });
}
