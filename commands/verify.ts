import type pg from "pg";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config, PrimaryNetworkConfig } from "../core/config/config-schema.ts";
import { openPool } from "../core/database/database.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { quoted } from "../core/errors/errors.ts";
import { createLogger } from "../core/observability/logger.ts";
import { parseRules } from "../indexer/primary/network/rules.ts";
import type { ComparisonDeps } from "../indexer/primary/verify/comparison.ts";
import { readExceptions } from "../indexer/primary/verify/exceptions.ts";
import type { AskedNode } from "../indexer/primary/verify/node.ts";
import { openNode } from "../indexer/primary/verify/open-node.ts";
import { type Verified, verify } from "../indexer/primary/verify/verify.ts";
import { joinDemo, unfinishedChains } from "./demo.ts";
import type { Outcome } from "./program/command.ts";

/** `moraine verify`: compares the rows of a primary network with its node. The indexer may run at the same time. */
export async function verifyNetwork(
  name: string | undefined,
  owners: string,
  flags: readonly string[],
): Promise<Outcome> {
  if (!/^\d{1,9}$/.test(owners)) throw new ConfigError(`--owners is ${quoted(owners)}: must be a number`);
  const configured = loadConfig(process.env, flags);
  await using opened = await openCommandDatabase(configured);
  const placement = await opened.placement();
  await using demo = await joinDemo(configured);
  if (demo.node && unfinishedChains(demo.node).length > 0)
    throw new ConfigError(
      "the demo still adds blocks, and the recorded node has only the state after the last block: try again in a few minutes",
    );
  const settings = networkOf(demo.config, name);
  await using database = openPool(placement.primary(settings.networkId), 2, createLogger("error"));
  await using node = openNode(settings, configured.indexing, new AbortController().signal);
  const exceptions = await readExceptions(database.pool, settings.networkId);
  const parts: Verified[] = [];
  for await (const compared of verify(await load(database.pool, settings, node), Number(owners))) {
    console.error(`${compared.part} compared`);
    parts.push(compared);
  }
  return outcomeOf(exceptions, parts);
}

/** Exceptions are what consensus accepted although the rows contradict it. The node has the same state, so these are no differences. */
function outcomeOf({ count, lines }: Awaited<ReturnType<typeof readExceptions>>, parts: readonly Verified[]): Outcome {
  const text = [
    `accepted by consensus although they contradict the rows: ${count}`,
    ...lines.map((line) => `  ${line}`),
    ...parts.flatMap(({ part, compared, differences }) => [
      `${part}: ${compared} compared, ${differences.length} differ`,
      ...differences.map(({ what, indexed, node }) => `  ${what}\n    indexed: ${indexed}\n    node:    ${node}`),
    ]),
  ].join("\n");
  const differs = parts.some(({ differences }) => differences.length > 0);
  return { text, data: { exceptions: lines, parts }, exitCode: differs ? 1 : 0 };
}

function networkOf({ primaryNetworks }: Config, name: string | undefined): PrimaryNetworkConfig {
  const known = primaryNetworks.map(({ network }) => network);
  const found = primaryNetworks.find(({ network }) => (name === undefined ? known.length === 1 : network === name));
  if (found) return found;
  if (known.length === 0) throw new ConfigError("no primary network is configured");
  throw new ConfigError(`--network must be one of ${known.join(", ")}`);
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
