import { configSchema } from "../validator-sim/config.ts";
import { startNodes } from "../validator-sim/peer/running-nodes.ts";
import { createSigner } from "../validator-sim/signing/signer.ts";
import type { RecordedContents, RecordedValidator } from "./recorded-contents.ts";
import { recordedLedger } from "./recorded-ledger.ts";

export interface RecordedValidatorsOptions {
  readonly contents: RecordedContents;
  readonly validators: readonly RecordedValidator[];
  /** Unix time in milliseconds. Default: the machine's clock. */
  readonly nowMs?: () => number;
}

/** Where a simulated validator listens. */
export interface RecordedValidatorAddress {
  /** `NodeID-…` as the validator sets name it. */
  readonly nodeId: string;
  readonly host: string;
  readonly port: number;
  /** The node id of its certificate. It differs where the network had only a random node id, which no certificate has. */
  readonly certificateNodeId: string;
}

/** Simulated validators of a recorded network. Disposing them closes every port and connection. */
export interface RecordedValidators extends AsyncDisposable {
  readonly addresses: readonly RecordedValidatorAddress[];
}

/**
 * Starts validators with the keys of a recorded network on free ports of 127.0.0.1. They sign only what the recorded chains
 * contain.
 */
export async function startRecordedValidators(options: RecordedValidatorsOptions): Promise<RecordedValidators> {
  const { contents, validators, nowMs = Date.now } = options;
  const { networkId } = contents;
  // Nobody checks the proofs of their addresses, and each takes 10 ms.
  const config = configSchema.parse({ seed: SEED, networkId, nodes: validators, addressProof: "point" });
  const signer = createSigner(networkId, recordedLedger(contents, nowMs));
  const running = await startNodes({ config, signer, nowSeconds: () => Date.now() / 1_000 });
  return {
    addresses: running.nodes.map(({ nodeId, identity, port }) => ({
      nodeId,
      host: HOST,
      port,
      certificateNodeId: identity.nodeId,
    })),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

const HOST = "127.0.0.1";
/** Certificates of validators that have none follow from it and their names. */
const SEED = "demo";
