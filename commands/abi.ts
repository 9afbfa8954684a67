import type pg from "pg";
import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { openPool } from "../core/database/database.ts";
import { databaseRefusal } from "../core/database/database-refusal.ts";
import { openCommandDatabase } from "../core/embedded-postgres/command-database.ts";
import { quoted } from "../core/errors/errors.ts";
import { checksumAddress, isEvmAddress } from "../core/formats/address.ts";
import { createLogger } from "../core/observability/logger.ts";
import { type AbiScope, addAbi, listAbis, removeAbi, type StoredAbi } from "./abi-store.ts";
import { readAbi } from "./read-abi.ts";

const USAGE = `npm run abi -- add <chain> <address> <file or URL>
npm run abi -- list
npm run abi -- remove <id>

  add           adds the ABI of a contract. All processes use it at once, for blocks of the past too
  list          prints the id, chain, contract, number of entries, source and date of every ABI
  remove        removes an ABI

  <chain>       EVM chain id; all: all chains
  <address>     address of the contract; of a proxy also that of its implementation; -: all contracts
  <file or URL> JSON document: an ABI, or an object with the member abi (artefacts of Hardhat and Foundry, answers of
                Sourcify such as https://sourcify.dev/server/v2/contract/43114/<address>?fields=abi) or output.abi
  --help        print this text`;

/** Runs a command and returns the text to print. */
type Run = (pool: pg.Pool, config: Config) => Promise<string>;

/** `npm run abi`: manages the ABIs by which the graph decodes calls, logs and errors. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const run = parseCommand(args);
  const config = loadConfig(process.env);
  await using opened = await openCommandDatabase(config);
  await using database = openPool(opened.url, 1, createLogger("error"));
  console.log(await run(database.pool, config));
}

/** Throws `ConfigError` for an unknown or incomplete command. */
function parseCommand([command, ...values]: readonly string[]): Run {
  const [first = "", second = "", third = ""] = values;
  if (command === "add" && values.length === 3)
    return async (pool, config) => {
      const scope: AbiScope = { chainId: chainOf(first, config), address: addressOf(second) };
      const nowSeconds = Math.floor(Date.now() / 1_000);
      return describe(await addAbi(pool, scope, { source: third, entries: await readAbi(third) }, nowSeconds));
    };
  if (command === "list" && values.length === 0)
    return async (pool) => (await listAbis(pool)).map(describe).join("\n") || "there are no ABIs";
  if (command === "remove" && values.length === 1)
    return async (pool) => `removed: ${describe(await removeAbi(pool, idOf(first)))}`;
  throw new ConfigError(`the command is incomplete or unknown; usage:\n${USAGE}`);
}

function chainOf(text: string, { evmChains }: Config): number | null {
  if (text === "all") return null;
  const chain = evmChains.find(({ chainId }) => String(chainId) === text);
  if (chain) return chain.chainId;
  const known = evmChains.map(({ chainId }) => chainId).join(", ") || "none";
  throw new ConfigError(`the chain ${quoted(text)} is not configured: must be all or one of ${known}`);
}

function addressOf(text: string): string | null {
  if (text === "-") return null;
  if (isEvmAddress(text)) return text.toLowerCase();
  throw new ConfigError(`the address is ${quoted(text)}: must be - or 0x and 40 hex digits`);
}

const MAX_ID = 2 ** 31 - 1;

function idOf(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && id <= MAX_ID) return id;
  throw new ConfigError(`the id is ${quoted(text)}: must be a whole number that npm run abi -- list prints`);
}

const describe = ({ id, chainId, address, entries, source, createdAt }: StoredAbi): string =>
  [
    id,
    chainId === null ? "all chains" : `chain ${chainId}`,
    address === null ? "all contracts" : checksumAddress(address),
    `${entries} entries`,
    source,
    `added ${new Date(createdAt * 1_000).toISOString().slice(0, 19)}`,
  ].join("  ");

await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : (databaseRefusal(error) ?? error));
  process.exitCode = 1;
});
