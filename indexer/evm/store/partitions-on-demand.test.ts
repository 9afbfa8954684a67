import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { hashTables } from "../../../test/support/database/tables.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import { tryBecomeWriter, type Writer } from "../../shared/writer.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { decodeBlocks } from "../decode/encoded-block.ts";
import { BEFORE_GENESIS } from "./head.ts";
import { insertBlocks } from "./insert-blocks.ts";
import { createFirstPartitions, createPartitionsOnDemand } from "./partitions-on-demand.ts";
import { createPartitions } from "./tables.ts";

const CHAIN = "7";
const RULES = chainRules({ chainId: Number(CHAIN), network: "fuji" } as Parameters<typeof chainRules>[0]);
const TOKEN = "70".repeat(20);
const FIRST = [
  "erc20_holders",
  "evm_addresses",
  "evm_block_activity",
  "evm_blocks",
  "evm_transactions",
  "raw_blocks",
  "raw_traces",
];

const become = async ({ url }: TestDatabase) => (await tryBecomeWriter(url, CHAIN)) as Writer;

async function partitions({ pool }: TestDatabase): Promise<string[]> {
  const text = "SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r' ORDER BY relname";
  return (await pool.query<{ relname: string }>(text)).rows.map(({ relname }) => relname.replace(`_${CHAIN}`, ""));
}

const sorted = (names: readonly string[]) => [...names].sort();

/** Writes blocks of a chain, of which those from `from` on have a transfer of a token, each in a transaction. */
async function writeBlocks(writer: Writer, length: number, from: number): Promise<void> {
  const chain = syntheticChain("chain", length, (number) => (number >= from ? { token: TOKEN } : {}));
  const blocks = await decodeBlocks(RULES, BEFORE_GENESIS, chain);
  // All are called at once, as tasks of different parts of the indexer are.
  await Promise.all(
    blocks.map((block, i) => writer.transaction((session) => insertBlocks(session, RULES, [block], i + 1))),
  );
}

describe("the partitions of a chain", () => {
  it("are few while it has no events", async () => {
    await using database = await createTestDatabase();
    await using own = await become(database);
    const writer = createPartitionsOnDemand(own, CHAIN);
    await createFirstPartitions(writer, CHAIN);
    await writeBlocks(writer, 3, 3);
    expect(await partitions(database)).toEqual(FIRST);
  });

  it("are created with the first rows of a table, in whose transaction nothing is lost, written twice or out of order", async () => {
    await using database = await createTestDatabase();
    await using own = await become(database);
    const writer = createPartitionsOnDemand(own, CHAIN);
    await createFirstPartitions(writer, CHAIN);
    await writeBlocks(writer, 8, 3);
    expect(await partitions(database)).toEqual(
      sorted([
        ...FIRST,
        "evm_logs",
        "erc20_transfers",
        "erc20_balances",
        "erc20_supplies",
        "erc20_counts",
        "erc20_tokens",
        "raw_token_answers",
      ]),
    );
    await using other = await createTestDatabase();
    await using all = await become(other);
    await createPartitions(all, CHAIN);
    await writeBlocks(all, 8, 3);
    expect((await hashTables(database.pool, Number(CHAIN))).tables).toEqual(
      (await hashTables(other.pool, Number(CHAIN))).tables,
    );
  });

  it("are not created for a row that violates a constraint, which is tried once", async () => {
    await using database = await createTestDatabase();
    await using own = await become(database);
    await database.pool.query("CREATE TABLE checked (a INTEGER CHECK (a > 1))");
    const writer = createPartitionsOnDemand(own, CHAIN);
    let tries = 0;
    const violating = writer.transaction(({ query }) => {
      tries++;
      return query("INSERT INTO checked VALUES (1)");
    });
    await expect(violating).rejects.toMatchObject({ code: "23514", constraint: "checked_a_check" });
    expect(tries).toBe(1);
    expect(await partitions(database)).toEqual([]);
  });

  it("are created for rows that were not announced, once", async () => {
    await using database = await createTestDatabase();
    await using own = await become(database);
    const writer = createPartitionsOnDemand(own, CHAIN);
    const insert = (block: number) =>
      writer.transaction(({ query }) => query("INSERT INTO evm_ext_data VALUES ($1, $2, '', 0, '')", [CHAIN, block]));
    await Promise.all([insert(1), insert(2)]);
    expect(await partitions(database)).toEqual(["evm_ext_data"]);
    expect((await database.pool.query("SELECT block_number::int FROM evm_ext_data")).rows).toEqual([
      { block_number: 1 },
      { block_number: 2 },
    ]);
  });

  it("are tried once if the row still has none", async () => {
    await using database = await createTestDatabase();
    await using own = await become(database);
    const writer = createPartitionsOnDemand(own, CHAIN);
    let tries = 0;
    const ofOtherChain = writer.transaction(({ query }) => {
      tries++;
      return query("INSERT INTO evm_block_activity (chain_id, block_number) VALUES (8, 1)");
    });
    await expect(ofOtherChain).rejects.toMatchObject({ code: "23514" });
    expect(tries).toBe(2);
  });
});
