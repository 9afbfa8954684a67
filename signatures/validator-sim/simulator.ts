import { z } from "zod";
import { configSchema, pChainSchema } from "./config.ts";
import { type Fault, faultSchema } from "./faults.ts";
import { startNodeApi } from "./node-api/http.ts";
import type { Listener } from "./peer/listener.ts";
import { startNodes } from "./peer/running-nodes.ts";
import type { ValidatorNode } from "./peer/validator-node.ts";
import { configuredLedger } from "./signing/ledger.ts";
import { createSigner } from "./signing/signer.ts";
import type { Simulation } from "./simulation.ts";

/** What a client may know of a node. */
export interface PopulationNode {
  readonly name: string;
  readonly nodeId: string;
  /** Differs from `nodeId` where the node claims an id that no certificate has. */
  readonly certificateNodeId: string;
  readonly ip: string;
  readonly port: number;
  /** Compressed BLS key in hex, also of nodes whose key the validator set does not show. */
  readonly publicKey: string;
  readonly hasKey: boolean;
  readonly weight: string;
  readonly subnets: readonly string[];
  readonly faults: readonly string[];
}

export interface Population {
  readonly networkId: number;
  /** Base URL of the node's HTTP interface. */
  readonly url: string;
  readonly nodes: readonly PopulationNode[];
}

/** What peers did to a node. */
export interface NodeReport {
  readonly nodeId: string;
  readonly connections: number;
  readonly requests: number;
  /** How often each rule was broken. */
  readonly violations: Readonly<Record<string, number>>;
}

/** A running network of simulated validators. Disposing it closes every port and connection. */
export interface Simulator extends AsyncDisposable {
  readonly population: Population;
  report(): NodeReport[];
  /**
   * Replaces the faults of a node. Faults of the handshake hold for new connections. `tls-1.2` and `wrong-certificate` cannot be
   * switched on or off.
   */
  setFaults(nodeIndex: number, faults: readonly z.input<typeof faultSchema>[]): Promise<void>;
  /** Replaces the given parts of the P-Chain's state. */
  setPChain(changes: z.input<typeof pChainSchema>): void;
}

const REPORT_PATH = "/simulator/report";
const FAULTS_PATH = "/simulator/faults";
const P_CHAIN_PATH = "/simulator/p-chain";

/** Starts the validators and their node. Throws `ZodError` for a wrong configuration. */
export async function startSimulator(input: z.input<typeof configSchema>): Promise<Simulator> {
  const config = configSchema.parse(input);
  const clock = () => config.fixedTime ?? Date.now() / 1000;
  const { networkId, chains } = config;
  let pChain = config.pChain;
  const ledger = configuredLedger({ chains, pChain: () => pChain, nowSeconds: clock });
  const signer = createSigner(networkId, ledger);
  const running = await startNodes({ config, signer, nowSeconds: clock });
  const { nodes, listeners } = running;
  const simulation: Simulation = { config, nodes, signer, pChain: () => pChain };

  const report = () => nodes.map((node, index) => reportOf(node, listeners[index]!));
  const setPChain: Simulator["setPChain"] = (changes) => {
    const parsed = pChainSchema.parse(changes);
    const named = Object.entries(parsed).filter(([key]) => Object.hasOwn(changes, key));
    pChain = { ...pChain, ...Object.fromEntries(named) };
  };
  const setFaults: Simulator["setFaults"] = async (nodeIndex, input) => {
    const [node, listener] = [nodes[nodeIndex], listeners[nodeIndex]];
    if (!node || !listener) throw new RangeError(`there is no node ${nodeIndex}`);
    await replaceFaults(node, listener, z.array(faultSchema).parse(input));
  };
  const api = await startNodeApi(simulation, {
    [REPORT_PATH]: report,
    [FAULTS_PATH]: async (body) => {
      const { node, faults } = faultChange.parse(JSON.parse(body));
      await setFaults(node, faults);
      return {};
    },
    [P_CHAIN_PATH]: (body) => {
      setPChain(JSON.parse(body));
      return {};
    },
  });
  return {
    population: { networkId, url: api.url, nodes: nodes.map(populationNode) },
    report,
    setFaults,
    setPChain,
    async [Symbol.asyncDispose]() {
      await Promise.all([api, running].map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

const faultChange = z.strictObject({ node: z.int(), faults: z.array(faultSchema) });

async function replaceFaults(node: ValidatorNode, listener: Listener, faults: readonly Fault[]): Promise<void> {
  const wasClosed = node.faults.of("refuses-tcp") !== undefined;
  node.faults.replace(faults);
  const isClosed = node.faults.of("refuses-tcp") !== undefined;
  if (isClosed && !wasClosed) await listener.close();
  if (wasClosed && !isClosed) await listener.open();
}

function reportOf({ nodeId, requests, violations }: ValidatorNode, { connections }: Listener): NodeReport {
  return { nodeId, connections, requests, violations: violations.counts() };
}

function populationNode({ name, nodeId, identity, port, blsKey, config }: ValidatorNode): PopulationNode {
  return {
    name,
    nodeId,
    certificateNodeId: identity.nodeId,
    ip: "127.0.0.1",
    port,
    publicKey: blsKey.publicKey.toString("hex"),
    hasKey: !config.noKey,
    weight: String(config.weight),
    subnets: config.subnets.map(({ subnetId }) => subnetId),
    faults: config.faults.map(({ kind }) => kind),
  };
}
