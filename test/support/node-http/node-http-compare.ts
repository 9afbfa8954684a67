import type { WireResponse } from "./node-http.ts";

/** The compared parts of a response, as lines. The date is not compared. */
export function comparedLines(response: WireResponse): string[] {
  const { version, status, reason, headers, framing, body } = response;
  const lines = headers.map(([name, value]) => `${name}: ${name === "Date" ? "…" : value}`);
  return [`${version} ${status} ${reason}`, ...lines, `(${framing})`, body.toString("latin1")];
}

/** The same response with another body and its length. */
export function withBody(response: WireResponse, text: string): WireResponse {
  return { ...withoutLength(response), body: Buffer.from(text) };
}

/** The response without the headers that depend on the length of the body. */
export function withoutLength(response: WireResponse): WireResponse {
  const headers = response.headers.filter(([name]) => !/^(content-length|transfer-encoding|connection)$/i.test(name));
  return { ...response, headers, framing: "" };
}

/** Peers without fields that change from call to call, sorted, because nodes list them in random order. */
export function steadyPeers(response: WireResponse): WireResponse {
  const { result, ...rest } = JSON.parse(response.body.toString()) as { result: { peers: Peer[] } };
  const peers = result.peers.map((peer) => ({ ...peer, ...CHANGING, trackedSubnets: [...peer.trackedSubnets].sort() }));
  const ordered = new Set(peers.map(({ nodeID }) => nodeID)).size === peers.length && peers.length > 2;
  if (ordered) peers.sort((one, other) => (one.nodeID < other.nodeID ? -1 : 1));
  return withBody(response, JSON.stringify({ ...rest, result: { ...result, peers } }));
}

interface Peer {
  readonly nodeID: string;
  readonly trackedSubnets: readonly string[];
}

const CHANGING = { ip: "…", lastSent: "…", lastReceived: "…", observedUptime: "…" };

/** Names of checks that a node and Moraine both have. */
const SHARED = ["bootstrapped", "database", "diskspace", "network", "router", "P"];
const CHECK_MEMBERS = ["message", "error", "timestamp", "duration", "contiguousFailures", "timeOfFirstFailure"];

interface Report {
  readonly checks: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly healthy: boolean;
}

/**
 * A summary of a health report: its members, whether it is healthy, which kinds of checks it has, and errors in their
 * form.
 */
export function reportForm(response: WireResponse): WireResponse {
  if (!response.body.toString().startsWith("{")) return response;
  const { result, ...envelope } = JSON.parse(response.body.toString()) as { readonly result?: Report } & Report;
  const report = result ?? envelope;
  const names = Object.keys(report.checks);
  const form = {
    members: Object.keys(report),
    healthy: report.healthy,
    shared: SHARED.filter((name) => names.includes(name)),
    isSorted: [...names].sort().join() === names.join(),
    wrong: Object.entries(report.checks).flatMap(([name, check]) => wrongOf(name, check)),
    envelope: result ? envelope : null,
  };
  return withBody(response, JSON.stringify(form));
}

function wrongOf(name: string, check: Readonly<Record<string, unknown>>): string[] {
  const members = Object.keys(check);
  const known = CHECK_MEMBERS.filter((member) => members.includes(member));
  const { error, timestamp, duration, contiguousFailures, timeOfFirstFailure } = check;
  const rules = {
    "has members of its own": known.join() !== members.join(),
    "lacks what is always there": typeof timestamp !== "string" || !Number.isSafeInteger(duration),
    "counts without failing": error === undefined && (contiguousFailures ?? timeOfFirstFailure) !== undefined,
    "fails without counting": error !== undefined && error !== "not yet run" && !(Number(contiguousFailures) >= 1),
  };
  return Object.entries(rules).flatMap(([rule, isBroken]) => (isBroken ? [`${name} ${rule}`] : []));
}
