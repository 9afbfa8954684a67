import { METHODS } from "../../rest-compat/node/rpc/methods.ts";
import type { Random } from "./random.ts";
import type { AttackRequest } from "./request.ts";
import { hostileText, hostileValue, jsonBytes, type KnownValues, mutated } from "./values.ts";

const PATHS = ["/ext/info", "/ext/info", "/ext/info", "/ext/health", "/ext/health"];
const OTHER_PATHS = [
  "/ext/health/liveness",
  "/ext/health/readiness?tag=a&tag=%ff",
  "/ext/health/health?tag=all",
  "/ext/bc/C/rpc",
  "/ext//info",
  "/ext/info/",
  "/ext/%69nfo",
  "/ext/../ext/info",
  "/ext/info?a=b",
  "/ext/",
  "/ext/%",
];
const IDS = [1, 0, -1, 1.5, "a", "", null, true, [], {}, 2 ** 60, "x".repeat(1_000), [[1]]];
const CONTENT_TYPES = [
  "application/json; charset=utf-16",
  "text/plain",
  "",
  "APPLICATION/JSON",
  "application/json;;",
  "a/b",
];

/** Makes requests of the node interface from its table of methods. */
export function createJsonRpcRequests(known: KnownValues): (random: Random) => AttackRequest {
  return (random) => {
    const isRpc = random.chance(0.9);
    const method = random.chance(0.95) === isRpc ? "POST" : random.pick(["GET", "PUT", "HEAD", "OPTIONS", "DELETE"]);
    const headers: Record<string, string> = {
      "content-type": random.chance(0.95) ? "application/json" : random.pick(CONTENT_TYPES),
    };
    if (random.chance(0.05)) headers["origin"] = random.pick(["null", "http://a", "\u00ff"]);
    if (random.chance(0.03)) headers["avalanche-api-route"] = "a";
    const body = method === "GET" || method === "HEAD" ? null : jsonBytes(envelope(random, known), random);
    return { dialect: "json-rpc", method, path: random.pick(isRpc ? PATHS : OTHER_PATHS), headers, body };
  };
}

function envelope(random: Random, known: KnownValues): unknown {
  if (random.chance(0.05)) return hostileValue(random, known);
  if (random.chance(0.03)) return Array.from({ length: random.pick([0, 1, 3, 500]) }, () => call(random, known));
  return call(random, known);
}

function call(random: Random, known: KnownValues): unknown {
  const { name, parameters } = random.pick(METHODS);
  const params = Object.fromEntries(
    parameters.filter(() => random.chance(0.8)).map(({ member }) => [member, argument(random, known)]),
  );
  const request: Record<string, unknown> = {
    jsonrpc: random.chance(0.95) ? "2.0" : hostileValue(random, known),
    id: random.chance(0.7) ? random.pick(IDS) : hostileValue(random, known),
    method: random.chance(0.9) ? name : random.chance(0.5) ? mutated(name, random) : hostileValue(random, known),
    params: random.chance(0.7) ? params : random.chance(0.5) ? [params] : hostileValue(random, known),
  };
  for (const member of Object.keys(request)) if (random.chance(0.04)) delete request[member];
  if (random.chance(0.05)) request[hostileText(random, [])] = hostileValue(random, known);
  return request;
}

function argument(random: Random, known: KnownValues): unknown {
  if (random.chance(0.5)) return hostileValue(random, known);
  if (random.chance(0.5)) return hostileText(random, known);
  return Array.from({ length: random.pick([0, 1, 3, 100, 5_001]) }, () => hostileText(random, known).slice(0, 100));
}
