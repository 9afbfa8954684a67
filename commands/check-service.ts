import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { requireWritable } from "../core/config/data-directory.ts";
import { type CheckedReplica, compareReplicas } from "../core/database/check-replicas.ts";
import { openPool, type PooledDatabase } from "../core/database/database.ts";
import { databaseName } from "../core/database/database-name.ts";
import { NoTables } from "../core/database/migrate.ts";
import type { Placement } from "../core/database/placement.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { createLogger } from "../core/observability/logger.ts";
import { compareSettings } from "../indexer/check-settings.ts";
import { placeContradiction } from "../indexer/evm/follow/place.ts";
import { outdatedRowsOf } from "../indexer/outdated-rows.ts";
import { queriesOf } from "../indexer/shared/writer.ts";
import type { Outcome } from "./program/command.ts";
import { expectedMessage } from "./program/expected-message.ts";

const NO_DATABASE = "there are no tables yet: the first start makes them";

interface Finding {
  readonly part: "settings" | "nodes" | "database";
  readonly isRight: boolean;
  readonly message: string;
}

/** `moraine check`: the settings, the nodes and the database that they name, and whether the settings contradict its index. Changes nothing. */
export async function checkService(flags: readonly string[]): Promise<Outcome> {
  const findings: Finding[] = [];
  const config = settingsOf(flags, findings);
  if (!config) return outcomeOf(findings);
  const { errors, unchecked } = await compareSettings(config);
  for (const message of [...unchecked, ...errors]) findings.push({ part: "nodes", isRight: false, message });
  if (!findings.some(({ part }) => part === "nodes"))
    findings.push({ part: "nodes", isRight: true, message: nodesAreRight(config) });
  findings.push(...(await checkDatabase(config)));
  return outcomeOf(findings);
}

function outcomeOf(findings: readonly Finding[]): Outcome {
  const text = findings
    .map(({ part, isRight, message }) => `${part}: ${isRight ? "" : "NOT RIGHT: "}${message}`)
    .join("\n");
  return { text, data: findings, exitCode: findings.every(({ isRight }) => isRight) ? 0 : 1 };
}

const nodesAreRight = ({ evmChains, primaryNetworks }: Config): string =>
  evmChains.length + primaryNetworks.length === 0
    ? "no chain is configured, so no node was asked"
    : "all nodes answer as the settings say";

/** Null if the settings cannot be used. Adds to the findings. */
function settingsOf(flags: readonly string[], findings: Finding[]): Config | null {
  try {
    const config = loadConfig(process.env, flags);
    findings.push({ part: "settings", isRight: true, message: "all settings can be used" });
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const message of error.message.split("\n")) findings.push({ part: "settings", isRight: false, message });
    return null;
  }
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    await using opened = await openCommandDatabase(config);
    const placement = await opened.placement();
    const rebuilt = await outdatedRowsOf(config, placement, createLogger("error"));
    const isOne = placement.all.length === 1;
    const current = isOne
      ? ["the database is of this version"]
      : placement.all.map((url) => `${databaseName(url)} is of this version`);
    const messages = [...current, ...rebuilt.map((line) => `at the next start, ${line}`)];
    const contradictions = await contradictionsIn(placement, config);
    return [
      ...(await compareReplicas(opened.url, config.databaseReadUrls)).map(replicaFinding),
      ...contradictions.map((message) => ({ part: "database", isRight: false, message }) as const),
      ...messages.map((message) => ({ part: "database", isRight: true, message }) as const),
    ];
  } catch (error) {
    const reason = error instanceof NoTables ? await firstStartFailure(config) : error;
    if (reason === null) return [{ part: "database", isRight: true, message: NO_DATABASE }];
    const message = expectedMessage(reason);
    if (typeof message !== "string") throw reason;
    return [{ part: "database", isRight: false, message }];
  }
}

function replicaFinding({ name, contradiction, outage }: CheckedReplica): Finding {
  const wrong = contradiction ?? (outage && `it cannot be used: ${outage}`);
  const message = `${name} of databaseReadUrls: ${wrong ?? "it is a replica of the server of databaseUrl"}`;
  return { part: "database", isRight: wrong === null, message };
}

/** Why the first start could not create a database; null if it can. */
async function firstStartFailure({ databaseUrl, dataDirectory }: Config): Promise<unknown> {
  if (databaseUrl) return null;
  return await requireWritable(dataDirectory).then(
    () => null,
    (error: unknown) => error,
  );
}

/** What the indexer refuses too, as soon as it runs. */
async function contradictionsIn(placement: Placement, { evmChains, primaryNetworks }: Config): Promise<string[]> {
  const urls = [...new Set(primaryNetworks.map(({ networkId }) => placement.primary(networkId)))];
  const opened = urls.map((url) => [url, openPool(url, 1, createLogger("error"))] as const);
  const databases = new Map(opened);
  const indexOf = (networkId: number) =>
    queriesOf((databases.get(placement.primary(networkId)) as PooledDatabase).pool);
  try {
    const found = await Promise.all(evmChains.map((chain) => placeContradiction(indexOf, chain, primaryNetworks)));
    return found.filter((line) => line !== null);
  } finally {
    await Promise.all(opened.map(([, database]) => database[Symbol.asyncDispose]()));
  }
}
