import { configSchema } from "../validator-sim/config.ts";
import { startNodes } from "../validator-sim/peer/running-nodes.ts";
import { createSigner } from "../validator-sim/signing/signer.ts";
import type { RecordedNetwork } from "./recorded-contents.ts";
import { recordedLedger } from "./recorded-ledger.ts";

/** Where a simulated validator listens. */
export interface RecordedValidatorAddress {
  readonly networkId: number;
  /** `NodeID-…` as the validator sets name it. */
  readonly nodeId: string;
  readonly host: string;
  readonly port: number;
  /** The node id of its certificate. It differs from `nodeId` if that id was random, because no certificate has a random id. */
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
export async function startRecordedValidators({ contents, validators }: RecordedNetwork): Promise<RecordedValidators> {
  const { networkId } = contents;
  // Nobody checks the proofs of their addresses, and each takes 10 ms.
  const config = configSchema.parse({ seed: SEED, networkId, nodes: validators, addressProof: "point" });
  const signer = createSigner(networkId, recordedLedger(contents, Date.now));
  const running = await startNodes({ config, signer, nowSeconds: () => Date.now() / 1_000 });
  return {
    addresses: running.nodes.map(({ nodeId, identity, port }) => ({
      networkId,
      nodeId,
      host: HOST,
      port,
      certificateNodeId: identity.nodeId,
    })),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

const HOST = "127.0.0.1";
/** The certificates of validators that have none are derived from this seed and their names. */
const SEED = "demo";
