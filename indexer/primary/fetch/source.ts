import { parseHex } from "../../../core/codec/bytes/checked-hex.ts";
import { BadUpstreamData, quoted } from "../../../core/errors.ts";
import { parseIdText } from "../../../core/id-text.ts";
import { NodeUnavailable, RpcError } from "../../shared/node/errors.ts";
import { createNodeClient, type NodeClient, type NodeClientOptions } from "../../shared/node/node-client.ts";
import type { PrimaryChain } from "../network/chains.ts";
import { type NetworkRules, parseDynamicFees, parseL1Fees, parseUpgrades } from "../network/rules.ts";
import type { JournalChain } from "../raw-store/journal.ts";
import { type ContainerIndex, createContainerIndex } from "./container-index.ts";

/** What a node says of the rules of its network; what it does not answer is absent. */
export type NodeRules = Partial<Pick<NetworkRules, "upgrades" | "l1Fees" | "dynamicFees">>;

/** A primary network as one node shows it. */
export interface PrimarySource extends AsyncDisposable {
  /** Null where the node's info API is switched off. */
  networkId(): Promise<number | null>;
  /** Id, in hex, of the chain that the node serves under that name; null where the info API is switched off. */
  chainId(chain: PrimaryChain): Promise<string | null>;
  rules(): Promise<NodeRules>;
  /** Height of the chain's last accepted block. Throws `NodeUnavailable` also while the chain has no blocks yet. */
  height(chain: JournalChain): Promise<number>;
  /** Blocks `from` to `to`, both included, without the proposer's wrapping. Throws `NodeUnavailable` where one is missing. */
  blocks(chain: JournalChain, from: number, to: number): Promise<Uint8Array[]>;
  /** The index of a chain's blocks. */
  readonly containers: Readonly<Record<PrimaryChain, ContainerIndex>>;
  /** The index of the X-Chain's vertices. */
  readonly vertices: ContainerIndex;
}

export interface PrimarySourceOptions extends Omit<NodeClientOptions, "maxBatchSize"> {
  /** Base of the node's paths. */
  readonly url: string;
}

/** Path and service of a chain. */
const CHAINS = { P: ["/ext/bc/P", "platform"], X: ["/ext/bc/X", "avm"] } as const;
const INFO = "/ext/info";

/** Opens nothing before the first question. */
export function createPrimarySource(options: PrimarySourceOptions): PrimarySource {
  const clients = new Map<string, NodeClient>();
  const at = (path: string): NodeClient => {
    const known = clients.get(path);
    if (known) return known;
    // A node's own APIs take no batches.
    const client = createNodeClient({ ...options, url: urlOf(options.url, path), maxBatchSize: 1 });
    clients.set(path, client);
    return client;
  };
  const indexAt = (path: string) => createContainerIndex(() => at(`/ext/index/${path}`));

  return {
    async networkId() {
      const text = await optional(ask(at(INFO), "info.getNetworkID", {}, "networkID"));
      if (text !== null && !/^\d+$/.test(String(text)))
        throw new BadUpstreamData(`the node's network id is ${quoted(text)}`);
      return text === null ? null : Number(text);
    },
    async chainId(chain) {
      const text = await optional(ask(at(INFO), "info.getBlockchainID", { alias: chain }, "blockchainID"));
      if (text === null) return null;
      const id = parseIdText(String(text));
      if (id === null) throw new BadUpstreamData(`the node's id of the ${chain}-Chain is ${quoted(text)}`);
      return id;
    },
    async rules() {
      const [upgrades, l1Fees, dynamicFees] = await Promise.all([
        said(at(INFO), "info.upgrades", parseUpgrades),
        said(at(CHAINS.P[0]), "platform.getValidatorFeeConfig", parseL1Fees),
        said(at(CHAINS.P[0]), "platform.getFeeConfig", parseDynamicFees),
      ]);
      return { ...(upgrades && { upgrades }), ...(l1Fees && { l1Fees }), ...(dynamicFees && { dynamicFees }) };
    },
    async height(chain) {
      const [path, service] = CHAINS[chain];
      const text = await ask(at(path), `${service}.getHeight`, {}, "height");
      if (!/^\d{1,15}$/.test(String(text))) throw new BadUpstreamData(`the node's height is ${quoted(text)}`);
      return Number(text);
    },
    async blocks(chain, from, to) {
      const [path, service] = CHAINS[chain];
      const calls = Array.from({ length: to - from + 1 }, (_, i) => ({
        method: `${service}.getBlockByHeight`,
        params: [{ height: from + i, encoding: "hexnc" }],
      }));
      const answers = await at(path).callAll(calls);
      return answers.map((answer, i) => {
        if (answer instanceof RpcError) throw refused(`block ${from + i}`, answer);
        return parseHex(memberOf(answer.result, "block"), `block ${from + i} of the ${chain}-Chain`);
      });
    },
    containers: { P: indexAt("P/block"), X: indexAt("X/block"), C: indexAt("C/block") },
    vertices: indexAt("X/vtx"),
    async [Symbol.asyncDispose]() {
      await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

function urlOf(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  return url.href;
}

async function ask(node: NodeClient, method: string, params: object, member: string): Promise<unknown> {
  try {
    return memberOf(await node.call(method, [params]), member);
  } catch (error) {
    throw error instanceof RpcError ? refused(method, error) : error;
  }
}

/** Null where the node does not have that API. */
async function optional<Value>(answer: Promise<Value>): Promise<Value | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NodeUnavailable && error.isMissing) return null;
    throw error;
  }
}

/** What a node says of itself where it knows the method; older ones do not. */
async function said<Value>(node: NodeClient, method: string, parse: (answer: unknown) => Value): Promise<Value | null> {
  const answer = await optional(
    node.call(method, [{}]).catch((error: unknown) => {
      if (error instanceof RpcError) return null;
      throw error;
    }),
  );
  if (answer === null) return null;
  try {
    return parse(answer);
  } catch (error) {
    throw new BadUpstreamData(`the node's answer to ${method} cannot be read: ${quoted(answer)}`, { cause: error });
  }
}

/** Nothing that is asked for here can be refused by a node that has it. */
function refused(what: string, error: RpcError): NodeUnavailable {
  return new NodeUnavailable(`the node refuses ${what}`, 0, false, error.message);
}

function memberOf(answer: unknown, name: string): unknown {
  return (answer as Readonly<Record<string, unknown>> | null)?.[name];
}
