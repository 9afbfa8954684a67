import {
  containersOf,
  factsOf,
  pairsOf,
  type RecordedContainer,
  type RecordedFacts,
  recordingFolder,
} from "../../../../test/support/recorded/primary-vectors.ts";
import { formatId } from "../../id-text.ts";
import { decodeVertex, type Vertex } from "./vertices.ts";
import { decodeXBlock } from "./x-blocks.ts";

const DELTA = recordingFolder("delta");

describe("X-Chain vertices of the recording delta", () => {
  let facts: RecordedFacts;
  let containers: RecordedContainer[];
  let vertices: Vertex[];
  beforeAll(() => {
    facts = factsOf(DELTA);
    containers = containersOf(DELTA, "index-x-vtx");
    vertices = containers.map(({ bytes }) => decodeVertex(bytes));
  });

  it("E19 have the node's ids, heights and number of transactions", () => {
    expect(vertices.map(({ id }) => formatId(id))).toEqual(containers.map(({ id }) => id));
    const { dag } = facts;
    expect({
      vertices: vertices.length,
      transactions: vertices.flatMap(({ transactions }) => transactions).length,
      maxHeight: Math.max(...vertices.map(({ height }) => height)),
    }).toEqual({ vertices: dag?.vertices, transactions: dag?.transactions, maxHeight: dag?.maxHeight });
    const chain = facts.chains.find(({ alias }) => alias === "X")?.blockchainId;
    expect(new Set(vertices.map(({ chainId }) => formatId(chainId)))).toEqual(new Set([chain]));
    expect(vertices.map(({ size }) => size)).toEqual(containers.map(({ bytes }) => bytes.byteLength));
  });

  it("E19 have a height one above their highest parent", () => {
    const heights = new Map<string, number>();
    for (const { id, height, parentIds } of vertices) {
      const below = parentIds.map((parent) => heights.get(parent) ?? Number.NaN);
      expect(height).toBe(below.length === 0 ? 0 : Math.max(...below) + 1);
      heights.set(id, height);
    }
  });

  it("E19 contain exactly the transactions of the node's transaction index", () => {
    const indexed = containersOf(DELTA, "index-x-tx").map(({ id }) => id);
    const held = vertices.flatMap(({ transactions }) => transactions.map(({ id }) => formatId(id)));
    expect(new Set(held).size).toBe(held.length);
    expect(held.toSorted()).toEqual(indexed.toSorted());
  });

  it("E19 end with the stop vertex, which is the parent of block 0", () => {
    const stops = vertices.filter(({ isStopVertex }) => isStopVertex);
    expect(stops).toEqual([vertices.at(-1)]);
    expect(stops.map(({ id, transactions }) => ({ id: formatId(id), transactions }))).toEqual([
      { id: facts.stopVertexID, transactions: [] },
    ]);
    const [first] = pairsOf(DELTA, "x-blocks", "avm.getBlockByHeight", "block");
    expect(decodeXBlock(first?.bytes as Uint8Array).parentId).toBe(stops[0]?.id);
  });
});
