import { parseIdText } from "../../../core/formats/id-text.ts";
import { type PrimaryRecording, readPrimaryRecording } from "../../../test/support/recorded/primary-recording.ts";
import { describeAllRecordings, factsOf } from "../../../test/support/recorded/primary-vectors.ts";
import { type DecodedBlock, decodeBlock, decodeVertexEntry } from "./entries.ts";
import { type ChainTip, checkVertex, nextTip, stopVertexId } from "./links.ts";

describeAllRecordings("the links between blocks", (folder) => {
  let recording: PrimaryRecording;
  let blocks: { readonly P: readonly DecodedBlock[]; readonly X: readonly DecodedBlock[] };
  beforeAll(() => {
    recording = readPrimaryRecording(folder);
    const { P, X } = recording.entries;
    blocks = {
      P: P.map((entry) => decodeBlock("P", entry)),
      X: X.filter(({ isVertex }) => !isVertex).map((entry) => decodeBlock("X", entry)),
    };
  });

  const tipBefore = (parentId: string): ChainTip => ({ height: -1, blockId: parentId, containerId: parentId });
  const tipAfter = (chain: "P" | "X", tip: ChainTip, some: readonly DecodedBlock[], ids: readonly string[]) =>
    some.reduce((last, { block, proposer }, i) => nextTip(chain, last, block, proposer, ids[i] ?? null), tip);
  const afterP = (tip: ChainTip, some: readonly DecodedBlock[]) => tipAfter("P", tip, some, []);
  const firstParentOfX = () => blocks.X[0]?.block.parentId as string;

  it("connect the genesis with the last block of P, and the last vertex with the last block of X", () => {
    const tips = [
      afterP(tipBefore(recording.network.genesis.id), blocks.P),
      tipAfter("X", tipBefore(firstParentOfX()), blocks.X, []),
    ];
    const last = factsOf(folder).chains as readonly { alias: string; height?: number; hash?: string }[];
    expect(tips.map(({ height, blockId }) => [height, blockId])).toEqual(
      ["P", "X"].map((name) => {
        const { height, hash } = last.find(({ alias }) => alias === name) ?? {};
        return [height, parseIdText(hash ?? "")];
      }),
    );
  });

  it("are also checked between ProposerVM wrappers, unless the parent was fetched without its wrapper", () => {
    const index = blocks.P.findIndex(({ proposer }, i) => i > 5 && proposer !== null);
    const tip = afterP(tipBefore(recording.network.genesis.id), blocks.P.slice(0, index));
    const next = blocks.P.slice(index, index + 1);
    expect(() => afterP({ ...tip, containerId: "ab".repeat(32) }, next)).toThrow(
      /^the ProposerVM wrapper of block \d+ of the P-Chain names \w+ as its parent, but the block before it is \w+$/,
    );
    expect(afterP({ ...tip, containerId: tip.blockId }, next)).toEqual(afterP(tip, next));
  });

  it("are refused if a block is missing or repeated, or if the node lists it under another id", () => {
    const [zero, one, two] = blocks.P as [DecodedBlock, DecodedBlock, DecodedBlock];
    const start = tipBefore(recording.network.genesis.id);
    expect(() => afterP(start, [zero, two])).toThrow("the node returned block 2 for block 1 of the P-Chain");
    expect(() => afterP(start, [zero, one, one])).toThrow("the node returned block 1 for block 2");
    expect(() => afterP(tipBefore("ab".repeat(32)), [zero])).toThrow("block 0 of the P-Chain names");
    expect(() => tipAfter("P", start, [zero], ["ab".repeat(32)])).toThrow("but the node's index lists it as");
  });

  it("connect the vertices without children with block 0 of X", () => {
    const { xChainId } = recording.network;
    const decoded = recording.entries.X.filter(({ isVertex }) => isVertex).map(decodeVertexEntry);
    const vertices = decoded.map(({ vertex }) => vertex).filter(({ isStopVertex }) => !isStopVertex);
    for (const vertex of vertices) checkVertex(xChainId, vertex, vertex.id);
    const parents = new Set(vertices.flatMap(({ parentIds }) => parentIds));
    const childless = vertices.filter(({ id }) => !parents.has(id));
    const height = 1 + Math.max(-1, ...childless.map((vertex) => vertex.height));
    const ids = childless.map(({ id }) => id);
    expect(stopVertexId(xChainId, height, ids)).toBe(firstParentOfX());
    const [first] = vertices;
    if (!first) return;
    expect(() => checkVertex("ab".repeat(32), first, null)).toThrow(/^vertex \w+ is of another chain: \w+$/);
    expect(() => checkVertex(xChainId, first, "ab".repeat(32))).toThrow("but the node's index lists it as");
  });
});
