import { setTimeout as sleep } from "node:timers/promises";
import { startMoraine } from "../../../commands/moraine.ts";
import { createLocalCounters } from "../../../core/limits/rate-counters.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { testConfig } from "../config.ts";
import { createTestDatabase } from "../database/database.ts";
import type { NodeCall } from "./node-http.ts";
import { type RecordedNode, serveRecordedNode } from "./node-http-upstream.ts";

/** Id of the recorded nodes' network. */
const NETWORK_ID = 12345;

/** The whole stack over a recorded node and an index that is at its head or far behind it. */
export interface NodeStack extends AsyncDisposable {
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  readonly node: RecordedNode;
}

export interface NodeStackOptions {
  /** The recorded calls of the upstream node. */
  readonly calls: readonly NodeCall[];
  /** True if the initial indexing is done. */
  readonly isReady?: boolean;
  /** Settings of the node interface. */
  readonly nodeInterface?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Starts the stack, and waits until its health checks have run. */
export async function startNodeStack(options: NodeStackOptions): Promise<NodeStack> {
  const { calls, isReady = true, nodeInterface = {}, settings = {} } = options;
  const node = await serveRecordedNode(calls);
  const database = await createTestDatabase();
  const [state, head] = isReady ? ["FOLLOWING", 0] : ["BACKFILLING", 1000];
  await database.pool.query(
    `INSERT INTO primary_progress (network_id, chain, state, node_block_number, blocks_per_second, updated_at)
     SELECT $1, chain, $2, $3, 0, extract(epoch FROM now())::bigint FROM unnest(ARRAY['P', 'X']) AS chain`,
    [NETWORK_ID, state, head],
  );
  const network = { network: "fuji", networkId: NETWORK_ID, nodeUrl: node.url, genesisFile: "unread.json" };
  const config = testConfig({
    primaryNetworks: [network],
    bodyLimitBytes: 1 << 24,
    nodeInterface: { healthCheckFrequency: "1h", allowedHosts: ["localhost"], ...nodeInterface },
    ...settings,
  });
  const logger = createLogger("silent");
  const moraine = await startMoraine({ config, database, counters: createLocalCounters(), logger, idleGraceMs: 0 });
  const url = `http://127.0.0.1:${moraine.port}`;
  while (/not yet run/.test(await (await fetch(`${url}/ext/health`)).text())) await sleep(20);
  return {
    port: moraine.port,
    url,
    node,
    async [Symbol.asyncDispose]() {
      await moraine[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}
