import type { PageRange } from "../../../core/graph/connection-args.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allOf, argsOf, itemsFrom } from "../../../test/support/lists/walk.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { Erc20TransfersArgs } from "./types.ts";

let opened: OpenedEvm;
/** An address that sent, received, and sent to itself. */
let address: string;

beforeAll(async () => {
  opened = await openEvm();
  [address = ""] = await opened.values(
    `SELECT '0x' || encode(from_address, 'hex') AS value FROM erc20_transfers WHERE chain_id = ${C_CHAIN} AND from_address = to_address LIMIT 1`,
  );
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<Erc20TransfersArgs>) {
  const args = Object.assign(new Erc20TransfersArgs(), { chainId: C_CHAIN, address, ...asked });
  return opened.context().erc20Transfers.page(args, SERVICE_WORK);
}

type Place = { readonly blockNumber: string; readonly logIndex: number };
const places = (transfers: readonly Place[]) =>
  transfers.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`);

function placesWhere(where: string): Promise<string[]> {
  const bytes = `'\\x${address.slice(2)}'`;
  return opened.values(
    `SELECT block_number || ' ' || log_index AS value FROM erc20_transfers
     WHERE chain_id = ${C_CHAIN} AND (from_address = ${bytes} OR to_address = ${bytes}) AND ${where}
     ORDER BY block_number DESC, log_index DESC`,
  );
}

describe("the store of ERC-20 transfers", () => {
  it.each([1, 2, 100])(
    "E9 pages through an address's transfers with a page size of %d, transfers to itself once",
    async (pageSize) => {
      const transfers = await allOf((at) => page(argsOf(at)), pageSize);
      expect(places(transfers)).toEqual(await placesWhere("true"));
      expect(transfers.some(({ from, to }) => from.address === to.address)).toBe(true);
    },
  );

  it("E9 includes startBlock and excludes endBlock, on every page", async () => {
    const [newest = "", oldest = ""] = await opened.values(
      `SELECT unnest(ARRAY[max(block_number), min(block_number)]) AS value FROM erc20_transfers WHERE chain_id = ${C_CHAIN} AND from_address = '\\x${address.slice(2)}'`,
    );
    const range = { filter: { fromBlock: oldest, toBlock: newest } };
    const transfers = await allOf((at) => page({ ...range, ...argsOf(at) }), 2);
    expect(places(transfers)).toEqual(await placesWhere(`block_number >= ${oldest} AND block_number < ${newest}`));
    expect(transfers.at(-1)?.blockNumber).toBe(oldest);
  });

  it.each([
    ["50", "50"],
    ["60", "50"],
    ["9".repeat(78), null],
    [null, "0"],
  ])("E9 returns an empty page from block %s to %s", async (fromBlock, toBlock) => {
    expect(await page({ filter: { fromBlock, toBlock } })).toMatchObject({ nodes: [], nextPageToken: null });
  });

  it("E9 treats an endBlock beyond the range of block numbers as no end", async () => {
    expect(places((await page({ filter: { toBlock: "9".repeat(78) } })).nodes)).toEqual(places((await page({})).nodes));
  });

  it("E9 rejects a page token with another address, startBlock or endBlock", async () => {
    const { nextPageToken } = await page({ first: 1 });
    const rejection = { code: "INVALID_PARAMETER" };
    for (const other of [
      { address: `0x${"1".repeat(40)}` },
      { filter: { fromBlock: "1" } },
      { filter: { toBlock: "200" } },
    ])
      await expect(page({ ...other, after: nextPageToken })).rejects.toMatchObject(rejection);
    expect((await page({ after: nextPageToken, first: 3 })).nodes).toHaveLength(3);
  });

  it("E9 neither repeats nor skips transfers if new ones are added between two pages", async () => {
    const expected = await placesWhere("true");
    const first = await page({ first: 2 });
    await opened.database.pool.query(
      `INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash, from_address, to_address, token_address, value)
       SELECT chain_id, block_number + 1000, log_index, block_index, block_timestamp, block_hash, tx_hash, from_address, to_address, token_address, value
       FROM erc20_transfers WHERE chain_id = ${C_CHAIN}`,
    );
    const read = (at: PageRange) => page(argsOf(at));
    const rest = await itemsFrom(read, { size: 2, cursor: first.nextPageToken });
    // The transfers before the first page are the new ones.
    const added = await itemsFrom(read, { size: 2, cursor: first.pageInfo.startCursor, isBackward: true });
    await opened.database.pool.query(
      `DELETE FROM erc20_transfers WHERE chain_id = ${C_CHAIN} AND block_number >= 1000`,
    );
    expect(places([...first.nodes, ...rest])).toEqual(expected);
    expect(added).toHaveLength(expected.length);
  });

  it("E9 needs two statements, also for an empty page", async () => {
    expect(await statementsOf(() => page({ first: 100 }))).toHaveLength(2);
    expect(await statementsOf(() => page({ address: `0x${"1".repeat(40)}` }))).toHaveLength(2);
  });

  it("returns metadata only for addresses that are tokens", async () => {
    const tokens = await opened.context().erc20Tokens.among(C_CHAIN, [address], SERVICE_WORK);
    expect(tokens.size).toBe(0);
    const [transfer] = (await page({ first: 1 })).nodes;
    expect(transfer?.erc20Token).toMatchObject({ ercType: "ERC-20", metadataStatus: "INDEXED", logoUri: null });
    for (const side of [transfer?.from, transfer?.to])
      expect(side).toMatchObject({ name: null, symbol: null, decimals: null, logoUri: null });
  });

  it("pages through the transfers of a token, newest first, and of a transaction, in log order", async () => {
    const { load } = opened.context();
    const [token = ""] = await opened.values(
      `SELECT encode(token_address, 'hex') AS value FROM erc20_transfers WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const ofToken = await allOf(
      (at) => load.erc20TransfersOfToken.ofChain([C_CHAIN, `\\x${token}`, ...rangeOf({})], at),
      5,
    );
    const where = `WHERE chain_id = ${C_CHAIN} AND token_address = '\\x${token}'`;
    const expected = await opened.values(
      `SELECT block_number || ' ' || log_index AS value FROM erc20_transfers ${where} ORDER BY block_number DESC, log_index DESC`,
    );
    expect(expected.length).toBeGreaterThan(20);
    expect(places(ofToken)).toEqual(expected);
    const [parent = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM erc20_transfers WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const [block = "", index = ""] = parent.split(" ");
    const inTransaction = await allOf((at) => load.erc20TransfersOfTransaction([C_CHAIN, block, index], at), 2);
    expect(places(inTransaction)).toEqual(
      await opened.values(
        `SELECT block_number || ' ' || log_index AS value FROM erc20_transfers WHERE chain_id = ${C_CHAIN} AND block_number = ${block} AND block_index = ${index} ORDER BY log_index`,
      ),
    );
  });

  it("counts the transfers of all transactions of a page in one statement, and only if that is asked", async () => {
    const query = (fields: string) =>
      `{ evmTransactions(chainId: "${C_CHAIN}", first: 50) { nodes { erc20Transfers(first: 1) { ${fields} } } } }`;
    const plain = await statementsOf(() => opened.ask(query("pageInfo { hasNextPage }")));
    const counted = await statementsOf(() => opened.ask(query("totalCount { count isExact }")));
    expect(counted.filter((text) => !plain.includes(text))).toEqual([expect.stringContaining("count(*)")]);
    expect(counted).toHaveLength(plain.length + 1);
  });

  it("returns the same transfer from the page and by key", async () => {
    const [newest] = (await page({ first: 1 })).nodes;
    const { blockNumber = "", logIndex = 0 } = newest ?? {};
    const found = await opened.context().load.erc20Transfer({ chainId: C_CHAIN, blockNumber, logIndex });
    expect(found).toMatchObject({ ...newest });
  });
});
