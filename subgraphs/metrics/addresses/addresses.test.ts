import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../../core/observability/logger.ts";
import { createWork } from "../../../core/work/work.ts";
import type { TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import {
  createMetricsDatabase,
  GENESIS_CHAIN,
  METRICS_CHAIN,
  METRICS_CONFIG,
  UNKNOWN_CHAIN,
} from "../../../test/support/indexed/metrics-chain.ts";
import { createSubgraph as createMetricsSubgraph } from "../subgraph.ts";

const ADDRESS = `0x${"1".repeat(40)}`;

let database: TestDatabase;
let ask: (source: string) => Promise<ExecutionResult>;
beforeAll(async () => {
  database = await createMetricsDatabase();
  const metrics = await createMetricsSubgraph({ config: METRICS_CONFIG, database, logger: createLogger("silent") });
  ask = (source) =>
    graphql({
      schema: metrics.schema,
      source,
      contextValue: metrics.context({ work: createWork(), requestId: "test" }),
    });
});
afterAll(() => database[Symbol.asyncDispose]());

describe("a wallet", () => {
  it("has an error with the indexer's reason for each field of a chain that is not indexed, in one more statement than three for each chain", async () => {
    const fields = "firstSeen { blockNumber } transactionCount erc20Balances { nextPageToken } nfts { nextPageToken }";
    let result: ExecutionResult = {};
    const statements = await statementsOf(async () => {
      result = await ask(`{ wallet(address: "${ADDRESS}") { chainId ${fields} } }`);
    });
    // Activity, balances and NFTs on each chain; states of indexers.
    expect(statements).toHaveLength(3 * 3 + 1);
    const unknown = { firstSeen: null, transactionCount: null, erc20Balances: null, nfts: null };
    expect(result.data?.["wallet"]).toEqual([
      {
        chainId: METRICS_CHAIN,
        firstSeen: null,
        transactionCount: "0",
        erc20Balances: { nextPageToken: null },
        nfts: { nextPageToken: null },
      },
      { chainId: GENESIS_CHAIN, ...unknown },
      { chainId: UNKNOWN_CHAIN, ...unknown },
    ]);
    const messages = [
      `chain ${GENESIS_CHAIN} is not indexed yet (WAITING): the node refuses it`,
      `chain ${UNKNOWN_CHAIN} is not indexed yet: its indexer has not started`,
    ];
    const errors = result.errors ?? [];
    expect(errors).toHaveLength(2 * 4);
    for (const { message, path, extensions } of errors)
      expect([message, extensions["code"]]).toEqual([messages[Number(path?.[1]) - 1], "UNAVAILABLE"]);
  });
});

describe("an address", () => {
  it("on a chain that is not configured is not found", async () => {
    const { errors } = await ask(`{ address(chainId: "1", address: "${ADDRESS}") { address } }`);
    expect(errors).toMatchObject([{ extensions: { code: "NOT_FOUND" } }]);
  });

  it("as an entity is null on a chain that is not configured, and an error if it is malformed", async () => {
    const key = (chainId: string, address: string) =>
      `{ __typename: "EvmAddress", chainId: "${chainId}", address: "${address}" }`;
    const keys = [key(METRICS_CHAIN, ADDRESS), key("1", ADDRESS), key(METRICS_CHAIN, "0x1")];
    const { data, errors } = await ask(
      `{ _entities(representations: [${keys}]) { ... on EvmAddress { chainId address } } }`,
    );
    expect(data?.["_entities"]).toEqual([{ chainId: METRICS_CHAIN, address: ADDRESS }, null, null]);
    expect(errors).toMatchObject([{ path: ["_entities", 2], extensions: { code: "INVALID_PARAMETER" } }]);
  });

  it.each(["erc20Balances", "nfts"])("refuses a page of %s of 0 or 101 items", async (list) => {
    for (const size of [0, 101]) {
      const page = `${list}(first: ${size}) { nextPageToken }`;
      const { errors } = await ask(`{ address(chainId: "${METRICS_CHAIN}", address: "${ADDRESS}") { ${page} } }`);
      const message = `the page size must be from 1 to 100, got ${size}`;
      expect(errors).toMatchObject([{ message, extensions: { code: "INVALID_PARAMETER" } }]);
    }
  });
});
