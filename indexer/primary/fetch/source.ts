import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { UpgradeTimes } from "../../../core/networks/upgrades.ts";
import { goodOrThrow, mapGoodPrefix } from "../../shared/good-prefix.ts";
import { RpcError } from "../../shared/node/errors.ts";
import { NodeBehind } from "../../shared/node/lagging-node.ts";
import { createNodeClient, type NodeClient, type NodeClientOptions } from "../../shared/node/node-client.ts";
import type { NodeLabels } from "../../shared/node/request-metrics.ts";
import type { RawBlockChain } from "../network/chains.ts";
import { type NodeRules, parseDynamicFees, parseL1Fees, parseUpgrades } from "../network/rules.ts";
import { parseHex } from "./checked-hex.ts";
import { type ContainerIndex, createContainerIndex } from "./container-index.ts";
import { askForMember, memberOf, nullIfApiIsOff, nullIfMethodIsMissing } from "./node-api.ts";

/** Data of a primary network. Every method throws `NodeUnavailable` if no node answers. */
export interface PrimarySource extends AsyncDisposable {
  /** Null if the node's info API is off. */
  networkId(): Promise<number | null>;
  /** Id, in hex, of the blockchain that has this alias on the node; null if the node's info API is off. */
  chainId(chain: PrimaryChain): Promise<string | null>;
  /** Null if the node does not have the method `info.upgrades`. */
  upgrades(): Promise<UpgradeTimes | null>;
  /** The fee parameters; a member is absent if the node does not have its method. */
  feeRules(): Promise<Pick<NodeRules, "l1Fees" | "dynamicFees">>;
  /** Height of the chain's last accepted block. Throws `NodeUnavailable` also while the chain has no block. */
  height(chain: RawBlockChain): Promise<number>;
  /**
   * Blocks `from` to `to` (inclusive) without their ProposerVM wrappers, or those before the first that the node lacks or damages. Throws
   * `NodeUnavailable` or `BadUpstreamData` if this is the first one.
   */
  blocks(chain: RawBlockChain, from: number, to: number): Promise<readonly Uint8Array[]>;
  /** The node's index of each chain's blocks. */
  readonly containers: Readonly<Record<PrimaryChain, ContainerIndex>>;
  /** True if one of several nodes has an index of the chain's blocks, which may not have been so before. */
  mayOfferIndex(chain: RawBlockChain): boolean;
  /** The node's index of the X-Chain's vertices. */
  readonly vertices: ContainerIndex;
}

export interface PrimarySourceOptions extends Omit<NodeClientOptions, "maxBatchSize"> {
  /** The labels of its metrics, with the network id as the chain. Default: it has no metrics. */
  readonly labels?: NodeLabels;
  /** Base URL of the node: the part before `/ext`. */
  readonly url: string;
}

/** API path and JSON-RPC service of each chain. */
const CHAINS = { P: ["/ext/bc/P", "platform"], X: ["/ext/bc/X", "avm"] } as const;
const INFO = "/ext/info";

/** Makes no connection before the first call. */
export function createPrimarySource(options: PrimarySourceOptions): PrimarySource {
  const clients = new Map<string, NodeClient>();
  const clientAt = (path: string): NodeClient => {
    const known = clients.get(path);
    if (known) return known;
    // avalanchego's own APIs accept no JSON-RPC batches.
    const { labels } = options;
    const client = createNodeClient({
      ...options,
      url: urlOf(options.url, path),
      maxBatchSize: 1,
      ...(labels && { labels: { ...labels, chain: `${labels.chain}/${apiOf(path)}` } }),
    });
    clients.set(path, client);
    return client;
  };
  const indexAt = (path: string) => createContainerIndex(() => clientAt(`/ext/index/${path}`));

  return {
    async networkId() {
      const text = await nullIfApiIsOff(askForMember(clientAt(INFO), "info.getNetworkID", {}, "networkID"));
      if (text !== null && !/^\d+$/.test(String(text)))
        throw new BadUpstreamData(`the node's answer to info.getNetworkID is ${quoted(text)}, not a network id`);
      return text === null ? null : Number(text);
    },
    async chainId(chain) {
      const answer = askForMember(clientAt(INFO), "info.getBlockchainID", { alias: chain }, "blockchainID");
      const text = await nullIfApiIsOff(answer);
      if (text === null) return null;
      const id = parseIdText(String(text));
      if (id === null)
        throw new BadUpstreamData(`the node's answer to info.getBlockchainID is ${quoted(text)}, not an id`);
      return id;
    },
    upgrades: () => nullIfMethodIsMissing(clientAt(INFO), "info.upgrades", parseUpgrades),
    async feeRules() {
      const node = clientAt(CHAINS.P[0]);
      const [l1Fees, dynamicFees] = await Promise.all([
        nullIfMethodIsMissing(node, "platform.getValidatorFeeConfig", parseL1Fees),
        nullIfMethodIsMissing(node, "platform.getFeeConfig", parseDynamicFees),
      ]);
      return { ...(l1Fees && { l1Fees }), ...(dynamicFees && { dynamicFees }) };
    },
    async height(chain) {
      const [path, service] = CHAINS[chain];
      const text = await askForMember(clientAt(path), `${service}.getHeight`, {}, "height");
      if (!/^\d{1,15}$/.test(String(text)))
        throw new BadUpstreamData(`the node's answer to ${service}.getHeight is ${quoted(text)}, not a height`);
      return Number(text);
    },
    async blocks(chain, from, to) {
      const [path, service] = CHAINS[chain];
      const calls = Array.from({ length: to - from + 1 }, (_, i) => ({
        method: `${service}.getBlockByHeight`,
        params: [{ height: from + i, encoding: "hexnc" }],
      }));
      const answers = await clientAt(path).callAll(calls);
      const blocks = await mapGoodPrefix(answers, (answer, i) => {
        const block = `block ${from + i} of the ${chain}-Chain`;
        if (answer instanceof RpcError)
          throw new NodeBehind(`the node refuses ${block}`, 0, false, `${answer.message} (${answer.code})`);
        return parseHex(memberOf(answer.result, "block"), block);
      });
      return goodOrThrow(blocks);
    },
    containers: { P: indexAt("P/block"), X: indexAt("X/block"), C: indexAt("C/block") },
    mayOfferIndex: () => false,
    vertices: indexAt("X/vtx"),
    async [Symbol.asyncDispose]() {
      await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

/** The chain that an API is about, or `info`. */
function apiOf(path: string): string {
  return /^\/ext\/(?:bc|index)\/([PXC])\b/.exec(path)?.[1] ?? "info";
}

function urlOf(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  return url.href;
}
