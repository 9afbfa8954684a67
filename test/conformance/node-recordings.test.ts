import { type NodeCall, openWire, recordedCalls, type WireResponse } from "../support/node-http/node-http.ts";
import { comparedLines, reportForm, steadyPeers, withBody } from "../support/node-http/node-http-compare.ts";
import { type NodeStack, startNodeStack } from "../support/node-http/node-http-stack.ts";

/** An allowed difference between Moraine's and the node's answer, with the reason. */
interface Difference {
  readonly reason: string;
  of(call: NodeCall): boolean;
  /** The node's answer without the difference; null if the answers are not compared. Default: unchanged. */
  recorded?(response: WireResponse): WireResponse | null;
  /** The compared part of both answers. Default: all. */
  both?(response: WireResponse): WireResponse;
}

const ALL = recordedCalls();
const SWITCHED_OFF = "switched-off-usual";
const named =
  (...names: readonly string[]) =>
  ({ name }: NodeCall): boolean =>
    names.includes(name);

/** Answers of Go's HTTP server instead of the node's handlers. */
const refused = (status: number, reason: string) => (): WireResponse => ({
  version: "HTTP/1.1",
  status,
  reason,
  framing: "close",
  headers: [
    ["Content-Type", "text/plain; charset=utf-8"],
    ["Connection", "close"],
  ],
  body: Buffer.from(`${status} ${reason}`),
});

const unknownPath = (response: WireResponse): WireResponse => ({
  version: response.version,
  status: 404,
  reason: "Not Found",
  framing: "length",
  headers: [
    ["Content-Type", "text/plain; charset=utf-8"],
    ...response.headers.filter(([name]) => name === "Node-Id"),
    ["Vary", "Origin"],
    ["X-Content-Type-Options", "nosniff"],
    ["Date", ""],
    ["Content-Length", "19"],
    ["Connection", "close"],
  ],
  body: Buffer.from("404 page not found\n"),
});

const DIFFERENCES: readonly Difference[] = [
  {
    reason: "Moraine runs checks of its own; shape, status and selection are the node's",
    of: ({ response }) => /^(\{"checks":\{"|\{"jsonrpc":"2.0","result":\{"checks":\{")/.test(textOf(response)),
    both: reportForm,
  },
  {
    reason: "the same by HEAD: only the length says something of the body",
    of: ({ verb, path }) => verb === "HEAD" && /^\/ext\/health\/(health|readiness)$/.test(path),
    both: (response) => withBody(response, ""),
  },
  {
    reason: "peers have sent and received since, in ports and shares that change",
    of: ({ response }) => textOf(response).startsWith('{"jsonrpc":"2.0","result":{"numPeers":'),
    both: steadyPeers,
  },
  {
    reason: "other interfaces of a node are not served: its paths are those of a node with them switched off",
    of: ({ path, file }) => /^\/ext\/(bc\/[PXC](\/rpc)?|P)$/.test(path) && file !== SWITCHED_OFF,
    recorded: unknownPath,
  },
  {
    reason: "what is not below /ext is of other interfaces",
    of: ({ path }) => ["/", "/health", "/healthz", "/v1/info", "/EXT/info", "*"].includes(path),
    recorded: () => null,
  },
  {
    reason: "the node interface cannot be switched off by halves",
    of: ({ file }) => file === SWITCHED_OFF,
    recorded: () => null,
  },
  {
    reason: "nothing listened, or not yet: there is no answer to compare",
    of: ({ file, response }) => response === null && file.startsWith("health-"),
    recorded: () => null,
  },
  {
    reason: "Node's parser knows a list of methods, to which these do not belong",
    of: ({ verb }) => ["FOO", "post"].includes(verb),
    recorded: refused(400, "Bad Request"),
  },
  {
    reason: "Node's server always writes HTTP/1.1, which old clients are to take (RFC 9110, 2.5)",
    of: ({ response }) => response?.version === "HTTP/1.0",
    recorded: (response) => ({ ...response, version: "HTTP/1.1" }),
  },
  {
    reason: "Node's parser knows no HTTP/1.2",
    of: named("HTTP/1.2 version"),
    recorded: refused(505, "HTTP Version Not Supported: unsupported protocol version"),
  },
  {
    reason: "Node's parser refuses a body of two lengths: proxies may be tricked by it",
    of: named("chunked body with content-length too"),
    recorded: refused(400, "Bad Request"),
  },
  {
    reason: "Node's parser takes 16 KiB of headers",
    of: named("header of 40 KB"),
    recorded: refused(431, "Request Header Fields Too Large"),
  },
  {
    reason: "HTTP/2 is not spoken: the request is answered as it is, which a server may do (RFC 9110, 7.8)",
    of: named("h2c upgrade"),
    recorded: () => null,
  },
];

function textOf(response: WireResponse | null): string {
  return response?.body.toString("latin1") ?? "";
}

/** Differences that occur in at least one call. */
const used = new Set<Difference>();

interface Compared {
  readonly node: string[] | null;
  readonly ours: string[] | null;
}

/** The compared parts of the node's and Moraine's answer if they differ; null if they are equal. */
function compared(call: NodeCall, ours: WireResponse | null): Compared | null {
  const differences = DIFFERENCES.filter((difference) => difference.of(call));
  for (const difference of differences) {
    const others = differences.filter((other) => other !== difference);
    if (comparedBut(others, call, ours) !== null) used.add(difference);
  }
  return comparedBut(differences, call, ours);
}

function comparedBut(
  differences: readonly Difference[],
  { response }: NodeCall,
  ours: WireResponse | null,
): Compared | null {
  let node = response;
  for (const { recorded } of differences) {
    if (!recorded) continue;
    node = node && recorded(node);
    if (node === null) return null;
  }
  const seen = (answer: WireResponse | null) =>
    answer && comparedLines(differences.reduce((so, { both }) => both?.(so) ?? so, answer));
  const found = { node: seen(node), ours: seen(ours) };
  return JSON.stringify(found.node) === JSON.stringify(found.ours) ? null : found;
}

/**
 * Sends the calls of each connection one after the other, and those of different connections concurrently. Returns the calls
 * whose answers differ.
 */
async function replay(stack: NodeStack, calls: readonly NodeCall[]): Promise<unknown[]> {
  const wrong: unknown[] = [];
  const connections = [...groupedBy(calls, (call) => call.connection ?? call).values()];
  const next = async (): Promise<void> => {
    for (let connection = connections.shift(); connection; connection = connections.shift()) {
      using wire = openWire(stack.port);
      for (const call of connection) {
        const found = compared(call, await wire.exchange(call.bytes, call.verb));
        if (found) wrong.push({ call: `${call.file}: ${call.name}`, ...found });
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, next));
  return wrong;
}

/** Files of calls by the node's state, which differs for each. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  usual: ["usual", "info-params", "info-casing", "health-get", "health-rpc"],
  "usual, later": ["info-arguments", "transport"],
  bootstrapping: ["bootstrapping-usual", "bootstrapping-health-rpc"],
  outage: ["outage-usual", "outage-health-get", "outage-health-rpc"],
  alone: ["alone-usual", "alone-health-get", "alone-health-rpc"],
  "no peers": ["no-peers-usual"],
  "not a validator": ["not-a-validator-usual"],
  "switched off": ["switched-off-usual"],
  "shutting down": ["shutdown-usual"],
  "a chain failed": ["chain-failed-usual", "chain-failed-health-get", "chain-failed-health-rpc"],
  "with an L1": ["with-l1-usual", "with-l1-info-arguments", "with-l1-health-get", "with-l1-health-rpc"],
};

/** Files with a sequence of health reports; each call is sent at the recorded state of health. */
const COURSES = [...ALL.keys()].filter((file) => /^health-(?!get|rpc)/.test(file));

/** Recorded states of a healthy, an unhealthy, and an unready node. */
const OF_COURSES = ["usual", "alone", "bootstrapping"];

const callsOf = (files: readonly string[]): NodeCall[] => files.flatMap((file) => ALL.get(file) ?? []);

function isReady(calls: readonly NodeCall[]): boolean {
  const readiness = calls.find(({ verb, path }) => verb === "GET" && path === "/ext/health/readiness");
  return readiness?.response?.status !== 503;
}

describe("Moraine answers byte for byte as real nodes did:", () => {
  it("sends every recorded request", () => {
    expect([...Object.values(STATES).flat(), ...COURSES].sort()).toEqual([...ALL.keys()].sort());
  });

  const kept = new Map<string, NodeStack>();
  const stackOf = async (state: string): Promise<NodeStack> => {
    const calls = callsOf(STATES[state] ?? []);
    const known = state === "usual, later" ? [...calls, ...callsOf(["usual"])] : calls;
    const stack = kept.get(state) ?? (await startNodeStack({ calls: known, isReady: isReady(calls) }));
    kept.set(state, stack);
    return stack;
  };
  afterEach(async () => {
    for (const [state, stack] of kept) {
      if (OF_COURSES.includes(state)) continue;
      kept.delete(state);
      await stack[Symbol.asyncDispose]();
    }
  });
  afterAll(async () => {
    for (const stack of kept.values()) await stack[Symbol.asyncDispose]();
  });

  it.each(Object.keys(STATES))("%s", async (state) => {
    expect(await replay(await stackOf(state), callsOf(STATES[state] ?? []))).toEqual([]);
  });

  it("the sequence of a node's health reports", async () => {
    const isBad = ({ response }: NodeCall) => textOf(response).includes('"healthy":false');
    const isReadiness = ({ path, requestBody }: NodeCall) => /readiness/.test(path + requestBody);
    const [healthy = "", unhealthy = "", starting = ""] = OF_COURSES;
    const where = (call: NodeCall) => (isBad(call) ? (isReadiness(call) ? starting : unhealthy) : healthy);
    for (const [state, calls] of groupedBy(callsOf(COURSES), where)) {
      const stack = await stackOf(state);
      const same = calls.map((call) => ({ ...call, response: call.response && asOf(call.response, stack) }));
      expect(await replay(stack, same)).toEqual([]);
    }
  });

  it("each allowed difference occurs", () => {
    expect(DIFFERENCES.filter((difference) => !used.has(difference)).map(({ reason }) => reason)).toEqual([]);
  });
});

function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** A response with the node id of the stack's node. */
function asOf(response: WireResponse, { node }: NodeStack): WireResponse {
  const headers = response.headers.map(([name, value]) => [name, name === "Node-Id" ? node.nodeId : value] as const);
  return { ...response, headers };
}
