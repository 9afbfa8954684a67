import { isObject } from "../../core/formats/json.ts";
import { type Answer, answerOf, notRecorded, Refusal, resultOf } from "../answers.ts";
import type { Recording } from "../recording.ts";
import { hasBytes, toChecked, toUnchecked } from "./encodings.ts";
import { INDEX_METHODS } from "./index-methods.ts";
import { composeInfo, INVALID_PARAMS } from "./info-methods.ts";
import { answerFromVisible, type VisibleBlocks } from "./visible-blocks.ts";

type Params = Record<string, unknown>;

/** Answers of avalanchego v1.14.2 for blocks, transactions and chains that it does not have, by method. */
const ANSWERS_FOR_UNKNOWN = new Map<string, (params: Params) => Answer>([
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

/** A call to one of avalanchego's own APIs: info, health, index, platform, avm, avax, proposervm. */
export interface AvalancheCall {
  readonly path: string;
  readonly method: string;
  readonly params: unknown;
  /** Null if all recorded blocks are visible. */
  readonly visible: VisibleBlocks | null;
}

/** The node's answer: as recorded, or composed from recorded answers. */
export function answerAvalanche(recording: Recording, call: AvalancheCall): Answer {
  const { path, method, params, visible } = call;
  const limited = visible && answerFromVisible(visible, method, paramsOf(params));
  if (limited && limited !== "hidden") return limited;
  // While blocks are hidden, every answer of an index differs from the recorded one.
  const isHidden = limited === "hidden" || (visible !== null && path.startsWith("/ext/index/"));
  const known = isHidden
    ? undefined
    : (recording.answer(path, method, params) ?? inOtherEncoding(recording, path, method, params));
  return known ?? answerOf(() => composed(recording, call), { data: null });
}

function composed(recording: Recording, { path, method, params, visible }: AvalancheCall): Answer {
  if (!hasMethod(recording, path, method)) throw unknownMethod(recording, path, method);
  if (!isNamed(params)) refuse(INVALID_PARAMS);
  const named = paramsOf(params);
  const compose = INDEX_METHODS.get(method);
  if (compose)
    return inEncoding(named["encoding"], compose({ recording, path, params: named, length: visible?.head ?? null }));
  const info = composeInfo(recording, method, named);
  if (info) return info;
  if (method === "platform.getCurrentValidators") return validatorsOf(recording, path, named);
  const unknown = ANSWERS_FOR_UNKNOWN.get(method);
  if (!unknown) throw notRecorded(method, params);
  return unknown(named);
}

/** The recorded validators with the requested node ids, in recorded order. */
function validatorsOf(recording: Recording, path: string, params: Params): Answer {
  const { nodeIDs, ...others } = params;
  const asked = new Set<unknown>(Array.isArray(nodeIDs) ? nodeIDs : []);
  const all = asked.size > 0 ? recording.answer(path, "platform.getCurrentValidators", others) : undefined;
  if (!all || all.kind === "error") throw notRecorded("platform.getCurrentValidators", params);
  const { validators } = JSON.parse(all.text) as { readonly validators: readonly { readonly nodeID: string }[] };
  return resultOf(JSON.stringify({ validators: validators.filter(({ nodeID }) => asked.has(nodeID)) }));
}

/** Most answers are recorded in only one or two encodings. `hex` and `hexnc` differ only by the checksum. */
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

/** An empty index was recorded with one method only, but has all methods of the index API. */
function hasMethod(recording: Recording, path: string, method: string): boolean {
  return recording.knows(path, method) || (path.startsWith("/ext/index/") && INDEX_METHODS.has(method));
}

/** The error for an unknown method. avalanchego's RPC server capitalises the method's first letter before it looks it up. */
function unknownMethod(recording: Recording, path: string, method: string): Refusal {
  const [service = "", name = "", ...more] = method.split(".");
  const spelled = `${service}.${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  if (name === "" || more.length > 0) return new Refusal(-32000, `rpc: service/method request ill-formed: "${method}"`);
  if (/^[A-Z]/.test(name)) return new Refusal(-32000, "method must start with a non-uppercase letter");
  const isService = recording.methods(path).some((known) => known.startsWith(`${service}.`));
  return new Refusal(-32000, `rpc: can't find ${isService ? "method" : "service"} "${spelled}"`);
}

/** True for parameters by name, alone or as the first element of a list, and for absent parameters. */
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
