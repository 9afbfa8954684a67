import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { storeFacts } from "../support/indexed/replayed-primary.ts";
import { LIST_NAMES, listsOf } from "../support/lists/graph-lists.ts";
import { readPrimaryRecording } from "../support/recorded/primary-recording.ts";
import { type Stack, startStack } from "../support/stack.ts";

const ID = "11111111111111111111111111111111LpoYY";
const NODE = "NodeID-111111111111111111116DBWJs";
const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";

/** Values that lead to the lists of primary networks. */
const AT = {
  validatorSubnet: ID,
  l1Subnet: ID,
  validation: ID,
  l1Validator: ID,
  asset: ID,
  validatorNode: NODE,
  delegatorNode: NODE,
  l1Node: NODE,
  rewardNode: NODE,
  validatorOwner: OWNER,
  delegatorOwner: OWNER,
  rewardOwner: OWNER,
  pChainOwner: OWNER,
  outputOwner: OWNER,
  cBlock: "1",
};
const LISTS = listsOf(AT, "first: 10", "{ pageInfo { endCursor } nodes { __typename } totalCount { count } }");

/** The lists whose selection names a primary network, or is below all of them. */
const OF_NETWORKS = LIST_NAMES.filter((name) => /network: FUJI|primaryNetworks/.test(LISTS[name] ?? ""));

const { network } = readPrimaryRecording(ALPHA);

/** A network that is not indexed, or of which only the genesis is. */
async function openNetwork(hasGenesis: boolean): Promise<Stack & { readonly database: TestDatabase }> {
  const database = await createTestDatabase();
  if (hasGenesis) {
    await using writer = await tryBecomeWriter(database.url, "primary");
    await writer?.transaction((session) => storeFacts(session, network));
  }
  const stack = await startStack({ database, config: { ...testConfig(), primaryNetworks: servedNetworks(ALPHA) } });
  return Object.assign(stack, { database });
}

describe.each([
  ["nothing", false],
  ["only the genesis", true],
])("while %s of a network is indexed", (_, hasGenesis) => {
  let stack: Awaited<ReturnType<typeof openNetwork>>;
  beforeAll(async () => {
    stack = await openNetwork(hasGenesis);
  });
  afterAll(async () => {
    await stack[Symbol.asyncDispose]();
    await stack.database[Symbol.asyncDispose]();
  });

  it.each(OF_NETWORKS)("%s fails with UNAVAILABLE, and is no empty list", async (name) => {
    const { body } = await stack.get(`/graphql?query=${encodeURIComponent(`{ ${LISTS[name]} }`)}`);
    expect(body).toMatchObject({ errors: [{ extensions: { code: "UNAVAILABLE" } }] });
    expect(JSON.stringify((body as { data: unknown }).data)).not.toContain('"nodes"');
  });

  it("covers the lists of primary networks", () => {
    expect(OF_NETWORKS.length).toBeGreaterThan(25);
  });
});
