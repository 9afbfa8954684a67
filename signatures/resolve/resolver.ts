import type { EvmChainConfig } from "../../core/config/config-schema.ts";
import { Failure } from "../../core/errors/errors.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { createChains } from "../../core/networks/chains.ts";
import type { PublicKey } from "../bls/keys.ts";
import { messageIdOf, parseUnsignedMessage } from "../codec/unsigned-message.ts";
import type { SigningRequest } from "../derive/signing-request.ts";
import { type ChainHead, createHeads, type Network } from "../index/heads.ts";
import { createLogs } from "../index/logs.ts";
import { createPrimaryIndexes } from "../index/p-chain.ts";
import type { IndexPools } from "../index/statement.ts";
import { createValidatorSets } from "../index/validator-sets.ts";
import type { AggregationInput, DescribedMessage, MessageSource, SignableMessage } from "../protocol/protocol.ts";
import type { SigningTask } from "../signing-task.ts";
import type { Finding, Lookups } from "./finding.ts";
import { findGivenMessage } from "./given-message.ts";
import { findLogMessage } from "./log-message.ts";
import { invalid, parseHeightParameter, parseIdParameter } from "./parameters.ts";
import { findTransactionMessage } from "./transaction-message.ts";

/** Finds what callers want to have signed, in the index and without a node. */
export interface Resolver {
  /** What to sign, and by which validators. Fails with the codes of the documented errors. */
  resolve(input: AggregationInput): Promise<SigningTask>;
  /** The messages of sources, in their order. A `Failure` is returned in place of the source's message; other errors reject. */
  describe(sources: readonly MessageSource[]): Promise<DescribedMessage[]>;
}

export interface ResolverOptions {
  readonly pools: IndexPools;
  /** The configured primary networks. */
  readonly networks: readonly Network[];
  readonly evmChains: readonly EvmChainConfig[];
  /** Parses BLS keys: `createKeyCache`. */
  readonly keyCache: (bytes: Uint8Array) => PublicKey;
  readonly nowSeconds: () => number;
}

type Found = Extract<Finding, { readonly network: Network }>;

export function createResolver({ pools, networks, evmChains, keyCache, nowSeconds }: ResolverOptions): Resolver {
  const chains = createChains({ evmChains: [...evmChains] });
  const openHeads = createHeads(pools);
  const openLogs = createLogs(pools);
  const openIndexes = createPrimaryIndexes(pools);
  const sets = createValidatorSets({ pools, parseKey: keyCache, nowSeconds });
  const openLookups = (): Lookups => ({
    networks,
    chains,
    heads: openHeads(),
    logs: openLogs(),
    primaryIndex: openIndexes(),
  });

  return {
    async describe(sources) {
      const lookups = openLookups();
      return Promise.all(sources.map((source) => describeSource(source, lookups)));
    },
    async resolve({ source, signingSubnetId, pChainHeight }) {
      const asked = parseHeightParameter(pChainHeight);
      const chosen = signingSubnetId === null ? null : parseIdParameter("signingSubnetId", signingSubnetId);
      const lookups = openLookups();
      const found = await find(source, lookups);
      if (found.request === null) throw invalid(found.reason);
      const { network, request } = found;
      if (chosen !== null) await requireSubnet(chosen, network, lookups);
      const head = await lookups.heads.ofPrimaryChain(network, "P");
      const height = asked === 0n ? await sets.proposedHeight(network) : checkedHeight(asked, head);
      const subnetId = chosen ?? request.signingSubnetId;
      const { set, unable } = await sets.at({ network, subnetId, height }, head);
      return {
        message: signableMessage(found),
        networkId: network.networkId,
        unsignedBytes: request.unsignedBytes,
        justification: request.justification,
        signingSubnetId: subnetId,
        pChainHeight: height,
        set,
        unable,
      };
    },
  };
}

function find(source: MessageSource, lookups: Lookups): Promise<Finding> {
  switch (source.kind) {
    case "message":
      return findGivenMessage(source, lookups);
    case "transaction":
      return findTransactionMessage(source, lookups);
    case "log":
      return findLogMessage(source, lookups);
  }
}

async function describeSource(source: MessageSource, lookups: Lookups): Promise<DescribedMessage> {
  try {
    const found = await find(source, lookups);
    return { message: found.request === null ? null : signableMessage(found) };
  } catch (error) {
    if (error instanceof Failure) return { failure: { code: error.code, message: error.message } };
    throw error;
  }
}

function signableMessage({ network, request }: Found): SignableMessage {
  const { unsignedBytes, justification, signingSubnetId }: SigningRequest = request;
  return {
    network: network.network,
    messageId: messageIdOf(unsignedBytes),
    unsignedMessage: hexOf(unsignedBytes),
    sourceChainId: parseUnsignedMessage(unsignedBytes).sourceChainId,
    justification: hexOf(justification),
    signingSubnetId,
  };
}

async function requireSubnet(subnetId: string, { network, networkId }: Network, lookups: Lookups): Promise<void> {
  if (await lookups.primaryIndex(networkId).hasSubnet(subnetId)) return;
  throw new Failure("NOT_FOUND", `signingSubnetId ${formatId(subnetId)} is not a subnet of network ${network}`);
}

function checkedHeight(height: bigint, head: ChainHead): bigint {
  if (height > head.height)
    throw invalid(`pChainHeight must be at most ${head.height}, the last indexed height, got ${height}`);
  return height;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
