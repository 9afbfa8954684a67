import { graphql } from "graphql";
import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import { demoConfig } from "../../../recordings/demo.ts";
import { readManifest } from "../../../recordings/manifest.ts";
import { createSubgraph as createEvmSubgraph, type EvmSubgraph } from "../../../subgraphs/evm/subgraph.ts";
import { testConfig } from "../../../test/support/config.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { type ExportedRow, evmRequest, exportedRows, withSource } from "../../../test/support/exported-rows.ts";
import { sampled } from "../../../test/support/full.ts";
import { indexedChains } from "../../../test/support/indexed/indexed.ts";
import { ofEntity } from "../../../test/support/lists/walk-query.ts";
import { describeCChains } from "../../../test/support/recorded/primary-vectors.ts";

type Item = Readonly<Record<string, unknown>>;

const PLACE = "blockNumber blockHash blockTimestamp txHash from { address } to { address }";

/** The graph's lists by address, with what an export has of an item. */
const LISTS = {
  transactions: `${PLACE} blockIndex nonce value txStatus txType gasLimit gasUsed cumulativeGasUsed gasPrice baseFeePerGas
    maxFeePerGas maxPriorityFeePerGas contractAddress method { callType methodHash methodName }`,
  internalTransactions: `${PLACE} blockIndex traceIndex internalTxType opcode value isReverted gasUsed gasLimit`,
  erc20Transfers: `${PLACE} logIndex value erc20Token { address name symbol decimals metadataStatus }`,
  erc721Transfers: `${PLACE} logIndex erc721Token { address name symbol tokenId }`,
  erc1155Transfers: `${PLACE} logIndex batchIndex value operator erc1155Token { address tokenId }`,
} as const;
type List = keyof typeof LISTS;

const text = (value: unknown): string => (value === null || value === undefined ? "" : String(value));
const addressOf = (rich: unknown): string => text((rich as { address?: string } | null)?.address);
const ZERO = `0x${"0".repeat(40)}`;

/** What the file must have of an item. */
const EXPECTED: Readonly<Record<List, (item: Item) => ExportedRow>> = {
  transactions(item) {
    const method = item["method"] as Item;
    return {
      ...place("NATIVE", item),
      TxIndex: text(item["blockIndex"]),
      Nonce: text(item["nonce"]),
      Value: text(item["value"]),
      TxStatus: item["txStatus"] === "SUCCESS" ? "1" : "0",
      TxType: text(item["txType"]),
      GasLimit: text(item["gasLimit"]),
      GasUsed: text(item["gasUsed"]),
      CumulativeGasUsed: text(item["cumulativeGasUsed"]),
      GasPrice: text(item["gasPrice"]),
      BaseFeePerGas: text(item["baseFeePerGas"]),
      MaxFeePerGas: text(item["maxFeePerGas"]),
      MaxPriorityFeePerGas: text(item["maxPriorityFeePerGas"]),
      ContractAddress: text(item["contractAddress"]),
      CallType: text(method["callType"]),
      MethodHash: text(method["methodHash"]),
      MethodName: text(method["methodName"]),
    };
  },
  internalTransactions: (item) => ({
    ...place("INTERNAL", item),
    TxIndex: text(item["blockIndex"]),
    TraceIndex: text(item["traceIndex"]),
    InternalTxType: text(item["internalTxType"]),
    Opcode: text(item["opcode"]),
    Value: text(item["value"]),
    IsReverted: text(item["isReverted"]),
    GasUsed: text(item["gasUsed"]),
    GasLimit: text(item["gasLimit"]),
  }),
  erc20Transfers(item) {
    const token = item["erc20Token"] as Item;
    return {
      ...place("ERC20", item),
      LogIndex: text(item["logIndex"]),
      Value: text(item["value"]),
      TokenAddress: text(token["address"]),
      TokenName: text(token["name"]),
      TokenSymbol: text(token["symbol"]),
      TokenDecimals: token["metadataStatus"] === "INDEXED" ? text(token["decimals"]) : "",
    };
  },
  erc721Transfers(item) {
    const token = item["erc721Token"] as Item;
    return {
      ...place("ERC721", item),
      LogIndex: text(item["logIndex"]),
      TokenAddress: text(token["address"]),
      TokenName: text(token["name"]),
      TokenSymbol: text(token["symbol"]),
      TokenId: text(token["tokenId"]),
      Value: "",
    };
  },
  erc1155Transfers: (item) => ({
    ...place("ERC1155", item),
    LogIndex: text(item["logIndex"]),
    BatchIndex: text(item["batchIndex"]),
    Value: text(item["value"]),
    Operator: text(item["operator"]),
    TokenAddress: text((item["erc1155Token"] as Item)["address"]),
    TokenId: text((item["erc1155Token"] as Item)["tokenId"]),
  }),
};

function place(RowType: string, item: Item): ExportedRow {
  const to = addressOf(item["to"]);
  return {
    RowType,
    BlockNumber: text(item["blockNumber"]),
    BlockHash: text(item["blockHash"]),
    BlockTimestamp: text(item["blockTimestamp"]),
    TxHash: text(item["txHash"]),
    From: addressOf(item["from"]),
    // A creation has no recipient, for which the graph has the zero address or null.
    To: to === ZERO && RowType === "INTERNAL" ? "" : to,
  };
}

const ROW_TYPES: Readonly<Record<List, string>> = {
  transactions: "NATIVE",
  internalTransactions: "INTERNAL",
  erc20Transfers: "ERC20",
  erc721Transfers: "ERC721",
  erc1155Transfers: "ERC1155",
};

const ADDRESSES = [
  "evm_transactions",
  "evm_internal_transactions",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
]
  .flatMap((table) => ["from_address", "to_address"].map((side) => `SELECT chain_id, ${side} AS address FROM ${table}`))
  .concat("SELECT chain_id, address FROM evm_deployments")
  .join(" UNION ");

describeCChains(
  "the export of EVM transactions",
  (folder) => {
    let database: TestDatabase;
    let config: Config;
    let evm: EvmSubgraph;
    let addresses: { readonly chain: string; readonly address: string }[];

    beforeAll(async () => {
      database = await indexedChains(folder);
      const chains = demoConfig(readManifest(folder), "http://127.0.0.1:1") as { networkToken: object }[];
      const priced = chains.map((chain) => ({ ...chain, networkToken: { ...chain.networkToken, priceId: "coin" } }));
      config = testConfig({ evmChains: priced });
      evm = await createEvmSubgraph({ config, database, logger: createLogger("fatal") });
      const { rows } = await database.pool.query<{ chain: string; address: string }>(
        `SELECT chain_id AS chain, '0x' || encode(address, 'hex') AS address FROM (${ADDRESSES}) a
         WHERE address IS NOT NULL ORDER BY 1, 2`,
      );
      addresses = rows;
    });
    afterAll(async () => {
      await evm?.[Symbol.asyncDispose]();
      await database?.[Symbol.asyncDispose]();
    });

    async function ask(source: string): Promise<Readonly<Record<string, unknown>>> {
      const contextValue = evm.context({ work: createWork(), requestId: "test" });
      const { data, errors } = await graphql({ schema: evm.schema, source, contextValue });
      if (errors) throw errors[0];
      return data as Readonly<Record<string, unknown>>;
    }

    async function listed(list: List, chain: string, address: string): Promise<ExportedRow[]> {
      const items: Item[] = [];
      const place = ofEntity("EvmAddress", `chainId: "${chain}", address: "${address}"`);
      for (let token: string | null = ""; token !== null; ) {
        const page = `list: ${list}(first: 100, after: "${token}") { nodes { ${LISTS[list]} } pageInfo { hasNextPage endCursor } }`;
        const { nodes, pageInfo } = place.find(await ask(place.around(page)));
        items.push(...nodes);
        token = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      }
      if (list === "transactions") items.push(...(await creations(chain, address)));
      return items.map(EXPECTED[list]).sort(byKey);
    }

    /** Transactions that created a contract. */
    async function creations(chain: string, address: string): Promise<Item[]> {
      const { contract } = await ask(`{ contract(chainId: "${chain}", address: "${address}") {
        deployments(first: 100) { deployments: nodes { traceIndex transaction { ${LISTS.transactions} } } } } }`);
      type Deployed = { deployments: { deployments: { traceIndex: number; transaction: Item }[] } };
      const found = (contract as Deployed | null)?.deployments.deployments ?? [];
      return found.filter(({ traceIndex }) => traceIndex === 0).map(({ transaction }) => transaction);
    }

    const rowsOf = (chain: string, ...own: string[]) =>
      exportedRows(database.pool, evmRequest({ chainIds: [chain], addresses: own }), config);

    it("has each row of the graph's lists of an address once, and no other", async () => {
      for (const { chain, address } of sampled(addresses, 12)) {
        const rows = await rowsOf(chain, address);
        for (const list of Object.keys(LISTS) as List[]) {
          const expected = await listed(list, chain, address);
          const ofType = rows.filter(({ RowType }) => RowType === ROW_TYPES[list]).sort(byKey);
          const like = expected[0] ?? {};
          expect({ address, list, rows: ofType.map((row) => pick(row, like)) }).toEqual({
            address,
            list,
            rows: expected,
          });
        }
      }
    });

    it("has the price of the native token that the graph has of transactions that create contracts", async () => {
      await database.pool.query(
        `INSERT INTO prices SELECT 'coin', 'usd', t, 10 + t % 1000 / 7.0
         FROM (SELECT DISTINCT block_timestamp - 1 AS t FROM evm_transactions) blocks`,
      );
      const { rows: created } = await database.pool.query<{ chain: string; address: string; sender: string }>(
        `SELECT d.chain_id AS chain, '0x' || encode(d.address, 'hex') AS address, '0x' || encode(d.creator_address, 'hex') AS sender
         FROM evm_deployments d WHERE trace_index = 0 ORDER BY 1, 2`,
      );
      for (const { chain, address, sender } of sampled(created, 4)) {
        const { contract } =
          await ask(`{ contract(chainId: "${chain}", address: "${address}") { deployments { deployments: nodes {
          txHash networkTokenDetails { historicalPrice { value } } } } } }`);
        const { deployments } = (contract as { deployments: { deployments: Item[] } }).deployments;
        const rows = await rowsOf(chain, sender);
        for (const { txHash, networkTokenDetails } of deployments) {
          const { historicalPrice } = networkTokenDetails as { historicalPrice: { value: string } | null };
          const native = rows.find(({ TxHash, RowType }) => TxHash === txHash && RowType === "NATIVE");
          expect(native?.["PriceUsd"]).toBe(historicalPrice?.value);
          expect(Number(native?.["FeeUsd"])).toBeCloseTo(
            (Number(native?.["Fee"]) / 1e18) * Number(native?.["PriceUsd"]),
            5,
          );
        }
      }
      expect(created.length).toBeGreaterThan(0);
    });

    it("has a row once, in one order, if several of its addresses are exported, whether lists are merged or rows sorted", async () => {
      const [chain = ""] = [...new Set(addresses.map((one) => one.chain))];
      const own = addresses.filter((one) => one.chain === chain).map(({ address }) => address);
      const all = await rowsOf(chain, ...own);
      expect(new Set(all.map(keyOf)).size).toBe(all.length);
      expect(all.every(({ Direction }) => Direction !== "IN")).toBe(true);
      expect(all.map(orderOf)).toEqual(all.map(orderOf).sort(compareLists));
      const few = sampled(own, 5).slice(0, 5);
      const isOf = ({ From = "", To = "", ContractAddress = "", TxStatus }: ExportedRow) =>
        [From, To, TxStatus === "1" ? ContractAddress : ""].some((side) => few.includes(side.toLowerCase()));
      expect((await rowsOf(chain, ...few)).map(keyOf)).toEqual(all.filter(isOf).map(keyOf));
    });

    it("has the fee in the rows of the sender only, and amounts as exact decimals", async () => {
      const { chain = "", address = "" } = sampled(addresses, 1)[0] ?? {};
      for (const row of await rowsOf(chain, address)) {
        const isPaid = row["RowType"] === "NATIVE" && row["From"]?.toLowerCase() === address;
        const fee = BigInt(row["GasUsed"] || 0) * BigInt(row["GasPrice"] || 0);
        expect(row["Fee"]).toBe(isPaid ? String(fee) : "");
        if (row["Amount"]) expect(unitsOf(row["Amount"], Number(row["TokenDecimals"]))).toBe(row["Value"]);
      }
    });

    it("has the same rows from every position on, and counts them by day", async () => {
      const chains = [...new Set(addresses.map(({ chain }) => chain))];
      const own = sampled(addresses, 6).map(({ address }) => address);
      const request = evmRequest({ chainIds: chains, addresses: [...new Set(own)] });
      await withSource(database.pool, request, config, async ({ rows, countDays }) => {
        const all = await rows();
        const days = new Map<string, number>();
        for (const { BlockTime = "" } of all)
          days.set(BlockTime.slice(0, 10), (days.get(BlockTime.slice(0, 10)) ?? 0) + 1);
        const sorted = [...days].sort(([one], [other]) => (one < other ? -1 : 1));
        expect(await countDays()).toEqual(sorted.map(([date, count]) => ({ date, rows: count })));
        const positions = [...new Set(all.map((row) => `${row["ChainId"]}:${row["BlockNumber"]}`))];
        for (const position of sampled(positions, 5)) {
          const end = all.findLastIndex((row) => `${row["ChainId"]}:${row["BlockNumber"]}` === position) + 1;
          expect(await rows({ after: position })).toEqual(all.slice(end));
        }
      });
    });
  },
  { inShortForm: 1 },
);

const pick = (row: ExportedRow, like: ExportedRow): ExportedRow =>
  Object.fromEntries(Object.keys(like).map((name) => [name, row[name] as string]));

const keyOf = (row: ExportedRow): string =>
  ["RowType", "BlockNumber", "TxHash", "TraceIndex", "LogIndex", "BatchIndex"].map((name) => row[name]).join(" ");

const PHASES: Readonly<Record<string, number>> = { NATIVE: 0, INTERNAL: 1 };
const orderOf = (row: ExportedRow): number[] => [
  Number(row["BlockNumber"]),
  Number(row["TxIndex"]),
  PHASES[row["RowType"] ?? ""] ?? 2,
  Number(row["TraceIndex"] || row["LogIndex"]),
  Number(row["BatchIndex"]),
];

function compareLists(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index < 0 ? 0 : (one[index] as number) - (other[index] as number);
}

const byKey = (one: ExportedRow, other: ExportedRow): number => keyOf(one).localeCompare(keyOf(other));

/** The amount in the smallest unit. */
function unitsOf(amount: string, decimals: number): string {
  const [whole = "", fraction = ""] = amount.split(".");
  return String(BigInt(whole + fraction.padEnd(decimals, "0")));
}
