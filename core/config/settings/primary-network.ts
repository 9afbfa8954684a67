import { z } from "zod";
import { databaseUrl } from "./database-url.ts";
import { filePath, headers, nodeBaseUrl, positive } from "./fields.ts";
import { NETWORK_IDS, type Network, networkName } from "./network.ts";
import { checkNodes, nodeList } from "./nodes.ts";
import { networkSignatures } from "./signatures.ts";

const millionths = z.number().int().min(0).max(1_000_000);
const nanoAvax = z
  .string()
  .regex(/^[1-9]\d{0,19}$/, "must be a whole number above 0, in quotes")
  .transform(BigInt);

const rewards = z.strictObject({
  minConsumptionRate: millionths
    .default(100_000)
    .describe(
      "Lower limit of the reward rate, which very short stakes approach, in millionths. The rate is the share of the unminted supply that would be paid per minting period if the whole supply were staked. `--stake-min-consumption-rate`.",
    ),
  maxConsumptionRate: millionths
    .default(120_000)
    .describe(
      "Reward rate of a stake that lasts a whole minting period, in the unit of `minConsumptionRate`. For shorter stakes, the rate rises linearly with the duration from `minConsumptionRate` to this value. `--stake-max-consumption-rate`.",
    ),
  mintingPeriodSeconds: positive.default(31_536_000).describe("Minting period in seconds: `--stake-minting-period`."),
  supplyCap: nanoAvax
    .prefault("720000000000000000")
    .describe("Upper limit of the AVAX supply in nAVAX, as text: `--stake-supply-cap`."),
  maxValidatorStake: nanoAvax
    .prefault("3000000000000000")
    .describe(
      "Stake in nAVAX, as text, above which auto-renewed validators do not stake their rewards again: `--max-validator-stake`.",
    ),
});

/** Network id of an entry: `networkId` if set, else that of mainnet or Fuji. */
export function networkIdOf(entry: { readonly network: Network; readonly networkId?: number | undefined }): number {
  return entry.networkId ?? NETWORK_IDS[entry.network];
}

/** An entry of `primaryNetworks`. */
export const primaryNetwork = z
  .strictObject({
    network: networkName.describe(
      "Name of the network in paths. A network of your own is served under one of the two names.",
    ),
    networkId: z
      .number()
      .int()
      .min(1)
      .max(2 ** 32 - 1)
      .optional()
      .describe(
        "Network id, as `info.getNetworkID` returns it. If not set: 1 for mainnet, 5 for Fuji. The start fails if the node returns another value.",
      ),
    nodeUrl: nodeBaseUrl
      .optional()
      .describe(
        "Base URL of the node to index, without the path of an API, such as `http://127.0.0.1:9650`. Never returned to callers. For several nodes, set `nodeUrls` instead.",
      ),
    nodeHeaders: headers
      .default({})
      .describe("HTTP headers sent with each request to `nodeUrl`, for example an API key."),
    nodeUrls: nodeList(nodeBaseUrl, "the base URL of a node").describe(
      'Several nodes to index the network from, in place of `nodeUrl`: a list of base URLs, or of objects such as `{"url": "https://…", "headers": {"x-api-key": "…"}, "name": "archive"}`. Each node gets only its own `headers`. Callers of the API see `name`, by default `node 1`, `node 2` and so on, never the URL (docs/behaviour/several-nodes.md).',
    ),
    databaseUrl: databaseUrl
      .optional()
      .describe(
        "Connection URL of a PostgreSQL database for the network alone or together with others, in the form of the setting `databaseUrl`. If not set, the network is in the database of that setting. The C-Chain of the network, an entry of `evmChains`, must be in the same database: its atomic transactions are read from there. Never returned to callers (docs/behaviour/cells.md).",
      ),
    genesisFile: filePath
      .optional()
      .describe(
        "The node's genesis file (`--genesis-file`), gzipped or not. Required for every network except mainnet and Fuji.",
      ),
    upgradesFile: filePath
      .optional()
      .describe(
        "The node's upgrade file (`--upgrade-file`). If not set, Moraine requests the upgrades from the node (`info.upgrades`).",
      ),
    vertexTimesFile: filePath
      .optional()
      .describe(
        "File with the times at which X-Chain vertices were accepted, gzipped or not. Each line is `<vertex id> <Unix time in seconds>`. Vertices contain no time, and a node that bootstrapped later knows only the time at which it processed the vertices. The file is read while vertices are indexed, and by `moraine replay --network`, which replaces the times of indexed vertices.",
      ),
    index: z
      .enum(["auto", "on", "off"])
      .default("auto")
      .describe(
        "Whether to read blocks from the node's Index API, the only source of block proposers. The node must have run with `--index-enabled` from an empty database. `on`: indexing waits until the node offers the Index API. `auto`: if the node does not offer it, blocks are read by height. `off`: blocks are always read by height. X-Chain vertices always come from the Index API.",
      ),
    cChainProposers: z
      .boolean()
      .default(true)
      .describe("Whether to also read the proposers of C-Chain blocks from the Index API, in the background."),
    signatures: networkSignatures.prefault({}).describe("Where signatures of this network's validators are requested."),
    rewards: rewards
      .prefault({})
      .describe("Parameters of staking rewards. Needed only for a network whose nodes are started with these flags."),
  })
  .check(checkNodes)
  .refine((entry) => networkIdOf(entry) === 1 || networkIdOf(entry) === 5 || entry.genesisFile !== undefined, {
    path: ["genesisFile"],
    message: "must be set for a network other than mainnet (1) and Fuji (5)",
    // Also checked if another setting of the entry is wrong, so that all errors are reported at once.
    when: ({ value }) => typeof value === "object" && value !== null && "network" in value,
  })
  .transform((entry) => ({ ...entry, networkId: networkIdOf(entry) }));
