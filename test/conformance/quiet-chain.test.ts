import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { startPrimaryIndexing } from "../support/indexed/primary-indexing.ts";
import { factsOf } from "../support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../support/stack.ts";

const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";

interface Chain {
  readonly chainName: string;
  readonly blockTimestamp: number;
  readonly headSeenTimestamp: number | null;
}

async function chainsOf(stack: Stack): Promise<readonly Chain[]> {
  const query = "{ primaryNetworks { chains { chainName blockTimestamp headSeenTimestamp } } }";
  const { body } = await stack.get(`/graphql?query=${encodeURIComponent(query)}`);
  return (body as { data: { primaryNetworks: [{ chains: Chain[] }] } }).data.primaryNetworks[0].chains;
}

describe("E8 on chains without new blocks", () => {
  it("E8.12 answers up to the last time at which the indexer found that the node's head is indexed", async () => {
    await using node = await startReplayNode({ recording: openRecording(ALPHA) });
    await using indexing = await startPrimaryIndexing({ folder: ALPHA, node });
    const { P, X, c: C } = factsOf(ALPHA).heights;
    await indexing.untilHeads({ P, X, C });
    for (const chain of ["P", "X", "C"] as const) await indexing.untilState(chain, "FOLLOWING");
    const config = { ...testConfig(), primaryNetworks: servedNetworks(ALPHA) };
    await using stack = await startStack({ database: indexing.database, config });
    let chains = await chainsOf(stack);
    while (chains.some(({ headSeenTimestamp }) => headSeenTimestamp === null)) chains = await chainsOf(stack);
    const lastBlock = Math.max(...chains.map(({ blockTimestamp }) => blockTimestamp));
    for (const { chainName, headSeenTimestamp } of chains) {
      expect(headSeenTimestamp).toBeGreaterThan(lastBlock);
      const path = `/v1/networks/fuji/blockchains/${chainName}/balances?addresses=${OWNER}&blockTimestamp=`;
      expect((await stack.get(`${path}${headSeenTimestamp}`)).status).toBe(200);
      expect((await stack.get(`${path}${Number(headSeenTimestamp) + 1_000_000}`)).status).toBe(400);
    }
  });
});
