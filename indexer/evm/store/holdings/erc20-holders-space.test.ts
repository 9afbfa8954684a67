import { migrate } from "../../../../core/database/migrate.ts";
import { openDatabase } from "../../../../core/database/open-database.ts";
import { createLogger } from "../../../../core/observability/logger.ts";
import { startOwnServer } from "../../../../test/support/database/own-server.ts";
import { tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { type BalanceChange, BalanceChanges } from "../../decode/balance-changes.ts";
import { createPartitions } from "../tables.ts";
import { insertErc20Holdings } from "./erc20-holdings.ts";

const CHAIN = "7";
const TOKEN = "aa".repeat(20);
const BLOCKS = 80;
const HOLDERS = Array.from({ length: 200 }, (_, holder) => holder.toString(16).padStart(40, "0"));
/** The index of the highest balances of a token. */
const INDEX_BYTES = `SELECT pg_relation_size(indexrelid) AS bytes FROM pg_index
  WHERE indrelid = 'erc20_holders_${CHAIN}'::regclass AND pg_get_indexdef(indexrelid) LIKE '%max_balance, address) INCLUDE%'`;

/** All holders receive 1,000 in the first block, and send 1 in each further block. */
function balancesOf(block: number): readonly BalanceChange[] {
  const changes = new BalanceChanges();
  for (const holder of HOLDERS) changes.add(TOKEN, holder, block === 1 ? 1_000n : -1n);
  return changes.all();
}

describe("the statements that change the holders of ERC-20 tokens", () => {
  it("let PostgreSQL reuse the space of replaced entries in the index of the highest balances while these stay the same", async () => {
    // PostgreSQL reuses no space while a transaction of another database on the same server is open.
    await using server = await startOwnServer();
    await migrate(server.url);
    await using database = openDatabase(server.url, 1, createLogger("silent"));
    // A worker of autovacuum would keep replaced rows alive while it reads a table.
    await database.pool.query("ALTER SYSTEM SET autovacuum = off");
    await database.pool.query("SELECT pg_reload_conf()");
    await using writer = (await tryBecomeWriter(server.url, CHAIN)) as Writer;
    await createPartitions(writer, CHAIN);
    const sizes: number[] = [];
    for (let number = 1; number <= BLOCKS; number++) {
      const block = { number, balances: balancesOf(number), erc20TransferCounts: new Map() };
      await writer.transaction((session) => insertErc20Holdings(session, CHAIN, [block]));
      const { rows } = await database.pool.query<{ bytes: string }>(INDEX_BYTES);
      sizes.push(Number(rows[0]?.bytes));
    }
    // The last 200 entries take 40 kB, and all 16,000 take 5 MB.
    expect(sizes[9]).toBeGreaterThan(40_000);
    expect(sizes[BLOCKS - 1]).toBeLessThan(2_500_000);
  });
});
