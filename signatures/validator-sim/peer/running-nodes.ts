import type { SimulatorConfig } from "../config.ts";
import type { Signer } from "../signing/signer.ts";
import type { Network } from "./connection.ts";
import { type Listener, startListener } from "./listener.ts";
import { createValidatorNode, type ValidatorNode } from "./validator-node.ts";

/** Validators that listen for peers. Disposing them closes every port and connection. */
export interface RunningNodes extends AsyncDisposable {
  readonly nodes: readonly ValidatorNode[];
  /** In the order of the nodes. */
  readonly listeners: readonly Listener[];
}

export interface NodesOptions {
  readonly config: SimulatorConfig;
  readonly signer: Signer;
  nowSeconds(): number;
}

const MAX_ADDRESSES = 15;

/** Starts the configured nodes, each on a free port of 127.0.0.1. */
export async function startNodes({ config, signer, nowSeconds }: NodesOptions): Promise<RunningNodes> {
  const { seed, addressProof } = config;
  const nodes = config.nodes.map((node, index) =>
    createValidatorNode({ seed, config: node, index, all: config.nodes, startSeconds: nowSeconds(), addressProof }),
  );
  const network = createNetwork({ config, signer, nowSeconds }, nodes);
  const listeners: Listener[] = [];
  const dispose = async () => {
    await Promise.all(listeners.map((one) => one[Symbol.asyncDispose]()));
  };
  try {
    for (const node of nodes) listeners.push(await startListener(network, node));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { nodes, listeners, [Symbol.asyncDispose]: dispose };
}

function createNetwork(options: NodesOptions, nodes: readonly ValidatorNode[]): Network {
  const keys = new Map(nodes.filter((node) => !node.config.noKey).map((node) => [node.nodeId, node.blsKey.publicKey]));
  let offset = 0;
  return {
    ...options,
    validatorKey: (nodeId) => keys.get(nodeId) ?? null,
    addressesFor(node) {
      const others = nodes.filter((other) => other !== node);
      const count = Math.min(MAX_ADDRESSES, others.length);
      const chosen = Array.from({ length: count }, (_, index) => others[(offset + index) % others.length]!);
      offset += count;
      return chosen.map((other) => other.signedAddress());
    },
  };
}
