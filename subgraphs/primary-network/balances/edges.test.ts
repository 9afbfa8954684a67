import "reflect-metadata";
import { formatId } from "../../../core/formats/id-text.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { createBalanceStore } from "./store.ts";
import type { AddressBalances } from "./types.ts";

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const address = (digit: string) => `0x${digit.repeat(40)}`;
const AVAX = hash("a");
const NETWORK: ServedNetwork = {
  network: "fuji",
  networkId: "5",
  hrp: "fuji",
  genesisTimestamp: "0",
  xChainId: hash("1"),
  cChainId: hash("2"),
  avaxAssetId: AVAX,
};
const X_CHAIN = formatId("1".repeat(64));
const OWNER = address("b");
const NOW = 1_000;

/** Columns of an output that differ from the defaults. */
type Output = Readonly<Record<string, string | number | readonly string[] | null>>;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const table of ["utxos", "primary_assets"])
    await database.pool.query(`CREATE TABLE ${table}_5 PARTITION OF ${table} FOR VALUES IN (5)`);
  await database.pool.query(
    `INSERT INTO primary_assets VALUES (5, decode(repeat('a', 64), 'hex'), 'Avalanche', 'AVAX', 9, 'secp256k1', 'fixed', 0)`,
  );
  for (const chain of ["P", "X", "C"])
    await database.pool.query("INSERT INTO primary_heads VALUES (5, $1, 0, 0, '\\x', '\\x', $2, 0, 1)", [chain, NOW]);
});
afterEach(() => database.pool.query("TRUNCATE utxos"));
afterAll(() => database[Symbol.asyncDispose]());

let inserted = 0;

async function insert(output: Output): Promise<void> {
  const row = {
    network_id: 5,
    utxo_id: `\\x${(++inserted).toString(16).padStart(64, "0")}`,
    tx_hash: "\\x00",
    output_index: 0,
    asset_id: `\\x${AVAX.slice(2)}`,
    output_type: "secp256k1fx.TransferOutput",
    amount: "1",
    locktime: 0,
    threshold: 1,
    addresses: [OWNER],
    role: "PLAIN",
    created_on_chain: "P",
    chain: "P",
    created_timestamp: 10,
    ...output,
  };
  const names = Object.keys(row);
  const values = Object.values(row).map((value) =>
    Array.isArray(value) ? value.map((one: string) => Buffer.from(one.slice(2), "hex")) : value,
  );
  await database.pool.query(
    `INSERT INTO utxos (${names.join(", ")}) VALUES (${names.map((_, index) => `$${index + 1}`).join(", ")})`,
    values,
  );
}

const store = () => createBalanceStore(database, () => NOW);

/** All blocks up to the time are included. */
const ALL_BLOCKS = { blockNumber: null, timeArgument: "blockTimestamp" } as const;

async function ask(
  chain: "P" | "X" | "C",
  time: number | null = null,
  addresses: readonly string[] = [OWNER],
): Promise<AddressBalances> {
  return store().of(
    { ...ALL_BLOCKS, network: NETWORK, chain, addresses, blockTimestamp: time === null ? null : String(time) },
    SERVICE_WORK,
  );
}

/** Amounts of the balance lists that are not empty, by name. */
async function listsOf(...query: Parameters<typeof ask>): Promise<Record<string, string>> {
  const { balances } = await ask(...query);
  const lists = Object.entries(balances).filter(([name, list]) => name !== "chain" && list.length > 0);
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.map(({ amount }: { amount: string }) => amount).join()]),
  );
}

type PBalances = Extract<AddressBalances["balances"], { readonly unlockedUnstaked: unknown }>;

describe("balance lists at the exact second", () => {
  it("E8 an output counts from the time of its block until the time of the block that spends it", async () => {
    await insert({
      created_timestamp: 20,
      consumed_timestamp: 30,
      consumed_tx_hash: "\\x01",
      consumed_block_number: 3,
    });
    expect([await listsOf("P", 19), await listsOf("P", 20), await listsOf("P", 29), await listsOf("P", 30)]).toEqual([
      {},
      { unlockedUnstaked: "1" },
      { unlockedUnstaked: "1" },
      {},
    ]);
    expect(await listsOf("P")).toEqual({});
  });

  it("after a block, what later blocks of the same second create or spend does not count, with one owner or several", async () => {
    const SPENT = { consumed_timestamp: 20, consumed_tx_hash: "\\x01" };
    for (const addresses of [[OWNER], [OWNER, address("d")]]) {
      await insert({ addresses, created_timestamp: 20, created_block_number: 2, amount: "1" });
      await insert({ addresses, created_timestamp: 20, created_block_number: 3, amount: "2" });
      await insert({ addresses, created_block_number: 1, ...SPENT, consumed_block_number: 3, amount: "4" });
      // The export of block 2 is imported by block 7 of the X-Chain.
      const exported = { role: "EXPORTED", chain: "X", created_timestamp: 20, created_block_number: 2 };
      await insert({ addresses, ...exported, ...SPENT, consumed_block_number: 7, amount: "8" });
    }
    const upTo = (chain: "P" | "X", block: number) =>
      ({
        network: NETWORK,
        chain,
        addresses: [OWNER],
        blockTimestamp: "20",
        blockNumber: String(block),
        timeArgument: "",
      }) as const;
    const freeAfter = async (block: number) => {
      const { balances } = await store().of(upTo("P", block), SERVICE_WORK);
      const { unlockedUnstaked, atomicMemoryUnlocked } = balances as PBalances;
      expect(atomicMemoryUnlocked).toEqual([]);
      return unlockedUnstaked.map(({ amount }) => amount);
    };
    expect([await freeAfter(1), await freeAfter(2), await freeAfter(3)]).toEqual([["8"], ["10"], ["6"]]);
    const importable = async (block: number) =>
      (await store().importable(upTo("X", block), SERVICE_WORK)).unlocked.map(({ amount }) => amount);
    expect([await importable(6), await importable(7)]).toEqual([["16"], []]);
  });

  it("E8 a lock ends at its locktime, which is compared with the clock if no time is given", async () => {
    await insert({ locktime: 50 });
    await insert({ locktime: NOW + 1, amount: "2" });
    expect(await listsOf("P", 49)).toEqual({ lockedPlatform: "3" });
    expect(await listsOf("P", 50)).toEqual({ unlockedUnstaked: "1", lockedPlatform: "2" });
    expect(await listsOf("P")).toEqual({ unlockedUnstaked: "1", lockedPlatform: "2" });
    const later = createBalanceStore(database, () => NOW + 1);
    const query = { ...ALL_BLOCKS, network: NETWORK, chain: "P", addresses: [OWNER], blockTimestamp: null } as const;
    expect((await later.of(query, SERVICE_WORK)).balances).toMatchObject({
      unlockedUnstaked: [{ amount: "3" }],
      lockedPlatform: [],
    });
  });

  it("E8 stakeable locks have a list of their own; an inner locktime takes precedence", async () => {
    await insert({ stakeable_locktime: 50 });
    await insert({ stakeable_locktime: 50, locktime: 40, amount: "2" });
    expect(await listsOf("P", 39)).toEqual({ lockedPlatform: "2", lockedStakeable: "1" });
    expect(await listsOf("P", 40)).toEqual({ lockedStakeable: "3" });
    expect(await listsOf("P", 50)).toEqual({ unlockedUnstaked: "3" });
  });

  it("E8 a stake is pending before its start, staked until its end time, and listed as not staked after that, even before its reward block", async () => {
    await insert({ role: "STAKE", stake_start: 20, stake_end: 30 });
    await insert({ role: "STAKE", stake_start: 20, stake_end: 30, stakeable_locktime: 25, amount: "2" });
    await insert({ role: "STAKE", stake_start: 20, stake_end: 30, locktime: 40, amount: "4" });
    expect(await listsOf("P", 19)).toEqual({ pendingStaked: "7" });
    expect(await listsOf("P", 20)).toEqual({ unlockedStaked: "1", lockedStaked: "6" });
    expect(await listsOf("P", 25)).toEqual({ unlockedStaked: "3", lockedStaked: "4" });
    expect(await listsOf("P", 30)).toEqual({ unlockedUnstaked: "3", lockedPlatform: "4" });
    expect(await listsOf("P")).toEqual({ unlockedUnstaked: "7" });
  });

  it("E8 an exported output is in atomic memory until it is imported, listed by destination chain and lock", async () => {
    const exported = { role: "EXPORTED", created_on_chain: "P" };
    const imported = { consumed_tx_hash: "\\x01", consumed_block_number: 3, consumed_timestamp: 30 };
    await insert({ ...exported, chain: "X", ...imported });
    await insert({ ...exported, chain: "X", locktime: 25, amount: "2" });
    await insert({ ...exported, chain: "C", amount: "4" });
    expect((await ask("P", 20)).balances).toMatchObject({
      unlockedUnstaked: [],
      atomicMemoryUnlocked: [
        { amount: "4", utxoCount: 1, status: "pendingExport" },
        { amount: "1", utxoCount: 1, sharedWithChainId: X_CHAIN },
      ],
      atomicMemoryLocked: [{ amount: "2", utxoCount: 1, sharedWithChainId: X_CHAIN, status: "pendingExport" }],
    });
    expect(await listsOf("P", 30)).toEqual({ atomicMemoryUnlocked: "4,2" });
    // The destination chain does not count it as a balance.
    expect(await listsOf("X", 20)).toEqual({});
    const query = { ...ALL_BLOCKS, network: NETWORK, chain: "X", addresses: [OWNER], blockTimestamp: "20" } as const;
    const P_CHAIN = "11111111111111111111111111111111LpoYY";
    expect(await store().importable(query, SERVICE_WORK)).toMatchObject({
      unlocked: [{ amount: "1", sharedWithChainId: P_CHAIN, status: "pendingImport" }],
      locked: [{ amount: "2", sharedWithChainId: P_CHAIN }],
    });
  });

  it("E8 an output of which only the import is indexed counts nowhere", async () => {
    const imported = { consumed_tx_hash: "\\x01", consumed_block_number: 3, consumed_timestamp: 30 };
    await insert({ role: "EXPORTED", chain: "C", addresses: [], threshold: 0, created_timestamp: null, ...imported });
    expect([await listsOf("P"), await listsOf("P", 20)]).toEqual([{}, {}]);
  });

  it("E8 an output with several owners counts for each of them, and once for all of them together", async () => {
    const one = address("c");
    const two = address("d");
    const three = address("e");
    await insert({ addresses: [one, two] });
    await insert({ addresses: [one, two, three], amount: "2" });
    await insert({ addresses: [two], amount: "4" });
    await insert({
      addresses: [two, three],
      amount: "8",
      created_timestamp: 20,
      consumed_tx_hash: "\\x01",
      consumed_timestamp: 30,
    });
    expect(await listsOf("P", null, [one])).toEqual({ unlockedUnstaked: "3" });
    expect(await listsOf("P", null, [two])).toEqual({ unlockedUnstaked: "7" });
    expect(await listsOf("P", null, [one, two, three])).toEqual({ unlockedUnstaked: "7" });
    expect(await listsOf("P", 25, [three])).toEqual({ unlockedUnstaked: "10" });
  });

  it("E8 an output can have thousands of owners", async () => {
    const owners = Array.from({ length: 3_000 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
    await insert({ addresses: owners });
    expect(await listsOf("P", null, [owners[2_999] as string])).toEqual({ unlockedUnstaked: "1" });
  });

  it("E8 sums above 2^64 keep every digit; assets are listed AVAX first, with name, symbol and denomination", async () => {
    const most = "18446744073709551615";
    const odd = hash("0");
    const last = hash("f");
    for (const asset_id of [AVAX, odd, last]) {
      await insert({ asset_id: `\\x${asset_id.slice(2)}`, amount: most });
      await insert({ asset_id: `\\x${asset_id.slice(2)}`, amount: most });
    }
    const amount = "36893488147419103230";
    const unknown = { name: "", symbol: "", denomination: 0, type: "secp256k1" };
    expect((await ask("P")).balances).toMatchObject({
      unlockedUnstaked: [
        { assetId: AVAX, name: "Avalanche", symbol: "AVAX", denomination: 9, type: "secp256k1", amount, utxoCount: 2 },
        { assetId: odd, ...unknown, amount, utxoCount: 2 },
        { assetId: last, ...unknown, amount, utxoCount: 2 },
      ],
    });
  });

  it("E8 NFTs and minting rights are not part of balances", async () => {
    for (const output_type of ["nftfx.TransferOutput", "secp256k1fx.MintOutput", "propertyfx.OwnedOutput"])
      await insert({ output_type, amount: "0", created_on_chain: "X", chain: "X" });
    expect(await listsOf("X")).toEqual({});
  });

  it("E8 a time after the last confirmed time is refused with that time", async () => {
    const refused = `blockTimestamp must be at most ${NOW}, the time up to which x-chain of fuji is indexed, got ${NOW + 1}`;
    await expect(ask("X", NOW + 1)).rejects.toMatchObject({ code: "INVALID_PARAMETER", message: refused });
    await expect(ask("X", NOW)).resolves.toBeDefined();
    const query = {
      ...ALL_BLOCKS,
      network: NETWORK,
      chain: "X",
      addresses: [OWNER],
      blockTimestamp: "9".repeat(78),
    } as const;
    await expect(store().of(query, SERVICE_WORK)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  });

  describe("E8 the last confirmed time of a chain", () => {
    const setProgress = (chain: string, state: string, headSeenAt: number | null) =>
      database.pool.query(
        `INSERT INTO primary_progress (network_id, chain, state, blocks_per_second, updated_at, head_seen_at)
         VALUES (5, $1, $2, 0, 0, $3)`,
        [chain, state, headSeenAt],
      );
    const setHead = (chain: string, time: number) =>
      database.pool.query("UPDATE primary_heads SET block_timestamp = $2 WHERE chain = $1", [chain, time]);
    afterEach(async () => {
      await database.pool.query("TRUNCATE primary_progress");
      for (const chain of ["P", "X", "C"]) await setHead(chain, NOW);
    });
    const expectLast = async (chain: "P" | "X" | "C", time: number) => {
      await expect(ask(chain, time)).resolves.toBeDefined();
      await expect(ask(chain, time + 1)).rejects.toMatchObject({
        message: expect.stringContaining(`must be at most ${time},`),
      });
    };

    it("is the time at which the node's head was last seen to be indexed, if that is later than the last block", async () => {
      await setProgress("X", "FOLLOWING", NOW + 500);
      await expectLast("X", NOW + 500);
      await setProgress("C", "FOLLOWING", NOW - 500);
      await expectLast("C", NOW);
    });

    it("stays confirmed when the node becomes unavailable", async () => {
      await setProgress("X", "WAITING", NOW + 500);
      await expectLast("X", NOW + 500);
    });

    it("is the last block time of any chain of the network for a chain that follows its node", async () => {
      await setHead("P", NOW + 20);
      await setProgress("X", "FOLLOWING", null);
      await expectLast("X", NOW + 20);
      await expectLast("C", NOW + 20);
    });

    it("is its own last block time for a chain that is behind its node", async () => {
      await setHead("P", NOW + 20);
      await setProgress("X", "BACKFILLING", null);
      await expectLast("X", NOW);
    });
  });

  it("E8 counts amounts as fungible even if the asset also has NFTs", async () => {
    const mixed = hash("9");
    await database.pool.query(
      `INSERT INTO primary_assets VALUES (5, decode(repeat('9', 64), 'hex'), 'Mixed', 'MIX', 0, 'nft', 'variable', 0)`,
    );
    await insert({ asset_id: `\\x${mixed.slice(2)}`, amount: "10", created_on_chain: "X", chain: "X" });
    expect((await ask("X")).balances).toMatchObject({
      unlockedUnstaked: [{ assetId: mixed, name: "Mixed", type: "secp256k1", amount: "10" }],
    });
  });

  it("E8 costs one statement without a time and two with a time, whatever the number of outputs", async () => {
    for (let index = 0; index < 50; index++) await insert({ addresses: index % 2 ? [OWNER] : [OWNER, address("c")] });
    expect(await statementsOf(() => ask("P"))).toHaveLength(1);
    expect(await statementsOf(() => ask("P", 500, [OWNER, address("c"), address("d")]))).toHaveLength(2);
  });
});
