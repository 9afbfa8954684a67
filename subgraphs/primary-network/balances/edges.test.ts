import "reflect-metadata";
import { formatId } from "../../../core/id-text.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import type { ServedNetwork } from "../networks/store.ts";
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

/** What an output is made of beside what every output has. */
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

let made = 0;

async function make(output: Output): Promise<void> {
  const row = {
    network_id: 5,
    utxo_id: `\\x${(++made).toString(16).padStart(64, "0")}`,
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

async function ask(
  chain: "P" | "X" | "C",
  time: number | null = null,
  addresses: readonly string[] = [OWNER],
): Promise<AddressBalances> {
  return store().of({ network: NETWORK, chain, addresses, blockTimestamp: time === null ? null : String(time) });
}

/** Names of the lists that are not empty, with amounts. */
async function where(...asked: Parameters<typeof ask>): Promise<Record<string, string>> {
  const { balances } = await ask(...asked);
  const lists = Object.entries(balances).filter(([name, list]) => name !== "chain" && list.length > 0);
  return Object.fromEntries(
    lists.map(([name, list]) => [name, list.map(({ amount }: { amount: string }) => amount).join()]),
  );
}

describe("the lists of balances at the second", () => {
  it("E8 an output is there from the time of its block on, and no more from that of the block which spends it", async () => {
    await make({ created_timestamp: 20, consumed_timestamp: 30, consumed_tx_hash: "\\x01", consumed_block_number: 3 });
    expect([await where("P", 19), await where("P", 20), await where("P", 29), await where("P", 30)]).toEqual([
      {},
      { unlockedUnstaked: "1" },
      { unlockedUnstaked: "1" },
      {},
    ]);
    expect(await where("P")).toEqual({});
  });

  it("E8 a locktime holds up to the second before it, against the clock without a time", async () => {
    await make({ locktime: 50 });
    await make({ locktime: NOW + 1, amount: "2" });
    expect(await where("P", 49)).toEqual({ lockedPlatform: "3" });
    expect(await where("P", 50)).toEqual({ unlockedUnstaked: "1", lockedPlatform: "2" });
    expect(await where("P")).toEqual({ unlockedUnstaked: "1", lockedPlatform: "2" });
    const later = createBalanceStore(database, () => NOW + 1);
    const asked = { network: NETWORK, chain: "P", addresses: [OWNER], blockTimestamp: null } as const;
    expect((await later.of(asked)).balances).toMatchObject({ unlockedUnstaked: [{ amount: "3" }], lockedPlatform: [] });
  });

  it("E8 a stakeable lock is a list of its own, which an inner locktime comes before", async () => {
    await make({ stakeable_locktime: 50 });
    await make({ stakeable_locktime: 50, locktime: 40, amount: "2" });
    expect(await where("P", 39)).toEqual({ lockedPlatform: "2", lockedStakeable: "1" });
    expect(await where("P", 40)).toEqual({ lockedStakeable: "3" });
    expect(await where("P", 50)).toEqual({ unlockedUnstaked: "3" });
  });

  it("E8 a stake is pending, staked from its start, and free from its end although nothing has ended it", async () => {
    await make({ role: "STAKE", stake_start: 20, stake_end: 30 });
    await make({ role: "STAKE", stake_start: 20, stake_end: 30, stakeable_locktime: 25, amount: "2" });
    await make({ role: "STAKE", stake_start: 20, stake_end: 30, locktime: 40, amount: "4" });
    expect(await where("P", 19)).toEqual({ pendingStaked: "7" });
    expect(await where("P", 20)).toEqual({ unlockedStaked: "1", lockedStaked: "6" });
    expect(await where("P", 25)).toEqual({ unlockedStaked: "3", lockedStaked: "4" });
    expect(await where("P", 30)).toEqual({ unlockedUnstaked: "3", lockedPlatform: "4" });
    expect(await where("P")).toEqual({ unlockedUnstaked: "7" });
  });

  it("E8 what is exported is in atomic memory until it is imported, by where it goes, locked or not", async () => {
    const exported = { role: "EXPORTED", created_on_chain: "P" };
    const imported = { consumed_tx_hash: "\\x01", consumed_block_number: 3, consumed_timestamp: 30 };
    await make({ ...exported, chain: "X", ...imported });
    await make({ ...exported, chain: "X", locktime: 25, amount: "2" });
    await make({ ...exported, chain: "C", amount: "4" });
    expect((await ask("P", 20)).balances).toMatchObject({
      unlockedUnstaked: [],
      atomicMemoryUnlocked: [
        { amount: "4", utxoCount: 1, status: "pendingExport" },
        { amount: "1", utxoCount: 1, sharedWithChainId: X_CHAIN },
      ],
      atomicMemoryLocked: [{ amount: "2", utxoCount: 1, sharedWithChainId: X_CHAIN, status: "pendingExport" }],
    });
    expect(await where("P", 30)).toEqual({ atomicMemoryUnlocked: "4,2" });
    // On the other side it is none of its balances.
    expect(await where("X", 20)).toEqual({});
    const asked = { network: NETWORK, chain: "X", addresses: [OWNER], blockTimestamp: "20" } as const;
    const P_CHAIN = "11111111111111111111111111111111LpoYY";
    expect(await store().importable(asked)).toMatchObject({
      unlocked: [{ amount: "1", sharedWithChainId: P_CHAIN, status: "pendingImport" }],
      locked: [{ amount: "2", sharedWithChainId: P_CHAIN }],
    });
  });

  it("E8 an import that is seen before its export counts nowhere", async () => {
    const imported = { consumed_tx_hash: "\\x01", consumed_block_number: 3, consumed_timestamp: 30 };
    await make({ role: "EXPORTED", chain: "C", addresses: [], threshold: 0, created_timestamp: null, ...imported });
    expect([await where("P"), await where("P", 20)]).toEqual([{}, {}]);
  });

  it("E8 an output of several owners is each one's, and counts once for them together", async () => {
    const [one, two, three] = [address("c"), address("d"), address("e")];
    await make({ addresses: [one, two] });
    await make({ addresses: [one, two, three], amount: "2" });
    await make({ addresses: [two], amount: "4" });
    await make({
      addresses: [two, three],
      amount: "8",
      created_timestamp: 20,
      consumed_tx_hash: "\\x01",
      consumed_timestamp: 30,
    });
    expect(await where("P", null, [one])).toEqual({ unlockedUnstaked: "3" });
    expect(await where("P", null, [two])).toEqual({ unlockedUnstaked: "7" });
    expect(await where("P", null, [one, two, three])).toEqual({ unlockedUnstaked: "7" });
    expect(await where("P", 25, [three])).toEqual({ unlockedUnstaked: "10" });
  });

  it("E8 an output of thousands of owners can be there", async () => {
    const owners = Array.from({ length: 3_000 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`);
    await make({ addresses: owners });
    expect(await where("P", null, [owners[2_999] as string])).toEqual({ unlockedUnstaked: "1" });
  });

  it("E8 amounts beyond 2^64 together keep every digit, and are by asset, AVAX first, with what is known of it", async () => {
    const most = "18446744073709551615";
    const [odd, last] = [hash("0"), hash("f")];
    for (const asset_id of [AVAX, odd, last]) {
      await make({ asset_id: `\\x${asset_id.slice(2)}`, amount: most });
      await make({ asset_id: `\\x${asset_id.slice(2)}`, amount: most });
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

  it("E8 NFTs and rights to mint are no balance", async () => {
    for (const output_type of ["nftfx.TransferOutput", "secp256k1fx.MintOutput", "propertyfx.OwnedOutput"])
      await make({ output_type, amount: "0", created_on_chain: "X", chain: "X" });
    expect(await where("X")).toEqual({});
  });

  it("E8 a time beyond the last block is refused with that block's time, and is asked for before anything else", async () => {
    const refused = `blockTimestamp must be at most ${NOW}, the time of the last indexed block of x-chain of fuji, got ${NOW + 1}`;
    await expect(ask("X", NOW + 1)).rejects.toMatchObject({ code: "INVALID_PARAMETER", message: refused });
    await expect(ask("X", NOW)).resolves.toBeDefined();
    const asked = { network: NETWORK, chain: "X", addresses: [OWNER], blockTimestamp: "9".repeat(78) } as const;
    await expect(store().of(asked)).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  });

  it("E8 costs one statement, and one more with a time, whatever is owned", async () => {
    for (let index = 0; index < 50; index++) await make({ addresses: index % 2 ? [OWNER] : [OWNER, address("c")] });
    expect(await statementsOf(() => ask("P"))).toHaveLength(1);
    expect(await statementsOf(() => ask("P", 500, [OWNER, address("c"), address("d")]))).toHaveLength(2);
  });
});
