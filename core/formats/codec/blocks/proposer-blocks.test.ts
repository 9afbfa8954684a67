import { verify, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromRlp, type Hex, keccak256, toHex, toRlp } from "viem";
import {
  containersOf,
  describeRecordings,
  factsOf,
  pairsOf,
  recordingFolder,
  resultsIn,
} from "../../../../test/support/recorded/primary-vectors.ts";
import { formatId, formatNodeId, parseIdText } from "../../id-text.ts";
import { decodePBlock } from "./p-blocks.ts";
import { decodeContainer, decodeProposerBlock } from "./proposer-blocks.ts";

const CHAINS = ["p", "x", "c"] as const;

describeRecordings("ProposerVM wrappers", (folder) => {
  it.each(CHAINS)("of the %s-chain have the hash as id and the block before as parent", (chain) => {
    const containers = containersOf(folder, `index-${chain}-block`);
    const { chains, heights } = factsOf(folder);
    const genesis = chains.find(({ alias }) => alias === chain.toUpperCase())?.genesisHash as string;
    let previous = chain === "c" ? formatId(genesis.slice(2)) : genesis;
    for (const { id, bytes } of containers) {
      const { proposer } = decodeContainer(bytes);
      if (proposer) expect([proposer.id, proposer.parentId].map(formatId)).toEqual([id, previous]);
      previous = id;
    }
    expect(containers).toHaveLength({ p: heights.P, x: heights.X, c: heights.c }[chain]);
  });

  it.each(["p", "x"] as const)("of the %s-chain contain the blocks that the chain's API returns", (chain) => {
    const method = chain === "p" ? "platform.getBlockByHeight" : "avm.getBlockByHeight";
    const [, ...blocks] = pairsOf(folder, `${chain}-blocks`, method, "block");
    const inside = containersOf(folder, `index-${chain}-block`).map(({ bytes }) => decodeContainer(bytes).block);
    expect(inside.map((block) => Buffer.from(block).toString("hex"))).toEqual(
      blocks.map(({ bytes }) => Buffer.from(bytes).toString("hex")),
    );
  });

  it("of the c-chain contain blocks with the header hash that the chain's API returns", () => {
    const hashes = new Set(
      resultsIn(folder, "c-blocks", "eth_getBlockByNumber").map(({ text }) => JSON.parse(text)?.hash as string),
    );
    for (const { bytes } of containersOf(folder, "index-c-block")) {
      const [header] = fromRlp(toHex(decodeContainer(bytes).block)) as [Hex[]];
      expect(hashes).toContain(headerHash(header));
    }
  });

  it.each(CHAINS)("of the %s-chain are signed by the node of their certificate", (chain) => {
    const { chains } = factsOf(folder);
    const chainId = chains.find(({ alias }) => alias === chain.toUpperCase())?.blockchainId as string;
    const nodes = readFileSync(join(folder, "manifest.json"), "utf8");
    let signed = 0;
    for (const { bytes } of containersOf(folder, `index-${chain}-block`)) {
      const { proposer } = decodeContainer(bytes);
      if (!proposer?.proposal?.nodeId) continue;
      const { id, parentId, proposal } = proposer;
      const header = Buffer.from(`0000${parseIdText(chainId)}${parentId}${id}`, "hex");
      const { publicKey } = new X509Certificate(certificateIn(bytes));
      expect(verify("sha256", header, publicKey, proposal.signature)).toBe(true);
      expect(nodes).toContain(formatNodeId(proposal.nodeId as string));
      signed += 1;
    }
    expect(signed).toBeGreaterThan(10);
  });

  it("have the parent's proposer if they are commit or abort blocks", () => {
    const decoded = containersOf(folder, "index-p-block").map(({ bytes }) => decodeContainer(bytes));
    const options = decoded.filter(({ proposer }) => proposer && !proposer.proposal);
    const types = new Set(options.map(({ block }) => decodePBlock(block).blockType.replace(/^(Apricot|Banff)/, "")));
    expect(types).toEqual(new Set(["CommitBlock", "AbortBlock"]));
  });

  it("have P-Chain heights, times and epochs that never decrease", () => {
    const proposals = containersOf(folder, "index-p-block").flatMap(
      ({ bytes }) => decodeContainer(bytes).proposer?.proposal ?? [],
    );
    for (const numbers of [
      proposals.map(({ pChainHeight }) => pChainHeight),
      proposals.map(({ timestamp }) => timestamp),
      proposals.flatMap(({ epoch }) => epoch?.number ?? []),
      proposals.flatMap(({ epoch }) => epoch?.startTime ?? []),
    ]) {
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      expect(new Set(numbers).size).toBeGreaterThan(1);
    }
  });
});

describe("the recording delta", () => {
  it("has plain blocks only before the first ProposerVM wrapper", () => {
    const folder = recordingFolder("delta");
    const kinds = containersOf(folder, "index-p-block").map(({ bytes }) => decodeContainer(bytes).proposer !== null);
    const { dag } = factsOf(folder) as unknown as { dag: { proposervmFirstHeightP: number } };
    expect(kinds.indexOf(true) + 1).toBe(dag.proposervmFirstHeightP);
    expect(kinds.lastIndexOf(false)).toBe(kinds.indexOf(true) - 1);
  });
});

describe("a ProposerVM wrapper", () => {
  it("with surplus bytes is refused, so that the bytes are read as a plain block", () => {
    const bytes = Buffer.concat([
      Buffer.from("000000000001", "hex"),
      Buffer.alloc(32, 1),
      Buffer.from("00000001aa", "hex"),
    ]);
    expect(decodeProposerBlock(bytes)).toMatchObject({ proposal: null, parentId: "01".repeat(32) });
    const longer = Buffer.concat([bytes, Buffer.alloc(1)]);
    expect(() => decodeProposerBlock(longer)).toThrow("ProposerVM wrapper at byte 43: 1 bytes left over");
    expect(decodeContainer(longer)).toEqual({ proposer: null, block: longer });
  });
});

describe("the proposal of a ProposerVM wrapper", () => {
  /** Version, type, parent, time, height, certificate, block, the fields of Granite, signature. */
  const proposal = (type: string, certificate: string, rest: string) =>
    Buffer.from(
      `0000${type}${"01".repeat(32)}${"00".repeat(7)}05${"00".repeat(8)}${certificate}00000001aa${rest}`,
      "hex",
    );

  it("without a certificate has no proposer", () => {
    expect(decodeProposerBlock(proposal("00000000", "00000000", "00000000")).proposal).toEqual({
      timestamp: 5,
      pChainHeight: 0,
      nodeId: null,
      epoch: null,
      signature: Buffer.alloc(0),
    });
  });

  it("with a signature but no certificate is refused", () => {
    expect(() => decodeProposerBlock(proposal("00000000", "00000000", "00000002abcd"))).toThrow(
      "ProposerVM wrapper at byte 63: a signature without a certificate",
    );
  });

  it("without an epoch after Granite is refused", () => {
    expect(() => decodeProposerBlock(proposal("00000002", "00000000", "00".repeat(28)))).toThrow(
      "ProposerVM wrapper, epoch at byte 63: an epoch whose fields are all 0",
    );
  });
});

/** Offset after version, type, parent, time and height. */
function certificateIn(bytes: Uint8Array): Buffer {
  const buffer = Buffer.from(bytes);
  return buffer.subarray(58, 58 + buffer.readUInt32BE(54));
}

/** keccak256 of the RLP of a header's fields. */
const headerHash = (header: readonly Hex[]): Hex => keccak256(toRlp([...header]));
