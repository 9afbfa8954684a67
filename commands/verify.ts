import { parseArgs } from "node:util";
import type pg from "pg";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config, PrimaryNetworkConfig } from "../core/config/config-schema.ts";
import { openPool } from "../core/database/database.ts";
import { databaseRefusal } from "../core/database/database-refusal.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { BadUpstreamData, quoted } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import { parseRules } from "../indexer/primary/network/rules.ts";
import type { ComparisonDeps } from "../indexer/primary/verify/comparison.ts";
import { readExceptions } from "../indexer/primary/verify/exceptions.ts";
import { DifferentHeights } from "../indexer/primary/verify/heights.ts";
import { type AskedNode, EVM_PATH } from "../indexer/primary/verify/node.ts";
import { verify } from "../indexer/primary/verify/verify.ts";
import { NodeUnavailable, RpcError } from "../indexer/shared/node/errors.ts";
import { createNodeClient, type NodeClient } from "../indexer/shared/node/node-client.ts";
import { isDemo, startDemo, unfinishedChains } from "./demo.ts";

const USAGE = "npm run verify -- [--network mainnet|fuji] [--owners <number of addresses>]";
const OWNERS = "200";

/** `npm run verify`: compares the rows of a primary network with its node. The indexer may run at the same time. */
async function main(): Promise<void> {
  const { network: name, owners } = valuesOf(process.argv.slice(2));
  const configured = loadConfig(process.env);
  await using opened = await openCommandDatabase(configured);
  await using database = openPool(opened.url, 2, createLogger("error"));
  const demo = isDemo(configured) ? await startDemo(configured, { joins: true }) : null;
  await using _demoNode = demo?.node ?? null;
  if (demo && unfinishedChains(demo.node).length > 0)
    throw new ConfigError(
      "the demo still adds blocks, and the recorded node has only the state after the last block: try again in a few minutes",
    );
  const settings = networkOf(demo?.config ?? configured, name);
  await using node = openNode(settings, configured.indexing);
  await showExceptions(database.pool, settings);
  let differs = 0;
  for await (const { part, compared, differences } of verify(await load(database.pool, settings, node), owners)) {
    console.log(`${part}: ${compared} compared, ${differences.length} differ`);
    for (const { what, indexed, node: onNode } of differences)
      console.log(`  ${what}\n    indexed: ${indexed}\n    node:    ${onNode}`);
    differs += differences.length;
  }
  if (differs > 0) process.exitCode = 1;
}

/** Prints what consensus accepted although the rows contradict it. The node has the same state, so these are no differences. */
async function showExceptions(pool: pg.Pool, { networkId }: PrimaryNetworkConfig): Promise<void> {
  const { count, lines } = await readExceptions(pool, networkId);
  console.log(`accepted by consensus although they contradict the rows: ${count}`);
  for (const line of lines) console.log(`  ${line}`);
}

function valuesOf(args: string[]): { network: string | undefined; owners: number } {
  try {
    const { values } = parseArgs({
      args,
      options: { network: { type: "string" }, owners: { type: "string", default: OWNERS } },
    });
    if (!/^\d{1,9}$/.test(values.owners)) throw new Error(`--owners is ${quoted(values.owners)}: must be a number`);
    return { network: values.network, owners: Number(values.owners) };
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}; usage: ${USAGE}`);
  }
}

function networkOf({ primaryNetworks }: Config, name: string | undefined): PrimaryNetworkConfig {
  const known = primaryNetworks.map(({ network }) => network);
  const found = primaryNetworks.find(({ network }) => (name === undefined ? known.length === 1 : network === name));
  if (found) return found;
  if (known.length === 0) throw new ConfigError("no primary network is configured");
  throw new ConfigError(`--network must be one of ${known.join(", ")}; usage: ${USAGE}`);
}

interface OpenedNode extends AskedNode, AsyncDisposable {}

function openNode({ nodeUrl, nodeHeaders }: PrimaryNetworkConfig, indexing: Config["indexing"]): OpenedNode {
  const signal = new AbortController().signal;
  const clients = new Map<string, NodeClient>();
  const { requestTimeoutMs, maxConcurrency } = indexing;
  return {
    ask(path, method, params) {
      const url = `${nodeUrl.replace(/\/$/, "")}${path}`;
      const client =
        clients.get(path) ??
        createNodeClient({ url, headers: nodeHeaders, requestTimeoutMs, maxConcurrency, maxBatchSize: 1, signal });
      clients.set(path, client);
      // avalanchego accepts named parameters as the only element of a list.
      return client.call(method, path === EVM_PATH ? [] : [params]);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.values()) await client[Symbol.asyncDispose]();
    },
  };
}

async function load(pool: pg.Pool, { networkId }: PrimaryNetworkConfig, node: AskedNode): Promise<ComparisonDeps> {
  const { rows } = await pool.query<{ hrp: string; rules: string }>(
    "SELECT hrp, rules FROM primary_networks WHERE network_id = $1",
    [networkId],
  );
  const rules = rows[0] && parseRules(rows[0].rules);
  if (!rows[0] || !rules)
    throw new ConfigError(`no block of network ${networkId} is indexed yet: start the indexer first`);
  return { pool, node, network: { networkId, hrp: rows[0].hrp, ...rules } };
}

/** One sentence for what an operator can mend, and the error itself, with its stack, for a bug. */
function publicMessage(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof DifferentHeights) return error.message;
  if (error instanceof BadUpstreamData) return `the node's answer cannot be compared: ${error.message}`;
  if (error instanceof NodeUnavailable) return error.detail ? `${error.message} [${error.detail}]` : error.message;
  if (error instanceof RpcError) return `the node answered with an error: ${error.message} (${error.code})`;
  return databaseRefusal(error) ?? error;
}

await main().catch((error: unknown) => {
  console.error(publicMessage(error));
  // Nothing was compared, so nothing is known to be wrong.
  process.exitCode = error instanceof DifferentHeights ? 2 : 1;
});
