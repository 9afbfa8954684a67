import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import { results, type ScriptedCall, startScriptedNode } from "../../../test/support/node/scripted-node.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { createContainerIndex } from "./container-index.ts";

const KIB = 1 << 10;

interface Asked {
  readonly startIndex: string;
  readonly numToFetch: string;
}

/** A container of this many bytes. */
function container(index: number, size: number): object {
  const bytes = Buffer.alloc(size, index);
  const checked = bytes.toString("hex") + sha256(bytes).slice(-8);
  const timestamp = "2026-11-21T09:22:07.881123456Z";
  return { id: formatId(sha256(bytes)), bytes: `0x${checked}`, timestamp, encoding: "hex", index: String(index) };
}

/** Reads an index of `length` containers from `from` to the end; returns the page size of each request. */
async function wanted(length: number, size: number, fails: (count: number) => boolean = () => false) {
  const counts: number[] = [];
  await using node = await startScriptedNode((calls) => {
    const [asked] = (calls[0] as ScriptedCall).params as [Asked];
    const start = Number(asked.startIndex);
    const count = Number(asked.numToFetch);
    counts.push(count);
    if (fails(count)) return { status: 500 };
    const found = Array.from({ length: Math.min(count, length - start) }, (_, i) => container(start + i, size));
    return { body: results(calls, () => ({ containers: found })) };
  });
  const signal = new AbortController().signal;
  await using client = createNodeClient({
    url: node.url,
    headers: {},
    // An answer of 33 MB takes seconds on a busy machine.
    requestTimeoutMs: 60_000,
    maxConcurrency: 4,
    maxBatchSize: 1,
    signal,
  });
  const index = createContainerIndex(() => client);
  let got = 0;
  while (got < length) {
    const page = await index.from(got, 5_000).catch(() => []);
    for (const [i, { bytes, id, acceptedAt }] of page.entries()) {
      expect([id, acceptedAt]).toEqual([sha256(bytes), 1_795_252_927]);
      expect(Buffer.alloc(size, got + i).equals(bytes)).toBe(true);
    }
    got += page.length;
  }
  return counts;
}

describe("the container index", () => {
  it("is read in pages that grow while containers are small, up to a node's limit", async () => {
    expect(await wanted(3_000, 100)).toEqual([64, 128, 256, 512, 1_024, 1_024]);
  });

  it("is read in pages of few containers if containers are large", async () => {
    expect(await wanted(110, 256 * KIB)).toEqual([64, 32, 32]);
  });

  it("is read in smaller pages after a failure, which grow again afterwards", async () => {
    const counts = await wanted(320, 100, (count) => count > 100);
    expect(counts.filter((count, i) => count !== counts[i - 1])).toEqual([64, 128, 64, 65, 67, 69]);
  });
});

interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** An index of 200 containers; `refusalOf` refuses some of the calls. Counts the calls of each method. */
async function startIndex(refusalOf: (call: ScriptedCall) => Refusal | null) {
  const node = await startScriptedNode(([call]) => {
    const { id, method, params } = call as ScriptedCall;
    const [{ startIndex, numToFetch, index }] = params as [Readonly<Record<string, string>>];
    const error = refusalOf(call as ScriptedCall);
    const list = () => Array.from({ length: Number(numToFetch) }, (_, i) => container(Number(startIndex) + i, 1));
    const result = method === "index.getContainerRange" ? { containers: list() } : container(Number(index), 1);
    return { body: { jsonrpc: "2.0", id, ...(error ? { error } : { result }) } };
  });
  const limits = { requestTimeoutMs: 2_000, maxConcurrency: 4, maxBatchSize: 1 };
  const client = createNodeClient({ url: node.url, headers: {}, ...limits, signal: new AbortController().signal });
  const reader = createContainerIndex(() => client);
  return {
    read: async (start: number, count: number) => (await reader.from(start, count)).length,
    calls: (method: string) => node.requests.flat().filter((call) => call.method === method).length,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

const RANGE = "index.getContainerRange";
const ONE = "index.getContainerByIndex";
const PASSING: Refusal = { code: -32000, message: "database closed" };
const MISSING: Refusal = { code: -32000, message: 'rpc: can\'t find method "index.GetContainerRange"' };

describe("a node that refuses a range of the container index", () => {
  it("is asked for single containers for that range only", async () => {
    let isBroken = true;
    await using index = await startIndex(({ method }) => (isBroken && method === RANGE ? PASSING : null));
    expect(await index.read(0, 3)).toBe(3);
    isBroken = false;
    expect(await index.read(3, 3)).toBe(3);
    expect([index.calls(RANGE), index.calls(ONE)]).toEqual([2, 3]);
  });

  it("is not asked for ranges again if it does not have the method", async () => {
    await using index = await startIndex(({ method }) => (method === RANGE ? MISSING : null));
    for (const start of [0, 3]) expect(await index.read(start, 3)).toBe(3);
    expect([index.calls(RANGE), index.calls(ONE)]).toEqual([1, 6]);
  });

  it("has ended its index only if it says so of the single container, and is unavailable for any other error", async () => {
    const from = (place: number, refusal: Refusal) =>
      startIndex(({ method, params: [one] }) =>
        method === RANGE ? PASSING : Number((one as { index: string }).index) < place ? null : refusal,
      );
    for (const refusal of [PASSING, { code: -32603, message: "Internal error" }]) {
      await using index = await from(2, refusal);
      expect(await index.read(0, 4)).toBe(2);
      await expect(index.read(2, 2)).rejects.toMatchObject({
        name: "NodeUnavailable",
        message: "the node refuses index.getContainerByIndex",
      });
    }
    await using ended = await from(2, { code: -32000, message: "no container at index 2" });
    expect([await ended.read(0, 4), await ended.read(2, 2)]).toEqual([2, 0]);
  });
});
