import { parseArgs } from "node:util";
import { ConfigError, loadConfig } from "../core/config.ts";
import { startEmbeddedPostgres } from "../core/embedded-postgres.ts";
import { migrate } from "../core/migrate.ts";
import { replayJournal } from "./evm/replay.ts";
import { clearRows } from "./evm/store.ts";
import { tryBecomeWriter } from "./writer.ts";

/** `npm run replay -- --chain 43114`: makes a chain's rows again from its raw block store, without its node. */
async function replay(): Promise<void> {
  const { values } = parseArgs({ options: { chain: { type: "string" } } });
  const chainId = values.chain ?? "";
  if (!/^\d+$/.test(chainId))
    throw new ConfigError("--chain must be an EVM chain id, as in: npm run replay -- --chain 43114");
  const config = loadConfig(process.env);
  await using embedded = config.databaseUrl ? null : await startEmbeddedPostgres(config.dataDirectory);
  const url = config.databaseUrl ?? embedded?.url ?? "";
  await migrate(url);
  await using writer = await tryBecomeWriter(url, chainId);
  if (!writer) throw new ConfigError(`chain ${chainId} is being written by another process: stop it first`);
  await writer.transaction((session) => clearRows(session, chainId));
  const startedAt = performance.now();
  const head = await replayJournal({ writer, chainId });
  if (head.blockNumber < 0) throw new ConfigError(`nothing is stored of chain ${chainId}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `chain ${chainId}: ${head.blockNumber + 1} blocks replayed in ${seconds.toFixed(1)} s; its tokens follow when the indexer runs`,
  );
}

await replay().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
