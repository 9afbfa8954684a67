import type { Parameter } from "./arguments.ts";
import type { Member, Shape } from "./result-shape.ts";

/** Paths that accept JSON-RPC requests. */
export type RpcPath = "/ext/info" | "/ext/health";

export interface NodeMethod {
  /** Number in the REST specification. */
  readonly id: string;
  readonly name: string;
  readonly path: RpcPath;
  /** File in `operations/`. The fields of its `body` make the result. */
  readonly operation: string;
  /** The field of the body that is the result. Default: the body itself. */
  readonly field?: string;
  readonly parameters: readonly Parameter[];
  readonly result: Shape;
  /** Compute units that a request costs a caller with a rate limit. */
  readonly units: number;
}

const plain = (...names: readonly string[]): Member[] => names.map((name) => [name, name, "plain"]);
const texts = (...names: readonly string[]): Member[] => names.map((name) => [name, name, "text"]);

/** A health report, as both the methods and the plain paths return it. */
export const REPORT: Shape = {
  members: [
    [
      "checks",
      "checks",
      {
        key: "name",
        map: {
          members: [
            ...plain("message", "error", "timestamp"),
            ["duration", "duration", "digits"],
            ...plain("contiguousFailures", "timeOfFirstFailure"),
          ],
        },
      },
    ],
    ["healthy", "healthy", "plain"],
  ],
};

const PEER: Shape = {
  members: [
    ["ip", "ip", "plain"],
    ["publicIP", "publicIp", "plain"],
    ["nodeID", "nodeId", "plain"],
    ["version", "version", "plain"],
    ["upgradeTime", "upgradeTime", "digits"],
    ...plain("lastSent", "lastReceived"),
    ["observedUptime", "observedUptime", "text"],
    ["trackedSubnets", "trackedSubnets", "plain"],
    ["supportedACPs", "supportedAcps", "plain"],
    ["objectedACPs", "objectedAcps", "plain"],
    ["benched", "benched", "plain"],
  ],
};

const ACP: Shape = {
  members: [
    ...texts("supportWeight"),
    ...plain("supporters"),
    ...texts("objectWeight"),
    ...plain("objectors"),
    ...texts("abstainWeight"),
  ],
};

const UPGRADES: Shape = {
  members: [
    ...plain("apricotPhase1Time", "apricotPhase2Time", "apricotPhase3Time", "apricotPhase4Time"),
    ...plain("apricotPhase4MinPChainHeight", "apricotPhase5Time", "apricotPhasePre6Time", "apricotPhase6Time"),
    ...plain("apricotPhasePost6Time", "banffTime", "cortinaTime"),
    ["cortinaXChainStopVertexID", "cortinaXChainStopVertexId", "plain"],
    ...plain("durangoTime", "etnaTime", "fortunaTime", "graniteTime"),
    ["graniteEpochDuration", "graniteEpochDuration", "digits"],
    ...plain("heliconTime"),
    ["...", "more", "plain"],
  ],
};

const VERSION: Shape = {
  members: [
    ...plain("version", "databaseVersion", "rpcProtocolVersion", "gitCommit"),
    ["vmVersions", "vmVersions", { key: "name", map: { field: "version" } }],
  ],
};

const TX_FEES: Shape = {
  members: [
    ...texts("txFee", "createAssetTxFee", "createSubnetTxFee", "transformSubnetTxFee", "createBlockchainTxFee"),
    ...texts("addPrimaryNetworkValidatorFee", "addPrimaryNetworkDelegatorFee"),
    ...texts("addSubnetValidatorFee", "addSubnetDelegatorFee"),
  ],
};

const VMS: Shape = {
  members: [
    ["vms", "vms", { key: "vmId", map: { field: "aliases" } }],
    ["fxs", "fxs", { key: "fxId", map: { field: "name" } }],
  ],
};

const IDENTITY: Shape = {
  members: [
    ["nodeID", "nodeId", "plain"],
    ["nodePOP", "pop", { members: plain("publicKey", "proofOfPossession") }],
  ],
};

const PEERS: Shape = {
  members: [
    ["numPeers", "peers", { count: true }],
    ["peers", "peers", { list: PEER }],
  ],
};

/** A result with a single member. */
const only = (name: string, field: string, shape: Shape = "plain"): Shape => ({ members: [[name, field, shape]] });

const info = (id: string, name: string, operation: string, result: Shape, more: Partial<NodeMethod> = {}) =>
  ({
    id,
    name: `info.${name}`,
    path: "/ext/info" as const,
    operation,
    result,
    parameters: [],
    units: 1,
    ...more,
  }) as const;

const parameter = (member: string, type: Parameter["type"], variable = member) => ({
  parameters: [{ member, variable, type }],
});

const health = (id: string, name: string, operation: string): NodeMethod => ({
  id,
  name: `health.${name}`,
  path: "/ext/health",
  operation,
  result: REPORT,
  units: 1,
  ...parameter("tags", "texts"),
});

/** Every method. A method consists of an entry here, an operation, and rules in `test/conformance/`. Unknown arguments are ignored. */
export const METHODS: readonly NodeMethod[] = [
  info("N1", "acps", "node-acps", only("acps", "acps", { key: "acp", map: ACP })),
  info(
    "N2",
    "isBootstrapped",
    "node-is-bootstrapped",
    only("isBootstrapped", "isBootstrapped"),
    parameter("chain", "text"),
  ),
  info("N3", "getBlockchainID", "node-blockchain-id", only("blockchainID", "blockchainId"), parameter("alias", "text")),
  info("N4", "getNetworkID", "node-network-id", only("networkID", "networkId", "text")),
  info("N5", "getNetworkName", "node-network-name", only("networkName", "networkName")),
  info("N6", "getNodeID", "node-identity", IDENTITY),
  info("N7", "getNodeIP", "node-ip", only("ip", "ip")),
  info("N8", "getNodeVersion", "node-version", VERSION, { field: "version" }),
  info("N9", "getTxFee", "node-tx-fees", TX_FEES, { field: "txFees" }),
  info("N10", "getVMs", "node-vms", VMS),
  info("N11", "peers", "node-peers", PEERS, { ...parameter("nodeIDs", "nodeIds", "nodeIds"), units: 10 }),
  info(
    "N12",
    "uptime",
    "node-uptime",
    { members: texts("rewardingStakePercentage", "weightedAveragePercentage") },
    { field: "uptime" },
  ),
  info("N13", "upgrades", "node-upgrades", UPGRADES, { field: "upgrades" }),
  health("H5", "health", "node-health"),
  health("H6", "readiness", "node-readiness"),
  health("H7", "liveness", "node-liveness"),
];

/** The operation of each plain health path. */
export const REPORTS: ReadonlyMap<string, string> = new Map([
  ["/ext/health", "node-health"],
  ["/ext/health/health", "node-health"],
  ["/ext/health/readiness", "node-readiness"],
  ["/ext/health/liveness", "node-liveness"],
]);
