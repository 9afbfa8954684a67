import type { TableName } from "../../../core/database/table-columns.ts";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { COLUMNS } from "../../../prisma/columns.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import { TABLE_NAMES as PRIMARY_TABLES } from "../../primary/replay/store/tables.ts";
import { columnNames } from "../../shared/table-rows.ts";
import { PARTITIONED } from "../store/tables.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { decodeBlock } from "./block.ts";
import { chainRules } from "./chain-rules.ts";
import { encodedBlock } from "./encoded-block.ts";
import { TABLES } from "./tables.ts";

describe("the columns of rows", () => {
  it("are all columns of their tables, with the types that the database has, after the chain or network", async () => {
    await using database = await createTestDatabase();
    const { rows } = await database.pool.query<{ table: string; columns: Record<string, string> }>(
      `SELECT c.relname AS table, json_object_agg(a.attname, format_type(a.atttypid, NULL)
           || CASE WHEN a.attnotnull OR a.attndims > 0 THEN '' ELSE '?' END) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relname = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped GROUP BY c.relname`,
      [Object.keys(COLUMNS)],
    );
    expect(Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))).toEqual(COLUMNS);
    for (const table of [...TABLES, ...PARTITIONED, ...PRIMARY_TABLES, "primary_raw_blocks"] as TableName[])
      expect([table, columnNames(table)[0]]).toEqual([table, expect.stringMatching(/^(chain|network)_id$/)]);
  });

  it("refuse a number that they cannot store, with the block and the reason", () => {
    const [raw] = syntheticChain("columns", 1, () => ({ token: "c".repeat(40) })) as [RawBlock];
    const [transaction, ...others] = raw.block.transactions;
    const withType = (type: string) => ({
      ...raw,
      block: { ...raw.block, transactions: [{ ...transaction, type }, ...others] },
    });
    const encode = (type: string) => () =>
      encodedBlock(decodeBlock(chainRules({ chainId: 7 }), withType(type) as RawBlock, 0));
    expect(encode("0x7fff")).not.toThrow();
    expect(encode("0x8000")).toThrow(BadUpstreamData);
    expect(encode("0x8000")).toThrow("cannot be stored in evm_transactions: 32768 does not fit into 2 bytes");
  });
});
