import { type ExecutionResult, execute, type GraphQLSchema, isUnionType, parse } from "graphql";
import { messageOf } from "../../core/errors/errors.ts";
import { GRAPHQL_FORM } from "../../core/graph/answer-text.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import type { LocalSubgraph } from "../../gateway/plan/subgraph.ts";
import { loadOperation } from "../../rest-compat/graph/operation.ts";
import { formOfDialect } from "../../rest-compat/rest/serialise/dialects.ts";
import { compileSerialiser } from "../../rest-compat/rest/serialise/serialiser.ts";
import { createSubgraphs, loadSchemas } from "../../subgraphs/load.ts";
import type { ServedSubgraph } from "../../subgraphs/shared/server/server.ts";
import type { Literals } from "../support/every-field.ts";
import { isFullRun } from "../support/full.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { insertRunningOperation, RUNNING_ID } from "../support/operations/running-operation.ts";
import { createRandomIntegers } from "../support/random.ts";
import {
  type RandomOperation,
  randomEntities,
  randomOperation,
  wideOperation,
} from "../support/random-operations/random-operation.ts";
import { type RecordedValues, type Row, recordedValues } from "../support/random-operations/recorded-values.ts";
import { sampleLiterals, sampleOf } from "../support/sample-arguments.ts";
import { type ServedSignatures, serveSignatures } from "../support/signatures/served-signatures.ts";
import { type Served, serve } from "./served.ts";

const C_CHAIN = "760011";
const CHAINS = [760011, 760012];
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const CALLER = "0x8294da8adfd6a2810147e314843a2a6983270c94";
const CONTRACT = "0xce4e1e5f3f0ead12dd4707754d9bcf57825fd6b0";
const OWNER = "custom1ptj7uyt5e2segurd6tpjxvhtqxp404280mtke3";
/** For each root field, and for the entities of each type. */
const OPERATIONS = isFullRun ? 40 : 3;
const SEED = 42;
/** Each uses what was found in those before. */
const ROUNDS = 3;
/** Answers are long. */
const MESSAGE_LENGTH = 2_000;

const SCHEMAS = Object.fromEntries((await loadSchemas()).map(({ name, schema }) => [name, schema]));

/** Fields whose answers depend on validators that sign in time, that have another form of arguments, or of which nothing is recorded. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "aggregateSignatures",
  "aggregateTransactionSignatures",
  "_service",
  "_entities",
  "xChainVertex",
]);
/** Entities of which nothing is recorded. */
const UNRECORDED: ReadonlySet<string> = new Set(["XChainVertex"]);

const ROOTS = Object.entries(SCHEMAS).flatMap(([name, schema]) =>
  Object.keys(schema.getQueryType()?.getFields() ?? {})
    .filter((field) => !LEFT_OUT.has(field))
    .map((field) => [name, field] as const),
);
const ENTITIES = Object.entries(SCHEMAS).flatMap(([name, schema]) =>
  entitiesOf(schema).map((type) => [name, type] as const),
);

function entitiesOf(schema: GraphQLSchema): string[] {
  const union = schema.getType("_Entity");
  const names = isUnionType(union) ? union.getTypes().map((type) => type.name) : [];
  return names.filter((name) => !UNRECORDED.has(name));
}

let service: ServedSignatures;
let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let subgraphs: readonly LocalSubgraph[];
/** The subgraphs by name, each on a server of its own. */
const servers: Record<string, Served> = {};
const opened: AsyncDisposable[] = [];
let recorded: RecordedValues;
beforeAll(async () => {
  database = await indexedAlphaNetwork();
  service = await serveSignatures(database.url, database.config);
  await insertRunningOperation(database);
  const deps = { config: database.config, database, logger: createLogger("fatal"), nowSeconds: () => 1_800_000_000 };
  subgraphs = await createSubgraphs({ ...deps, serviceUrl: () => service.url }, (subgraph) => opened.push(subgraph));
  for (const subgraph of subgraphs) {
    const { name, schema, compileText = () => null } = subgraph;
    const context: ServedSubgraph["context"] = (request) => subgraph.context(request) as object;
    servers[name] = await serve({ schema, compileText, context }, deps.logger);
  }
  recorded = await valuesOfSubgraphs();
}, 120_000);

afterAll(async () => {
  for (const owned of [...Object.values(servers), ...opened, service, database]) await owned[Symbol.asyncDispose]();
});

/** The subgraph of a name. */
function named(name: string): LocalSubgraph {
  const subgraph = subgraphs.find((one) => one.name === name);
  if (!subgraph) throw new Error(`there is no subgraph ${name}`);
  return subgraph;
}

const REQUEST = { work: createWork(), requestId: "test" };

/** The answer of the reference executor. */
async function executed(
  { schema, context }: LocalSubgraph,
  query: string,
  variableValues: Readonly<Record<string, unknown>> = {},
): Promise<ExecutionResult> {
  return execute({ schema, document: parse(query), contextValue: context(REQUEST), variableValues });
}

/** Asks each subgraph for everything, with arguments that are known to have rows, and then with those that were found. */
async function valuesOfSubgraphs(): Promise<RecordedValues> {
  const rows: Row[] = [
    { operationId: RUNNING_ID },
    ...["p-chain", "x-chain", "c-chain"].map((blockchainId) => ({ network: "FUJI", blockchainId, addresses: OWNER })),
    ...[WALLET, CALLER, CONTRACT].map((address) => ({ chainId: C_CHAIN, address })),
    { chainId: C_CHAIN, "internalTransactions.address": CALLER, "deployment.address": CONTRACT },
    ...[WALLET, C_CHAIN, "46", "p-chain", "WAVAX"].map((text) => ({ text })),
  ];
  for (const kind of ["erc721", "erc1155"]) {
    const receivers = `SELECT chain_id AS "chainId", '0x' || encode(to_address, 'hex') AS "${kind}Transfers.address" FROM ${kind}_transfers LIMIT 2`;
    rows.push(...(await database.pool.query(receivers)).rows);
  }
  for (const chainId of CHAINS) rows.push(valuesOf(sampleLiterals(await sampleOf(database.pool, chainId))));
  const random = createRandomIntegers(SEED);
  const answers: unknown[] = [];
  for (const [name, field] of Array.from({ length: ROUNDS }, () => ROOTS).flat()) {
    const source = { schema: named(name).schema, recorded: recordedValues(answers, rows), random, leftOut: LEFT_OUT };
    const { query, variables } = wideOperation(source, field) ?? {};
    if (query) answers.push((await executed(named(name), query, variables)).data);
  }
  return recordedValues(answers, rows);
}

const valuesOf = (literals: Literals): Row =>
  Object.fromEntries(
    Object.entries(literals).map(([name, literal]) => [name, literal.startsWith('"') ? JSON.parse(literal) : literal]),
  );

/** Errors with everything that a caller may see. */
const visible = ({ data, errors }: ExecutionResult) => ({
  data,
  errors: errors?.map(({ message, path, locations, extensions, originalError }) => ({
    message,
    path,
    locations,
    extensions,
    originalError,
  })),
});

/** The answer of a subgraph on a server of its own. */
async function served(name: string, operation: RandomOperation): Promise<string> {
  const response = await fetch(servers[name]?.url ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(operation),
  });
  return response.text();
}

/** Compares the text, in this process and from a server of its own, with the answer of the reference executor. */
async function compare(name: string, operation: RandomOperation): Promise<void> {
  const { query, variables } = operation;
  const subgraph = named(name);
  const tryText = subgraph.compileText?.(parse(query), { form: GRAPHQL_FORM, scope: "answer" }) ?? null;
  const answer = tryText && (await tryText(variables, subgraph.context(REQUEST)));
  const expected = await executed(subgraph, query, variables);
  try {
    // The reference executor answers if there are errors below a root field.
    if (!expected.errors) {
      const text = withoutIds(JSON.stringify(expected));
      expect(withoutIds(String(answer))).toBe(text);
      expect(withoutIds(await served(name, operation))).toBe(text);
    } else if (answer !== null) expect(visible(answer as ExecutionResult)).toEqual(visible(expected));
  } catch (error) {
    throw new Error(`${query} with ${JSON.stringify(variables)}: ${messageOf(error).slice(0, MESSAGE_LENGTH)}`);
  }
}

/** Some page tokens are new random ids in each answer. */
const withoutIds = (text: string): string => text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "…");

/** Operations of REST that are compiled to text, with variables. */
const EVM_OPERATIONS: readonly (readonly [name: string, variables: Readonly<Record<string, unknown>>])[] = [
  ["list-erc20-transfers", { chainId: C_CHAIN, address: WALLET, pageSize: 40 }],
  ["list-erc20-transfers", { chainId: C_CHAIN, address: WALLET.toUpperCase(), startBlock: "x" }],
  ["list-internal-transactions", { chainId: C_CHAIN, address: CALLER, pageSize: 7 }],
  ["list-evm-blocks", { chainId: C_CHAIN, pageSize: 100 }],
  ["list-evm-blocks", { chainId: 5 }],
  ["get-deployment", { chainId: C_CHAIN, address: CONTRACT, currency: "EUR" }],
  ["get-deployment", { chainId: C_CHAIN, address: WALLET }],
];
const PRIMARY_OPERATIONS: typeof EVM_OPERATIONS = [
  ["list-primary-transactions", { network: "FUJI", blockchainId: "p-chain", pageSize: 100 }],
  ["list-primary-transactions-hosted", { network: "FUJI", blockchainId: "x-chain", pageSize: 20 }],
  ["list-primary-transactions-hosted", { network: "FUJI", blockchainId: "c-chain", pageSize: 20 }],
  ["list-validators", { network: "FUJI", nodeId: "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg", pageSize: 100 }],
  ...["p-chain", "x-chain", "c-chain"].flatMap((blockchainId): (typeof EVM_OPERATIONS)[number][] => [
    ["list-primary-balances", { network: "FUJI", blockchainId, addresses: [OWNER] }],
    ["list-primary-balances-hosted", { network: "FUJI", blockchainId, addresses: [OWNER] }],
  ]),
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

  it.each(inDialects(EVM_OPERATIONS))(
    "has the answer of the reference executor in the dialect %s: %j",
    (dialect, one) => compareOperation(named("evm"), one, dialect),
  );

  it.each(inDialects(PRIMARY_OPERATIONS))(
    "has the answer of the reference executor in the dialect %s: %j",
    (dialect, one) => compareOperation(named("primary-network"), one, dialect),
  );
});

describe("an operation that is compiled to text", () => {
  it.each(ROOTS)("has the answer of the reference executor, for random selections (%s: %s)", async (name, field) => {
    const random = createRandomIntegers(SEED);
    const source = { schema: named(name).schema, recorded, random, leftOut: LEFT_OUT };
    for (let count = 0; count < OPERATIONS; count++) {
      const operation = randomOperation(source, field);
      if (operation === null) throw new Error(`no value is known for an argument of ${field}`);
      await compare(name, operation);
    }
  });

  it.each(ENTITIES)("has the answer of the reference executor, for entities (%s: %s)", async (name, type) => {
    const random = createRandomIntegers(SEED);
    const others = entitiesOf(named(name).schema);
    const source = { schema: named(name).schema, recorded, random, leftOut: LEFT_OUT };
    for (let count = 0; count < OPERATIONS; count++) {
      const other = others[random() % others.length] ?? type;
      const operation = randomEntities(source, count % 2 === 0 ? [type] : [...new Set([type, other])]);
      if (operation === null) throw new Error(`no ${type} is recorded`);
      await compare(name, operation);
    }
  });
});
