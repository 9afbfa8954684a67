import { type ExecutionResult, getNamedType, graphql, isObjectType, isRequiredArgument } from "graphql";
import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { distinctStatementsOf } from "../../../test/support/database/statements.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import { inField, type ListPlace, ofEntity, ROOT } from "../../../test/support/lists/walk-query.ts";
import { createSubgraph, type EvmSubgraph } from "../subgraph.ts";

const C_CHAIN = "760011";
const L1 = "760012";
/** A chain of which no block is indexed, and whose indexer waits. */
const WAITING = "77003";
const MESSAGE = `chain ${WAITING} is not indexed yet (WAITING): the node refuses it`;
const UNAVAILABLE = expect.objectContaining({
  message: MESSAGE,
  extensions: expect.objectContaining({ code: "UNAVAILABLE" }),
});
const ADDRESS = `0x${"aa".repeat(20)}`;
const HASH = `0x${"00".repeat(32)}`;

const chainConfig = (chainId: string) => ({
  chainId: Number(chainId),
  chainName: `Chain ${chainId}`,
  network: "fuji",
  nodeUrl: "http://node.invalid",
});

interface Opened extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly schema: EvmSubgraph["schema"];
  ask(source: string): Promise<ExecutionResult>;
}

/** The subgraph over a database and the chain that waits. */
async function open(database: TestDatabase, config: Config): Promise<Opened> {
  await database.pool.query(
    `INSERT INTO chain_progress (chain_id, state, reason, blocks_per_second, updated_at)
     VALUES (${WAITING}, 'WAITING', 'the node refuses it', 0, 0)`,
  );
  const evm = await createSubgraph({ config, database, logger: createLogger("fatal") });
  return {
    database,
    schema: evm.schema,
    ask: (source) =>
      graphql({
        schema: evm.schema,
        source,
        contextValue: evm.context({ work: createWork(), requestId: "test" }),
      }),
    async [Symbol.asyncDispose]() {
      await evm[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Values of required arguments of lists. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  chainId: `"${WAITING}"`,
  address: `"${ADDRESS}"`,
  method: '"0x01020304"',
  messageId: `"${HASH}"`,
};

/** All lists of a type, with their required arguments. */
function listsOf(schema: EvmSubgraph["schema"], type: string): string[] {
  const parent = schema.getType(type);
  if (!isObjectType(parent)) throw new Error(`${type} is no object type`);
  return Object.values(parent.getFields())
    .filter(({ type }) => /Connection$/.test(getNamedType(type).name))
    .map(({ name, args }) => {
      const filter = name === "evmLogs" ? [`filter: { address: "${ADDRESS}" }`] : [];
      const given = args
        .filter((argument) => isRequiredArgument(argument) && argument.name !== "filter")
        .map((argument) => `${argument.name}: ${ARGUMENTS[argument.name]}`);
      return `${name}(${["first: 5", ...given, ...filter].join(", ")})`;
    });
}

describe("a list of a chain of which no block is indexed", () => {
  let opened: Opened;
  beforeAll(async () => {
    const database = await createTestDatabase();
    opened = await open(database, testConfig({ evmChains: [chainConfig(WAITING)] }));
    const address = "decode(repeat('aa', 20), 'hex')";
    for (const [table, columns, values] of [
      ["erc20_tokens", "first_block_number", ["1"]],
      ["nft_contracts", "first_block_number", ["1"]],
      ["nft_items", "first_block_number, token_id, erc_type", ["1, 1, 'ERC-721'", "1, 2, 'ERC-1155'"]],
    ] as const) {
      await database.pool.query(`CREATE TABLE ${table}_${WAITING} PARTITION OF ${table} FOR VALUES IN (${WAITING})`);
      for (const row of values)
        await database.pool.query(
          `INSERT INTO ${table} (chain_id, address, ${columns}) VALUES (${WAITING}, ${address}, ${row})`,
        );
    }
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  const key = `chainId: "${WAITING}", address: "${ADDRESS}"`;
  const PARENTS: readonly (readonly [type: string, place: ListPlace, lists: number])[] = [
    ["Chain", inField(`chain(chainId: "${WAITING}")`), 5],
    ["EvmAddress", ofEntity("EvmAddress", key), 7],
    ["EvmAccount", inField(`evmAccount(address: "${ADDRESS}")`), 7],
    ["Erc20Token", ofEntity("Erc20Token", key), 1],
    ["NftCollection", ofEntity("NftCollection", key), 2],
    ["Erc721Token", ofEntity("Erc721Token", `${key}, tokenId: "1"`), 1],
    ["Erc1155Token", ofEntity("Erc1155Token", `${key}, tokenId: "2"`), 1],
    ["Contract", ofEntity("Contract", key), 2],
    ["Query", ROOT, 11],
  ];

  it.each(PARENTS)("fails with the state of its indexer, and is never empty: %s", async (type, place, count) => {
    // The collection has tokens.
    const lists = listsOf(opened.schema, type).filter((list) => !/^tokens\b/.test(list));
    expect(lists).toHaveLength(count);
    for (const list of lists) {
      const { errors } = await opened.ask(place.around(`list: ${list} { nodes { __typename } }`));
      expect([list, errors]).toEqual([list, [UNAVAILABLE]]);
    }
  });

  it("sends one more statement for all lists of a request", async () => {
    const lists = listsOf(opened.schema, "EvmAddress").filter((list) => !list.startsWith("internalTransactions"));
    const selection = lists.map((list, at) => `list${at}: ${list} { nodes { __typename } }`).join(" ");
    let answer: ExecutionResult = {};
    const statements = await distinctStatementsOf(async () => {
      answer = await opened.ask(ofEntity("EvmAddress", key).around(selection));
    });
    expect(answer.errors).toHaveLength(lists.length);
    expect(statements.filter(({ text }) => text.includes("chain_progress"))).toHaveLength(1);
    expect(statements).toHaveLength(lists.length + 1);
  });
});

type Answers = Readonly<Record<string, { readonly nodes: readonly object[] }>>;

describe("a list over several chains, one of which has no block", () => {
  let opened: Opened;
  beforeAll(async () => {
    const database = await indexedAlpha();
    const { config } = database;
    const waiting = testConfig({ evmChains: [chainConfig(WAITING)] }).evmChains;
    opened = await open(database, { ...config, evmChains: [...config.evmChains, ...waiting] });
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
  const named = (...chains: readonly string[]) => `filter: { chains: [${chains.map((one) => `"${one}"`)}] }`;
  const page = "{ nodes { __typename chainId } totalCount { count } }";
  const ofAccount = (fields: string) => inField(`evmAccount(address: "${WALLET}")`).around(fields);

  async function messageId(): Promise<string> {
    const { rows } = await opened.database.pool.query(
      "SELECT '0x' || encode(message_id, 'hex') AS id FROM icm_events GROUP BY 1 ORDER BY count(*) DESC LIMIT 1",
    );
    return String(rows[0]?.id);
  }

  it.each(["transactions", "erc20Transfers", "erc721Transfers", "erc1155Transfers", "internalTransactions"])(
    "has the items of the other chains, unless the filter names that one: %s",
    async (list) => {
      const { data, errors } = await opened.ask(
        ofAccount(`all: ${list} ${page} empty: ${list}(${named()}) ${page} others: ${list}(${named(L1, C_CHAIN)}) ${page}
          some: ${list}(${named(C_CHAIN, WAITING)}) ${page}`),
      );
      const { parent } = data as { readonly parent: Answers };
      expect(parent["all"]?.nodes.length).toBeGreaterThan(1);
      expect(parent).toEqual({ all: parent["others"], empty: parent["others"], others: parent["others"], some: null });
      expect(errors).toEqual([UNAVAILABLE]);
    },
  );

  it.each(["latestBlocks", "latestTransactions", "icmEvents"])(
    "has the items of the other chains in the root field %s, unless the filter names that one",
    async (list) => {
      const id = list === "icmEvents" ? `messageId: "${await messageId()}"` : "first: 10";
      const { data, errors } = await opened.ask(`{ all: ${list}(${id}) ${page}
        others: ${list}(${id}, ${named(L1, C_CHAIN)}) ${page} }`);
      expect(errors).toBeUndefined();
      expect((data as Answers)["all"]?.nodes.length).toBeGreaterThan(1);
      expect(data?.["all"]).toEqual(data?.["others"]);
      const some = await opened.ask(`{ some: ${list}(${id}, ${named(C_CHAIN, WAITING)}) ${page} }`);
      expect(some.errors).toEqual([UNAVAILABLE]);
    },
  );

  it("of interchain messages has those of all chains, unless the filter or the address names that one", async () => {
    const { rows } = await opened.database.pool.query(
      `SELECT '0x' || encode(origin_sender_address, 'hex') AS address FROM icm_messages WHERE source = '${C_CHAIN}' LIMIT 1`,
    );
    const list = (filter: string) => `icmMessages${filter && `(${filter})`} { nodes { messageId } }`;
    const { data, errors } =
      await opened.ask(`{ all: ${list("")} of: ${list(named(C_CHAIN, L1))} some: ${list(named(C_CHAIN, WAITING))}
      sent: icmMessages(filter: { chains: ["${C_CHAIN}"], direction: SENT }) { nodes { messageId } }
      account: evmAccount(address: "${rows[0]?.address}") { all: ${list("")} of: ${list(named(C_CHAIN))} some: ${list(named(WAITING))} } }`);
    const { all, of, sent, some, account } = data as unknown as Answers & { readonly account: Answers };
    for (const found of [all, of, sent, account["all"], account["of"]]) expect(found?.nodes.length).toBeGreaterThan(0);
    expect([some, account["some"]]).toEqual([null, null]);
    expect(errors).toEqual([UNAVAILABLE, UNAVAILABLE]);
    const address = await opened.ask(
      ofEntity("EvmAddress", `chainId: "${WAITING}", address: "${rows[0]?.address}"`).around(list("")),
    );
    expect(address.errors).toEqual([UNAVAILABLE]);
  });

  it("of internal transactions fails if one of the chains has no call trees, and names the chain and the filter", async () => {
    const { pool } = opened.database;
    const where = `WHERE chain_id = ${L1} AND capability = 'traces'`;
    await pool.query(`UPDATE chain_capabilities SET is_on = false, reason = 'the node has none' ${where}`);
    try {
      const { data, errors } = await opened.ask(
        ofAccount(`all: internalTransactions ${page} named: internalTransactions(${named(C_CHAIN, L1)}) ${page}
          traced: internalTransactions(${named(C_CHAIN)}) ${page} transactions ${page}`),
      );
      const { parent } = data as { readonly parent: Answers };
      expect([parent["all"], parent["named"]]).toEqual([null, null]);
      expect(parent["traced"]?.nodes.length).toBeGreaterThan(1);
      expect(parent["transactions"]?.nodes.length).toBeGreaterThan(1);
      const message = `internal transactions of chain ${L1} are not served: the node has none`;
      expect(errors?.map(({ message, path, extensions }) => [path?.[1], message, extensions["code"]])).toEqual(
        expect.arrayContaining([
          ["all", `${message}; \`filter.chains\` can name the other chains`, "NOT_FOUND"],
          ["named", message, "NOT_FOUND"],
        ]),
      );
      expect(errors).toHaveLength(2);
    } finally {
      await pool.query(`UPDATE chain_capabilities SET is_on = true, reason = NULL ${where}`);
    }
  });
});
