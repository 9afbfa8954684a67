import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { allOf } from "../../../test/support/lists/walk.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import { argumentParameter } from "./store.ts";

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

interface Parent {
  readonly block_number: string;
  readonly block_index: number;
}

/** Keys of the transactions with the most logs. */
async function busiest(count: number): Promise<string[][]> {
  const { rows } = await opened.database.pool.query<Parent>(
    `SELECT block_number::bigint, block_index FROM evm_transactions WHERE chain_id = ${C_CHAIN} ORDER BY log_count DESC LIMIT ${count}`,
  );
  return rows.map((row) => [C_CHAIN, row.block_number, String(row.block_index)]);
}

describe("the log store", () => {
  it.each([1, 7, 100])("pages through the logs of a transaction with a page size of %d, in log order", async (size) => {
    const [parent = []] = await busiest(1);
    const { load } = opened.context();
    const logs = await allOf((at) => load.logsOfTransaction(parent, at), size);
    const [, block, index] = parent;
    const expected = await opened.values(
      `SELECT log_index AS value FROM evm_logs WHERE chain_id = ${C_CHAIN} AND block_number = ${block} AND block_index = ${index} ORDER BY 1`,
    );
    expect(expected).toHaveLength(40);
    expect(logs.map(({ logIndex }) => String(logIndex))).toEqual(expected);
  });

  it("returns the logs of several transactions, each with its own page size", async () => {
    const parents = await busiest(3);
    const { load } = opened.context();
    const pages = await Promise.all(parents.map((parent, i) => load.logsOfTransaction(parent, { size: i + 1 })));
    expect(pages.map(({ nodes }) => nodes.length)).toEqual([1, 2, 3]);
    expect(pages.map(({ nodes }) => nodes.at(0)?.blockNumber)).toEqual(parents.map(([, blockNumber]) => blockNumber));
  });

  it("rejects a request whose lists could have more than 10,000 items in total", async () => {
    const { load } = opened.context();
    const asked = Array.from({ length: 101 }, (_, i) =>
      load.logsOfTransaction([C_CHAIN, String(i), "0"], { size: 100 }),
    );
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  });

  it("leaves out a log whose first topic and argument have the same bytes as those of the list, divided elsewhere", async () => {
    const contract = "\\x1212121212121212121212121212121212121212";
    const argument = "ab".repeat(32);
    const insert = (logIndex: number, topic0: string, topic1: string) =>
      opened.database.pool.query(
        `INSERT INTO evm_logs (chain_id, block_number, log_index, block_index, address, topic0, topic1, topic2, topic3, data)
         VALUES (${C_CHAIN}, 1, ${logIndex}, 0, '${contract}', '\\x${topic0}', '\\x${topic1}', '', '', '')`,
      );
    await insert(1000, "00", argument);
    await insert(1001, `00${argument.slice(2)}`, "ab");
    const { load } = opened.context();
    const key = [C_CHAIN, contract, "\\x00", argumentParameter(`0x${argument}`), ...rangeOf({})];
    const logs = await allOf((at) => load.logsOfContractArgument.topic1(key, at), 1);
    expect(logs.map(({ logIndex }) => logIndex)).toEqual([1000]);
  });
});
