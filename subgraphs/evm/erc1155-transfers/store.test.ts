import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { allOf, argsOf } from "../../../test/support/lists/walk.ts";
import { Erc1155TransfersArgs } from "./types.ts";

const ZERO = `0x${"0".repeat(40)}`;

let opened: OpenedEvm;
/** An address that sent, received, and sent to itself. */
let address: string;

beforeAll(async () => {
  opened = await openEvm();
  [address = ""] = await opened.values(
    `SELECT '0x' || encode(from_address, 'hex') AS value FROM erc1155_transfers WHERE chain_id = ${C_CHAIN} AND from_address = to_address LIMIT 1`,
  );
});
afterAll(() => opened[Symbol.asyncDispose]());

function page(asked: Partial<Erc1155TransfersArgs>) {
  const args = Object.assign(new Erc1155TransfersArgs(), { chainId: C_CHAIN, address, ...asked });
  return opened.context().erc1155Transfers.page(args, SERVICE_WORK);
}

type Place = { readonly blockNumber: string; readonly logIndex: number; readonly batchIndex: number };
const places = (transfers: readonly Place[]) =>
  transfers.map(({ blockNumber, logIndex, batchIndex }) => `${blockNumber} ${logIndex} ${batchIndex}`);

const NEWEST_FIRST = "block_number DESC, log_index DESC, batch_index DESC";
const placesWhere = (where: string, order = NEWEST_FIRST): Promise<string[]> =>
  opened.values(
    `SELECT block_number || ' ' || log_index || ' ' || batch_index AS value FROM erc1155_transfers WHERE chain_id = ${C_CHAIN} AND ${where} ORDER BY ${order}`,
  );
const isSide = (who: string) => `'\\x${who.slice(2)}' IN (from_address, to_address)`;

describe("the store of ERC-1155 transfers", () => {
  it.each([1, 2, 100])(
    "pages through an address's transfers with a page size of %d, including batches",
    async (pageSize) => {
      for (const who of [address, ZERO]) {
        const transfers = await allOf((at) => page({ address: who, ...argsOf(at) }), pageSize);
        expect(places(transfers)).toEqual(await placesWhere(isSide(who)));
      }
      const batches = await placesWhere(`${isSide(ZERO)} AND batch_index > 1`);
      expect(batches.length).toBeGreaterThan(0);
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

  it("returns a token id twice if a batch has it twice", async () => {
    const [place = ""] = await opened.values(
      `SELECT block_number || ' ' || block_index AS value FROM erc1155_transfers WHERE chain_id = ${C_CHAIN}
       GROUP BY block_number, block_index, log_index, token_id HAVING count(*) > 1 ORDER BY block_number DESC LIMIT 1`,
    );
    const [block = "", index = ""] = place.split(" ");
    const { load } = opened.context();
    const parent = [C_CHAIN, block, index];
    const expected = await placesWhere(`block_number = ${block} AND block_index = ${index}`, "log_index, batch_index");
    expect(expected.length).toBeGreaterThan(1);
    const paged = await allOf((at) => load.erc1155TransfersOfTransaction(parent, at), 1);
    const whole = await load.wholeLists.erc1155Transfers(parent);
    for (const found of [paged, whole]) expect(places(found)).toEqual(expected);
    expect(new Set(whole.map(({ tokenId }) => tokenId)).size).toBeLessThan(whole.length);
  });

  it("needs two statements, and a third for the tokens of all transfers of a page", async () => {
    expect(await statementsOf(() => page({ address: ZERO, first: 50 }))).toHaveLength(2);
    for (const pageSize of [1, 50]) {
      const query = `{ erc1155Transfers(chainId: "${C_CHAIN}", address: "${ZERO}", first: ${pageSize}) {
        transactions: nodes { operator value erc1155Token { tokenId ercType metadata { indexStatus } } } } }`;
      expect(
        await statementsOf(async () => {
          expect((await opened.ask(query)).errors).toBeUndefined();
        }),
      ).toHaveLength(3);
    }
  });

  it("returns the same transfer from the page and by key", async () => {
    const [newest] = (await page({ first: 1 })).nodes;
    const { blockNumber = "", logIndex = 0, batchIndex = 0 } = newest ?? {};
    const found = await opened.context().load.erc1155Transfer({ chainId: C_CHAIN, blockNumber, logIndex, batchIndex });
    expect(found).toEqual(newest);
  });
});
