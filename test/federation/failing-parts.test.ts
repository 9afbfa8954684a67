import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { ask, serveGraph } from "./served.ts";

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

describe("a root field that fails", () => {
  it("is null beside the answers of the others, of the same subgraph and of other ones", async () => {
    const { data, errors } = await ask(
      served.url,
      `{
      served: evmBlocks(chainId: "760011", first: 1) { blocks: nodes { chainId } }
      unknown: evmBlocks(chainId: "1", first: 1) { blocks: nodes { chainId } }
      addresses: address(chainId: "1", address: "0x0000000000000000000000000000000000000001") { chainId }
      rewards(network: MAINNET, filter: { nodeIds: "NodeID-111111111111111111116DBWJs" }) { pageInfo { endCursor } }
    }`,
    );
    expect(data).toEqual({
      served: { blocks: [{ chainId: "760011" }] },
      unknown: null,
      addresses: null,
      rewards: null,
    });
    expect(errors?.map(({ path }) => path?.join()).toSorted()).toEqual(["addresses", "rewards", "unknown"]);
  });

  it("is the only null also if it is alone", async () => {
    expect(await ask(served.url, `{ chain(chainId: "1") { chainName } }`)).toMatchObject({
      data: { chain: null },
      errors: [{ path: ["chain"], extensions: { code: "NOT_FOUND" } }],
    });
  });
});
