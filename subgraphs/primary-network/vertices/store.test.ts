import { statementsOf } from "../../../test/support/database/statements.ts";
import { type OpenedPrimary, openPrimary } from "../../../test/support/indexed/primary-snapshots.ts";
import { nodeVertices } from "../../../test/support/recorded/node-blocks.ts";
import { parseExactly, recordingFolder, resultsIn } from "../../../test/support/recorded/primary-vectors.ts";

const folder = recordingFolder("delta");
const FIELDS = "vertexHash parentHashes vertexHeight vertexIndex vertexTimestamp txCount txHashes vertexSizeBytes";

interface Vertex {
  readonly vertexHash: string;
  readonly parentHashes: readonly string[];
  readonly vertexHeight: string;
  readonly vertexIndex: string;
  readonly vertexTimestamp: number;
  readonly txCount: number;
  readonly txHashes: readonly string[];
  readonly vertexSizeBytes: number;
}

let opened: OpenedPrimary;
let vertices: Vertex[];
beforeAll(async () => {
  opened = await openPrimary(folder);
  const page = await pageOf("");
  vertices = [...page.vertices, ...(await pageOf(page.nextPageToken ?? "")).vertices].reverse();
});
afterAll(() => opened[Symbol.asyncDispose]());

async function pageOf(token: string): Promise<{ nextPageToken: string | null; vertices: Vertex[] }> {
  const query = `{ xChainVertices(network: FUJI, blockchainId: "x-chain", first: 100, after: "${token}") {
    nextPageToken vertices: nodes { ${FIELDS} } } }`;
  return (await opened.ask<{ xChainVertices: Awaited<ReturnType<typeof pageOf>> }>(query)).xChainVertices;
}

describe("vertices of an X-Chain that started as a DAG", () => {
  it("E19 equal the node's index, in its order, with its IDs, times and sizes", () => {
    const recorded = nodeVertices(folder);
    expect(recorded.length).toBeGreaterThan(100);
    expect(
      vertices.map(({ vertexHash, vertexIndex, vertexTimestamp, vertexSizeBytes }) => ({
        vertexHash,
        vertexIndex: Number(vertexIndex),
        vertexSizeBytes,
        vertexTimestamp,
      })),
    ).toEqual(recorded);
  });

  it("E19 contain every transaction of the node's index of transactions, once each", () => {
    const indexed = resultsIn(folder, "index-x-tx", "index.getContainerByIndex").map(
      ({ text }) => (JSON.parse(text) as { id: string }).id,
    );
    const held = vertices.flatMap(({ txHashes }) => txHashes);
    const blocks = resultsIn(folder, "x-blocks", "avm.getBlockByHeight").flatMap(({ params, text }) =>
      params["encoding"] === "json"
        ? ((parseExactly(text) as { block: { txs: { id: string }[] | null } }).block.txs ?? [])
        : [],
    );
    const inBlocks = new Set(blocks.map(({ id }) => id));
    expect(held.toSorted()).toEqual(indexed.filter((id) => !inBlocks.has(id)).toSorted());
    for (const { txCount, txHashes } of vertices) expect(txCount).toBe(txHashes.length);
  });

  it("E19 have heights one above their highest parent, and parents accepted earlier", () => {
    const heights = new Map<string, number>();
    for (const { vertexHash, parentHashes, vertexHeight } of vertices) {
      const parents = parentHashes.map((parent) => heights.get(parent));
      expect(parents).not.toContain(undefined);
      expect(Number(vertexHeight)).toBe(parents.length === 0 ? 0 : 1 + Math.max(...(parents as number[])));
      heights.set(vertexHash, Number(vertexHeight));
    }
    expect(new Set(vertices.map(({ parentHashes }) => parentHashes.length)).size).toBeGreaterThan(3);
  });

  it("E19 are found by ID, with their transactions", async () => {
    const { vertexHash, txHashes, vertexTimestamp } = vertices.toSorted(
      (one, other) => other.txCount - one.txCount,
    )[0] as Vertex;
    expect(
      await opened.ask(`{ xChainVertex(network: FUJI, vertexHash: "${vertexHash}") { vertexHash
        transactions { txHash blockTimestamp blockNumber vertices { hash } } }
        none: xChainVertex(network: FUJI, vertexHash: "${txHashes[0]}") { vertexHash } }`),
    ).toEqual({
      xChainVertex: {
        vertexHash,
        transactions: txHashes.map((txHash) => ({
          txHash,
          blockTimestamp: vertexTimestamp,
          blockNumber: null,
          vertices: [{ hash: vertexHash }],
        })),
      },
      none: null,
    });
  });

  it("E19 a page costs one statement", async () => {
    expect(await statementsOf(() => pageOf(""))).toHaveLength(1);
  });
});
