import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { dumpTable } from "../../../../test/support/database/tables.ts";
import { expectedHoldings } from "../../../../test/support/oracle/holdings-oracle.ts";
import { createRandomIntegers } from "../../../../test/support/random.ts";
import { tryBecomeWriter, type Writer } from "../../../shared/writer.ts";
import { BalanceChanges } from "../../decode/balance-changes.ts";
import { createPartitions } from "../tables.ts";
import { insertErc20Holdings, rollBackErc20Holdings } from "./erc20-holdings.ts";
import type { BlockBalances } from "./holder-changes.ts";

const CHAIN = 77_013;
const TOKENS = ["aa", "bb"].map((byte) => byte.repeat(20));
/** The first address changes most often. */
const HOLDERS = ["01", "02", "03", "04", "05", "06"].map((byte) => byte.repeat(20));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe("the holders of ERC-20 tokens", () => {
  it("have the same past balances as a sort of all balances gives, after batches of any size and rollbacks to any block", async () => {
    await using writer = (await tryBecomeWriter(database.url, String(CHAIN))) as Writer;
    await createPartitions(writer, String(CHAIN));
    const random = createRandomIntegers(11);
    const blockOf = (number: number): BlockBalances => {
      const changes = new BalanceChanges();
      for (let change = 0; change < 3; change++) {
        const holder = HOLDERS[Math.min(random() % 6, random() % 6)] as string;
        changes.add(TOKENS[random() % 2] as string, holder, BigInt(random() % 100) - 45n);
      }
      return { number, balances: changes.all() };
    };
    let head = 0;
    for (let step = 0; step < 14; step++) {
      if (step % 4 === 3) {
        head = Math.max(0, head - (random() % 25));
        await writer.transaction(async (session) => {
          await rollBackErc20Holdings(session, String(CHAIN), head);
          await session.query("DELETE FROM erc20_balances WHERE chain_id = $1 AND block_number > $2", [CHAIN, head]);
        });
      } else {
        const blocks = Array.from({ length: 1 + (random() % 20) }, (_, index) => blockOf(head + 1 + index));
        await writer.transaction((session) => insertErc20Holdings(session, String(CHAIN), blocks));
        head += blocks.length;
      }
      await expectHolders(step);
    }
  });
});

/** Compares the rows of holders with those that follow from all stored balances. */
async function expectHolders(step: number): Promise<void> {
  const hex = (text: string | null | undefined): string | null => text?.replace("\\x", "0x") ?? null;
  const balances = await dumpTable(database.pool, CHAIN, "erc20_balances");
  const { erc20_holders } = expectedHoldings(CHAIN, {
    erc20_balances: balances.map((row) => ({
      ...row,
      token_address: hex(row["token_address"]),
      address: hex(row["address"]),
    })),
    erc721_transfers: [],
    erc1155_transfers: [],
  });
  const found = await dumpTable(database.pool, CHAIN, "erc20_holders");
  const keyed = (rows: readonly Readonly<Record<string, string | null>>[]) =>
    new Map(rows.map((row) => [`${hex(row["token_address"])} ${hex(row["address"])}`, withoutKey(row)]));
  expect([step, keyed(found)]).toEqual([step, keyed(erc20_holders)]);
}

const withoutKey = (row: Readonly<Record<string, string | null>>): Readonly<Record<string, string | null>> => ({
  ...row,
  token_address: null,
  address: null,
});
