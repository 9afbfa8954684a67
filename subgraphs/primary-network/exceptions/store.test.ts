import { formatId } from "../../../core/formats/id-text.ts";
import { UNSCHEDULED } from "../../../core/networks/upgrades.ts";
import { createPBlocks } from "../../../test/support/built/blocks.ts";
import { type BuiltTransaction, transactionsOf } from "../../../test/support/built/transactions.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { type BuiltNetwork, openBuiltNetwork } from "../../../test/support/indexed/built-network.ts";
import { servedOver } from "../../../test/support/indexed/primary-snapshots.ts";
import { readPrimaryRecording } from "../../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";

const folder = recordingFolder("alpha");
const { network } = readPrimaryRecording(folder);
const { networkId, avaxAssetId: assetId, genesis } = network;
const P = transactionsOf("P", networkId, "00".repeat(32));
const advance = P.advanceTime(genesis.timestamp + 10);
/** Each spends two outputs that do not exist. */
const missing = [1, 2, 3].map((memo) =>
  P.base({
    inputs: [4, 5].map((outputIndex) => ({ txId: "66".repeat(32), outputIndex, assetId, amount: 1 })),
    memo: `${memo}`,
  }),
);
const reward = P.reward("ee".repeat(32));

let built: BuiltNetwork;
let ask: Awaited<ReturnType<typeof servedOver>>["ask"];
beforeAll(async () => {
  const upgrades = { ...network.upgrades, apricotPhase5: UNSCHEDULED, banff: UNSCHEDULED };
  built = await openBuiltNetwork({ ...network, upgrades: { ...upgrades, durango: UNSCHEDULED, etna: UNSCHEDULED } });
  const blocks = createPBlocks();
  blocks.propose(advance);
  blocks.abort();
  blocks.propose(advance);
  blocks.commit();
  for (const tx of missing) blocks.add(tx);
  blocks.propose(reward);
  blocks.abort();
  await built.accept("P", blocks.entries);
  await built.database.pool.query(
    `INSERT INTO primary_heads SELECT $1, chain, 0, 0, '\\x01', '\\x01', 1, 0, 1 FROM unnest('{X,C}'::text[]) AS chain`,
    [networkId],
  );
  ({ ask } = await servedOver(built.database, folder, { clock: { nowSeconds: 1_900_000_000 }, settings: {} }));
});
afterAll(() => built[Symbol.asyncDispose]());

interface Page {
  readonly nextPageToken: string | null;
  readonly exceptions: readonly {
    readonly kind: string;
    readonly utxoId: string | null;
    readonly transaction: { txHash: string };
  }[];
}

/** The page of each chain. */
async function pageOf(size: number, token = "", filter = ""): Promise<Page[]> {
  const found = await ask<{ primaryNetworks: { chains: { exceptions: Page }[] }[] }>(
    `{ primaryNetworks { chains${filter} { exceptions(first: ${size}, after: "${token}") {
      nextPageToken exceptions: nodes { kind utxoId transaction { txHash } } } } } }`,
  );
  return found.primaryNetworks[0]?.chains.map(({ exceptions }) => exceptions) ?? [];
}

const textOf = ({ id }: BuiltTransaction) => formatId(id);

describe("exceptions of a chain", () => {
  it("are listed in the order of their transactions, with the output of an input, page by page", async () => {
    const [all, ofX, ofC] = await pageOf(100);
    expect([ofX, ofC]).toEqual([
      { nextPageToken: null, exceptions: [] },
      { nextPageToken: null, exceptions: [] },
    ]);
    expect(all?.exceptions.map(({ kind, transaction }) => [kind, transaction.txHash])).toEqual([
      ...missing.flatMap((tx) => [1, 2].map(() => ["MISSING_INPUT", textOf(tx)])),
      ["NO_EFFECT", textOf(reward)],
    ]);
    expect(new Set(all?.exceptions.map(({ utxoId }) => utxoId)).size).toBe(3);
    expect(all?.exceptions.at(-1)?.utxoId).toBeNull();
    const paged: Page["exceptions"][number][] = [];
    for (let token: string | null = ""; token !== null; ) {
      const [page]: Page[] = await pageOf(2, token, '(chainName: "p-chain")');
      paged.push(...(page?.exceptions ?? []));
      token = page?.nextPageToken ?? null;
    }
    expect(paged).toEqual(all?.exceptions);
  });

  it("are refused for a chain that does not exist", async () => {
    await expect(pageOf(2, "", '(chainName: "q-chain")')).rejects.toThrow(
      'chainName must be one of p-chain, x-chain, c-chain, got "q-chain"',
    );
  });

  it("of all chains cost one statement, for pages of any size", async () => {
    await pageOf(1);
    const counts: number[] = [];
    for (const size of [1, 100]) counts.push((await statementsOf(() => pageOf(size))).length);
    // The chains, the exceptions, and rows and outputs of the transactions.
    expect(counts).toEqual([4, 4]);
  });
});

it("a transaction that several blocks contain is one transaction in lists and by its id, and all of the blocks list it", async () => {
  const { one, list, blocks } = await ask<{
    one: { blockNumber: string };
    list: { transactions: { txHash: string; blockNumber: string }[] };
    blocks: {
      blocks: { blockNumber: string; txHashes: string[]; transactions: { transactions: { txHash: string }[] } }[];
    };
  }>(`{
    one: primaryNetworkTransaction(network: FUJI, txHash: "${textOf(advance)}") { blockNumber }
    list: primaryNetworkTransactions(network: FUJI, blockchainId: "p-chain", first: 100) { transactions: nodes { txHash blockNumber } }
    blocks: primaryNetworkBlocks(network: FUJI, blockchainId: "p-chain", first: 100) {
      blocks: nodes { blockNumber txHashes transactions { transactions: nodes { txHash } } } } }`);
  expect(one.blockNumber).toBe("3");
  expect(list.transactions.filter(({ txHash }) => txHash === textOf(advance))).toEqual([
    { txHash: textOf(advance), blockNumber: "3" },
  ]);
  const containing = blocks.blocks.filter(({ txHashes }) => txHashes.includes(textOf(advance)));
  expect(containing.map(({ blockNumber, transactions }) => [blockNumber, transactions.transactions])).toEqual([
    ["3", [{ txHash: textOf(advance) }]],
    ["1", [{ txHash: textOf(advance) }]],
  ]);
});
