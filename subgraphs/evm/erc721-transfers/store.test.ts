import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allOf, argsOf } from "../../../test/support/lists/walk.ts";
import { Erc721TransfersArgs } from "./types.ts";

const ZERO = `0x${"0".repeat(40)}`;

let opened: OpenedEvm;
/** An address that sent, received, and sent to itself. */
let address: string;

beforeAll(async () => {
  opened = await openEvm();
  [address = ""] = await opened.values(
    `SELECT '0x' || encode(from_address, 'hex') AS value FROM erc721_transfers WHERE chain_id = ${C_CHAIN} AND from_address = to_address LIMIT 1`,
  );
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<Erc721TransfersArgs>) {
  const args = Object.assign(new Erc721TransfersArgs(), { chainId: C_CHAIN, address, ...asked });
  return opened.context().erc721Transfers.page(args, SERVICE_WORK);
}

type Place = { readonly blockNumber: string; readonly logIndex: number };
const places = (transfers: readonly Place[]) =>
  transfers.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`);

const placesWhere = (where: string, order = "block_number DESC, log_index DESC"): Promise<string[]> =>
  opened.values(
    `SELECT block_number || ' ' || log_index AS value FROM erc721_transfers WHERE chain_id = ${C_CHAIN} AND ${where} ORDER BY ${order}`,
  );
const isSide = (who: string) => `'\\x${who.slice(2)}' IN (from_address, to_address)`;

describe("the store of ERC-721 transfers", () => {
  it.each([1, 7, 100])(
    "pages through an address's transfers with a page size of %d, transfers to itself once",
    async (pageSize) => {
      for (const who of [address, ZERO]) {
        const transfers = await allOf((at) => page({ address: who, ...argsOf(at) }), pageSize);
        expect(places(transfers)).toEqual(await placesWhere(isSide(who)));
      }
    },
  );

  it("includes fromBlock and excludes toBlock", async () => {
    const all = await placesWhere(isSide(ZERO));
    const newest = all[0]?.split(" ")[0] ?? "";
    const oldest = all.at(-1)?.split(" ")[0] ?? "";
    const { nodes } = await page({ address: ZERO, filter: { fromBlock: oldest, toBlock: newest }, first: 100 });
    const range = `block_number >= ${oldest} AND block_number < ${newest}`;
    expect(places(nodes)).toEqual(await placesWhere(`${isSide(ZERO)} AND ${range}`));
    expect(nodes.at(-1)?.blockNumber).toBe(oldest);
  });

  it("rejects a page token with another address", async () => {
    const { nextPageToken } = await page({ address: ZERO, first: 1 });
    await expect(page({ after: nextPageToken })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  });

  it("returns the transfers of a transaction in log order, as pages or all at once", async () => {
    const [place = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM erc721_transfers WHERE chain_id = ${C_CHAIN} GROUP BY 1 ORDER BY count(*) DESC LIMIT 1`,
    );
    const [block = "", index = ""] = place.split(" ");
    const { load } = opened.context();
    const parent = [C_CHAIN, block, index];
    const expected = await placesWhere(`block_number = ${block} AND block_index = ${index}`, "log_index");
    expect(expected.length).toBeGreaterThan(2);
    const paged = await allOf((at) => load.erc721TransfersOfTransaction(parent, at), 2);
    expect(places(paged)).toEqual(expected);
    expect(places(await load.wholeLists.erc721Transfers(parent))).toEqual(expected);
  });

  it("needs two statements, and a third for the tokens of all transfers of a page", async () => {
    expect(await statementsOf(() => page({ address: ZERO, first: 50 }))).toHaveLength(2);
    for (const pageSize of [1, 50]) {
      const query = `{ erc721Transfers(chainId: "${C_CHAIN}", address: "${ZERO}", first: ${pageSize}) {
        transactions: nodes { from { address } erc721Token { name symbol tokenId ownerAddress metadata { indexStatus } } } } }`;
      expect(
        await statementsOf(async () => {
          expect((await opened.ask(query)).errors).toBeUndefined();
        }),
      ).toHaveLength(3);
    }
  });

  it("returns the token, and an unindexed one if a reorganisation removed it in the meantime", async () => {
    const ask = () =>
      opened.ask(
        `{ erc721Transfers(chainId: "${C_CHAIN}", address: "${address}", first: 1) { transactions: nodes { erc721Token { name ercType tokenId metadata { indexStatus } } } } }`,
      );
    const transfersOf = async () => (await ask()).data?.["erc721Transfers"];
    const [id = ""] = await opened.values(
      `SELECT token_id AS value FROM erc721_transfers WHERE chain_id = ${C_CHAIN} AND ${isSide(address)} ORDER BY block_number DESC, log_index DESC LIMIT 1`,
    );
    const token = { name: expect.stringMatching(/./), ercType: "ERC-721", tokenId: id };
    expect(await transfersOf()).toMatchObject({ transactions: [{ erc721Token: token }] });
    await opened.database.pool.query("ALTER TABLE nft_items RENAME TO gone");
    await opened.database.pool.query("CREATE TABLE nft_items (LIKE gone)");
    const unknown = await transfersOf();
    await opened.database.pool.query("DROP TABLE nft_items");
    await opened.database.pool.query("ALTER TABLE gone RENAME TO nft_items");
    const metadata = { indexStatus: "UNINDEXED" };
    expect(unknown).toMatchObject({ transactions: [{ erc721Token: { ...token, name: "", metadata } }] });
  });

  it("returns the same transfer from the page and by key", async () => {
    const [newest] = (await page({ first: 1 })).nodes;
    const { blockNumber = "", logIndex = 0 } = newest ?? {};
    expect(await opened.context().load.erc721Transfer({ chainId: C_CHAIN, blockNumber, logIndex })).toEqual(newest);
  });
});
