import { assembleSignedMessage } from "../aggregate/assemble.ts";
import type { Signature } from "../bls/signatures.ts";
import type { Clock } from "../clock.ts";
import { checkKeyedWeight } from "../collection/keyed-weight.ts";
import { createResult } from "../collection/result.ts";
import type { SignatureTransport } from "../p2p/transport.ts";
import type { AggregationProgress, AggregationResult } from "../protocol/protocol.ts";
import type { CollectionCaller, Quorum, SignatureSource } from "../signature-source.ts";
import type { SigningTask } from "../signing-task.ts";
import { fewestSigners } from "../validator-sets/signers.ts";
import { verifyAnswer } from "../verify/verify-signed-message.ts";
import { askVoters } from "./ask-voters.ts";
import { type Ballot, createBallot, hasRefused, hasSigned } from "./ballot.ts";
import { connectVoters } from "./connect-voters.ts";
import { explainFailure } from "./explain-failure.ts";
import { describeMissing } from "./missing-validators.ts";
import { COLLECTOR_TIMINGS, type CollectorTimings } from "./timings.ts";
import type { ValidatorNetwork } from "./validator-network.ts";
import type { VerifiedSignatures } from "./verified-signatures.ts";

export interface CollectorOptions {
  readonly networkOf: (task: SigningTask) => Promise<ValidatorNetwork>;
  readonly clock: Clock;
  readonly verified: VerifiedSignatures;
  readonly timings?: CollectorTimings;
}

/** Collects signatures from the validators. */
export function createCollector(options: CollectorOptions): SignatureSource {
  return {
    async collect(task, quorum, caller) {
      checkKeyedWeight(task, quorum);
      return collect(options, task, quorum, caller);
    },
  };
}

async function collect(
  { networkOf, clock, verified, timings = COLLECTOR_TIMINGS }: CollectorOptions,
  task: SigningTask,
  quorum: Quorum,
  { signal, onProgress }: CollectionCaller,
): Promise<AggregationResult> {
  const startedAtMs = clock.nowMs();
  const ballot = createBallot(task, quorum);
  const { messageId, sourceChainId } = task.message;
  for (const voter of ballot.voters) voter.signature = verified.get(messageId, voter.validator.publicKey);
  const network = await networkOf(task);
  const { transport } = network;
  const missingContext = { sourceChainId, disconnectionOf: (nodeId: string) => transport.reasonOf(nodeId) };
  const failed = { task, quorum, ballot, ...missingContext };
  const progress = (state: AggregationProgress["state"]) => progressOf(task, ballot, transport, state);
  const context = { task, ballot, clock, timings, startedAtMs, signal };
  if (ballot.weightWhere(hasSigned) < ballot.targetWeight)
    await connectVoters({ ...context, ...failed, network, onProgress: () => onProgress(progress("CONNECTING")) });
  const connectedAtMs = clock.nowMs();
  await askVoters({
    ...context,
    transport,
    onValid: ({ validator }, signature) => verified.add(messageId, validator.publicKey, signature),
    onProgress: () => onProgress(progress("COLLECTING")),
  });
  if (ballot.weightWhere(hasSigned) < ballot.requiredWeight) throw explainFailure(failed);
  const { signedMessage, message } = assemble(task, ballot, quorum);
  const voters = new Map(ballot.voters.map((voter) => [voter.validator, voter]));
  return createResult({
    task,
    progress: progress("DONE"),
    signedMessage,
    verified: message,
    reasonOf: (validator) => describeMissing(voters.get(validator)!, missingContext), // it has every validator of the set
    collectedFrom: "validators",
    connectMs: connectedAtMs - startedAtMs,
    collectMs: clock.nowMs() - connectedAtMs,
  });
}

/**
 * Assembles the aggregate, and verifies it as the chains will. If the target weight has signed, the aggregate has the fewest
 * signers that meet quorum and buffer. If not, it has all that signed.
 */
function assemble(task: SigningTask, ballot: Ballot, { quorumPercentage, quorumPercentageBuffer }: Quorum) {
  const signatures = new Map<number, Signature>();
  for (const { index, signature } of ballot.voters) if (signature) signatures.set(index, signature);
  const wanted = quorumPercentage + quorumPercentageBuffer;
  const fewest = fewestSigners(task.set, [...signatures.keys()], wanted);
  const chosen = new Set(fewest ?? signatures.keys());
  const signedMessage = assembleSignedMessage(
    task.unsignedBytes,
    new Map([...signatures].filter(([index]) => chosen.has(index))),
  );
  const message = verifyAnswer(signedMessage, task.unsignedBytes, task.set, fewest ? wanted : quorumPercentage);
  return { signedMessage, message };
}

function progressOf(
  { message, signingSubnetId, pChainHeight, set }: SigningTask,
  ballot: Ballot,
  transport: SignatureTransport,
  state: AggregationProgress["state"],
): AggregationProgress {
  const isConnected = (nodeId: string) => transport.reasonOf(nodeId) === null;
  return {
    state,
    message,
    signingSubnetId,
    pChainHeight: String(pChainHeight),
    totalWeight: String(set.totalWeight),
    requiredWeight: String(ballot.requiredWeight),
    connectedWeight: String(ballot.weightWhere(({ validator }) => validator.nodeIds.some(isConnected))),
    signedWeight: String(ballot.weightWhere(hasSigned)),
    refusedWeight: String(ballot.weightWhere(hasRefused)),
  };
}
