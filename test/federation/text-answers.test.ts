import {
  type ExecutionResult,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  parse,
  validate,
} from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import { GRAPHQL_FORM } from "../../core/answer-text/answer-form.ts";
import { createLogger } from "../../core/logger.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { loadOperation } from "../../rest-compat/graph/operation.ts";
import { formOfDialect } from "../../rest-compat/rest/serialise/dialects.ts";
import { compileSerialiser } from "../../rest-compat/rest/serialise/serialiser.ts";
import { createEvmSubgraph, type EvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { createPrimaryNetworkSubgraph } from "../../subgraphs/primary-network/subgraph.ts";
import { isFullRun } from "../support/full.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { createRandomIntegers } from "../support/random.ts";

const C_CHAIN = "760011";
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const CALLER = "0x8294da8adfd6a2810147e314843a2a6983270c94";
const CONTRACT = "0xce4e1e5f3f0ead12dd4707754d9bcf57825fd6b0";
const QUERIES_PER_FIELD = isFullRun ? 60 : 10;

/** Root fields with arguments, valid and invalid ones. */
const EVM_FIELDS: readonly string[] = [
  `erc20Transfers(chainId: "${C_CHAIN}", address: "${WALLET}")`,
  `erc20Transfers(chainId: "${C_CHAIN}", address: "${WALLET}", pageSize: 3, startBlock: "5", endBlock: 90)`,
  `erc20Transfers(chainId: "1", address: "${WALLET}")`,
  `erc20Transfers(chainId: "${C_CHAIN}", address: "${WALLET}", pageSize: 101)`,
  `erc20Transfers(chainId: "${C_CHAIN}", address: "${WALLET}", pageToken: "no token")`,
  `internalTransactions(chainId: "${C_CHAIN}", address: "${CALLER}", pageSize: 30)`,
  `evmBlocks(chainId: "${C_CHAIN}", pageSize: 20)`,
  `evmTransactions(chainId: "${C_CHAIN}", address: "${WALLET}", pageSize: 9)`,
  `evmBlock(chainId: "${C_CHAIN}", blockNumber: "46")`,
  `evmBlock(chainId: "${C_CHAIN}", blockNumber: "99999")`,
  `evmBlock(chainId: "${C_CHAIN}")`,
  `erc20Token(chainId: "${C_CHAIN}", address: "${WALLET}")`,
  `deployment(chainId: "${C_CHAIN}", address: "${CONTRACT}")`,
  "chains",
];
const PRIMARY_FIELDS: readonly string[] = [
  `primaryNetworkTransactions(network: fuji, blockchainId: "p-chain", pageSize: 50)`,
  `primaryNetworkTransactions(network: fuji, blockchainId: "x-chain", sortOrder: asc)`,
  `primaryNetworkTransactions(network: fuji, blockchainId: "c-chain", pageSize: 5)`,
  `primaryNetworkTransactions(network: fuji, blockchainId: "q-chain")`,
  "validators(network: fuji, pageSize: 30)",
  "validators(network: fuji, validationStatus: active)",
  "validators(network: fuji, pageSize: 0)",
  "delegators(network: fuji)",
  "l1Validators(network: fuji)",
];

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let evm: EvmSubgraph;
let primary: LocalSubgraph;
beforeAll(async () => {
  database = await indexedAlphaNetwork();
  const nowSeconds = () => 1_800_000_000;
  const logger = createLogger("fatal");
  evm = await createEvmSubgraph({ config: database.config, database, logger, nowSeconds });
  primary = await createPrimaryNetworkSubgraph({ config: database.config, database, logger, nowSeconds });
});
afterAll(async () => {
  await evm[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const REQUEST = { requestId: "test" };

const UNION_OF_TWO_TYPES = `{ primaryNetworkBalances(network: fuji, blockchainId: "p-chain", addresses: ["x"]) { balances {
  ... on PChainBalances { x: unlockedUnstaked { amount } } ... on CChainBalances { x: atomicMemoryUnlocked { amount } } } } }`;
const WRONG_LITERAL = `{ erc20Transfers(chainId: "${C_CHAIN}", address: "${WALLET}") {
  transactions { erc20Token { price(currency: true) { value } } } } }`;

/** The answer of the general executor. */
async function executed(subgraph: LocalSubgraph, query: string, variables: object = {}): Promise<ExecutionResult> {
  const compiled = compileQuery(subgraph.schema, parse(query));
  if (!isCompiledQuery(compiled)) throw new Error(`${query} cannot be compiled`);
  return compiled.query(undefined, subgraph.context(REQUEST), variables);
}

/** Errors with everything that a caller may see. */
const visible = ({ data, errors }: ExecutionResult) => ({
  data,
  errors: errors?.map(({ message, path, extensions, originalError }) => ({ message, path, extensions, originalError })),
});

/** Makes a selection of random fields, with aliases and fragments. Some of the fields need a resolver of their own. */
function selectionOf(type: GraphQLNamedType, random: () => number, depth: number): string {
  if (!isObjectType(type)) return "{ __typename }";
  const fields = Object.values(type.getFields()).filter((field) => isSelectable(field, depth, random));
  const parts = fields.filter(() => random() % 3 > 0).map((field) => partOf(type, field, random, depth));
  return `{ ${[...parts, random() % 4 === 0 || parts.length === 0 ? "__typename" : ""].join(" ")} }`;
}

function isSelectable({ type, args }: GraphQLField<unknown, unknown>, depth: number, random: () => number): boolean {
  if (args.some(isRequiredArgument)) return false;
  return isLeafType(getNamedType(type)) || (depth > 0 && (args.length === 0 || random() % 20 === 0));
}

function partOf(
  parent: GraphQLObjectType,
  { name, type }: GraphQLField<unknown, unknown>,
  random: () => number,
  depth: number,
): string {
  const named = getNamedType(type);
  const alias = random() % 6 === 0 ? `a_${name}: ` : "";
  const field = `${alias}${name} ${isLeafType(named) ? "" : selectionOf(named, random, depth - 1)}`;
  return random() % 8 === 0 ? `... on ${parent.name} { ${field} }` : field;
}

/** Compares random selections of a root field. Returns how many of them were compiled to text. */
async function compareRandom(subgraph: LocalSubgraph, field: string, seed: number): Promise<number> {
  const random = createRandomIntegers(seed);
  const type = subgraph.schema.getQueryType()?.getFields()[field.replace(/\(.*/, "")]?.type;
  if (!type) throw new Error(`no field ${field}`);
  let compiled = 0;
  for (let round = 0; round < QUERIES_PER_FIELD; round++) {
    const query = `{ it: ${field} ${selectionOf(getNamedType(type), random, 3)} }`;
    expect(validate(subgraph.schema, parse(query))).toEqual([]);
    const tryText = subgraph.compileText?.(parse(query), { form: GRAPHQL_FORM, scope: "answer" }) ?? null;
    if (!tryText) continue;
    compiled++;
    const answer = await tryText({}, subgraph.context(REQUEST));
    const expected = await executed(subgraph, query);
    if (!expected.errors) expect(String(answer)).toBe(JSON.stringify({ data: expected.data }));
    // After errors below a root field, the general executor answers.
    else if (answer !== null) expect(visible(answer as ExecutionResult)).toEqual(visible(expected));
  }
  return compiled;
}

/** Operations of REST that are compiled to text, with variables. */
const EVM_OPERATIONS: readonly (readonly [name: string, variables: object])[] = [
  ["list-erc20-transfers", { chainId: C_CHAIN, address: WALLET, pageSize: 40 }],
  ["list-erc20-transfers", { chainId: C_CHAIN, address: WALLET.toUpperCase(), startBlock: "x" }],
  ["list-internal-transactions", { chainId: C_CHAIN, address: CALLER, pageSize: 7 }],
  ["list-evm-blocks", { chainId: C_CHAIN, pageSize: 100 }],
  ["list-evm-blocks", { chainId: 5 }],
  ["get-deployment", { chainId: C_CHAIN, address: CONTRACT, currency: "eur" }],
  ["get-deployment", { chainId: C_CHAIN, address: WALLET }],
];
const PRIMARY_OPERATIONS: typeof EVM_OPERATIONS = [
  ["list-primary-transactions", { network: "fuji", blockchainId: "p-chain", pageSize: 100 }],
  ["list-primary-transactions-hosted", { network: "fuji", blockchainId: "x-chain", pageSize: 20 }],
  ["list-primary-transactions-hosted", { network: "fuji", blockchainId: "c-chain", pageSize: 20 }],
  ["list-validators", { network: "fuji", nodeId: "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg", pageSize: 100 }],
];
const DIALECTS = ["contract", "hosted"] as const;

async function compareOperation(
  subgraph: LocalSubgraph,
  [name, variables]: (typeof EVM_OPERATIONS)[number],
  dialect: (typeof DIALECTS)[number],
): Promise<void> {
  const operation = loadOperation(name);
  const options = { form: formOfDialect(dialect), scope: "value" } as const;
  const tryText = subgraph.compileText?.(parse(operation.document), options);
  const answer = await tryText?.({ ...variables }, subgraph.context(REQUEST));
  const expected = await executed(subgraph, operation.document, variables);
  if (expected.errors) expect(visible(answer as ExecutionResult)).toEqual(visible(expected));
  else expect(String(answer)).toBe(compileSerialiser(operation, subgraph.schema, dialect)(expected.data?.["body"]));
}

describe("an operation of REST that is compiled to text", () => {
  const inDialects = <Case>(cases: readonly Case[]) =>
    DIALECTS.flatMap((dialect) => cases.map((one) => [dialect, one] as const));

  it.each(inDialects(EVM_OPERATIONS))("has the answer of the general executor in the dialect %s: %j", (dialect, one) =>
    compareOperation(evm, one, dialect),
  );

  it.each(inDialects(PRIMARY_OPERATIONS))(
    "has the answer of the general executor in the dialect %s: %j",
    (dialect, one) => compareOperation(primary, one, dialect),
  );
});

describe("an operation that is compiled to text", () => {
  it.each(EVM_FIELDS)("has the answer of the general executor, for random selections of %s", async (field) => {
    expect(await compareRandom(evm, field, 7)).toBeGreaterThan(0);
  });

  it.each(PRIMARY_FIELDS)("has the answer of the general executor, for random selections of %s", async (field) => {
    expect(await compareRandom(primary, field, 11)).toBeGreaterThan(0);
  });

  it.each([
    ["selects two types under one name", UNION_OF_TWO_TYPES, () => primary],
    ["has a literal of a wrong type", WRONG_LITERAL, () => evm],
  ])("is left to the general executor if it %s", (_, query, subgraphOf) => {
    const subgraph: LocalSubgraph = subgraphOf();
    expect(subgraph.compileText?.(parse(query), { form: GRAPHQL_FORM, scope: "answer" })).toBeNull();
  });
});
