import { parseArgs } from "node:util";
import { isEvmAddress } from "./core/address.ts";
import { createChains } from "./core/chains.ts";
import { ConfigError, loadConfig } from "./core/config.ts";
import type { EvmChainConfig } from "./core/config-schema.ts";
import { startEmbeddedPostgres } from "./core/embedded-postgres.ts";
import { Failure } from "./core/errors.ts";
import { migrate } from "./core/migrate.ts";
import { isDemo, startDemo } from "./demo.ts";
import { backfillMetadata, backfillTraces } from "./indexer/commands/backfill.ts";
import { type CommandDeps, CommandRefused } from "./indexer/commands/command.ts";
import { findGaps } from "./indexer/commands/gaps.ts";
import { replayChain } from "./indexer/commands/replay.ts";
import { BadUpstreamData, NodeUnavailable } from "./indexer/errors.ts";
import { chainRules } from "./indexer/evm/rules.ts";
import { createEvmSource } from "./indexer/evm/source.ts";
import { createNodeClient } from "./indexer/node-client.ts";

interface Values {
  readonly capability?: string;
  readonly from?: string;
  readonly to?: string;
  readonly contract?: string;
  readonly token?: string;
  readonly all?: boolean;
  readonly repair?: boolean;
}

interface Command {
  readonly usage: string;
  /** Resolves with what is printed in the end. */
  run(deps: CommandDeps, values: Values): Promise<string>;
}

/** What can be done with the store of a chain. */
const COMMANDS: Readonly<Record<string, Command>> = {
  replay: {
    usage: "npm run replay -- --chain 43114",
    run: replayChain,
  },
  backfill: {
    usage: "npm run backfill -- --chain 43114 --capability traces [--from 0] [--to 1000]",
    async run(deps, values) {
      const backfill = BACKFILLS[values.capability ?? ""];
      if (!backfill) throw new ConfigError(`--capability must be one of ${Object.keys(BACKFILLS).join(", ")}`);
      return backfill(deps, values);
    },
  },
  gaps: {
    usage: "npm run gaps -- --chain 43114 [--repair]",
    async run(deps, { repair = false }) {
      const gaps = await findGaps(deps, repair);
      const lines = gaps.map(
        ({ table, blockNumber, expected, found }) => `block ${blockNumber}: ${table} has ${found} rows of ${expected}`,
      );
      if (gaps.length === 0) return "nothing is missing";
      if (!repair) process.exitCode = 1;
      const untraced = gaps.some(({ table }) => table === "raw_traces");
      return [
        ...lines,
        repair ? "repaired, but for call trees" : "run it again with --repair to mend this",
        ...(untraced ? ["call trees come by: npm run backfill -- --capability traces"] : []),
      ].join("\n");
    },
  },
};

/** By capability. Each works beside a running indexer. */
const BACKFILLS: Readonly<Record<string, Command["run"]>> = {
  async traces(deps, values) {
    const from = blockNumber("from", values.from) ?? 0;
    const to = blockNumber("to", values.to) ?? Number.MAX_SAFE_INTEGER;
    const { traced, skipped } = await backfillTraces(deps, { from, to });
    const more = skipped > 0 ? `, ${skipped} that the node has otherwise skipped: run it again` : "";
    return `chain ${deps.rules.chainId}: ${traced} blocks traced${more}`;
  },
  async metadata(deps, { contract, token, all = false }) {
    if (contract !== undefined && !isEvmAddress(contract))
      throw new ConfigError(`--contract is ${JSON.stringify(contract)}: must be 0x and 40 hex digits`);
    if (token !== undefined && !/^\d{1,78}$/.test(token))
      throw new ConfigError(`--token is ${JSON.stringify(token)}: must be a token id, in decimal`);
    const count = await backfillMetadata(deps, {
      ...(contract === undefined ? {} : { address: contract.toLowerCase() }),
      ...(token === undefined ? {} : { tokenId: token }),
      onlyFailed: !all,
    });
    return `chain ${deps.rules.chainId}: the indexer looks at ${count} tokens anew, and at those it has not seen yet`;
  },
};

function blockNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ConfigError(`--${name} is ${JSON.stringify(text)}: must be a block number`);
}

async function main([name = "", ...args]: readonly string[]): Promise<void> {
  const command = COMMANDS[name];
  if (!command) throw new ConfigError(`the command must be one of ${Object.keys(COMMANDS).join(", ")}`);
  const values = valuesOf(command, args);
  const configured = loadConfig(process.env);
  await using embedded = configured.databaseUrl ? null : await startEmbeddedPostgres(configured.dataDirectory);
  const url = configured.databaseUrl ?? embedded?.url ?? "";
  await migrate(url);
  const demo = isDemo(configured) ? await startDemo(configured) : null;
  await using _demoNode = demo?.node ?? null;
  const config = demo?.config ?? configured;
  const chain = chainOf(config, values.chain, command);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new CommandRefused("broken off; run it again to go on")));
  await using node = createNodeClient({
    ...config.indexing,
    url: chain.nodeUrl,
    headers: chain.nodeHeaders,
    signal: stop.signal,
  });
  const source = createEvmSource(node, chain.traces);
  const report = (line: string) => console.error(line);
  console.log(await command.run({ url, rules: chainRules(chain), source, report }, values));
}

function valuesOf({ usage }: Command, args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    const flag = { type: "boolean" } as const;
    const where = { chain: text, capability: text, from: text, to: text, contract: text, token: text } as const;
    const options = { ...where, all: flag, repair: flag } as const;
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}; as in: ${usage}`);
  }
}

function chainOf(
  config: Parameters<typeof createChains>[0],
  chain: string | undefined,
  { usage }: Command,
): EvmChainConfig {
  if (chain === undefined) throw new ConfigError(`--chain must be given, as in: ${usage}`);
  try {
    return createChains(config).find(chain);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const known = config.evmChains.map(({ chainId }) => chainId).join(", ");
    throw new ConfigError(`--chain is ${JSON.stringify(chain)}: must be a configured chain (${known})`);
  }
}

const EXPECTED = [ConfigError, CommandRefused, NodeUnavailable, BadUpstreamData];

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(EXPECTED.some((kind) => error instanceof kind) ? (error as Error).message : error);
  process.exitCode = 1;
});
