import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { Fault } from "./faults.ts";
import { failure, isJson, type Json, type Params, type RpcAnswer } from "./rpc-answers.ts";

/** Position of the parent's id in a P-Chain block since Banff and in an X-Chain block, in hex digits. */
const PARENT_AT = { P: 2 * 14, X: 2 * 6 } as const;
const INDEX = {
  P: "/ext/index/P/block",
  X: "/ext/index/X/block",
  C: "/ext/index/C/block",
  vertices: "/ext/index/X/vtx",
} as const;

type Chain = "P" | "X";
type Index = keyof typeof INDEX;

/** Wrong answers about a primary network. */
export const PRIMARY_FAULTS = {
  /** The block at `height`, requested by height, has another parent. */
  wrongParent: (chain: Chain, height: number) =>
    ofBlock(chain, height, (hex) => overwritten(hex, PARENT_AT[chain], "bad0".repeat(16))),
  /** The block at `height`, requested by height, lacks its last bytes. */
  truncatedBlock: (chain: Chain, height: number) => ofBlock(chain, height, (hex) => hex.slice(0, -20)),
  /** Two bytes of a container differ, so its checksum is wrong. */
  damagedContainer: (index: Index, place: number) =>
    ofContainer(index, place, (one) => ({ ...one, bytes: overwritten(String(one["bytes"]), 100, "f00d") })),
  /** A container has another parent, a valid checksum and its old id. */
  tamperedContainer: (index: Index, place: number) =>
    ofContainer(index, place, (one) => ({
      ...one,
      bytes: rechecked(overwritten(String(one["bytes"]), 2 + 2 * 6, "bad0".repeat(16))),
    })),
  /** A container lacks its last bytes; checksum and id match the rest. */
  truncatedContainer: (index: Index, place: number) =>
    ofContainer(index, place, (one) => {
      const bytes = rechecked(String(one["bytes"]).slice(0, -20));
      return { ...one, bytes, id: formatId(sha256(Buffer.from(bytes.slice(2, -8), "hex"))) };
    }),
  /** The next container is listed before this one. */
  swappedContainers: (index: Index, place: number): Fault =>
    ofContainers(index, (containers, start) => {
      const [one, next] = [containers[place - start], containers[place + 1 - start]];
      return containers.map((container, i) => {
        const other = start + i === place ? next : start + i === place + 1 ? one : undefined;
        return other ? { ...other, index: container["index"] } : container;
      });
    }),
  /**
   * Ranges of the index lack a container. The index is reported as shorter only if that is the last one: an indexer that reads its length
   * just before the fault ends would otherwise not ask for the last one.
   */
  missingContainer: (index: Index, place: number): Fault => ({
    answer: (method, params, answer, path) => {
      if (path !== INDEX[index]) return answer;
      if (method === "index.getLastAccepted" && "result" in answer && isJson(answer.result)) {
        const isLast = Number(answer.result["index"]) === place;
        return isLast ? { result: { ...answer.result, index: String(place - 1) } } : answer;
      }
      return listed(method, answer, (containers) => {
        const start = Number(named(params)["startIndex"]);
        return containers.filter((_, i) => start + i !== place);
      });
    },
  }),
  /** The index returns the previous container instead. */
  twiceContainer: (index: Index, place: number): Fault => {
    let before: Json | undefined;
    return {
      answer: (method, params, answer, path) => {
        if (path !== INDEX[index]) return answer;
        const start = Number(named(params)["startIndex"]);
        return listed(method, answer, (containers) => {
          before = containers[place - 1 - start] ?? before;
          return containers.map((one, i) => (start + i === place && before ? { ...before, index: one["index"] } : one));
        });
      },
    };
  },
  /** Every index lacks its first containers, as if it was switched on late. */
  lateIndexes: (by: number): Fault => ({
    ask: (method, params) =>
      method === "index.getContainerRange"
        ? [{ ...named(params), startIndex: String(Number(named(params)["startIndex"]) + by) }]
        : params,
    answer: (method, _params, answer) =>
      listed(method, answer, (containers) =>
        containers.map((one) => ({ ...one, index: String(Number(one["index"]) - by) })),
      ),
  }),
  /** The method fails, on every path. */
  refused: (refused: string, message = "not allowed"): Fault => ({
    answer: (method, _params, answer) => (method === refused ? failure(-32000, message) : answer),
  }),
  /** The node does not have a method, on any path; the answer is avalanchego's. */
  methodNotFound: (missing: string): Fault => ({
    answer: (method, _params, answer) =>
      method === missing ? failure(-32000, `rpc: can't find method "${missing}"`) : answer,
  }),
  /** The method returns this result, on every path. */
  answers: (asked: string, result: unknown): Fault => ({
    answer: (method, _params, answer) => (method === asked ? { result } : answer),
  }),
} as const;

const named = ([params]: Params): Json => (isJson(params) ? params : {});

function ofBlock(chain: Chain, height: number, change: (hex: string) => string): Fault {
  const asked = `${chain === "P" ? "platform" : "avm"}.getBlockByHeight`;
  return {
    answer: (method, params, answer) => {
      const isIt = method === asked && Number(named(params)["height"]) === height;
      if (!isIt || !("result" in answer) || !isJson(answer.result)) return answer;
      const hex = String(answer.result["block"]).slice(2);
      return { result: { ...answer.result, block: `0x${change(hex)}` } };
    },
  };
}

function ofContainer(index: Index, place: number, change: (container: Json) => Json): Fault {
  return ofContainers(index, (containers, start) =>
    containers.map((one, i) => (start + i === place ? change(one) : one)),
  );
}

function ofContainers(index: Index, change: (containers: Json[], start: number) => Json[]): Fault {
  return {
    answer: (method, params, answer, path) => {
      if (path !== INDEX[index]) return answer;
      const start = Number(named(params)["startIndex"]);
      return listed(method, answer, (containers) => change(containers, start));
    },
  };
}

function listed(method: string, answer: RpcAnswer, change: (containers: Json[]) => Json[]): RpcAnswer {
  if (method !== "index.getContainerRange" || !("result" in answer) || !isJson(answer.result)) return answer;
  return { result: { containers: change(answer.result["containers"] as Json[]) } };
}

function overwritten(hex: string, at: number, digits: string): string {
  return hex.slice(0, at) + digits + hex.slice(at + digits.length);
}

/** The same bytes with a valid checksum. */
function rechecked(bytes: string): string {
  const bare = bytes.slice(0, -8);
  return bare + sha256(Buffer.from(bare.slice(2), "hex")).slice(-8);
}
