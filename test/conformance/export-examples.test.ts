import { createChains } from "../../core/networks/chains.ts";
import { createNetworks } from "../../subgraphs/operations/chains/networks.ts";
import { createRequestParser } from "../../subgraphs/operations/requests/parse-request.ts";
import type { TransactionExportRequest } from "../../subgraphs/operations/requests/types.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { isValidExample } from "../support/example-text.ts";
import { resolved, type Schema, SPEC } from "./contract.ts";

const nodeUrl = "http://127.0.0.1:1";
/** The chains of the demo, from which the examples are. */
const config = testConfig({
  evmChains: [{ chainId: 760011, network: "fuji", chainName: "C-Chain", nodeUrl }],
  primaryNetworks: [{ network: "fuji", networkId: 76001, nodeUrl, genesisFile: "unread.json" }],
});
const content = SPEC.paths["/v1/operations/transactions:export"]?.["post"]?.requestBody?.content["application/json"];

/** The texts among the examples of a schema and the schemas to which it refers. */
function textsOf({ $ref, properties = {}, items, examples = [] }: Schema): string[] {
  const below = [...Object.values(properties), ...($ref ? [resolved<Schema>($ref)] : []), ...(items ? [items] : [])];
  const own = examples.flat().filter((example) => typeof example === "string");
  return [...own, ...below.flatMap(textsOf)];
}

describe("the examples of exports in spec/openapi.json", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each(Object.entries(content?.examples ?? {}))(
    "have the request %s, which is accepted",
    async (_name, { value }) => {
      const parser = createRequestParser(createChains(config), createNetworks(database, config));
      const { type, options } = value as TransactionExportRequest;
      expect(await parser.parse(value as TransactionExportRequest)).toMatchObject({
        type,
        addresses: (options.addresses ?? []).map(() => expect.stringMatching(/^0x[0-9a-f]{40}$/)),
      });
    },
  );

  it("have addresses, dates and constants that are valid", () => {
    const texts = textsOf(content?.schema ?? {});
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter((text) => !/^\d+$/.test(text) && !isValidExample(text))).toEqual([]);
  });
});
