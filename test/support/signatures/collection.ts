import { setImmediate as nextTurn } from "node:timers/promises";
import { parseIdText } from "../../../core/formats/id-text.ts";
import { parsePublicKey } from "../../../signatures/bls/keys.ts";
import { messageIdOf } from "../../../signatures/codec/unsigned-message.ts";
import { createCollector } from "../../../signatures/collector/collector.ts";
import { COLLECTOR_TIMINGS, type CollectorTimings } from "../../../signatures/collector/timings.ts";
import { createVerifiedSignatures } from "../../../signatures/collector/verified-signatures.ts";
import type { AggregationProgress, AggregationResult } from "../../../signatures/protocol/protocol.ts";
import type { Quorum } from "../../../signatures/signature-source.ts";
import type { SigningTask } from "../../../signatures/signing-task.ts";
import { createCanonicalSet, type ValidatorEntry } from "../../../signatures/validator-sets/canonical-set.ts";
import type { Fault } from "../../../signatures/validator-sim/faults.ts";
import { type Simulator, startSimulator } from "../../../signatures/validator-sim/simulator.ts";
import { type Judgement, judge } from "../oracle/warp-oracle.ts";
import { createManualClock } from "../p2p/manual-clock.ts";
import { createTestTransport, type TestKeys, until } from "../p2p/transport.ts";
import { C_CHAIN, P_CHAIN, type RecordedVector, recorded } from "./recorded-network.ts";

/** The time of simulated networks, in Unix seconds. */
export const COLLECTION_TIME = 1_800_000_000;
const NETWORK_ID = 12_345;
const MESSAGE = recorded<RecordedVector>("c-chain-message").unsignedMessage;
const PRIMARY = "00".repeat(32);

/** A simulated validator. */
export interface TestValidator {
  readonly weight?: bigint;
  readonly noKey?: boolean;
  readonly keyOf?: number;
  readonly nodeId?: string;
  readonly faults?: readonly Fault[];
}

/** Starts validators of the primary network that have seen the recorded message of the C-Chain. */
export function startValidators(validators: readonly TestValidator[], settings: object = {}): Promise<Simulator> {
  return startSimulator({
    seed: "collection",
    networkId: NETWORK_ID,
    fixedTime: COLLECTION_TIME,
    addressProof: "point",
    nodes: validators.map(({ weight = 1n, faults = [], ...node }) => ({
      ...node,
      weight: String(weight),
      faults: [...faults],
    })),
    chains: { [C_CHAIN]: { subnetId: P_CHAIN, vm: "coreth", messages: [MESSAGE] } },
    ...settings,
  });
}

export const COLLECTION_QUORUM: Quorum = { quorumPercentage: 67, quorumPercentageBuffer: 0 };

/** The recorded message and the set of the simulated validators, some with other weights than the simulator says. */
export function taskFor(
  { population }: Pick<Simulator, "population">,
  changed: Partial<SigningTask> = {},
  weights: readonly bigint[] = [],
): SigningTask {
  const entries = population.nodes.map(({ nodeId, weight, publicKey, hasKey }, index) => ({
    nodeId,
    weight: weights[index] ?? BigInt(weight),
    publicKey: hasKey ? Buffer.from(publicKey, "hex") : null,
  }));
  return plainTask({ ...setOf(entries), ...changed });
}

/** The recorded message, without validators. */
export function plainTask(changed: Partial<SigningTask> = {}): SigningTask {
  const unsignedBytes = changed.unsignedBytes ?? Buffer.from(MESSAGE, "hex");
  return {
    message: {
      network: "fuji",
      messageId: messageIdOf(unsignedBytes),
      unsignedMessage: Buffer.from(unsignedBytes).toString("hex"),
      sourceChainId: parseIdText(C_CHAIN) ?? "",
      justification: "",
      signingSubnetId: PRIMARY,
    },
    networkId: NETWORK_ID,
    unsignedBytes,
    justification: new Uint8Array(),
    signingSubnetId: PRIMARY,
    pChainHeight: 1n,
    ...setOf([]),
    ...changed,
  };
}

function setOf(entries: readonly ValidatorEntry[]): Pick<SigningTask, "set" | "unable"> {
  return {
    set: createCanonicalSet(entries, parsePublicKey),
    unable: entries.filter(({ publicKey }) => publicKey === null),
  };
}

/** What the oracle, which shares no code with the collector, says of a result. */
export function judgeResult(
  { signedMessage }: Pick<AggregationResult, "signedMessage">,
  { population }: Pick<Simulator, "population">,
  quorum: number,
  weights: readonly bigint[] = [],
): Judgement {
  const members = population.nodes.map(({ nodeId, weight, publicKey, hasKey }, index) => [
    nodeId,
    { weight: String(weights[index] ?? weight), publicKey: hasKey ? `0x${publicKey}` : null },
  ]);
  return judge(Buffer.from(signedMessage, "hex"), Object.fromEntries(members), quorum);
}

/** A collector with connections of its own to the simulated validators, whose clock only the test advances. */
export function createTestCollector(
  keys: TestKeys,
  simulators: readonly Pick<Simulator, "population" | "report">[],
  timings: Partial<CollectorTimings> = {},
) {
  const addresses = simulators.flatMap(({ population }) =>
    population.nodes.map(({ nodeId, ip, port }) => ({ nodeId, host: ip, port })),
  );
  const { transport, clock } = createTestTransport(keys, COLLECTION_TIME, addresses);
  let lookUps = 0;
  const network = {
    transport,
    findAddresses: async () => {
      lookUps++;
    },
  };
  const collector = createCollector({
    networkOf: async () => network,
    clock,
    verified: createVerifiedSignatures(1_000),
    timings: { ...COLLECTOR_TIMINGS, ...timings },
  });
  const collect = (task: SigningTask, quorum: Partial<Quorum> = {}, signal = new AbortController().signal) => {
    const progress: AggregationProgress[] = [];
    const result = collector.collect(
      task,
      { quorumPercentage: 67, quorumPercentageBuffer: 0, ...quorum },
      { signal, onProgress: (one) => progress.push(one) },
    );
    return { result, progress };
  };
  return {
    transport,
    clock,
    collector,
    collect,
    get lookUps() {
      return lookUps;
    },
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      // Nodes drop a second connection with the same certificate.
      await until(() => simulators.every(({ report }) => report().every(({ connections }) => connections === 0)));
    },
  };
}

/** Advances the clock in steps until the promise is settled. */
export async function whileAdvancing<Value>(
  clock: ReturnType<typeof createManualClock>,
  promise: Promise<Value>,
  stepMs = 50,
): Promise<Value> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) {
    for (let turn = 0; turn < 10 && !isSettled; turn++) await nextTurn();
    if (!isSettled) clock.advance(stepMs);
  }
  return settled;
}
