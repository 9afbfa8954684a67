import { parseCheckedHex } from "../../../core/codec/bytes/checked-hex.ts";
import { BadUpstreamData, quoted } from "../../../core/errors.ts";
import { parseIdText } from "../../../core/id-text.ts";
import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";

/** What a node accepted, as its index gives it; the bytes are not yet read. */
export interface IndexedContainer {
  /** Hex. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** When this node accepted it, in whole seconds. */
  readonly acceptedAt: number;
}

/** One of a node's indices: containers in the order of their acceptance, numbered from 0. */
export interface ContainerIndex {
  /** How many there are; null on a node that keeps no such index. */
  length(): Promise<number | null>;
  /** Containers from `start` on, at most `count`: fewer where they are large, none where the index does not go so far. */
  from(start: number, count: number): Promise<IndexedContainer[]>;
}

/** Most containers that a node hands out at once. */
const MAX_RANGE = 1_024;
const FIRST_RANGE = 64;
/** About so many bytes are asked for at once. */
const BUDGET_BYTES = 8 << 20;
const NOTHING_YET = "no containers have been accepted";

/**
 * With checksums: a block's signature is in no id. Asks for ranges, as large as the containers' size and the node bear, or one by one where a node has no
 * ranges.
 */
export function createContainerIndex(client: () => NodeClient): ContainerIndex {
  let range = FIRST_RANGE;
  let limit = MAX_RANGE;
  let hasRanges = true;

  async function oneByOne(start: number, count: number): Promise<IndexedContainer[]> {
    const calls = Array.from({ length: count }, (_, i) => ({
      method: "index.getContainerByIndex",
      params: [{ index: String(start + i), encoding: "hex" }],
    }));
    const answers = await client().callAll(calls);
    const beyond = answers.findIndex((answer) => answer instanceof RpcError);
    return answers
      .slice(0, beyond < 0 ? count : beyond)
      .map((answer, i) => containerOf((answer as { result: unknown }).result, start + i));
  }

  async function inRange(start: number, count: number): Promise<IndexedContainer[]> {
    const params = { startIndex: String(start), numToFetch: String(count), encoding: "hex" };
    const answer = await client().call("index.getContainerRange", [params]);
    const list = (answer as { readonly containers?: unknown } | null)?.containers;
    if (!Array.isArray(list)) throw new BadUpstreamData(`the node's index answers ${quoted(answer)} for a range`);
    return list.map((container, i) => containerOf(container, start + i));
  }

  return {
    async length() {
      try {
        const answer = await client().call("index.getLastAccepted", [{ encoding: "hex" }]);
        const last = Number((answer as { readonly index?: unknown } | null)?.index);
        if (!Number.isSafeInteger(last)) throw new BadUpstreamData(`the node's index answers ${quoted(answer)}`);
        return last + 1;
      } catch (error) {
        if (error instanceof RpcError) return error.message === NOTHING_YET ? 0 : null;
        if (error instanceof NodeUnavailable && error.isMissing) return null;
        throw error;
      }
    },
    async from(start, count) {
      const size = Math.min(count, range);
      if (!hasRanges) return oneByOne(start, size);
      try {
        const containers = await inRange(start, size);
        // What was too much once may have been a bad moment.
        limit = Math.min(MAX_RANGE, limit + Math.ceil(limit / 64));
        range = Math.min(limit, nextRange(range, containers));
        return containers;
      } catch (error) {
        if (error instanceof NodeUnavailable) {
          limit = Math.max(1, size >> 1);
          range = limit;
        }
        if (!(error instanceof RpcError)) throw error;
        if (/^start index|^no containers/.test(error.message)) return [];
        hasRanges = false;
        return oneByOne(start, size);
      }
    },
  };
}

function nextRange(range: number, containers: readonly IndexedContainer[]): number {
  const size = containers.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  const fitting = containers.length > 0 ? Math.floor((BUDGET_BYTES * containers.length) / Math.max(1, size)) : range;
  return Math.max(1, Math.min(MAX_RANGE, 2 * range, fitting));
}

function containerOf(answer: unknown, index: number): IndexedContainer {
  const { id, bytes, timestamp } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const what = `container ${index} of the node's index`;
  const hexId = typeof id === "string" ? parseIdText(id) : null;
  const acceptedAt = Math.floor(Date.parse(String(timestamp)) / 1_000);
  if (hexId === null || Number.isNaN(acceptedAt)) throw new BadUpstreamData(`${what} is ${quoted(answer)}`);
  return { id: hexId, bytes: parseCheckedHex(bytes, what), acceptedAt };
}
