import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { type Api, startApi } from "../conformance/api.ts";
import { RULES } from "../conformance/rules.ts";
import { distinctStatementsOf, type SentStatement } from "../support/database/statements.ts";
import { everyField } from "../support/every-field.ts";
import { sampleLiterals, sampleOf } from "../support/sample-arguments.ts";

const CHAINS = [760011, 760012];
/** Partitions of chains and networks that nobody asks for: in all tables together, about 300. */
const EMPTY = [900_001, 900_002, 900_003, 900_004, 900_005, 900_006];

let api: Api;
/** Every statement that the routes of REST and the fields of the graph send, with values. */
let statements: SentStatement[];
/** Names of the tables that are partitioned. */
let tables: string[];
beforeAll(async () => {
  api = await startApi({ signatures: true });
  const { rows } = await api.pool.query<{ name: string }>(
    "SELECT partrelid::regclass::text AS name FROM pg_partitioned_table ORDER BY 1",
  );
  tables = rows.map(({ name }) => name);
  for (const table of tables)
    for (const id of EMPTY)
      await api.pool.query(`CREATE TABLE ${table}_${id} PARTITION OF ${table} FOR VALUES IN (${id})`);
  statements = await distinctStatementsOf(async () => {
    for (const rule of RULES.filter(({ id }) => id.endsWith(".S1"))) await rule.check(api);
    await askForEveryField();
  });
}, 120_000);
afterAll(() => api[Symbol.asyncDispose]());

/** Selects every field of the graph, on each of the chains, and searches for everything that can be found. */
async function askForEveryField(): Promise<void> {
  const { schema } = createPlanner(committedSupergraph(), []);
  for (const operation of MORE_OPERATIONS) await ask(operation);
  for (const chainId of CHAINS) {
    const failed = `SELECT block_number AS number FROM evm_failures WHERE chain_id = ${chainId} LIMIT 1`;
    const { rows } = await api.pool.query<{ number: number }>(failed);
    const transactions = "transactions(first: 100) { nodes { revertReason { error } } }";
    await ask(`{ evmBlock(chainId: "${chainId}", blockNumber: "${rows[0]?.number}") { ${transactions} } }`);
    const values = await sampleOf(api.pool, chainId);
    for (const operation of everyField(schema, sampleLiterals(values))) await ask(operation);
    for (const text of Object.values(values))
      await ask(`{ search(text: ${JSON.stringify(String(text))}) { hasMore } }`);
  }
}

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const AFTER_BLOCK = `at: { block: "200" }, orderBy: ADDRESS`;

/** Operations whose arguments the fields have no values for. */
const MORE_OPERATIONS = [
  `{ erc1155Transfers(chainId: "760011", address: "${WALLET}", first: 1) { nodes { erc1155Token { totalSupply balance(address: "${WALLET}")
    holders(${AFTER_BLOCK}) { nodes { balance } } collection { holders(${AFTER_BLOCK}) { nodes { balance } } } } } } }`,
  `{ address(chainId: "760011", address: "${WALLET}") { nfts(at: { block: "200" }) { nodes { balance } } } }`,
  `{ primaryNetworkBlocks(network: FUJI, blockchainId: "p-chain") { blocks: nodes { transactions { nextPageToken } } } }`,
  `{ primaryNetworkTransactions(network: FUJI, blockchainId: "c-chain") { transactions: nodes { consumedUtxos { credentials { signature } } } } }`,
  `{ primaryNetworkTransactions(network: FUJI, blockchainId: "p-chain", l1ValidationId: "11111111111111111111111111111111LpoYY") { nextPageToken } }`,
];

/** Tables that nothing but the indexer reads. */
const UNSERVED = ["raw_blocks", "primary_exceptions", "raw_token_answers", "raw_traces"];

async function ask(query: string): Promise<void> {
  const body = JSON.stringify({ query });
  const headers = { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA };
  const answer = await api.get("/graphql", { method: "POST", body, headers });
  for (const { message, extensions } of (answer.body as { errors?: GraphError[] }).errors ?? [])
    if (extensions?.code === "INTERNAL" || extensions?.code?.startsWith("GRAPHQL_"))
      throw new Error(`${query}: ${message}`);
}

interface GraphError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

/** The relations of partitions, indexes among them, that a statement locks, each by the id of its partition. */
async function lockedPartitions({ text, values }: SentStatement): Promise<{ id: string; count: number }[]> {
  const client = await api.pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(text, [...values]);
    const { rows } = await client.query<{ id: string; count: number }>(
      `SELECT t.id, count(DISTINCT l.relation)::int AS count FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
         LEFT JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_class own ON own.oid = coalesce(i.indrelid, c.oid),
         LATERAL (SELECT substring(own.relname FROM '_(\\d+)$') AS id) t
       WHERE l.pid = pg_backend_pid() AND own.relispartition GROUP BY t.id`,
    );
    return rows;
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

describe("the statements of REST and of the graph", () => {
  it("read every partitioned table that has rows for callers", () => {
    const texts = statements.map(({ text }) => text).join("\n");
    const unread = tables.filter((table) => !new RegExp(`\\b${table}\\b`).test(texts));
    expect(unread.filter((table) => !UNSERVED.includes(table))).toEqual([]);
  });

  it("lock the partitions of at most one chain and one network, however many there are", async () => {
    const many: unknown[] = [];
    for (const statement of statements) {
      // No table that is written for a caller is partitioned.
      if (!/^\s*(SELECT|WITH|\()/.test(statement.text) || /INSERT|UPDATE/.test(statement.text)) continue;
      const locked = await lockedPartitions(statement);
      const ids = locked.map(({ id }) => id);
      const isOfOne =
        ids.filter((id) => id.startsWith("76001")).length <= 1 && ids.every((id) => !EMPTY.includes(Number(id)));
      if (!isOfOne) many.push({ text: statement.text.slice(0, 300), locked });
    }
    expect(many).toEqual([]);
  });

  it("are prepared for one chain or network, so that no plan is made for the partitions of all", () => {
    const readsPartitions = ({ text }: SentStatement) =>
      tables.some((table) => new RegExp(`\\b${table}\\b`).test(text));
    const forAll = statements.filter((statement) => statement.partition === null && readsPartitions(statement));
    expect(forAll.map(({ text }) => text)).toEqual([]);
    expect(statements.filter(({ partition }) => partition).length).toBeGreaterThan(100);
  });
});
