import { isObject } from "../../core/formats/json.ts";
import { type Answer, Refusal, resultOf } from "../answers.ts";
import { elementsOf } from "../json-text.ts";
import { type EvmCall, isHeadTag, numberOf, visibleBlock } from "./evm-call.ts";
import { hexOf } from "./evm-chain.ts";

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
}

/** One end of a block range: a height, the head, or "pending", which has its own rules. */
type Bound = number | "head" | "pending";

/** `eth_getLogs` with any range and filter, composed from the logs that were recorded block by block. */
export function logs(call: EvmCall): Answer {
  const [filter = {}] = call.params;
  if (!isObject(filter))
    throw new Refusal(-32602, "invalid argument 0: json: cannot unmarshal into Go value of type filters.input");
  const [first, last] = filter["blockHash"] ? blockOf(call, filter) : rangeOf(call, filter);
  const matches = matcherOf(filter);
  const texts: string[] = [];
  for (let height = first; height <= last; height += 1) texts.push(...logsAt(call, height).filter(matches));
  return resultOf(`[${texts.join()}]`);
}

function logsAt({ chain }: EvmCall, height: number): string[] {
  const range = { fromBlock: hexOf(height), toBlock: hexOf(height) };
  return elementsOf(chain.recorded("eth_getLogs", [range])?.text ?? "[]");
}

function blockOf(call: EvmCall, filter: Record<string, unknown>): [number, number] {
  if (filter["fromBlock"] || filter["toBlock"]) {
    const rule = "cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other";
    throw new Refusal(-32602, `invalid argument 0: ${rule}`);
  }
  const height = visibleBlock(call, String(filter["blockHash"]));
  if (height === undefined) throw new Refusal(-32000, "unknown block");
  return [height, height];
}

/** Checks in the order of the node (coreth `eth/filters`), so that the same error wins. */
function rangeOf({ head }: EvmCall, filter: Record<string, unknown>): [number, number] {
  const from = boundOf(filter["fromBlock"]);
  const to = boundOf(filter["toBlock"]);
  if (Number(from) > 0 && Number(to) > 0 && from > to) throw new Refusal(-32000, "invalid block range params");
  if (Number(from) > head) throw new Refusal(-32000, `requested from block ${from} after last accepted block ${head}`);
  if (Number(to) > head) throw new Refusal(-32000, `requested to block ${to} after last accepted block ${head}`);
  if (from === "pending") return pendingRange(to);
  const first = from === "head" ? head : from;
  const last = typeof to === "number" ? to : head;
  if (last < first) throw new Refusal(-32000, `begin block ${first} is greater than end block ${last}`);
  return [first, last];
}

/** The range of pending logs is always empty. */
function pendingRange(to: Bound): [number, number] {
  if (to !== "pending") throw new Refusal(-32000, "invalid block range params");
  return [0, -1];
}

function boundOf(value: unknown): Bound {
  if (value === undefined || value === null) return "head";
  if (value === "pending") return "pending";
  if (isHeadTag(value)) return "head";
  return value === "earliest" ? 0 : numberOf(value, 0);
}

function matcherOf({ address, topics }: Record<string, unknown>): (logText: string) => boolean {
  const addresses = alternatives(address);
  const wanted = Array.isArray(topics) ? topics.map(alternatives) : [];
  if (wanted.length > 4) throw new Refusal(-32000, "exceed max topics");
  if (addresses.length === 0 && wanted.length === 0) return () => true;
  return (logText) => {
    const log: Log = JSON.parse(logText);
    return (
      isAmong(addresses, log.address) &&
      wanted.length <= log.topics.length &&
      wanted.every((any, position) => isAmong(any, log.topics[position]))
    );
  };
}

/** One value or a list of values. Absent, null and a list with a null match everything. */
function alternatives(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.includes(null) ? [] : list.map((item) => String(item).toLowerCase());
}

function isAmong(any: readonly string[], value: string | undefined): boolean {
  return any.length === 0 || (value !== undefined && any.includes(value));
}
