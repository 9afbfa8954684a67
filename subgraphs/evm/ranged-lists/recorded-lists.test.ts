import { openRecording } from "../../../recordings/recording.ts";
import { type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import {
  answersOf,
  inField,
  type ListPlace,
  ofEntity,
  ROOT,
  walkList,
} from "../../../test/support/lists/walk-query.ts";
import type { FactRow } from "../../../test/support/oracle/fact-row.ts";
import { expectedFacts, type FactTable } from "../../../test/support/oracle/facts-oracle.ts";
import { expectedHoldings } from "../../../test/support/oracle/holdings-oracle.ts";
import { recordedChain } from "../../../test/support/recorded/node-chain.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";

const recording = openRecording(recordingFolder("alpha"));
/** What the recorded answers of the nodes say. */
const CHAINS = (["c", "l1"] as const).map((name) => {
  const chain = recordedChain(recording, name);
  const facts = expectedFacts(chain, chain.blocks);
  return { id: String(chain.chainId), blocks: chain.blocks, facts, holdings: expectedHoldings(chain.chainId, facts) };
});
const [C_CHAIN] = CHAINS as [(typeof CHAINS)[number]];

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

const decimal = (hex: string): string => BigInt(hex).toString();

/** Rows of all chains, newest first. */
function newestFirst(rows: readonly FactRow[], order: readonly string[]): FactRow[] {
  const columns = ["block_timestamp", "chain_id", "block_number", ...order];
  return rows.toSorted((one, other) => {
    const column = columns.find((name) => one[name] !== other[name]);
    return column === undefined ? 0 : Number(other[column]) - Number(one[column]);
  });
}

const rowsOf = (table: FactTable, order: readonly string[]): FactRow[] =>
  newestFirst(
    CHAINS.flatMap(({ id, facts }) => facts[table].map((row): FactRow => ({ ...row, chain_id: id }))),
    order,
  );

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The fields of items that identify them, of rows of the oracle. */
const keysOf = (rows: readonly FactRow[], selection: string) =>
  rows.map((row) => Object.fromEntries(selection.split(" ").map((field) => [field, row[snakeCase(field)]])));

/** Addresses have a checksum by the case of their letters. */
const textOf = (value: unknown): string => {
  const text = String(value);
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text;
};

/** Reads a list in several pages, with all values as text. */
async function read(place: ListPlace, field: string, args: string, selection: string, length: number) {
  const size = Math.min(100, Math.max(3, Math.ceil(length / 4)));
  const items = await walkList({ ask: answersOf(opened.ask), place, field, args, selection, size });
  return items.map((item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, textOf(value)])));
}

/** Of the values of a column, the one with the most rows, and one with few. */
function samplesOf(values: readonly (string | null | undefined)[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
  return [...new Set([sorted[0], sorted[Math.floor(sorted.length / 4)]])].filter((value) => value !== undefined);
}

/** A range of blocks and times within those of the rows, as arguments; and whether a row is in it. */
function rangeOf(rows: readonly FactRow[]) {
  const sorted = (column: string) => rows.map((row) => Number(row[column])).sort((a, b) => a - b);
  const [blocks, times] = [sorted("block_number"), sorted("block_timestamp")];
  const [fromBlock, toBlock] = [blocks[1] ?? 0, blocks.at(-1) ?? 0];
  const [fromTime, toTime] = [times[2] ?? 0, times.at(-1) ?? 0];
  return {
    text: `fromBlock: ${fromBlock}, toBlock: ${toBlock}, fromTime: ${fromTime}, toTime: ${toTime}`,
    has: ({ block_number, block_timestamp }: FactRow) =>
      Number(block_number) >= fromBlock &&
      Number(block_number) < toBlock &&
      Number(block_timestamp) >= fromTime &&
      Number(block_timestamp) < toTime,
  };
}

const LISTS = [
  { field: "transactions", table: "evm_transactions", order: ["block_index"], key: "txHash" },
  { field: "erc20Transfers", table: "erc20_transfers", order: ["log_index"], key: "blockNumber logIndex" },
  { field: "erc721Transfers", table: "erc721_transfers", order: ["log_index"], key: "blockNumber logIndex" },
  {
    field: "erc1155Transfers",
    table: "erc1155_transfers",
    order: ["log_index", "batch_index"],
    key: "blockNumber logIndex batchIndex",
  },
  {
    field: "internalTransactions",
    table: "evm_internal_transactions",
    order: ["block_index", "trace_index"],
    key: "txHash traceIndex",
  },
] as const;

const DIRECTIONS = {
  "": ["from_address", "to_address"],
  "direction: SENT": ["from_address"],
  "direction: RECEIVED": ["to_address"],
} as const;

const addressOf = (address: string, chainId = C_CHAIN.id) =>
  ofEntity("EvmAddress", `chainId: "${chainId}", address: "${address}"`);

describe.each(LISTS)("$field of an address", ({ field, table, order, key }) => {
  const selection = `chainId ${key}`;
  const rows = rowsOf(table, order).filter(({ internal_tx_type }) => internal_tx_type !== "UNKNOWN");
  const addresses = samplesOf(rows.flatMap((row) => [row["from_address"], row["to_address"]]));
  const cases = addresses.flatMap((address) =>
    Object.entries(DIRECTIONS).map(([filter, sides]) => ({
      address,
      filter,
      found: rows.filter((row) => sides.some((side) => row[side] === address)),
    })),
  );

  it.each(cases)("over all chains has what the nodes' answers have: $address {$filter}", async (one) => {
    const { address, filter, found } = one;
    const place = inField(`evmAccount(address: "${address}")`);
    const items = await read(place, field, `filter: { ${filter} }`, selection, found.length);
    expect(items).toEqual(keysOf(found, selection));
  });

  it.each(cases)("on some chains, in a range of times: $address {$filter}", async ({ address, filter, found }) => {
    const times = found.map(({ block_timestamp }) => Number(block_timestamp)).sort((a, b) => a - b);
    const [from, to] = [times[2] ?? 0, times.at(-2) ?? 0];
    const expected = found.filter(
      ({ block_timestamp }) => Number(block_timestamp) >= from && Number(block_timestamp) < to,
    );
    const place = inField(`evmAccount(address: "${address}")`);
    const chains = CHAINS.map(({ id }) => `"${id}"`);
    const args = `filter: { chains: [${chains}], fromTime: ${from}, toTime: ${to}, ${filter} }`;
    expect(await read(place, field, args, selection, expected.length)).toEqual(keysOf(expected, selection));
  });

  it.each(cases)("on one chain, in a range of blocks and times: $address {$filter}", async (one) => {
    const { address, filter, found } = one;
    const ofChain = found.filter((row) => row["chain_id"] === C_CHAIN.id);
    const range = rangeOf(ofChain);
    const expected = ofChain.filter(range.has);
    const args = `filter: { ${filter} ${range.text} }`;
    const items = await read(addressOf(address), field, args, selection, expected.length);
    expect(items).toEqual(keysOf(expected, selection));
  });
});

describe("transactions", () => {
  const rows = rowsOf("evm_transactions", ["block_index"]);
  const failed = rows.filter(({ tx_status }) => tx_status === "0");
  const inputs = new Map(
    CHAINS.flatMap(({ blocks }) =>
      blocks.flatMap(({ block }) => block.transactions.map(({ hash, input }) => [hash, input] as const)),
    ),
  );
  const methodOf = ({ tx_hash }: FactRow): string => inputs.get(tx_hash as never)?.slice(0, 10) ?? "";
  const calls = rows.filter((row) => row["to_address"] !== null && methodOf(row).length === 10);

  it.each(samplesOf(failed.map((row) => row["from_address"])))("that failed, of %s", async (address) => {
    const expected = failed.filter((row) => row["from_address"] === address || row["to_address"] === address);
    const args = "filter: { status: FAILED }";
    const place = inField(`evmAccount(address: "${address}")`);
    const items = await read(place, "transactions", args, "chainId txHash", expected.length);
    expect(items).toEqual(keysOf(expected, "chainId txHash"));
    const ofChain = await read(addressOf(address), "transactions", args, "txHash", expected.length);
    expect(ofChain).toEqual(
      keysOf(
        expected.filter((row) => row["chain_id"] === C_CHAIN.id),
        "txHash",
      ),
    );
  });

  const addressAndMethod = (row: FactRow, side: string) => `${row[side]} ${methodOf(row)}`;
  const ofSide = (side: string) => samplesOf(calls.map((row) => addressAndMethod(row, side)));
  const samples = [...new Set([...ofSide("from_address"), ...ofSide("to_address")])];

  it.each(
    samples.flatMap((sample) => Object.entries(DIRECTIONS).map(([filter, sides]) => [sample, filter, sides] as const)),
  )("that call a method: %s {%s}", async (sample, filter, sides) => {
    const [address = "", method = ""] = sample.split(" ");
    const expected = calls.filter((row) => sides.some((side) => addressAndMethod(row, side) === sample));
    const selection = "chainId txHash";
    const account = inField(`evmAccount(address: "${address}")`);
    const ofMethod = (conditions: string) => `method: "${method}", filter: { ${filter} ${conditions} }`;
    const found = await read(account, "methodCalls", ofMethod(""), selection, expected.length);
    expect(found).toEqual(keysOf(expected, selection));
    for (const { id } of CHAINS) {
      const ofChain = expected.filter((row) => row["chain_id"] === id);
      const range = rangeOf(ofChain);
      const inRange = ofChain.filter(range.has);
      const items = await read(addressOf(address, id), "methodCalls", ofMethod(range.text), selection, inRange.length);
      expect(items).toEqual(keysOf(inRange, selection));
    }
  });

  it("that call a method have samples of both sides with several items", () => {
    for (const side of ["from_address", "to_address"])
      expect(calls.filter((row) => samples.includes(addressAndMethod(row, side))).length).toBeGreaterThan(10);
  });

  it("of all chains together, and of one chain", async () => {
    const selection = "chainId txHash";
    const items = await read(ROOT, "latestTransactions", "", selection, rows.length);
    expect(items).toEqual(keysOf(rows, selection));
    const ofChain = rows.filter((row) => row["chain_id"] === C_CHAIN.id);
    const range = rangeOf(ofChain);
    const place = inField(`chain(chainId: "${C_CHAIN.id}")`);
    const inRange = keysOf(ofChain.filter(range.has), selection);
    const filter = `filter: { ${range.text} }`;
    expect(await read(place, "transactions", filter, selection, ofChain.length)).toEqual(inRange);
    const chainId = `chainId: "${C_CHAIN.id}"`;
    expect(await read(ROOT, "evmTransactions", chainId, selection, ofChain.length)).toEqual(keysOf(ofChain, selection));
    expect(await read(ROOT, "evmTransactions", `${chainId} ${filter}`, selection, ofChain.length)).toEqual(inRange);
  });
});

describe("blocks", () => {
  const rows = newestFirst(
    CHAINS.flatMap(({ id, blocks }) =>
      blocks.map(({ block }) => ({
        chain_id: id,
        block_number: decimal(block.number),
        block_timestamp: decimal(block.timestamp),
        block_hash: block.hash,
      })),
    ),
    [],
  );

  it("of all chains together, of some chains, and of one chain", async () => {
    const selection = "chainId blockNumber blockHash";
    const items = await read(ROOT, "latestBlocks", "", selection, rows.length);
    expect(items).toEqual(keysOf(rows, selection));
    const ofChain = rows.filter((row) => row["chain_id"] === C_CHAIN.id);
    const filter = `filter: { chains: ["${C_CHAIN.id}"] }`;
    expect(await read(ROOT, "latestBlocks", filter, selection, ofChain.length)).toEqual(keysOf(ofChain, selection));
    const range = rangeOf(ofChain);
    const place = inField(`chain(chainId: "${C_CHAIN.id}")`);
    const inRange = keysOf(ofChain.filter(range.has), selection);
    const args = `filter: { ${range.text} }`;
    expect(await read(place, "blocks", args, selection, ofChain.length)).toEqual(inRange);
    const root = `chainId: "${C_CHAIN.id}" ${args}`;
    expect(await read(ROOT, "evmBlocks", root, selection, ofChain.length)).toEqual(inRange);
  });
});

describe("transfers of a token", () => {
  const TOKENS = [
    { type: "Erc20Token", table: "erc20_transfers", field: "transfers", key: "blockNumber logIndex" },
    { type: "NftCollection", table: "erc721_transfers", field: "erc721Transfers", key: "blockNumber logIndex" },
    {
      type: "NftCollection",
      table: "erc1155_transfers",
      field: "erc1155Transfers",
      key: "blockNumber logIndex batchIndex",
    },
  ] as const;

  it.each(TOKENS)("$type.$field", async ({ type, table, field, key }) => {
    const rows = rowsOf(table, ["log_index", "batch_index"]).filter((row) => row["chain_id"] === C_CHAIN.id);
    for (const token of samplesOf(rows.map((row) => row["token_address"]))) {
      const ofToken = rows.filter((row) => row["token_address"] === token);
      const place = ofEntity(type, `chainId: "${C_CHAIN.id}", address: "${token}"`);
      expect(await read(place, field, "", key, ofToken.length)).toEqual(keysOf(ofToken, key));
      const range = rangeOf(ofToken);
      const found = await read(place, field, `filter: { ${range.text} }`, key, ofToken.length);
      expect(found).toEqual(keysOf(ofToken.filter(range.has), key));
    }
  });

  it.each(Object.entries(DIRECTIONS))("by holder, also in a range of blocks and times: {%s}", async (filter, sides) => {
    const rows = rowsOf("erc20_transfers", ["log_index"]).filter((row) => row["chain_id"] === C_CHAIN.id);
    const key = "blockNumber logIndex";
    for (const token of samplesOf(rows.map((row) => row["token_address"]))) {
      const ofToken = rows.filter((row) => row["token_address"] === token);
      const place = ofEntity("Erc20Token", `chainId: "${C_CHAIN.id}", address: "${token}"`);
      const holders = samplesOf(ofToken.flatMap((row) => [row["from_address"], row["to_address"]]));
      for (const holder of [...holders, `0x${"12".repeat(20)}`]) {
        const ofHolder = ofToken.filter((row) => sides.some((side) => row[side] === holder));
        const address = `address: "${holder}" ${filter}`;
        const found = await read(place, "transfers", `filter: { ${address} }`, key, ofHolder.length);
        expect(found).toEqual(keysOf(ofHolder, key));
        const range = rangeOf(ofHolder);
        const args = `filter: { ${address} ${range.text} }`;
        const inRange = await read(place, "transfers", args, key, ofHolder.length);
        expect(inRange).toEqual(keysOf(ofHolder.filter(range.has), key));
      }
      // The direction alone changes nothing, also not the exact count.
      expect(await read(place, "transfers", `filter: { ${filter} }`, key, ofToken.length)).toEqual(
        keysOf(ofToken, key),
      );
    }
  });

  it.each(["721", "1155"] as const)("Erc%sToken.transfers", async (standard) => {
    const key = standard === "721" ? "blockNumber logIndex" : "blockNumber logIndex batchIndex";
    const rows = rowsOf(`erc${standard}_transfers`, ["log_index", "batch_index"]).filter(
      (row) => row["chain_id"] === C_CHAIN.id,
    );
    for (const token of samplesOf(rows.map((row) => `${row["token_address"]} ${row["token_id"]}`))) {
      const ofToken = rows.filter((row) => `${row["token_address"]} ${row["token_id"]}` === token);
      const [address, tokenId] = token.split(" ");
      const place = ofEntity(
        `Erc${standard}Token`,
        `chainId: "${C_CHAIN.id}", address: "${address}", tokenId: "${tokenId}"`,
      );
      expect(await read(place, "transfers", "", key, ofToken.length)).toEqual(keysOf(ofToken, key));
    }
  });
});

describe("logs of a contract", () => {
  const logs = newestFirst(
    C_CHAIN.blocks.flatMap(({ block, receipts }) =>
      receipts.flatMap(({ logs }, index) =>
        logs.map(
          (log): FactRow => ({
            block_number: decimal(block.number),
            block_timestamp: decimal(block.timestamp),
            log_index: decimal(log.logIndex),
            tx_hash: block.transactions[index]?.hash ?? null,
            address: log.address.toLowerCase(),
            topic0: log.topics[0] ?? null,
            topic1: log.topics[1] ?? null,
            topic2: log.topics[2] ?? null,
            topic3: log.topics[3] ?? null,
            data: log.data,
          }),
        ),
      ),
    ),
    ["log_index"],
  );
  const selection = "blockNumber logIndex txHash address topic0 data";
  const ofContract = (address: string) => ofEntity("Contract", `chainId: "${C_CHAIN.id}", address: "${address}"`);

  it.each(samplesOf(logs.map(({ address }) => address)))("%s, also with a topic and in a range", async (address) => {
    const emitted = logs.filter((log) => log["address"] === address);
    const place = ofContract(address);
    const range = rangeOf(emitted);
    const asText = (rows: readonly FactRow[]) =>
      keysOf(rows, selection).map((row) => ({ ...row, topic0: String(row["topic0"]) }));
    for (const topic of [undefined, ...samplesOf(emitted.map(({ topic0 }) => topic0))]) {
      const found = emitted.filter(({ topic0 }) => topic === undefined || topic0 === topic);
      const event = topic === undefined ? "" : `topic0: "${topic}"`;
      const root = `chainId: "${C_CHAIN.id}", filter: { address: "${address}" ${event} }`;
      expect(await read(ROOT, "evmLogs", root, selection, found.length)).toEqual(asText(found));
      const args = `filter: { ${event} ${range.text} }`;
      const inRange = found.filter(range.has);
      expect(await read(place, "logs", args, selection, inRange.length)).toEqual(asText(inRange));
    }
  });

  it.each(["topic1", "topic2", "topic3"])("by topic0 and %s, also in a range", async (topic) => {
    const having = logs.filter((log) => log[topic] !== null);
    const samples = samplesOf(having.map((log) => `${log["address"]} ${log["topic0"]} ${log[topic]}`));
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) {
      const [address = "", topic0, value] = sample.split(" ");
      const found = having.filter(
        (log) => log["address"] === address && log["topic0"] === topic0 && log[topic] === value,
      );
      const argument = `indexedArgument: { topic0: "${topic0}", topic: ${topic.toUpperCase()}, value: "${value}" }`;
      const root = `chainId: "${C_CHAIN.id}", filter: { address: "${address}", ${argument} }`;
      expect(await read(ROOT, "evmLogs", root, selection, found.length)).toEqual(keysOf(found, selection));
      const range = rangeOf(found);
      const inRange = found.filter(range.has);
      const args = `filter: { ${argument}, ${range.text} }`;
      expect(await read(ofContract(address), "logs", args, selection, inRange.length)).toEqual(
        keysOf(inRange, selection),
      );
    }
  });

  it("by an argument of another event than topic0 lists nothing, and of the same event the same logs", async () => {
    const [log] = logs.filter(({ topic1 }) => topic1 !== null);
    const argument = `indexedArgument: { topic0: "${log?.["topic0"]}", topic: TOPIC1, value: "${log?.["topic1"]}" }`;
    const listed = (more: string, count: number) => {
      const args = `chainId: "${C_CHAIN.id}", filter: { address: "${log?.["address"]}", ${argument}, ${more} }`;
      return read(ROOT, "evmLogs", args, selection, count);
    };
    const found = await listed("", 1);
    expect(found.length).toBeGreaterThan(0);
    expect(await listed(`topic0: "${log?.["topic0"]}"`, found.length)).toEqual(found);
    expect(await listed(`topic0: "0x${"12".repeat(32)}"`, 0)).toEqual([]);
  });
});

describe("tokens and collections of a chain", () => {
  const place = inField(`chain(chainId: "${C_CHAIN.id}")`);
  const COUNTERS = { HOLDERS: "holder_count", TRANSFERS: "transfer_count" } as const;
  const ORDERS = (["HOLDERS", "TRANSFERS"] as const).flatMap((field) =>
    (["ASC", "DESC"] as const).map((direction) => ({ field, direction })),
  );

  it.each(ORDERS)("by $field $direction", async ({ field, direction }) => {
    for (const [list, table] of [
      ["erc20Tokens", "erc20_counts"],
      ["nftCollections", "nft_counts"],
    ] as const) {
      const column = COUNTERS[field];
      const sign = direction === "ASC" ? 1 : -1;
      const expected = C_CHAIN.holdings[table].toSorted(
        (one, other) =>
          sign *
          (Number(one[column]) - Number(other[column]) ||
            (String(one["token_address"]) < String(other["token_address"]) ? -1 : 1)),
      );
      expect(expected.length).toBeGreaterThan(5);
      const args = `orderBy: { field: ${field}, direction: ${direction} }`;
      const items = await read(place, list, args, "address transferCount", expected.length);
      expect(items).toEqual(
        expected.map(({ token_address, transfer_count }) => ({
          address: token_address,
          transferCount: transfer_count,
        })),
      );
    }
  });

  it("have the tokens of a collection by token id", async () => {
    for (const collection of samplesOf(C_CHAIN.facts.nft_items.map(({ address }) => address))) {
      const expected = C_CHAIN.facts.nft_items
        .filter(({ address }) => address === collection)
        .toSorted((one, other) => (BigInt(one["token_id"] ?? 0) < BigInt(other["token_id"] ?? 0) ? -1 : 1));
      const ofCollection = ofEntity("NftCollection", `chainId: "${C_CHAIN.id}", address: "${collection}"`);
      const items = await read(ofCollection, "tokens", "", "tokenId ercType", expected.length);
      expect(items).toEqual(keysOf(expected, "tokenId ercType"));
    }
  });
});

describe("contracts of a chain", () => {
  it("are those that the call trees create, newest first by their latest creation", async () => {
    const rows = newestFirst(C_CHAIN.facts.evm_deployments, ["block_index", "trace_index"]).map(
      ({ address }) => address,
    );
    const expected = [...new Set(rows)].map((address) => ({ address }));
    const place = inField(`chain(chainId: "${C_CHAIN.id}")`);
    expect(await read(place, "contracts", "", "address", expected.length)).toEqual(expected);
  });
});
