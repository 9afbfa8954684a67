import { decodeContainer } from "../../../core/codec/blocks/proposer-blocks.ts";
import { decodeVertex } from "../../../core/codec/blocks/vertices.ts";
import { decodeXBlock } from "../../../core/codec/blocks/x-blocks.ts";
import { parseIdText } from "../../../core/id-text.ts";
import { type PrimaryRecording, readPrimaryRecording } from "../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings, factsOf } from "../../../test/support/recorded/primary-vectors.ts";
import { followLinks, type Given, type Link, readVertices, stopVertexId } from "./links.ts";

describeAllRecordings("the links between blocks", (folder) => {
  let recording: PrimaryRecording;
  let blocks: { readonly P: readonly Given[]; readonly X: readonly Given[] };
  beforeAll(() => {
    recording = readPrimaryRecording(folder);
    const { P, X } = recording.entries;
    const given = ({ payload }: { payload: Uint8Array }): Given => ({ id: null, bytes: payload });
    blocks = { P: P.map(given), X: X.filter(({ isVertex }) => !isVertex).map(given) };
  });

  const before = (parentId: string): Link => ({ height: -1, blockId: parentId, containerId: parentId });
  const firstX = () => decodeXBlock(blocks.X[0]?.bytes as Uint8Array);

  it("lead from the genesis to the last block of P, and from the last vertex to that of X", async () => {
    const ends = [
      await followLinks("P", before(recording.network.genesis.id), blocks.P),
      await followLinks("X", before(firstX().parentId), blocks.X),
    ];
    const last = factsOf(folder).chains as readonly { alias: string; height?: number; hash?: string }[];
    expect(ends.map(({ height, blockId }) => [height, blockId])).toEqual(
      ["P", "X"].map((name) => {
        const { height, hash } = last.find(({ alias }) => alias === name) ?? {};
        return [height, parseIdText(hash ?? "")];
      }),
    );
  });

  it("hold between wrappings too, unless the one before was not given", async () => {
    const at = blocks.P.findIndex(({ bytes }, i) => i > 5 && decodeContainer(bytes).proposer !== null);
    const end = await followLinks("P", before(recording.network.genesis.id), blocks.P.slice(0, at));
    const next = blocks.P.slice(at, at + 1);
    await expect(followLinks("P", { ...end, containerId: "ab".repeat(32) }, next)).rejects.toThrow(
      /^the wrapping of block \d+ of the P-Chain names \w+ as its parent, but that is \w+$/,
    );
    expect(await followLinks("P", { ...end, containerId: end.blockId }, next)).toEqual(
      await followLinks("P", end, next),
    );
  });

  it("end where a block is missing, comes twice, or has another id than it is called by", async () => {
    const [zero, one, two] = blocks.P as [Given, Given, Given];
    const start = before(recording.network.genesis.id);
    await expect(followLinks("P", start, [zero, two])).rejects.toThrow(
      "the node gives block 2 for block 1 of the P-Chain",
    );
    await expect(followLinks("P", start, [zero, one, one])).rejects.toThrow("the node gives block 1 for block 2");
    await expect(followLinks("P", before("ab".repeat(32)), [zero])).rejects.toThrow("block 0 of the P-Chain names");
    await expect(followLinks("P", start, [{ ...zero, id: "ab".repeat(32) }])).rejects.toThrow("but the node calls it");
  });

  it("lead from the vertices that no other names to block 0 of X", async () => {
    const { xChainId } = recording.network;
    const given = recording.entries.X.filter(({ isVertex }) => isVertex).map(({ payload: bytes }) => {
      const { id } = decodeVertex(bytes);
      return { id, bytes };
    });
    const vertices = (await readVertices(xChainId, given)).filter(({ isStopVertex }) => !isStopVertex);
    const named = new Set(vertices.flatMap(({ parentIds }) => parentIds));
    const edge = vertices.filter(({ id }) => !named.has(id));
    const height = 1 + Math.max(-1, ...edge.map((vertex) => vertex.height));
    const ids = edge.map(({ id }) => id);
    expect(stopVertexId(xChainId, height, ids)).toBe(firstX().parentId);
    if (given.length === 0) return;
    await expect(readVertices("ab".repeat(32), given.slice(0, 1))).rejects.toThrow(/^vertex \w+ is of the chain \w+$/);
  });
});
