import { z } from "zod";
import { Failure } from "../../../core/errors/errors.ts";
import { UPGRADES, type Upgrade } from "../../../core/networks/upgrades.ts";

const digits = z.union([z.string().regex(/^\d+$/), z.number().int().nonnegative()]);
const text = digits.transform(String);
const integer = digits.transform(Number).refine(Number.isSafeInteger);
const list = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);
const percentage = z.union([z.string().regex(/^\d+(\.\d+)?$/), z.number().nonnegative()]).transform(String);
const hex = z.string().regex(/^0x([\da-f]{2})*$/i);
const nodeId = z.string().startsWith("NodeID-");
const time = z.iso.datetime({ offset: true });

/** Entries in the order of the answer, except that JavaScript puts names that are whole numbers first. */
const entries = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string(), value).transform((map) => Object.entries(map));

const fees = [
  "txFee",
  "createAssetTxFee",
  "createSubnetTxFee",
  "transformSubnetTxFee",
  "createBlockchainTxFee",
  "addPrimaryNetworkValidatorFee",
  "addPrimaryNetworkDelegatorFee",
  "addSubnetValidatorFee",
  "addSubnetDelegatorFee",
] as const;

const peer = z
  .object({
    ip: z.string(),
    publicIP: z.string().default(""),
    nodeID: nodeId,
    version: z.string(),
    upgradeTime: text.default("0"),
    lastSent: time,
    lastReceived: time,
    observedUptime: integer.default(0),
    trackedSubnets: list(z.string()),
    supportedACPs: list(integer),
    objectedACPs: list(integer),
    benched: list(z.string()),
  })
  .transform(({ nodeID, publicIP, supportedACPs, objectedACPs, ...same }) => ({
    ...same,
    nodeId: nodeID,
    publicIp: publicIP,
    supportedAcps: supportedACPs,
    objectedAcps: objectedACPs,
  }));

const preferences = z.object({
  supportWeight: text,
  supporters: list(nodeId),
  objectWeight: text,
  objectors: list(nodeId),
  abstainWeight: text,
});

const orNull = <Value extends z.ZodType>(value: Value) => value.nullish().transform((given) => given ?? null);

const KNOWN = new Set<string>([
  ...UPGRADES.map((name) => `${name}Time`),
  "apricotPhase4MinPChainHeight",
  "cortinaXChainStopVertexID",
  "graniteEpochDuration",
]);

function unknownMembers(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  const unknown = Object.entries(members).filter(([name]) => !KNOWN.has(name));
  return unknown.length > 0 ? Object.fromEntries(unknown) : null;
}

const byText = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

/**
 * Parsers of the answers to `info` methods. They return the fields of the graph. Unknown members are ignored, except those of
 * `info.upgrades`, which become `more`.
 */
export const ANSWERS = {
  "info.getNodeID": z
    .object({
      nodeID: nodeId,
      nodePOP: z.object({ publicKey: hex, proofOfPossession: hex }).nullish(),
    })
    .transform(({ nodeID, nodePOP }) => ({ nodeId: nodeID, pop: nodePOP ?? null })),
  "info.getNodeIP": z.object({ ip: z.string() }).transform(({ ip }) => ip),
  "info.getNodeVersion": z
    .object({
      version: z.string(),
      databaseVersion: z.string(),
      rpcProtocolVersion: text.default(""),
      gitCommit: z.string().default(""),
      vmVersions: entries(z.string()),
    })
    .transform(({ vmVersions, ...same }) => ({
      ...same,
      vmVersions: vmVersions.map(([name, version]) => ({ name, version })),
    })),
  "info.getNetworkID": z.object({ networkID: integer }).transform(({ networkID }) => networkID),
  "info.getNetworkName": z.object({ networkName: z.string() }).transform(({ networkName }) => networkName),
  "info.isBootstrapped": z.object({ isBootstrapped: z.boolean() }).transform(({ isBootstrapped }) => isBootstrapped),
  "info.getBlockchainID": z.object({ blockchainID: z.string() }).transform(({ blockchainID }) => blockchainID),
  "info.getTxFee": z.object(
    Object.fromEntries(fees.map((name) => [name, text])) as Record<(typeof fees)[number], typeof text>,
  ),
  "info.getVMs": z
    .object({ vms: entries(list(z.string())), fxs: entries(z.string()).default([]) })
    .transform(({ vms, fxs }) => ({
      vms: vms.map(([vmId, aliases]) => ({ vmId, aliases })),
      fxs: fxs.map(([fxId, name]) => ({ fxId, name })),
    })),
  "info.acps": z.object({ acps: entries(preferences) }).transform(({ acps }) =>
    // The node sorts numbers as text.
    acps.sort(byText).map(([acp, one]) => ({ acp, ...one })),
  ),
  "info.peers": z.object({ peers: list(peer) }).transform(({ peers }) => peers),
  "info.uptime": z.object({ rewardingStakePercentage: percentage, weightedAveragePercentage: percentage }),
  "info.upgrades": z
    .looseObject({
      ...(Object.fromEntries(UPGRADES.map((name) => [`${name}Time`, orNull(time)])) as Record<
        `${Upgrade}Time`,
        ReturnType<typeof orNull<typeof time>>
      >),
      apricotPhase4MinPChainHeight: orNull(integer),
      cortinaXChainStopVertexID: orNull(z.string()),
      graniteEpochDuration: orNull(text),
    })
    .transform(({ cortinaXChainStopVertexID, ...same }) => ({
      ...same,
      cortinaXChainStopVertexId: cortinaXChainStopVertexID,
      more: unknownMembers(same),
    })),
} as const;

export type InfoMethod = keyof typeof ANSWERS;
export type InfoResult<Method extends InfoMethod> = z.output<(typeof ANSWERS)[Method]>;

/** Parses a node's answer. Throws `UPSTREAM_FAILED` with the method and the first invalid member. */
export function readAnswer<Method extends InfoMethod>(method: Method, answer: unknown): InfoResult<Method> {
  const parsed = ANSWERS[method].safeParse(answer);
  if (parsed.success) return parsed.data as InfoResult<Method>;
  const where = parsed.error.issues[0]?.path.map(String).join(".") || "the top level";
  throw new Failure("UPSTREAM_FAILED", `the node's answer to ${method} is invalid at ${where}`, parsed.error);
}
