import {
  failure,
  heightOf,
  hex,
  isHex,
  isJson,
  type Json,
  listOf,
  logsIn,
  type Params,
  type RpcAnswer,
} from "./rpc-answers.ts";

/**
 * Returns the answer to send instead. If it returns the same object, the node's text is sent as it is. `path` is the
 * path of the request.
 */
export type Rewrite = (method: string, params: Params, answer: RpcAnswer, path: string) => RpcAnswer;

/** Changes requests to the node, its answers, or both. */
export interface Fault {
  readonly ask?: (method: string, params: Params) => Params;
  readonly answer: Rewrite;
}

/** How the node answers for data that it does not have: with an error or with null. */
export type Style = "error" | "null";

const NOWHERE = `0x${"bad0".repeat(16)}`;
const TAGS = ["latest", "pending", "safe", "finalized", "accepted"];
const UNFINALIZED = failure(-32000, "cannot query unfinalized data");
const PRUNED = failure(-32000, "missing trie node");
const NULL: RpcAnswer = { result: null };
const TRACES = "debug_traceBlockByNumber";

/** Wrong answers of an EVM chain's node; `height` is the block that they concern. Several can be combined. */
export const FAULTS = {
  /** The block at `height` has the hash of a parent that does not exist, as after a fork. */
  wrongParentHash: (height: number) => ofBlock(height, (block) => ({ ...block, parentHash: NOWHERE })),
  /** The answer for block `height` has the number of the next block. */
  otherNumber: (height: number) => ofBlock(height, (block) => ({ ...block, number: hex(height + 1) })),
  // The list of `eth_getBlockReceipts` is wrong; the node's single receipts are right.
  /** The last receipt is missing. */
  receiptsMissingOne: (height: number) => ofReceipts(height, (receipts) => receipts.slice(0, -1)),
  receiptsEmpty: (height: number) => ofReceipts(height, () => []),
  receiptsNull: (height: number) => ofReceipts(height, () => null),
  /** The last receipt is there twice. */
  receiptsOneTooMany: (height: number) => ofReceipts(height, (receipts) => [...receipts, ...receipts.slice(-1)]),
  /** The first receipt is in the place of each other one. */
  receiptsDuplicated: (height: number) => ofReceipts(height, (receipts) => receipts.map(() => receipts[0] ?? {})),
  receiptsReversed: (height: number) => ofReceipts(height, (receipts) => receipts.toReversed()),
  receiptsWithNull: (height: number) => ofReceipts(height, ([_first, ...others]) => [null, ...others]),
  /** All receipts and their logs belong to another block than the requested one. */
  receiptsOfAnotherBlock: (height: number) =>
    ofReceipts(height, (receipts) =>
      receipts.map((receipt) => ({ ...moved(receipt), logs: logsIn(receipt).map(moved) })),
    ),
  /** Each single receipt belongs to another block. */
  singleReceiptsOfAnotherBlock: (height: number): Fault => ({
    answer: (method, params, answer) => {
      const isIt = method === "eth_getTransactionReceipt" && heightOf(method, params, answer) === height;
      return isIt && "result" in answer && isJson(answer.result) ? { result: moved(answer.result) } : answer;
    },
  }),
  /** Logs have another block hash at the same height, in `eth_getLogs` and in receipts. */
  logsOfAnotherBlock: (height: number) => ofLogs(height, (log) => ({ ...log, blockHash: NOWHERE })),
  logsOfAnotherTransaction: (height: number) => ofLogs(height, (log) => ({ ...log, transactionHash: NOWHERE })),
  /** The index of every log after the first is one too high; the block must have at least two logs. */
  logIndexGap: (height: number) =>
    ofLogs(height, (log) => (log["logIndex"] === "0x0" ? log : { ...log, logIndex: hex(Number(log["logIndex"]) + 1) })),
  /** The last call tree is missing. */
  tracesMissingOne: (height: number) => ofTraces(height, (traces) => traces.slice(0, -1)),
  tracesNull: (height: number) => ofTraces(height, () => null),
  /** The answer has the call trees of the next block. */
  tracesOfAnotherBlock: (height: number): Fault => ({
    ask: (method, params) =>
      method === TRACES && params[0] === hex(height) ? [hex(height + 1), ...params.slice(1)] : params,
    answer: (_method, _params, answer) => answer,
  }),
  /** The call trees are in reverse order. */
  tracesReversed: (height: number) => ofTraces(height, (traces) => traces.toReversed()),
  tracesOfAnotherTransaction: (height: number) =>
    ofTraces(height, (traces) => traces.map((trace, i) => ({ ...trace, result: traces.at(-1 - i)?.["result"] }))),
  /** The outermost frame of the first call tree has these members in addition. */
  traceWith: (height: number, members: Json) =>
    ofTraces(height, ([first, ...rest]) => [
      { ...first, result: { ...(first?.["result"] as Json | undefined), ...members } },
      ...rest,
    ]),
  /** The node lags behind: its head is `height`, and it has no later data. */
  frozenHead: (height: number, style: Style = "error"): Fault => ({
    ask: (method, params) => withoutTags(method, params, height),
    answer: (method, params, answer) => {
      if (method === "eth_blockNumber") return { result: hex(height) };
      if (method === "eth_getLogs")
        return logsWithin(params, answer, style, beyond(params, height), (at) => at <= height);
      const isHidden = (heightOf(method, params, answer) ?? height) > height;
      return isHidden ? (style === "error" && isErrorAboveHead(method, params) ? UNFINALIZED : NULL) : answer;
    },
  }),
  /** The node has pruned all data below `height`. */
  pruned: (height: number, style: Style = "error"): Fault => ({
    answer: (method, params, answer) => {
      if (method === "eth_getLogs") return logsWithin(params, answer, style, PRUNED, (at) => at >= height);
      const isGone = (heightOf(method, params, answer) ?? height) < height;
      return isGone ? (style === "error" ? PRUNED : NULL) : answer;
    },
  }),
  /** The node refuses a method for one block, with this error. */
  refused: (refused: string, height: number, code = -32000, message = "internal error"): Fault => ({
    answer: (method, params, answer) =>
      method === refused && params[0] === hex(height) ? failure(code, message) : answer,
  }),
  /** The answers have other hashes in place of these ones; those for other blocks than `height` are right, if it is given. */
  otherHashes: (hashes: ReadonlyMap<string, string>, height?: number): Fault => ({
    answer: (method, params, answer) => {
      if (height !== undefined && heightOf(method, params, answer) !== height) return answer;
      const text = JSON.stringify(answer);
      const changed = text.replace(/0x[0-9a-f]{64}/g, (hash) => hashes.get(hash) ?? hash);
      return changed === text ? answer : JSON.parse(changed);
    },
  }),
  /** The node does not offer this method. */
  methodMissing: (missing: string): Fault => ({
    answer: (method, _params, answer) =>
      method === missing ? failure(-32601, `the method ${method} does not exist/is not available`) : answer,
  }),
} as const;

function ofBlock(height: number, change: (block: Json) => Json): Fault {
  return {
    answer: (method, params, answer) => {
      const isIt = method.startsWith("eth_getBlockBy") && heightOf(method, params, answer) === height;
      return isIt && "result" in answer && isJson(answer.result) ? { result: change(answer.result) } : answer;
    },
  };
}

function ofReceipts(height: number, change: (receipts: Json[]) => (Json | null)[] | null): Fault {
  return {
    answer: (method, params, answer) => {
      const isIt = method === "eth_getBlockReceipts" && heightOf(method, params, answer) === height;
      return isIt && "result" in answer ? { result: change(listOf(answer)) } : answer;
    },
  };
}

function ofTraces(height: number, change: (traces: Json[]) => Json[] | null): Fault {
  return {
    answer: (method, params, answer) => {
      const isIt = method === TRACES && heightOf(method, params, answer) === height;
      return isIt && "result" in answer ? { result: change(listOf(answer)) } : answer;
    },
  };
}

function ofLogs(height: number, change: (log: Json) => Json): Fault {
  const changed = (log: Json): Json => (log["blockNumber"] === hex(height) ? change(log) : log);
  const inReceipt = (receipt: Json): Json => ({ ...receipt, logs: logsIn(receipt).map(changed) });
  return {
    answer: (method, params, answer) => {
      if (method === "eth_getLogs" && "result" in answer) return { result: listOf(answer).map(changed) };
      if (heightOf(method, params, answer) !== height || !("result" in answer)) return answer;
      if (method === "eth_getBlockReceipts") return { result: listOf(answer).map(inReceipt) };
      const isReceipt = method === "eth_getTransactionReceipt" && isJson(answer.result);
      return isReceipt ? { result: inReceipt(answer.result as Json) } : answer;
    },
  };
}

/**
 * With the style `error`, the error if the range includes a block that the node does not have; otherwise only the logs that it has.
 */
function logsWithin(
  params: Params,
  answer: RpcAnswer,
  style: Style,
  error: RpcAnswer,
  isInside: (at: number) => boolean,
): RpcAnswer {
  const { fromBlock, toBlock } = isJson(params[0]) ? params[0] : {};
  const bounds = [fromBlock, toBlock, ...listOf(answer).map((log) => log["blockNumber"])];
  const isOutside = bounds.some((bound) => isHex(bound) && !isInside(Number(bound)));
  if (style === "error") return isOutside ? error : answer;
  return { result: listOf(answer).filter((log) => isInside(Number(log["blockNumber"]))) };
}

function withoutTags(method: string, params: Params, height: number): Params {
  const placed = (value: unknown): unknown => (TAGS.includes(String(value)) ? hex(height) : value);
  const [filter] = params;
  if (method !== "eth_getLogs" || !isJson(filter) || filter["blockHash"]) return params.map(placed);
  return [
    { ...filter, fromBlock: placed(filter["fromBlock"] ?? "latest"), toBlock: placed(filter["toBlock"] ?? "latest") },
  ];
}

/** The error of a node for logs above its head. */
function beyond([filter]: Params, height: number): RpcAnswer {
  const { blockHash, toBlock } = isJson(filter) ? filter : {};
  const message = `requested to block ${Number(toBlock)} after last accepted block ${height}`;
  return failure(-32000, blockHash ? "unknown block" : message);
}

/** True for calls that Avalanche nodes answer with an error above their head; they answer all others with null. */
function isErrorAboveHead(method: string, params: Params): boolean {
  return method !== "eth_getBlockReceipts" && params.some((param) => isHex(param) && param.length < 20);
}

function moved(subject: Json): Json {
  return { ...subject, blockHash: NOWHERE, blockNumber: hex(Number(subject["blockNumber"]) + 1) };
}
