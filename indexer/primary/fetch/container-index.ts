import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import { goodOrThrow, mapGoodPrefix } from "../../shared/good-prefix.ts";
import { isMissingMethod, NodeUnavailable, RpcError, refusedByNode } from "../../shared/node/errors.ts";
import type { NodeClient } from "../../shared/node/node-client.ts";
import { parseCheckedHex } from "./checked-hex.ts";

/** An entry of a node's index: an accepted block or vertex, not decoded. */
export interface IndexedContainer {
  /** In hex, as the node reports it. */
  readonly id: string;
  readonly bytes: Uint8Array;
  /** When this node accepted it, in whole seconds. */
  readonly acceptedAt: number;
}

/** One index of a node: containers in the order of acceptance, numbered from 0. */
export interface ContainerIndex {
  /** Number of containers; null if the node does not keep this index. */
  length(): Promise<number | null>;
  /**
   * Returns up to `count` containers from number `start` on, and fewer if they are large or a later one is damaged. Empty only beyond the
   * end of the index. Throws `BadUpstreamData` if the first one is damaged, and `NodeUnavailable` if the node refuses it.
   */
  from(start: number, count: number): Promise<readonly IndexedContainer[]>;
}

/** The largest range that a node returns. */
const MAX_RANGE = 1_024;
const FIRST_RANGE = 64;
/** Ranges are sized so that an answer holds about this many bytes of containers. */
const TARGET_RANGE_BYTES = 8 << 20;
const EMPTY_INDEX = "no containers have been accepted";
/** What a node answers beyond the end of its index, to a request for one container and for a range. */
const BEYOND_END = /^(no container at index|start index|no containers have been accepted)/;

/**
 * Reads an index in ranges that adapt to the size of the containers and to the node, or one container at a time where the node
 * refuses a range. Uses the encoding with a checksum, because a container's id does not cover its signature.
 */
export function createContainerIndex(client: () => NodeClient): ContainerIndex {
  let range = FIRST_RANGE;
  let limit = MAX_RANGE;
  let supportsRanges = true;

  async function fetchOneByOne(start: number, count: number): Promise<readonly IndexedContainer[]> {
    const calls = Array.from({ length: count }, (_, i) => ({
      method: "index.getContainerByIndex",
      params: [{ index: String(start + i), encoding: "hex" }],
    }));
    const answers = await client().callAll(calls);
    const [first] = answers;
    if (first instanceof RpcError && !BEYOND_END.test(first.message))
      throw refusedByNode("index.getContainerByIndex", first);
    const refused = answers.findIndex((answer) => answer instanceof RpcError);
    const found = answers.slice(0, refused < 0 ? count : refused);
    return containersOf(
      found.map((answer) => (answer as { result: unknown }).result),
      start,
    );
  }

  async function fetchRange(start: number, count: number): Promise<readonly IndexedContainer[]> {
    const params = { startIndex: String(start), numToFetch: String(count), encoding: "hex" };
    const answer = await client().call("index.getContainerRange", [params]);
    const list = (answer as { readonly containers?: unknown } | null)?.containers;
    if (!Array.isArray(list))
      throw new BadUpstreamData(`the node's answer to index.getContainerRange is ${quoted(answer)}`);
    return containersOf(list, start);
  }

  return {
    async length() {
      try {
        const answer = await client().call("index.getLastAccepted", [{ encoding: "hex" }]);
        const last = Number((answer as { readonly index?: unknown } | null)?.index);
        if (!Number.isSafeInteger(last))
          throw new BadUpstreamData(`the node's answer to index.getLastAccepted is ${quoted(answer)}`);
        return last + 1;
      } catch (error) {
        if (error instanceof NodeUnavailable && error.isMissing) return null;
        if (!(error instanceof RpcError)) throw error;
        if (error.message === EMPTY_INDEX) return 0;
        if (isMissingMethod(error)) return null;
        throw refusedByNode("index.getLastAccepted", error);
      }
    },
    async from(start, count) {
      const size = Math.min(count, range);
      if (!supportsRanges) return fetchOneByOne(start, size);
      try {
        const containers = await fetchRange(start, size);
        // An earlier failure may have been temporary, so the limit rises again slowly.
        limit = Math.min(MAX_RANGE, limit + Math.ceil(limit / 64));
        range = Math.min(limit, nextRange(range, containers));
        return containers;
      } catch (error) {
        if (error instanceof NodeUnavailable) {
          limit = Math.max(1, size >> 1);
          range = limit;
        }
        if (!(error instanceof RpcError)) throw error;
        if (BEYOND_END.test(error.message)) return [];
        if (isMissingMethod(error)) supportsRanges = false;
        return fetchOneByOne(start, size);
      }
    },
  };
}

function nextRange(range: number, containers: readonly IndexedContainer[]): number {
  const size = containers.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  const fitting =
    containers.length > 0 ? Math.floor((TARGET_RANGE_BYTES * containers.length) / Math.max(1, size)) : range;
  return Math.max(1, Math.min(MAX_RANGE, 2 * range, fitting));
}

/** The containers before the first damaged one. */
async function containersOf(answers: readonly unknown[], start: number): Promise<readonly IndexedContainer[]> {
  return goodOrThrow(await mapGoodPrefix(answers, (answer, i) => containerOf(answer, start + i)));
}

function containerOf(answer: unknown, position: number): IndexedContainer {
  const { id, bytes, timestamp, index } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const what = `container ${position} of the node's index`;
  if (index !== undefined && String(index) !== String(position))
    throw new BadUpstreamData(`the node returned container ${quoted(index)} for ${what}`);
  const hexId = typeof id === "string" ? parseIdText(id) : null;
  const acceptedAt = Math.floor(Date.parse(String(timestamp)) / 1_000);
  if (hexId === null || Number.isNaN(acceptedAt)) throw new BadUpstreamData(`${what} is ${quoted(answer)}`);
  return { id: hexId, bytes: parseCheckedHex(bytes, what), acceptedAt };
}
