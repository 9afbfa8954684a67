import { sha256 } from "../../../core/codec/bytes/hashes.ts";
import { formatId } from "../../../core/id-text.ts";
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
    requestTimeoutMs: 2_000,
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
