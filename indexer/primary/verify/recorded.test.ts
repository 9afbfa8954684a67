import { openRecording } from "../../../recordings/recording.ts";
import { startReplayNode } from "../../../recordings/replay-node.ts";
import { isFullRun } from "../../../test/support/full.ts";
import { replayPrimary } from "../../../test/support/indexed/replayed-primary.ts";
import { recordingFolder } from "../../../test/support/recorded/primary-vectors.ts";
import { createNodeClient, type NodeClient } from "../../shared/node/node-client.ts";
import { type AskedNode, EVM_PATH } from "./node.ts";
import { verify } from "./verify.ts";

const OWNERS = 20;
const LIMITS = { headers: {}, requestTimeoutMs: 5_000, maxConcurrency: 4, maxBatchSize: 1 };

/** Asks a node over one client for each path. */
function openNode(url: string): AskedNode & AsyncDisposable {
  const signal = new AbortController().signal;
  const clients = new Map<string, NodeClient>();
  return {
    ask(path, method, params) {
      const client = clients.get(path) ?? createNodeClient({ ...LIMITS, url: url + path, signal });
      clients.set(path, client);
      return client.call(method, path === EVM_PATH ? [] : [params]);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.values()) await client[Symbol.asyncDispose]();
    },
  };
}

const NETWORKS = ["helicon", "alpha", "gamma", "delta"] as const;

it.each(NETWORKS.slice(0, isFullRun ? NETWORKS.length : 1))(
  "the rows of network %s are those of its node, which answers with errors for what it does not have",
  async (name) => {
    const folder = recordingFolder(name);
    await using replayed = await startReplayNode({ recording: openRecording(folder) });
    await using node = openNode(replayed.url);
    await using database = await replayPrimary(folder);
    const { network } = database.recording;
    for await (const { part, compared, differences } of verify({ pool: database.pool, network, node }, OWNERS, 1)) {
      expect([part, differences]).toEqual([part, []]);
      expect(compared).toBeGreaterThan(0);
    }
  },
);

it("the rows of a network whose C-Chain is not indexed are those of its node, which also has what the C-Chain exported", async () => {
  const folder = recordingFolder("alpha");
  await using replayed = await startReplayNode({ recording: openRecording(folder) });
  await using node = openNode(replayed.url);
  await using database = await replayPrimary(folder);
  const { pool } = database;
  await pool.query("DELETE FROM primary_heads WHERE chain = 'C'");
  const exported = "DELETE FROM utxos WHERE created_on_chain = 'C' AND role = 'EXPORTED' AND consumed_tx_hash IS NULL";
  expect((await pool.query(exported)).rowCount).toBeGreaterThan(0);
  const { network } = database.recording;
  for await (const { part, differences } of verify({ pool, network, node }, 1_000, 1))
    expect([part, differences]).toEqual([part, []]);
});
