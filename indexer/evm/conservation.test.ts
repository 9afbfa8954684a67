import { ZERO_ADDRESS } from "../../core/formats/address.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import type { TestDatabase } from "../../test/support/database/database.ts";
import { indexedChains } from "../../test/support/indexed/indexed.ts";
import { atomicTransactions } from "../../test/support/oracle/atomic-oracle.ts";
import { type CoinMove, coinMoves } from "../../test/support/oracle/coin-moves.ts";
import type { FactRow } from "../../test/support/oracle/fact-row.ts";
import { indexedRows } from "../../test/support/oracle/facts-rows.ts";
import { recordedChain } from "../../test/support/recorded/node-chain.ts";
import { recordingFolder } from "../../test/support/recorded/primary-vectors.ts";
import {
  genesisBalances,
  type RecordedTokenBalance,
  recordedState,
} from "../../test/support/recorded/recorded-state.ts";

const FEES = "0x0100000000000000000000000000000000000000";
const WARP_PRECOMPILE = "0x0200000000000000000000000000000000000005";
const NATIVE_MINTER = "0x0200000000000000000000000000000000000001";
const AVAX = "c81d134a2dd746c838853ba980814c854dc3c61617392696da7bca8a55a7a5cf";

/** Facts of the recording: heights of token balances, standard ERC-20 tokens, and runs of the activity. */
const RECORDED = {
  "alpha c": { balances: 700, heights: 9, tokenHeights: 6, tokens: 31, runs: 1 },
  "alpha l1": { balances: 700, heights: 9, tokenHeights: 6, tokens: 31, runs: 1 },
  // It crosses Helicon on its way.
  "streaming c": { balances: 700, heights: 5, tokenHeights: 2, tokens: 64, runs: 2 },
} as const;

describe.each([
  ["alpha", "c"],
  ["alpha", "l1"],
  ["streaming", "c"],
] as const)("balances on the recorded chain %s %s", (folder, name) => {
  const recording = openRecording(recordingFolder(folder));
  const recorded = RECORDED[`${folder} ${name}` as keyof typeof RECORDED];
  const chain = recordedChain(recording, name);
  const state = recordedState(recording, chain);
  const genesis = genesisBalances(recording, name);
  let database: TestDatabase;
  const rows: Record<string, FactRow[]> = {};
  let moves: CoinMove[] = [];
  const of = (table: string): FactRow[] => rows[table] ?? [];

  beforeAll(async () => {
    database = await indexedChains(recording.folder);
    const tables = ["evm_blocks", "evm_transactions", "evm_internal_transactions", "evm_ext_data", "evm_deployments"];
    for (const table of [...tables, "evm_logs", "erc20_balances", "erc721_transfers", "erc1155_transfers"])
      rows[table] = await indexedRows(database.pool, table, chain.chainId);
    moves = coinMoves({
      evm_blocks: of("evm_blocks"),
      evm_transactions: of("evm_transactions"),
      evm_internal_transactions: of("evm_internal_transactions"),
      evm_ext_data: of("evm_ext_data"),
    });
  }, 90_000);
  afterAll(() => database[Symbol.asyncDispose]());

  /** Native balance by address after a block, from the genesis and the rows. */
  function heldAfter(height: number): Map<string, bigint> {
    const held = new Map(genesis);
    for (const { block, address, amount } of moves)
      if (block <= height) held.set(address, (held.get(address) ?? 0n) + amount);
    return held;
  }

  it("every account's balance follows from values, calls, fees and atomic transactions, at every recorded height", () => {
    const heights = [...new Set(state.balances.map(({ height }) => height))].sort((a, b) => a - b);
    const unexplained = heights.flatMap((height) => {
      const held = heldAfter(height);
      return state.balances
        .filter((balance) => balance.height === height)
        .filter(({ address, amount }) => amount !== (held.get(address) ?? 0n))
        .map(({ address, amount }) => ({ height, address, amount, indexed: held.get(address) ?? 0n }));
    });
    expect(heights.length).toBeGreaterThanOrEqual(recorded.heights);
    expect(state.balances.length).toBeGreaterThan(recorded.balances);
    expect(unexplained).toEqual([]);
  });

  it("the balance of every account that rows credit or debit is recorded", () => {
    const recorded = new Set(state.balances.map(({ address }) => address));
    const touched = new Set(moves.map(({ address }) => address));
    expect(touched.size).toBeGreaterThan(100);
    expect([...touched].filter((address) => !recorded.has(address))).toEqual([]);
  });

  it("no account has a negative balance at any time", () => {
    const held = new Map(genesis);
    const below: string[] = [];
    for (const { number } of chain.blocks.map(({ block }) => ({ number: Number(block.number) }))) {
      for (const { block, address, amount } of moves)
        if (block === number) held.set(address, (held.get(address) ?? 0n) + amount);
      for (const [address, amount] of held) if (amount < 0n) below.push(`${address} after block ${number}`);
    }
    expect(below).toEqual([]);
  });

  it("the fee address of the blocks holds all fees and nothing else", () => {
    const fees = of("evm_blocks").reduce((sum, { fees_spent }) => sum + BigInt(fees_spent ?? 0), 0n);
    const atEnd = state.balances.find(
      ({ address, height }) => address === FEES && height === chain.recorded.height,
    )?.amount;
    // On the L1 anyone can pay to the address, and one transaction does. The C-Chain refuses it.
    const paid = of("evm_transactions")
      .filter(({ to_address, tx_status }) => to_address === FEES && tx_status === "1")
      .reduce((sum, { value }) => sum + BigInt(value ?? 0), 0n);
    expect(fees).toBeGreaterThan(0n);
    expect(atEnd).toBe(fees + paid);
    expect(paid > 0n).toBe(name === "l1");
  });

  it("the L1's native minter has no events, so no coins were minted", () => {
    expect(of("evm_logs").filter(({ address }) => address === NATIVE_MINTER)).toEqual([]);
  });

  /** Balances that differ from the sum of the token's events, with that sum. Excludes the zero address, which holds nothing. */
  const differences = (balances: readonly RecordedTokenBalance[]) =>
    balances
      .filter(({ address, amount }) => amount !== null && address !== ZERO_ADDRESS)
      .map((balance) => ({ ...balance, indexed: balanceAt(balance), kind: chain.contractKinds.get(balance.token) }))
      .filter(({ amount, indexed }) => amount !== indexed);

  function balanceAt({ token, address, height }: RecordedTokenBalance): bigint {
    const [last] = of("erc20_balances")
      .filter((row) => row["token_address"] === token && row["address"] === address)
      .filter((row) => Number(row["block_number"]) <= height)
      .sort((a, b) => Number(b["block_number"]) - Number(a["block_number"]));
    return BigInt(last?.["balance"] ?? 0);
  }

  const isErc721 = (token: string): boolean => chain.contractKinds.get(token)?.startsWith("erc721") ?? false;
  const ofErc20 = state.tokenBalances.filter(({ token, tokenId }) => tokenId === null && !isErc721(token));

  it("the ERC-20 balances of standard tokens equal balanceOf, at every recorded height", () => {
    const isStandard = ({ token }: RecordedTokenBalance) =>
      !NON_STANDARD.includes(chain.contractKinds.get(token) ?? "");
    const standard = ofErc20.filter(isStandard);
    expect(new Set(standard.map(({ height }) => height)).size).toBe(recorded.tokenHeights);
    expect(new Set(standard.map(({ token }) => token)).size).toBe(recorded.tokens);
    expect(standard.length).toBeGreaterThan(900);
    expect(differences(standard)).toEqual([]);
  });

  it("the balances of a rebasing token are three times those of its events", () => {
    const wrong = differences(ofErc20).filter(({ kind }) => kind === "erc20Rebase");
    expect(new Set(wrong.map(({ address }) => address)).size).toBe(2 * recorded.runs);
    for (const { amount, indexed } of wrong) expect(amount).toBe(3n * indexed);
  });

  it("a token with an initial supply without an event lacks exactly that supply, at its first holder", () => {
    const wrong = differences(ofErc20).filter(({ kind }) => kind === "erc20NoReturn");
    expect(new Set(wrong.map(({ address }) => address)).size).toBe(recorded.runs);
    for (const { amount, indexed } of wrong) expect((amount ?? 0n) - indexed).toBe(FIRST_SUPPLY);
  });

  it("the last recipient of an ERC-721 token owns it, and counts of tokens equal balanceOf", () => {
    const owners = new Map<string, string>();
    const inOrder = of("erc721_transfers").sort(
      (a, b) =>
        Number(a["block_number"]) - Number(b["block_number"]) || Number(a["log_index"]) - Number(b["log_index"]),
    );
    for (const { token_address, token_id, to_address } of inOrder)
      owners.set(`${token_address} ${token_id}`, to_address ?? "");
    // A contract that forges events has no ownerOf.
    const answered = state.owners.filter(({ token }) => isErc721(token));
    const wrong = answered.filter(
      ({ token, tokenId, owner }) => owners.get(`${token} ${tokenId}`) !== (owner ?? ZERO_ADDRESS),
    );
    expect(answered.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);

    const counts = state.tokenBalances.filter(
      ({ token, height }) => isErc721(token) && height === chain.recorded.height,
    );
    const countOf = ({ token, address }: RecordedTokenBalance) =>
      [...owners].filter(([key, owner]) => key.startsWith(token) && owner === address).length;
    const held = counts.filter(({ amount }) => amount !== null);
    expect(held.length).toBeGreaterThan(10);
    expect(held.filter((balance) => BigInt(countOf(balance)) !== balance.amount)).toEqual([]);
  });

  it("the balances of every ERC-1155 id equal balanceOf", () => {
    const answered = state.tokenBalances.filter(
      ({ tokenId, address, amount }) => tokenId !== null && amount !== null && address !== ZERO_ADDRESS,
    );
    const held = ({ token, tokenId, address }: RecordedTokenBalance) =>
      of("erc1155_transfers")
        .filter((row) => row["token_address"] === token && row["token_id"] === tokenId)
        .reduce((sum, { from_address, to_address, value }) => {
          const got = to_address === address ? BigInt(value ?? 0) : 0n;
          return sum + got - (from_address === address ? BigInt(value ?? 0) : 0n);
        }, 0n);
    expect(answered.length).toBeGreaterThan(50);
    expect(answered.filter((balance) => held(balance) !== balance.amount)).toEqual([]);
  });

  it("the contracts with code after the last block are those with a deployment", () => {
    const deployed = new Set(of("evm_deployments").map(({ address }) => address));
    expect([...deployed].sort()).toEqual([...state.withCode].filter((address) => address !== WARP_PRECOMPILE).sort());
  });
});

/** Kinds of token in the recordings that change balances without an event. */
const NON_STANDARD = ["erc20Rebase", "erc20NoReturn"];
/** The initial supply of the second kind, which has no event. */
const FIRST_SUPPLY = 1_000_000n * 10n ** 18n;

describe("the extra data of the recorded C-Chain's blocks", () => {
  const recording = openRecording(ALPHA);
  let database: TestDatabase;

  beforeAll(async () => {
    database = await indexedChains(ALPHA);
  }, 90_000);
  afterAll(() => database[Symbol.asyncDispose]());

  it("contains every atomic transaction of the node in its block, byte for byte", async () => {
    const rows = await indexedRows(database.pool, "evm_ext_data", 760011);
    const known = recording.calls("/ext/bc/C/avax", "avax.getAtomicTx").flatMap(({ kind, text }) => {
      if (kind !== "result") return [];
      const { tx, blockHeight }: { tx: string; blockHeight: string } = JSON.parse(text);
      // Without `0x`, the codec version and the checksum.
      return [`${blockHeight} ${tx.slice(2 + 4, -8)}`];
    });
    const indexed = rows.flatMap(({ block_number, ext_data }) =>
      atomicTransactions(ext_data ?? "0x").map(({ bytes }) => `${block_number} ${bytes}`),
    );
    expect(indexed).toHaveLength(25);
    expect(indexed.sort()).toEqual([...new Set(known)].sort());
  });

  it("transfers only AVAX, and burns a fee in every atomic transaction", async () => {
    const rows = await indexedRows(database.pool, "evm_ext_data", 760011);
    const transactions = rows.flatMap(({ ext_data }) => atomicTransactions(ext_data ?? "0x"));
    const assets = transactions.flatMap(({ moves }) => moves.map(({ assetId }) => assetId));
    expect([...new Set(assets)]).toEqual([AVAX]);
    expect(transactions.map(({ kind }) => kind).sort()).toEqual([
      ...Array(15).fill("export"),
      ...Array(10).fill("import"),
    ]);
    for (const { burnedNano } of transactions) expect(burnedNano).toBeGreaterThan(0n);
  });
});
