import { type Answer, answerOf, notRecorded, Refusal, resultOf } from "../answers.ts";
import { isObject } from "../params-key.ts";
import type { Recording } from "../recording.ts";
import { hasBytes, toChecked, toUnchecked } from "./encodings.ts";
import { INDEX_METHODS } from "./index-methods.ts";
import { composeInfo, INVALID_PARAMS } from "./info-methods.ts";
import { type Horizon, seenFrom } from "./visible-blocks.ts";

type Params = Record<string, unknown>;

/** What a node says of things that it does not have, by method; the words are those of avalanchego v1.14.2. */
const UNKNOWN = new Map<string, (params: Params) => Answer>([
  ["platform.getBlockByHeight", ({ height }) => refuse(`couldn't get block at height ${height ?? 0}: not found`)],
  ["avm.getBlockByHeight", ({ height }) => refuse(`couldn't get block at height ${height ?? 0}: not found`)],
  ["platform.getBlock", ({ blockID }) => refuse(`couldn't get block with id ${blockID}: not found`)],
  ["avm.getBlock", ({ blockID }) => refuse(`couldn't get block with id ${blockID}: not found`)],
  ["platform.getTx", () => refuse("couldn't get tx: not found")],
  ["avm.getTx", () => refuse("not found")],
  ["avax.getAtomicTx", ({ txID }) => refuse(`could not find tx ${txID}`)],
  ["platform.getTxStatus", () => resultOf('{"status":"Unknown"}')],
  ["avm.getTxStatus", () => resultOf('{"status":"Unknown"}')],
  ["avax.getAtomicTxStatus", () => resultOf('{"status":"Unknown"}')],
  ["platform.getRewardUTXOs", () => resultOf('{"numFetched":"0","utxos":[],"encoding":"hex"}')],
  [
    "info.isBootstrapped",
    ({ chain }) => refuse(chain ? `there is no chain with alias/ID '${chain}'` : "argument 'chain' not given"),
  ],
  ["info.getBlockchainID", ({ alias }) => refuse(`there is no ID with alias: ${alias ?? ""}`)],
]);

/** A call of the node's own APIs: info, health, index, platform, avm, avax, proposervm. */
export interface AvalancheCall {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
  /** Null where all that was recorded is visible. */
  readonly horizon: Horizon | null;
}

/** What the node says to it. */
export function answerAvalanche(recording: Recording, call: AvalancheCall): Answer {
  const { path, method, params, horizon } = call;
  const seen = horizon && seenFrom(horizon, method, paramsOf(params));
  if (seen && seen !== "hidden") return seen;
  // Of an index that shows less, every answer is another.
  const isHidden = seen === "hidden" || (horizon !== null && path.startsWith("/ext/index/"));
  const known = isHidden
    ? undefined
    : (recording.answer(path, method, params) ?? inOtherEncoding(recording, path, method, params));
  return known ?? answerOf(() => composed(recording, call), { data: null });
}

function composed(recording: Recording, { path, method, params, horizon }: AvalancheCall): Answer {
  if (!speaksOf(recording, path, method)) throw unknownMethod(recording, path, method);
  if (!isNamed(params)) refuse(INVALID_PARAMS);
  const named = paramsOf(params);
  const compose = INDEX_METHODS.get(method);
  if (compose)
    return inEncoding(named["encoding"], compose({ recording, path, params: named, length: horizon?.head ?? null }));
  const info = composeInfo(recording, method, named);
  if (info) return info;
  if (method === "platform.getCurrentValidators") return validatorsOf(recording, path, named);
  const unknown = UNKNOWN.get(method);
  if (!unknown) throw notRecorded(method, params);
  return unknown(named);
}

/** Those of the recorded validators that are asked for, in the order of the record. */
function validatorsOf(recording: Recording, path: string, params: Params): Answer {
  const { nodeIDs, ...others } = params;
  const asked = new Set<unknown>(Array.isArray(nodeIDs) ? nodeIDs : []);
  const all = asked.size > 0 ? recording.answer(path, "platform.getCurrentValidators", others) : undefined;
  if (!all || all.kind === "error") throw notRecorded("platform.getCurrentValidators", params);
  const { validators } = JSON.parse(all.text) as { readonly validators: readonly { readonly nodeID: string }[] };
  return resultOf(JSON.stringify({ validators: validators.filter(({ nodeID }) => asked.has(nodeID)) }));
}

/** Only one or two encodings of most things are recorded, and hex differs from hexnc by its checksum alone. */
function inOtherEncoding(recording: Recording, path: string, method: string, params: unknown): Answer | undefined {
  const named = paramsOf(params);
  const { encoding = "hex" } = named;
  const other = encoding === "hexnc" ? "hex" : "hexnc";
  const answer = recording.answer(path, method, { ...named, encoding: other });
  if (!answer || !hasBytes(answer) || !["hex", "hexc", "hexnc"].includes(String(encoding))) return undefined;
  return other === "hex" ? toUnchecked(answer) : toChecked(answer);
}

function inEncoding(encoding: unknown, answer: Answer): Answer {
  return encoding === "hexnc" ? toUnchecked(answer) : answer;
}

/** An index that is empty was asked for its last container only, but has all the methods. */
function speaksOf(recording: Recording, path: string, method: string): boolean {
  return recording.knows(path, method) || (path.startsWith("/ext/index/") && INDEX_METHODS.has(method));
}

/** Go's RPC server upper-cases the first letter of the method before it looks for it. */
function unknownMethod(recording: Recording, path: string, method: string): Refusal {
  const [service = "", name = "", ...more] = method.split(".");
  const spelled = `${service}.${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  if (name === "" || more.length > 0) return new Refusal(-32000, `rpc: service/method request ill-formed: "${method}"`);
  if (/^[A-Z]/.test(name)) return new Refusal(-32000, "method must start with a non-uppercase letter");
  const isService = recording.methods(path).some((known) => known.startsWith(`${service}.`));
  return new Refusal(-32000, `rpc: can't find ${isService ? "method" : "service"} "${spelled}"`);
}

/** Params by name, alone or as the first element of a list; none at all will do too. */
function isNamed(params: unknown): boolean {
  const named = Array.isArray(params) ? params[0] : params;
  return named === undefined || named === null || isObject(named);
}

function paramsOf(params: unknown): Params {
  const named = Array.isArray(params) ? params[0] : params;
  return isObject(named) ? named : {};
}

function refuse(message: string): never {
  throw new Refusal(-32000, message);
}
