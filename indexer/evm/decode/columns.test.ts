import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { createTestDatabase } from "../../../test/support/database/database.ts";
import { syntheticChain } from "../../../test/support/indexed/synthetic-chain.ts";
import { BALANCE_COLUMNS } from "../store/balances.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { decodeBlock } from "./block.ts";
import { chainRules } from "./chain-rules.ts";
import { COLUMN_TYPES } from "./columns.ts";
import { encodedBlock } from "./encoded-block.ts";

describe("the columns of decoded rows", () => {
  it("are all columns of their tables, with the types that the database has", async () => {
    await using database = await createTestDatabase();
    for (const [table, columns] of Object.entries({ ...COLUMN_TYPES, erc20_balances: BALANCE_COLUMNS })) {
      const { rows } = await database.pool.query<{ name: string; type: string }>(
        "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = $1",
        [table],
      );
      expect({ table, columns: Object.fromEntries(rows.map(({ name, type }) => [name, type])) }).toEqual({
        table,
        columns,
      });
    }
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
