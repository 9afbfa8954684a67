import { openRecording } from "../../recordings/recording.ts";
import { type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { servedNetworks } from "../support/indexed/alpha-network.ts";
import { type PrimaryIndexing, startPrimaryIndexing } from "../support/indexed/primary-indexing.ts";
import { type NodeBlock, nodeBlocks } from "../support/recorded/node-blocks.ts";
import { describeCChains, factsOf } from "../support/recorded/primary-vectors.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectContract } from "./contract.ts";

interface Page {
  readonly nextPageToken?: string;
  readonly blocks: readonly NodeBlock[];
  readonly chainInfo: object;
}

describeCChains(
  "E15 lists blocks of the C-Chain",
  (folder) => {
    let node: ReplayNode;
    let indexing: PrimaryIndexing;
    let stack: Stack;
    beforeAll(async () => {
      node = await startReplayNode({ recording: openRecording(folder), heads: "full" });
      indexing = await startPrimaryIndexing({ folder, node });
      await indexing.untilProposers(factsOf(folder).heights.c);
      const config = { ...testConfig(), primaryNetworks: servedNetworks(folder) };
      stack = await startStack({ database: indexing.database, config });
    });
    afterAll(async () => {
      await stack[Symbol.asyncDispose]();
      await indexing[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    });

    async function all(nodeId: string): Promise<NodeBlock[]> {
      const found: NodeBlock[] = [];
      for (let token = ""; ; ) {
        const path = `/v1/networks/fuji/blockchains/c-chain/nodes/${nodeId}/blocks?pageSize=30${token}`;
        const { status, body } = await stack.get(path);
        expectContract("GET", path, status, body);
        const page = body as Page;
        expect(page.chainInfo).toEqual({ chainName: "c-chain", network: "fuji" });
        found.push(...page.blocks);
        if (!page.nextPageToken) return found;
        token = `&pageToken=${page.nextPageToken}`;
      }
    }

    it("E15.7 MUST lists C-Chain blocks by proposer, with EVM hashes and the IDs of ProposerVM wrappers", async () => {
      const recorded = nodeBlocks(folder, "C");
      const proposed = recorded.filter(({ proposerDetails }) => proposerDetails?.proposerNodeId);
      expect(proposed.length).toBeGreaterThan(recorded.length / 2);
      for (const nodeId of new Set(proposed.map((block) => block.proposerDetails?.proposerNodeId as string))) {
        const own = proposed.filter(({ proposerDetails }) => proposerDetails?.proposerNodeId === nodeId);
        expect(await all(nodeId)).toEqual(own.reverse());
      }
    });
  },
  { inShortForm: 1 },
);
