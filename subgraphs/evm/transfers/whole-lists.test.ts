import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";

const MAX_TRANSACTIONS = 80;

let opened: OpenedEvm;
/** Keys of the transactions with the most transfers and internal transactions. */
let transactions: string[][];

beforeAll(async () => {
  opened = await openEvm();
  const places = await opened.values(`SELECT chain_id || ' ' || block_number || ' ' || block_index AS value FROM (
      SELECT chain_id, block_number, block_index FROM erc20_transfers
      UNION ALL SELECT chain_id, block_number, block_index FROM erc721_transfers
      UNION ALL SELECT chain_id, block_number, block_index FROM erc1155_transfers
      UNION ALL SELECT chain_id, block_number, block_index FROM evm_internal_transactions
    ) rows GROUP BY chain_id, block_number, block_index ORDER BY count(*) DESC, 1 LIMIT ${MAX_TRANSACTIONS}`);
  transactions = places.map((place) => place.split(" "));
});
afterAll(() => opened[Symbol.asyncDispose]());

type Item = Readonly<Record<string, unknown>>;
type Read = (key: readonly string[]) => Promise<readonly Item[]>;

/** The same lists, read by the statements of pages, with the tokens among their addresses in another statement. */
function pagesOf({ load }: ReturnType<OpenedEvm["context"]>): Record<string, Read> {
  const page = { size: 250 };
  return {
    erc20Transfers: async (key) => (await load.erc20TransfersOfTransaction(key, page)).items as unknown as Item[],
    erc721Transfers: async (key) => (await load.erc721TransfersOfTransaction(key, page)).items as unknown as Item[],
    erc1155Transfers: async (key) => (await load.erc1155TransfersOfTransaction(key, page)).items as unknown as Item[],
    internalTransactions: async (key) =>
      (await load.internalTransactionsOfTransaction(key, page)).items.filter(
        ({ internalTxType }) => internalTxType !== "UNKNOWN",
      ) as unknown as Item[],
  };
}

/** Each list of each transaction, by its name, without the columns that only the statements need. */
async function listsOf(lists: Readonly<Record<string, Read>>, keys: readonly string[][]): Promise<Item[][]> {
  const asked = keys.flatMap((key) => Object.values(lists).map((read) => read(key)));
  return (await Promise.all(asked)).map((items) => items.map(withoutColumnsOfStatements));
}

function withoutColumnsOfStatements(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => name !== "request" && !name.startsWith("token.") && name !== "batchIndex"),
  );
}

const wholeListsOf = ({ load }: ReturnType<OpenedEvm["context"]>) =>
  load.wholeLists as unknown as Readonly<Record<string, Read>>;

describe("whole lists of transactions", () => {
  it("have the rows and tokens of the lists in pages, for all transactions of one tick", async () => {
    expect(new Set(transactions.map(([chainId]) => chainId))).toEqual(new Set([C_CHAIN, L1]));
    const expected = await listsOf(pagesOf(opened.context()), transactions.slice(0, 40));
    const found = await listsOf(wholeListsOf(opened.context()), transactions.slice(0, 40));
    expect(found).toEqual(expected);
    for (const kind of [0, 1, 2, 3]) expect(found.some((items, at) => at % 4 === kind && items.length > 1)).toBe(true);
    const isToken = ({ from, to }: Item) => [from, to].some((address) => (address as Item)["symbol"] !== null);
    expect(found.flat().some(isToken)).toBe(true);
  });

  it("have them for each transaction and each kind alone", async () => {
    for (const key of transactions.slice(0, 20)) {
      const expected = await listsOf(pagesOf(opened.context()), [key]);
      const alone: Item[][] = [];
      for (const [name, read] of Object.entries(wholeListsOf(opened.context())))
        alone.push(...(await listsOf({ [name]: read }, [key])));
      expect(alone).toEqual(expected);
    }
  });

  it("are one statement for each kind, and one list for all that ask for it in a request", async () => {
    const lists = wholeListsOf(opened.context());
    const [one = [], two = []] = transactions;
    const statements = await statementsOf(async () => {
      const [first, again] = await Promise.all([
        lists["erc20Transfers"]?.(one),
        lists["erc20Transfers"]?.(one),
        lists["internalTransactions"]?.(one),
        lists["internalTransactions"]?.(two),
      ]);
      expect(again).toBe(first);
    });
    expect(statements).toEqual([
      expect.stringContaining("FROM erc20_transfers"),
      expect.stringContaining("FROM evm_internal_transactions"),
    ]);
  });
});
