import type { Config, PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { Failure } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { SYSTEM_CLOCK } from "../clock.ts";
import { createCollectionLimit } from "../collection/collection-limit.ts";
import { shareCollections } from "../collection/share-collections.ts";
import { createCollector } from "../collector/collector.ts";
import { createVerifiedSignatures } from "../collector/verified-signatures.ts";
import type { Counts } from "../p2p/counts.ts";
import type { NodeAddress } from "../p2p/peers/directory.ts";
import type { SignatureSource } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import { createUpstream } from "../upstream/upstream.ts";
import { type NetworkOptions, type OpenNetwork, openNetwork } from "./network.ts";
import { UnusableIdentity } from "./open-identity.ts";

/** Signatures that are kept: 100 messages of 500 validators. One takes about 600 bytes. */
const KEPT_SIGNATURES = 50_000;
/** Collections of different messages at the same time. Others wait in a queue. */
const MAX_COLLECTIONS = 64;
const MAX_WAITING_COLLECTIONS = 1_000;

/** An address of a validator besides those of the settings. */
export interface GivenAddress extends NodeAddress {
  readonly networkId: number;
}

export interface SourceOptions {
  readonly config: Config;
  readonly addresses: readonly GivenAddress[];
  readonly logger: Logger;
}

/** Where a service gets aggregates from. Disposing it closes all connections. */
export interface ServiceSource extends SignatureSource, AsyncDisposable {
  /** Counts of the connections of each network that was used so far. */
  counts(): Promise<readonly Readonly<Counts>[]>;
}

/** Asks the validators of a network, or the signature-aggregator that the network's setting `signatures.aggregatorUrl` names. */
export function createSource({ config, addresses, logger }: SourceOptions): ServiceSource {
  const networks = new Map<number, Promise<OpenNetwork>>();
  const openOne = createOpening(logger);
  const open = (network: PrimaryNetworkConfig) => {
    const { networkId } = network;
    const known = networks.get(networkId);
    if (known) return known;
    const opening = openOne({
      network,
      dataDirectory: config.dataDirectory,
      allowPrivateAddresses: config.signatures.allowPrivateAddresses,
      addresses: addresses.filter((address) => address.networkId === networkId),
      clock: SYSTEM_CLOCK,
      logger,
    });
    networks.set(networkId, opening);
    // The next request tries again.
    opening.catch(() => networks.delete(networkId));
    return opening;
  };
  const collector = createCollector({
    async networkOf(task) {
      const network = await open(settingsOf(config, task));
      network.trackSubnet(task.signingSubnetId);
      return network;
    },
    clock: SYSTEM_CLOCK,
    verified: createVerifiedSignatures(KEPT_SIGNATURES),
  });
  const upstream = createUpstream({ clock: SYSTEM_CLOCK });
  const chosen: SignatureSource = {
    async collect(task, quorum, caller) {
      const { aggregatorUrl } = settingsOf(config, task).signatures;
      return aggregatorUrl === undefined
        ? collector.collect(task, quorum, caller)
        : upstream(aggregatorUrl).collect(task, quorum, caller);
    },
  };
  const opened = async (): Promise<OpenNetwork[]> => {
    const all = await Promise.allSettled(networks.values());
    return all.flatMap((network) => (network.status === "fulfilled" ? [network.value] : []));
  };
  return {
    ...shareCollections(chosen, createCollectionLimit(MAX_COLLECTIONS, MAX_WAITING_COLLECTIONS)),
    async counts() {
      return (await opened()).map(({ transport }) => transport.counts);
    },
    async [Symbol.asyncDispose]() {
      for (const network of await opened()) await network[Symbol.asyncDispose]();
    },
  };
}

/** Opens networks. While a certificate cannot be used, all requests of its network fail, and the reason is logged once. */
function createOpening(logger: Logger) {
  const reasons = new Map<number, string>();
  return async (options: NetworkOptions): Promise<OpenNetwork> => {
    const { networkId } = options.network;
    try {
      const network = await openNetwork(options);
      reasons.delete(networkId);
      return network;
    } catch (error) {
      if (!(error instanceof UnusableIdentity)) throw error;
      const { message } = error;
      if (reasons.get(networkId) !== message) logger.error({ networkId }, `signatures cannot be collected: ${message}`);
      reasons.set(networkId, message);
      throw new Failure(
        "UNAVAILABLE",
        `the signature service cannot use its certificate for network ${networkId}; its log names the file and the reason`,
        error,
      );
    }
  };
}

function settingsOf({ primaryNetworks }: Config, { networkId }: SigningTask): PrimaryNetworkConfig {
  const network = primaryNetworks.find((entry) => entry.networkId === networkId);
  if (!network) throw new Failure("NOT_FOUND", `network ${networkId} is not configured`);
  return network;
}
