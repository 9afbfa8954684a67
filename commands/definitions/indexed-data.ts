import { ConfigError } from "../../core/config/config.ts";
import { CHAIN, type Command, command, NETWORK, TEXT } from "../program/command.ts";

const MAY_INDEX = "may run";
const REQUIRED_CHAIN = { ...CHAIN, demandOption: true } as const;

const indexing = () => import("../indexing.ts");

/** Commands that check and repair what is indexed. */
export const INDEX_COMMANDS: readonly Command[] = [
  command({
    name: "verify",
    summary: "compare the rows of a primary network with its node",
    service: MAY_INDEX,
    duration: "a minute for a private network; hours for mainnet, mostly by the requests for balances",
    options: {
      network: NETWORK,
      owners: { ...TEXT, default: "200", describe: "number of addresses whose balances are compared" },
    },
    examples: ["verify", "verify --network fuji --owners 1000"],
    exitCodes: { 1: "rows differ, or the command failed", 2: "nothing was compared: the index is behind the node" },
    run: async ({ network, owners }, flags) => (await import("../verify.ts")).verifyNetwork(network, owners, flags),
  }),
  command({
    name: "gaps",
    summary: "find rows that are missing or wrong, by comparison with the stored blocks, and repair them",
    service: "may run; with --repair, without an indexer of the chain: moraine start --only api.",
    duration: "about a minute for a million transactions",
    options: { chain: REQUIRED_CHAIN, repair: { type: "boolean", describe: "repair what is found" } },
    examples: ["gaps --chain 43114", "gaps --chain 43114 --repair"],
    exitCodes: { 1: "something is missing or wrong and was not repaired, or the command failed" },
    run: async ({ chain, repair = false }, flags) => (await indexing()).reportGaps(chain, repair, flags),
  }),
  command({
    name: "replay",
    summary: "delete the rows of a chain or a network, and compute them again from the stored blocks",
    details: "The API serves the blocks that are computed again. The node is not asked for blocks.",
    service: "may run without an indexer of the chain: moraine start --only api.",
    duration: "about half of the time in which the chain was indexed",
    options: { chain: CHAIN, network: NETWORK },
    examples: ["replay --chain 43114", "replay --network fuji"],
    async run({ chain, network }, flags) {
      if ((chain === undefined) === (network === undefined)) throw new ConfigError("give either --chain or --network");
      const { replayEvmChain, replayPrimaryNetwork } = await indexing();
      return chain === undefined ? replayPrimaryNetwork(network ?? "", flags) : replayEvmChain(chain, flags);
    },
  }),
  command({
    name: "compact",
    summary: "build the indexes of a chain again, so that they take less space",
    service: MAY_INDEX,
    duration: "about a minute for ten million rows",
    options: { chain: REQUIRED_CHAIN },
    examples: ["compact --chain 43114"],
    run: async ({ chain }, flags) => (await indexing()).compactChain(chain, flags),
  }),
  command({
    name: "backfill traces",
    summary: "load the call trees of blocks that were indexed without them",
    service: MAY_INDEX,
    duration: "depends on the node: hundreds of blocks a second",
    options: {
      chain: REQUIRED_CHAIN,
      from: { ...TEXT, describe: "first block. Default: 0" },
      to: { ...TEXT, describe: "last block. Default: the last indexed one" },
    },
    examples: ["backfill traces --chain 43114", "backfill traces --chain 43114 --from 0 --to 1000"],
    run: async ({ chain, from, to }, flags) => (await indexing()).loadTraces(chain, { from, to }, flags),
  }),
  command({
    name: "backfill metadata",
    summary: "let the indexer read the metadata of tokens and NFTs again",
    details: "Without --all: of NFTs whose metadata could not be read, and of token contracts without name and symbol.",
    service: "may run, and must run for the metadata to be read.",
    duration: "seconds; the indexer then reads the metadata in the background",
    options: {
      chain: REQUIRED_CHAIN,
      contract: { ...TEXT, describe: "only this contract: 0x and 40 hex digits" },
      token: { ...TEXT, implies: "contract", describe: "only this token id of the contract" },
      all: { type: "boolean", describe: "of all, also of those whose metadata is indexed" },
    },
    examples: ["backfill metadata --chain 43114", "backfill metadata --chain 43114 --contract 0x… --token 7"],
    run: async ({ chain, contract, token, all }, flags) =>
      (await indexing()).queueMetadata(chain, { contract, token, all }, flags),
  }),
  command({
    name: "drop",
    summary: "delete everything that is stored of a chain or a primary network",
    details: "Also of one that the settings do not name any more. ABIs and prices stay.",
    service:
      "may run without an indexer of the chain. Remove the chain from the settings first, or place it in another database.",
    duration: "seconds",
    options: {
      chain: { ...TEXT, describe: "EVM chain id" },
      "network-id": { ...TEXT, describe: "id of a primary network: 1 for mainnet, 5 for Fuji" },
      database: {
        ...TEXT,
        describe:
          "the database to delete it from, such as the earlier one after a move: main for that of the setting databaseUrl, or a URL. Default: the database of the chain or network by the settings",
      },
      yes: { type: "boolean", describe: "delete it. Without this option, the command says how much it would delete" },
    },
    examples: ["drop --chain 43114", "drop --chain 43114 --yes", "drop --chain 43114 --database main --yes"],
    exitCodes: { 1: "nothing was deleted, because --yes was not given, or the command failed" },
    async run({ chain, "network-id": network, database, yes = false }, flags) {
      if ((chain === undefined) === (network === undefined))
        throw new ConfigError("give either --chain or --network-id");
      return (await import("../drop.ts")).dropChain({ chain, network, database, isSure: yes }, flags);
    },
  }),
];
