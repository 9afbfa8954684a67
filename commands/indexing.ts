import { parseArgs } from "node:util";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config, EvmChainConfig } from "../core/config/config-schema.ts";
import { databaseRefusal } from "../core/database/database-refusal.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { BadUpstreamData, Failure, quoted } from "../core/errors/errors.ts";
import { isEvmAddress } from "../core/formats/address.ts";
import { createChains } from "../core/networks/chains.ts";
import { backfillMetadata, backfillTraces, type QueuedMetadata } from "../indexer/evm/commands/backfill.ts";
import { type CommandDeps, CommandRefused } from "../indexer/evm/commands/command.ts";
import { compactIndexes } from "../indexer/evm/commands/compact.ts";
import { findGaps } from "../indexer/evm/commands/gaps/find-gaps.ts";
import { gapsReport } from "../indexer/evm/commands/gaps/report.ts";
import { replayChain } from "../indexer/evm/commands/replay.ts";
import { chainRules } from "../indexer/evm/decode/chain-rules.ts";
import { createEvmSource } from "../indexer/evm/fetch/source.ts";
import { createPrimarySource } from "../indexer/primary/fetch/source.ts";
import { ReplayRefused, replayNetwork } from "../indexer/primary/replay-network.ts";
import { NodeUnavailable } from "../indexer/shared/node/errors.ts";
import { createNodeClient } from "../indexer/shared/node/node-client.ts";
import { isDemo, startDemo } from "./demo.ts";

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** Runs a command for an EVM chain. Resolves with the text to print. */
type Run = (deps: CommandDeps, chain: EvmChainConfig, config: Config) => Promise<string>;

/** One variant of a command: its options and what it does. */
interface CommandVariant {
  readonly usage: string;
  /** Value of `--capability` that selects this variant, for a command that has several variants. */
  readonly capability?: string;
  /** Options other than `--chain`. */
  readonly options: Readonly<Record<string, { readonly type: "string" | "boolean" }>>;
  /**
   * Checks the values of the options, and returns the function that runs the command. Throws `ConfigError` if a value is
   * invalid.
   */
  readonly plan: (values: Values) => Run;
}

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** The variants of each command, by the command's name. */
const COMMANDS: Readonly<Record<string, readonly CommandVariant[]>> = {
  replay: [
    {
      usage: "npm run replay -- --chain 43114\nnpm run replay -- --network fuji",
      options: { network: text },
      plan: () => replayChain,
    },
  ],
  gaps: [
    {
      usage: "npm run gaps -- --chain 43114 [--repair]",
      options: { repair: flag },
      plan:
        ({ repair = false }) =>
        async (deps) => {
          const report = gapsReport(await findGaps(deps, repair === true), repair === true, deps.rules.chainId);
          if (!report.isComplete) process.exitCode = 1;
          return report.text;
        },
    },
  ],
  backfill: [
    {
      usage: "npm run backfill -- --chain 43114 --capability traces [--from 0] [--to 1000]",
      capability: "traces",
      options: { capability: text, from: text, to: text },
      plan: planTraces,
    },
    {
      usage: "npm run backfill -- --chain 43114 --capability metadata [--contract 0x… [--token 7]] [--all]",
      capability: "metadata",
      options: { capability: text, contract: text, token: text, all: flag },
      plan: planMetadata,
    },
  ],
  compact: [
    {
      usage: "npm run compact -- --chain 43114",
      options: {},
      plan: () => compactIndexes,
    },
  ],
};

const USAGE = Object.values(COMMANDS)
  .flatMap((variants) => variants.map(({ usage }) => usage))
  .join("\n");

function planTraces(values: Values): Run {
  const from = blockNumber("from", values["from"]) ?? 0;
  const to = blockNumber("to", values["to"]) ?? Number.MAX_SAFE_INTEGER;
  if (from > to) throw new ConfigError(`--from must be at most --to, got ${from} and ${to}`);
  return async (deps) => {
    const { traced, skipped } = await backfillTraces(deps, { from, to });
    const more =
      skipped > 0
        ? `, ${skipped} blocks skipped because the node returned other blocks at these heights: run the command again`
        : "";
    return `chain ${deps.rules.chainId}: ${traced} blocks traced${more}`;
  };
}

function planMetadata({ contract, token, all = false }: Values): Run {
  if (contract !== undefined && !isEvmAddress(String(contract)))
    throw new ConfigError(`--contract is ${quoted(contract)}: must be an address of 0x and 40 hex digits`);
  if (token !== undefined && !/^\d{1,78}$/.test(String(token)))
    throw new ConfigError(`--token is ${quoted(token)}: must be a decimal token id`);
  if (token !== undefined && contract === undefined)
    throw new ConfigError("--token needs --contract: give the address of the token's contract");
  return async (deps, chain, { nftMetadata }) => {
    const queued = await backfillMetadata(
      deps,
      {
        ...(contract === undefined ? {} : { address: String(contract).toLowerCase() }),
        ...(token === undefined ? {} : { tokenId: String(token) }),
        onlyFailed: all !== true,
      },
      chain,
    );
    return `chain ${deps.rules.chainId}: ${queuedText(queued, nftMetadata)}`;
  };
}

function queuedText({ contracts, nfts }: QueuedMetadata, { remote }: Config["nftMetadata"]): string {
  const queued = `${contracts} contracts and ${nfts ?? 0} NFTs queued; the indexer reads their metadata again`;
  if (nfts === null) return `${queued}; NFTs were left out, because nftIndexing is not among the enabledFeatures`;
  return remote ? queued : `${queued}; it reads only data: URIs of NFTs, because nftMetadata.remote is false`;
}

function blockNumber(name: string, value: string | boolean | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,15}$/.test(String(value))) return Number(value);
  throw new ConfigError(`--${name} is ${quoted(value)}: must be a block number`);
}

async function main(name: string, args: readonly string[]): Promise<void> {
  if (args.some((arg) => arg === "--help" || arg === "-h")) return console.log(USAGE);
  const { values, run, usage } = parseCommand(name, args);
  const configured = loadConfig(process.env);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => stop.abort(new CommandRefused("interrupted: run the command again to continue")));
  await using database = await openCommandDatabase(configured, stop.signal);
  const { url } = database;
  const demo = isDemo(configured) ? await startDemo(configured, { joins: true }) : null;
  await using _demoNode = demo?.node ?? null;
  const config = demo?.config ?? configured;
  if (values["network"] !== undefined)
    return console.log(await replayPrimary(config, url, String(values["network"]), stop.signal));
  const chain = chainOf(config, values["chain"], usage);
  await using node = createNodeClient({
    ...config.indexing,
    url: chain.nodeUrl,
    headers: chain.nodeHeaders,
    signal: stop.signal,
  });
  const source = createEvmSource(node, chain.traces);
  const report = (line: string) => console.error(line);
  const deps = { url, rules: chainRules(chain), source, signal: stop.signal, report };
  console.log(await run(deps, chain, config));
}

/** `npm run replay -- --network`. Throws `ConfigError` for a network that is not configured. */
async function replayPrimary(
  { primaryNetworks, indexing }: Config,
  url: string,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  const settings = primaryNetworks.find(({ network }) => network === name);
  if (!settings) {
    const known = primaryNetworks.map(({ network }) => network).join(", ");
    throw new ConfigError(`--network is ${quoted(name)}: must be a configured primary network (${known || "none"})`);
  }
  const { nodeUrl, nodeHeaders: headers } = settings;
  await using source = createPrimarySource({ ...indexing, url: nodeUrl, headers, signal });
  return await replayNetwork({ url, settings, source, signal, report: (line) => console.error(line) });
}

/** Finds the variant of the command and checks its options. Throws `ConfigError` if the command or an option is unknown. */
function parseCommand(name: string, args: readonly string[]): { values: Values; run: Run; usage: string } {
  const variants = Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? []) : [];
  if (variants.length === 0)
    throw new ConfigError(`the command must be one of ${Object.keys(COMMANDS).join(", ")}; usage:\n${USAGE}`);
  const all = Object.assign({}, ...variants.map(({ options }) => options)) as CommandVariant["options"];
  const { capability } = parseOptions(args, all, variants);
  const variant = variants.length === 1 ? variants[0] : variants.find((one) => one.capability === capability);
  if (!variant) throw new ConfigError(`--capability must be traces or metadata; usage:\n${usageOf(variants)}`);
  const values = parseOptions(args, variant.options, [variant]);
  return { values, run: variant.plan(values), usage: variant.usage };
}

function parseOptions(
  args: readonly string[],
  options: CommandVariant["options"],
  variants: readonly CommandVariant[],
): Values {
  try {
    return parseArgs({ args: [...args], options: { chain: text, ...options } }).values;
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}; usage:\n${usageOf(variants)}`);
  }
}

const usageOf = (variants: readonly CommandVariant[]): string => variants.map(({ usage }) => usage).join("\n");

function chainOf(config: Config, chain: string | boolean | undefined, usage: string): EvmChainConfig {
  const missing = usage.includes("--network") ? "--chain or --network" : "--chain";
  if (chain === undefined) throw new ConfigError(`${missing} must be given; usage:\n${usage}`);
  try {
    return createChains(config).require(String(chain));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const known = config.evmChains.map(({ chainId }) => chainId).join(", ");
    throw new ConfigError(`--chain is ${quoted(chain)}: must be a configured chain (${known || "none"})`);
  }
}

const EXPECTED = [ConfigError, CommandRefused, ReplayRefused, NodeUnavailable, BadUpstreamData];

function publicMessage(error: unknown): unknown {
  if (!EXPECTED.some((kind) => error instanceof kind)) return databaseRefusal(error) ?? error;
  const detail = error instanceof NodeUnavailable && error.detail ? ` [${error.detail}]` : "";
  return (error as Error).message + detail;
}

/** Runs `npm run replay`, `gaps`, `backfill` or `compact`. Prints an error that the operator can mend as one line. */
export async function runIndexingCommand(name: string, args: readonly string[]): Promise<void> {
  try {
    await main(name, args);
  } catch (error) {
    console.error(publicMessage(error));
    process.exitCode = 1;
  }
}
