import { partitionValues } from "../../../core/database/by-partition.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { wholeListParameters } from "../../shared/rows/whole-list.ts";

const MAX_TRANSACTIONS = 80;

let opened: OpenedEvm;
/** Keys of the transactions with the most transfers and internal transactions. */
let transactions: string[][];
/** The key of a transaction with ERC-20 transfers. */
let transfers: string[][];

beforeAll(async () => {
  opened = await openEvm();
  const places = await opened.values(`SELECT chain_id || ' ' || block_number || ' ' || block_index AS value FROM (
      SELECT chain_id, block_number, block_index FROM erc20_transfers
      UNION ALL SELECT chain_id, block_number, block_index FROM erc721_transfers
      UNION ALL SELECT chain_id, block_number, block_index FROM erc1155_transfers
      UNION ALL SELECT chain_id, block_number, block_index FROM evm_internal_transactions
    ) rows GROUP BY chain_id, block_number, block_index ORDER BY count(*) DESC, 1 LIMIT ${MAX_TRANSACTIONS}`);
  transactions = places.map((place) => place.split(" "));
  const key = "SELECT chain_id || ' ' || block_number || ' ' || block_index AS value FROM erc20_transfers LIMIT 1";
  transfers = (await opened.values(key)).map((place) => place.split(" "));
});
afterAll(() => opened[Symbol.asyncDispose]());

type Item = Readonly<Record<string, unknown>>;
type Read = (key: readonly string[]) => Promise<readonly Item[]>;
type Reads = Readonly<Record<"erc20Transfers" | "erc721Transfers" | "erc1155Transfers" | "internalTransactions", Read>>;

/** The same lists, read by the statements of pages, with the tokens among their addresses in another statement. */
function pagesOf({ load }: ReturnType<OpenedEvm["context"]>): Reads {
  const page = { size: 250 };
  return {
    erc20Transfers: async (key) => (await load.erc20TransfersOfTransaction(key, page)).nodes as unknown as Item[],
    erc721Transfers: async (key) => (await load.erc721TransfersOfTransaction(key, page)).nodes as unknown as Item[],
    erc1155Transfers: async (key) => (await load.erc1155TransfersOfTransaction(key, page)).nodes as unknown as Item[],
    internalTransactions: async (key) =>
      (await load.internalTransactionsOfTransaction(key, page)).nodes.filter(
        ({ internalTxType }) => internalTxType !== "UNKNOWN",
      ) as unknown as Item[],
  };
}

/** Each list of each transaction, by its name, without the columns that only the statements need. */
async function listsOf(lists: Readonly<Record<string, Read>>, keys: readonly string[][]): Promise<Item[][]> {
  const asked = keys.flatMap((key) => Object.values(lists).map((read) => read(key)));
  return (await Promise.all(asked)).map((items) => items.map(withoutColumnsOfStatements));
}

const OF_STATEMENTS = new Set(["request", "listHead", "batchIndex"]);

function withoutColumnsOfStatements(item: Item): Item {
  return Object.fromEntries(
    Object.entries(item).filter(([name]) => !OF_STATEMENTS.has(name) && !name.startsWith("token.")),
  );
}

const wholeListsOf = ({ load }: ReturnType<OpenedEvm["context"]>) => load.wholeLists as unknown as Reads;

/** Keys of one transaction whose internal transactions are more than 10,000 together. The database ignores leading zeros. */
async function manyInternalTransactions(): Promise<string[][]> {
  const [largest = ""] =
    await opened.values(`SELECT chain_id || ' ' || block_number || ' ' || block_index || ' ' || count(*) AS value
    FROM evm_internal_transactions WHERE internal_tx_type <> 'UNKNOWN' GROUP BY chain_id, block_number, block_index ORDER BY count(*) DESC LIMIT 1`);
  const [chainId = "", blockNumber = "", blockIndex = "", count] = largest.split(" ");
  const keys = Math.floor(10_000 / Number(count)) + 1;
  return Array.from({ length: keys }, (_, zeros) => [chainId, "0".repeat(zeros) + blockNumber, blockIndex]);
}

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

  it("are one statement for each kind and chain, and one list for all that ask for it in a request", async () => {
    const lists = wholeListsOf(opened.context());
    const [one = [], two = []] = transactions.filter(([chainId]) => chainId === C_CHAIN);
    const other = transactions.find(([chainId]) => chainId === L1) ?? [];
    const statements = await statementsOf(async () => {
      const [first, again] = await Promise.all([
        lists.erc20Transfers(one),
        lists.erc20Transfers(one),
        lists.internalTransactions(one),
        lists.internalTransactions(two),
        lists.internalTransactions(other),
      ]);
      expect(again).toBe(first);
    });
    expect(statements).toEqual([
      expect.stringContaining("FROM erc20_transfers"),
      expect.stringContaining("FROM evm_internal_transactions"),
      expect.stringContaining("FROM evm_internal_transactions"),
    ]);
  });

  it("share a connection if each kind is for one transaction, and else have one for each kind", async () => {
    const { pool } = opened.database;
    let connections = 0;
    const count = () => void connections++;
    pool.on("acquire", count);
    const used = async (keys: readonly string[][]) => {
      connections = 0;
      const { erc20Transfers, internalTransactions } = wholeListsOf(opened.context());
      await listsOf({ erc20Transfers, internalTransactions }, keys);
      return connections;
    };
    expect([await used(transactions.slice(0, 1)), await used(transactions.slice(0, 2))]).toEqual([1, 2]);
    pool.off("acquire", count);
  });

  it("fail above 10,000 items together, without an effect on the lists of another kind", async () => {
    const many = await manyInternalTransactions();
    const [expected] = await listsOf({ erc20Transfers: pagesOf(opened.context()).erc20Transfers }, transfers);
    const { internalTransactions, erc20Transfers } = wholeListsOf(opened.context());
    const failing = Promise.allSettled(many.map(internalTransactions));
    expect(await listsOf({ erc20Transfers }, transfers)).toEqual([expected]);
    const message =
      "the lists transaction-listed-internal-transactions of a request may have at most 10000 items together, got more";
    for (const result of await failing)
      expect(result).toMatchObject({ status: "rejected", reason: { code: "INVALID_PARAMETER", message } });
  });

  it("have their tokens looked up only if they have at most 10,000 items together", async () => {
    const [place = ""] =
      await opened.values(`SELECT chain_id || ' ' || block_number || ' ' || block_index AS value FROM erc20_transfers
      GROUP BY chain_id, block_number, block_index HAVING count(*) = 1 LIMIT 1`);
    const key = place.split(" ");
    const { statement, options } = opened.context().erc20Transfers.allOfTransaction;
    const rowsOf = async (transactions: number) => {
      const rows = (await statement(
        partitionValues(Array(transactions).fill(key), wholeListParameters(options, transactions)),
        SERVICE_WORK,
      )) as Item[];
      return { transfers: rows.filter(isTransfer).length, hasTokens: !rows.every(isTransfer) };
    };
    const isTransfer = ({ request }: Item) => request !== null;
    expect(await rowsOf(1)).toEqual({ transfers: 1, hasTokens: true });
    expect(await rowsOf(10_000)).toEqual({ transfers: 10_000, hasTokens: true });
    expect(await rowsOf(10_001)).toEqual({ transfers: 10_001, hasTokens: false });
  });

  it("fail without an effect on the lists of another kind whose statement is sent together with theirs", async () => {
    const [expected] = await listsOf({ erc20Transfers: pagesOf(opened.context()).erc20Transfers }, transfers);
    // The connection has prepared both statements after the first time.
    for (const time of ["first", "second"]) {
      const { internalTransactions, erc20Transfers } = wholeListsOf(opened.context());
      const failing = Promise.allSettled([internalTransactions([C_CHAIN, time, "0"])]);
      expect(await listsOf({ erc20Transfers }, transfers)).toEqual([expected]);
      const message = `invalid input syntax for type bigint: "${time}"`;
      expect(await failing).toMatchObject([{ status: "rejected", reason: { message } }]);
    }
  });
});
