import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { namedRows } from "../../../test/support/database/named-balances.ts";
import { scansOf, scansOfGenericPlan } from "../../../test/support/database/plans.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import {
  createHoldersDatabase,
  HOLDERS_CHAIN,
  HOLDERS_HEAD,
  LARGE_TOKEN,
} from "../../../test/support/indexed/holders-chain.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import { AT_BLOCK } from "./store.ts";

let opened: OpenedEvm;
/** The token and the holder with the most changes of balance. */
let token: string;
let holder: string;
/** Blocks in which the balance changed, with the balance after each, oldest first. */
let history: { readonly block: number; readonly balance: string }[];

beforeAll(async () => {
  opened = await openEvm();
  const [pair = ""] = await opened.values(
    `SELECT '0x' || encode(token_address, 'hex') || ' 0x' || encode(address, 'hex') AS value FROM ${namedRows("erc20_balances")} b WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
  );
  [token = "", holder = ""] = pair.split(" ");
  const rows = await opened.values(
    `SELECT block_number || ' ' || balance AS value FROM ${namedRows("erc20_balances")} b WHERE chain_id = ${C_CHAIN} AND token_address = '\\x${token.slice(2)}' AND address = '\\x${holder.slice(2)}' ORDER BY block_number`,
  );
  history = rows.map((row) => {
    const [block = "", balance = ""] = row.split(" ");
    return { block: Number(block), balance };
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

async function balance(block: number | string | null, who = holder) {
  const after = block === null ? "" : `, at: { block: "${block}" }`;
  const { data, errors } = await opened.ask(
    `{ erc20Token(chainId: "${C_CHAIN}", address: "${token}") { balance(address: "${who}"${after}) } }`,
  );
  const found = data?.["erc20Token"] as { readonly balance: string } | undefined;
  return errors?.[0] ?? found?.balance;
}

describe("the store of ERC-20 balances", () => {
  it("returns the balance after a block: that of the last change up to it, and 0 before the first", async () => {
    expect(history.length).toBeGreaterThan(3);
    for (const [at, { block, balance: held }] of history.entries()) {
      expect(await balance(block)).toBe(held);
      const before = history[at - 1];
      if (before?.block !== block - 1) expect(await balance(block - 1)).toBe(before?.balance ?? "0");
    }
    expect(await balance(null)).toBe(history.at(-1)?.balance);
    expect(await balance(234)).toBe(history.at(-1)?.balance);
    expect(await balance(null, `0x${"1".repeat(40)}`)).toBe("0");
  });

  it("rejects a block that is not indexed, and names the last indexed block", async () => {
    for (const block of ["235", "9".repeat(78)])
      expect(await balance(block)).toMatchObject({
        message: `at.block must be at most 234, the last indexed block, got ${block}`,
        extensions: { code: "INVALID_PARAMETER" },
      });
  });

  it("rejects the zero address, whose balance is not stored", async () => {
    expect(await balance(null, `0x${"0".repeat(40)}`)).toMatchObject({
      message: "address must not be the zero address: its balance is not stored",
      extensions: { code: "INVALID_PARAMETER" },
    });
  });

  it("can be negative if a token changed balances without events", async () => {
    const where = `WHERE chain_id = ${C_CHAIN} AND token_address = '\\x${token.slice(2)}' AND address = '\\x${holder.slice(2)}'`;
    const last = history.at(-1);
    const set = (balance: string) =>
      opened.database.pool.query(`WITH holder AS (UPDATE erc20_holders SET balance = ${balance} ${where} RETURNING holder_id)
        UPDATE erc20_balances b SET balance = ${balance} FROM holder
        WHERE b.chain_id = ${C_CHAIN} AND b.holder_id = holder.holder_id AND b.block_number = ${last?.block}`);
    await set("-5");
    expect(await balance(null)).toBe("-5");
    await set(last?.balance ?? "");
  });

  it("finds many balances in one statement for each chain, also of chains without such a block", async () => {
    const { load } = opened.context();
    const keys = [...history.map(({ block }) => String(block)), null].map((blockNumber) => ({
      chainId: C_CHAIN,
      tokenAddress: token,
      address: holder,
      blockNumber,
    }));
    const elsewhere = { chainId: L1, tokenAddress: token, address: holder, blockNumber: "5" };
    const nowhere = { ...elsewhere, chainId: "1" };
    let found: (string | null | undefined)[][] = [];
    const statements = await statementsOf(async () => {
      const all = await Promise.all([...keys, elsewhere, nowhere].map((key) => load.erc20Balance(key)));
      found = all.map((one) => [one?.balance, one?.head]);
    });
    expect(statements).toHaveLength(3);
    const held = [...history, history.at(-1)].map((one) => [one?.balance, "234"]);
    expect(found).toEqual([...held, ["0", "218"], ["0", null]]);
  });
});

describe("the statement of ERC-20 balances", () => {
  let holders: TestDatabase;
  beforeAll(async () => {
    holders = await createHoldersDatabase();
  });
  afterAll(() => holders[Symbol.asyncDispose]());

  /** Scans of the tables of balances, with the number of rows that each read in all. */
  async function scansAt(scans: typeof scansOf, blockNumbers: readonly number[]): Promise<unknown[]> {
    const { rows } = await holders.pool.query<{ address: string }>(
      "SELECT address FROM erc20_holders WHERE token_address = $1 ORDER BY address LIMIT $2",
      [Buffer.from(LARGE_TOKEN.slice(2), "hex"), blockNumbers.length],
    );
    const values = [
      HOLDERS_CHAIN,
      byteaArray(blockNumbers.map(() => LARGE_TOKEN)),
      byteaArray(rows.map(({ address }) => `0x${Buffer.from(address).toString("hex")}`)),
      blockNumbers,
    ];
    const found = await scans(holders.pool, AT_BLOCK, values);
    return found
      .filter(({ table, rows, removed }) => table.startsWith("erc20_") && rows + removed > 0)
      .map(({ table, kind, rows, removed }) => [table, kind, Math.round(rows), removed]);
  }

  it.each([
    ["with these values", scansOf],
    ["with any values", scansOfGenericPlan],
  ])("reads an index for each holder, and another one only if the balance changed later: plan %s", async (_, scans) => {
    const ofHolders = [`erc20_holders_${HOLDERS_CHAIN}`, "Index Only Scan", 30, 0];
    const last = Array.from({ length: 30 }, () => HOLDERS_HEAD);
    expect(await scansAt(scans, last)).toEqual([ofHolders]);
    const before = await scansAt(
      scans,
      last.map(() => 5_000),
    );
    expect(before).toContainEqual(ofHolders);
    expect(before).toContainEqual([`erc20_balances_${HOLDERS_CHAIN}`, "Index Only Scan", expect.any(Number), 0]);
    expect(before).toHaveLength(2);
  });
});
