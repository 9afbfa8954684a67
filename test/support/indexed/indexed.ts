import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { startIndexer } from "../../../indexer/indexer.ts";
import { demoConfig } from "../../../recordings/demo.ts";
import { isEvmChain } from "../../../recordings/manifest.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../config.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";

/** A test database with a recording's EVM chains, indexed by the real indexer. */
export function indexedChains(folder: string): Promise<TestDatabase> {
  return createFilledDatabase(basename(folder), (database) => indexChains(database, folder));
}

/** The same for the recording alpha; its node answers until the database is disposed. */
export async function indexedAlpha(): Promise<TestDatabase & { readonly config: Config }> {
  return servedByNode(await indexedChains(ALPHA));
}

/** Indexes a recording's EVM chains into a database. */
export async function indexChains(database: TestDatabase, folder: string): Promise<void> {
  await using node = await startReplayNode({ recording: openRecording(folder), heads: "full" });
  await using _indexer = startIndexer(configOf(node), database.url, createLogger("error"));
  const chains = node.recording.manifest.chains.filter(isEvmChain);
  await untilIndexed(database, Object.fromEntries(chains.map((chain) => [chain.evmChainId, node.head(chain.alias)])));
}

const configOf = ({ recording, url }: ReplayNode): Config =>
  testConfig({ evmChains: demoConfig(recording.manifest, url) });

/** Adds the recorded node to a database of the recording alpha; both are disposed together. */
export async function servedByNode(database: TestDatabase): Promise<TestDatabase & { readonly config: Config }> {
  const node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  return {
    ...database,
    config: configOf(node),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

/** Waits until these blocks are the last indexed ones and no token's metadata is pending; fails after 60 s. */
export async function untilIndexed(database: TestDatabase, heads: Readonly<Record<string, number>>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { rows } = await database.pool.query<{ chain_id: string; block_number: string; pending: boolean }>(
      `SELECT chain_id, block_number, EXISTS (SELECT FROM erc20_tokens t WHERE t.chain_id = h.chain_id AND t.metadata_status = 'PENDING')
         OR EXISTS (SELECT FROM nft_contracts t WHERE t.chain_id = h.chain_id AND t.metadata_status = 'PENDING')
         OR EXISTS (SELECT FROM nft_items t JOIN chain_capabilities c USING (chain_id)
           WHERE t.chain_id = h.chain_id AND t.metadata_state = 'PENDING' AND c.capability = 'nftMetadata' AND c.is_on) AS pending
       FROM chain_heads h`,
    );
    const reached = Object.entries(heads).every(([chainId, head]) =>
      rows.some((row) => row.chain_id === chainId && Number(row.block_number) === head && !row.pending),
    );
    if (reached) return;
    if (Date.now() > deadline) throw new Error(`not indexed in time: ${JSON.stringify(rows)}`);
    await sleep(20);
  }
}
