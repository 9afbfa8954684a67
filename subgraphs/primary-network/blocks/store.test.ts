import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { openSnapshotReplay, type SnapshotReplay } from "../../../test/support/indexed/primary-snapshots.ts";
import { type NodeBlock, nodeBlocks } from "../../../test/support/recorded/node-blocks.ts";
import type { Snapshot } from "../../../test/support/recorded/primary-recording.ts";
import { describeRecordings } from "../../../test/support/recorded/primary-vectors.ts";

const DETAILS = "proposerDetails { proposerId proposerParentId proposerNodeId proposerPChainHeight proposerTimestamp }";
const STATE = "l1ValidatorsAccruedFees activeL1Validators currentSupply";
const FIELDS = `blockNumber blockHash parentHash blockType blockTimestamp txCount txHashes blockSizeBytes nodeId ${STATE} ${DETAILS}`;

interface Block extends Omit<NodeBlock, "proposerDetails"> {
  readonly txHashes: readonly string[];
  readonly nodeId: string | null;
  readonly l1ValidatorsAccruedFees: number | null;
  readonly activeL1Validators: number | null;
  readonly currentSupply: string | null;
  readonly proposerDetails: Readonly<Record<string, unknown>> | null;
}

type Chain = keyof typeof PRIMARY_CHAIN_ALIASES;

async function all(replay: SnapshotReplay, chain: Chain, filter = "", fields = FIELDS): Promise<Block[]> {
  const found: Block[] = [];
  for (let token = ""; ; ) {
    const { page } = await replay.ask<{ page: { nextPageToken: string | null; blocks: Block[] } }>(
      `{ page: primaryNetworkBlocks(network: FUJI, blockchainId: "${PRIMARY_CHAIN_ALIASES[chain]}", first: 100, after: "${token}"${filter}) {
        nextPageToken blocks: nodes { ${fields} } } }`,
    );
    found.push(...page.blocks);
    if (page.nextPageToken === null) return found;
    token = page.nextPageToken;
  }
}

/** The members of a block that the node returns, without nulls. */
function fieldsOf(block: Block, node: NodeBlock): NodeBlock {
  const { txHashes, proposerDetails, ...own } = block;
  const details = Object.entries(proposerDetails ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, name === "proposerPChainHeight" ? Number(value) : value]);
  const fields = {
    ...own,
    transactions: txHashes,
    ...(proposerDetails && { proposerDetails: Object.fromEntries(details) }),
  };
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => name in node || name === "proposerDetails"),
  ) as unknown as NodeBlock;
}

describeRecordings("blocks of a primary network", (folder) => {
  const recorded = { P: nodeBlocks(folder, "P"), X: nodeBlocks(folder, "X") };
  let replay: SnapshotReplay;
  beforeAll(async () => {
    replay = await openSnapshotReplay(folder);
  });
  afterAll(() => replay[Symbol.asyncDispose]());

  it("E15 have the node's supply, fees and active L1 validators after the block", async () => {
    await replay.forEachSnapshot(async (snapshot) => {
      const { block } = await replay.ask<{ block: Block }>(
        `{ block: primaryNetworkBlock(network: FUJI, blockchainId: "p-chain", blockNumber: "${snapshot.heights.P}") { ${FIELDS} } }`,
      );
      const supplies = snapshot
        .answers("platform.getCurrentSupply")
        .filter(({ params }) => !isOfSubnet(params))
        .map(({ result }) => (result as { supply: string }).supply);
      expect(block.currentSupply).toBe(supplies[0]);
      expect(block.activeL1Validators).toBe(activeIn(snapshot));
    });
  });

  it("E15 equal all blocks of the node", async () => {
    for (const chain of ["P", "X"] as const) {
      const blocks = (await all(replay, chain)).reverse();
      expect(blocks.map(({ blockNumber }) => blockNumber)).toEqual(
        recorded[chain].map(({ blockNumber }) => blockNumber),
      );
      expect(blocks.map((block, index) => fieldsOf(block, recorded[chain][index] as NodeBlock))).toEqual(
        recorded[chain],
      );
      const counted = blocks.map(({ nodeId }) => nodeId);
      expect(counted).toEqual(recorded[chain].map(({ proposerDetails }) => proposerDetails?.proposerNodeId ?? null));
    }
  });

  it("E15 are found by number and by ID, with their transactions in order", async () => {
    const { P } = recorded;
    const most = P.toSorted((one, other) => other.txCount - one.txCount)[0] as NodeBlock;
    for (const [chain, { blockNumber, blockHash, transactions }] of [
      ["p-chain", most],
      ["x-chain", recorded.X.at(-1) as NodeBlock],
    ] as const) {
      const of = `primaryNetworkBlock(network: FUJI, blockchainId: "${chain}", `;
      const fields =
        "{ blockNumber transactions(first: 100) { nextPageToken transactions: nodes { txHash blockNumber } } }";
      const expected = {
        blockNumber,
        transactions: { nextPageToken: null, transactions: transactions.map((txHash) => ({ txHash, blockNumber })) },
      };
      expect(
        await replay.ask(`{ number: ${of} blockNumber: "${blockNumber}") ${fields} hash: ${of} blockHash: "${blockHash}") ${fields}
          both: ${of} blockNumber: "${blockNumber}", blockHash: "${blockHash}") ${fields}
          other: ${of} blockNumber: "99999999", blockHash: "${blockHash}") ${fields}
          later: ${of} blockNumber: "${10n ** 70n}") ${fields} }`),
      ).toEqual({ number: expected, hash: expected, both: expected, other: null, later: null });
    }
    expect(
      await replay.refusals(`{ primaryNetworkBlock(network: FUJI, blockchainId: "p-chain") { blockNumber } }`),
    ).toEqual(["INVALID_PARAMETER blockNumber or blockHash must be given, got neither"]);
  });

  it("E15 a page costs one statement, and four more with all its transactions", async () => {
    for (const [pageSize, filter] of [
      [1, ""],
      [100, ""],
      [100, `, filter: { nodeId: "NodeID-111111111111111111116DBWJs" }`],
    ] as const) {
      const of = `primaryNetworkBlocks(network: FUJI, blockchainId: "p-chain", first: ${pageSize}${filter})`;
      expect(
        await statementsOf(() => replay.ask(`{ ${of} { nextPageToken blocks: nodes { ${FIELDS} } } }`)),
      ).toHaveLength(1);
      const nested = `{ ${of} { blocks: nodes { transactions { transactions: nodes { txHash emittedUtxos { utxoId } value { amount } } } } } }`;
      expect((await statementsOf(() => replay.ask(nested))).length).toBeLessThanOrEqual(5);
    }
  });
});

const isOfSubnet = (params: Readonly<Record<string, unknown>>): boolean =>
  params["subnetID"] !== undefined && !/^1+LpoYY$/.test(String(params["subnetID"]));

/** L1 validators with a balance. */
function activeIn(snapshot: Snapshot): number {
  return snapshot
    .answers("platform.getL1Validator")
    .filter(({ result }) => (result as { balance: string }).balance !== "0").length;
}
