import { BadUpstreamData } from "../../errors.ts";
import { nodeIdOf, sha256 } from "./hashes.ts";
import { blob, constant, decode, id, integer, oneOf, type Read, struct, versions } from "./layout.ts";

const proposed = {
  ...{ parentId: id, timestamp: integer, pChainHeight: integer },
  ...{ certificate: blob, block: blob },
};
/** The P-Chain's height by which the block's validators are chosen, and for how long (since Granite). */
const epoch = struct({ pChainHeight: integer, number: integer, startTime: integer });

const layout = versions({
  0: oneOf({
    0: struct({ ...proposed, epoch: constant(null), signature: blob }),
    1: struct({ parentId: id, block: blob }),
    2: struct({ ...proposed, epoch, signature: blob }),
  }),
});

/** Who proposed a block and when. */
export interface Proposal {
  /** In seconds. */
  readonly timestamp: number;
  readonly pChainHeight: number;
  /** Null: any node might have made it, and it is not signed. */
  readonly nodeId: string | null;
  readonly epoch: Read<typeof epoch> | null;
  /** Of the id, by the node's staking key, in hex; empty when it is not signed. */
  readonly signature: string;
}

/** The wrapping in which the nodes agree on a block. */
export interface ProposerBlock {
  readonly id: string;
  /** Of the wrapping around the parent, or of the plain block where wrapping begins. */
  readonly parentId: string;
  /** Null: an option (commit or abort), which nobody proposes on its own. */
  readonly proposal: Proposal | null;
  /** The block inside. */
  readonly block: Uint8Array;
}

/** A block as the index of a chain gives it: wrapped, or plain from before Apricot Phase 4. */
export interface Container {
  readonly proposer: ProposerBlock | null;
  readonly block: Uint8Array;
}

/** Reads the wrapping around a block. */
export function decodeProposerBlock(bytes: Uint8Array): ProposerBlock {
  const read = decode(layout, bytes, "proposer's block");
  const { parentId, block } = read;
  if (!("signature" in read)) return { id: sha256(bytes), parentId, proposal: null, block };
  const { timestamp, pChainHeight, epoch, certificate, signature } = read;
  const isSigned = certificate.byteLength > 0;
  return {
    id: sha256(bytes.subarray(0, bytes.byteLength - signature.byteLength - 4)),
    parentId,
    proposal: {
      ...{ timestamp, pChainHeight, nodeId: isSigned ? nodeIdOf(certificate) : null, epoch },
      signature: Buffer.from(signature).toString("hex"),
    },
    block,
  };
}

/** Takes a block out of its wrapping. Bytes that no wrapping fills to the last are a block without one. */
export function decodeContainer(bytes: Uint8Array): Container {
  try {
    const proposer = decodeProposerBlock(bytes);
    return { proposer, block: proposer.block };
  } catch (error) {
    if (!(error instanceof BadUpstreamData)) throw error;
    return { proposer: null, block: bytes };
  }
}
