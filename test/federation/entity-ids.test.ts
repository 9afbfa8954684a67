import { readFileSync } from "node:fs";
import { isObjectType, Kind, parse, print } from "graphql";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { ask, serveGraph } from "./served.ts";

/** The first key of each entity in each subgraph. */
const keys = SUBGRAPHS.flatMap(({ name: subgraph }) =>
  parse(readFileSync(`subgraphs/${subgraph}/schema.graphql`, "utf8")).definitions.flatMap((node) => {
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) return [];
    const [first] = (node.directives ?? []).filter(({ name }) => name.value === "key");
    const fields = first?.arguments?.find(({ name }) => name.value === "fields")?.value;
    return fields ? [{ subgraph, type: node.name.value, key: print(fields) }] : [];
  }),
);
const entities = [...new Set(keys.map(({ type }) => type))];

let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
let served: Awaited<ReturnType<typeof serveGraph>>;

beforeAll(async () => {
  database = await indexedAlphaNetwork();
  served = await serveGraph({ database, config: database.config });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

describe("the id of an entity", () => {
  it.each(entities)("%s is made of the same key in every subgraph", (type) => {
    expect(new Set(keys.filter((one) => one.type === type).map(({ key }) => key)).size).toBe(1);
    const known = createPlanner(committedSupergraph(), []).schema.getType(type);
    expect(isObjectType(known) && String(known.getFields()["id"]?.type)).toBe("ID!");
  });

  it("is the same whichever subgraph makes it, and consists of the values that the key has in answers", async () => {
    const { data, errors } = await ask(
      served.url,
      `{
      chain(chainId: "760011") { id nativeToken: networkToken { symbol } blockchain { id blockchainId network subnet { id subnetId } } }
      evmBlocks(chainId: "760011", first: 1) { blocks: nodes { id blockNumber transactions(first: 1) { transactions: nodes { id txHash } } } }
      found: search(text: "760011") { results { __typename ... on Chain { id } } }
      validators(network: FUJI, first: 1) { validators: nodes { id network txHash node { id nodeId } } }
    }`,
    );
    expect(errors).toBeUndefined();
    // biome-ignore lint/suspicious/noExplicitAny: the shape of the query
    const { chain, evmBlocks, found, validators } = data as any;
    expect(chain.id).toBe("760011");
    expect(found.results).toContainEqual({ __typename: "Chain", id: chain.id });
    const { blockchain } = chain;
    expect(blockchain.id).toBe(`${blockchain.network}:${blockchain.blockchainId}`);
    expect(blockchain.subnet.id).toBe(`${blockchain.network}:${blockchain.subnet.subnetId}`);
    const [block] = evmBlocks.blocks;
    expect(block.id).toBe(`760011:${block.blockNumber}`);
    for (const { id, txHash } of block.transactions.transactions) expect(id).toBe(`760011:${txHash}`);
    const [validator] = validators.validators;
    expect(validator.id).toBe(`${validator.network}:${validator.txHash}`);
    expect(validator.node.id).toBe(validator.node.nodeId);
  });
});
