import { QueryPlanner } from "@graphql-hive/router-query-planner";
import { buildSchema, parse, validate } from "graphql";
import { committedSupergraph } from "../../../gateway/supergraph.ts";
import { loadOperation } from "../../../rest-compat/graph/operation.ts";
import { compileCost } from "../../graph/operation-cost.ts";
import { compileCostClass } from "./cost-class.ts";

const schema = buildSchema(new QueryPlanner(committedSupergraph()).consumerSchema, { assumeValid: true });

function costClassOf(query: string, variables: Readonly<Record<string, unknown>> = {}): string | null {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  return compileCostClass(document)(variables, compileCost(schema, document, null)(variables));
}

const ADDRESS = `0x${"1".repeat(40)}`;
const { document: TRANSACTIONS } = loadOperation("list-primary-transactions");
const token = (fields: string) => `{ erc20Token(chainId: "1", address: "${ADDRESS}") { ${fields} } }`;

it.each<[string | null, string, string]>([
  [null, "a probe", "{ liveness { healthy } __typename }"],
  ["light", "a subscription to the health", "subscription { healthChanged { healthy } }"],
  ["light", "one entity", '{ chain(chainId: "1") { chainName } }'],
  ["light", "a page of rows", '{ evmBlocks(chainId: "1", first: 100) { blocks: nodes { blockHash } } }'],
  [
    "heavy",
    "rows with lists of rows",
    `{ primaryNetworkTransactions(network: FUJI, blockchainId: "p-chain", first: 100) { transactions: nodes { txHash txType blockTimestamp
      consumedUtxos { utxoId amount addresses } emittedUtxos { utxoId amount addresses } } } }`,
  ],
  ["light", "a probe beside an entity", '{ liveness { healthy } chain(chainId: "1") { chainName } }'],
  ["remote", "what a node answers", token("isSupplyApproximate")],
  ["remote", "the node interface", "{ node { version { version } } }"],
  [
    "light",
    "a field named node that reads the database",
    "{ validators(network: FUJI, first: 1) { validators: nodes { node { nodeId } } } }",
  ],
  [
    "heavyRemote",
    "what a node answers beside a page of rows",
    `{ node { __typename } ${[..."abcd"].map((name) => `${name}: evmBlocks(chainId: "1", first: 100) { blocks: nodes { blockHash gasUsed blockNumber } }`).join(" ")} }`,
  ],
  [
    "heavyRemote",
    "more than a hundred calls to a node",
    token("holders(first: 200) { holders: nodes { isApproximate } }"),
  ],
  [
    "remote",
    "a page of rows with one call to a node",
    `{ isSupply: erc20Token(chainId: "1", address: "${ADDRESS}") { isSupplyApproximate }
      evmBlocks(chainId: "1", first: 100) { blocks: nodes { blockHash parentHash blockNumber gasUsed gasLimit txCount miner baseFee } } }`,
  ],
  ["remote", "an aggregation", '{ aggregateSignatures(network: FUJI, message: "00") { signedMessage } }'],
  [
    "heavy",
    "a page of a thousand holders",
    token("holders(first: 1000) { holders: nodes { address balance rank: balance a: balance b: balance c: balance } }"),
  ],
  [
    "heavyRemote",
    "both",
    token(
      "isSupplyApproximate holders(first: 1000) { holders: nodes { address balance rank: balance a: balance b: balance c: balance } }",
    ),
  ],
])("is %s for %s", (expected, _, query) => {
  expect(costClassOf(query)).toBe(expected);
});

it("depends on the variables: the size of a page, and the number of addresses", () => {
  expect(costClassOf(TRANSACTIONS, { pageSize: 10 })).toBe("light");
  expect(costClassOf(TRANSACTIONS, { pageSize: 100 })).toBe("heavy");
  expect(costClassOf(TRANSACTIONS, { pageSize: 10, addresses: Array(200).fill("P-fuji1") })).toBe("heavy");
});
