import { LRUCache } from "lru-cache";
import { withOutage } from "../../core/database/database.ts";
import { Failure } from "../../core/errors/errors.ts";
import { formatId, formatNodeId } from "../../core/formats/id-text.ts";
import { loadValidatorSet, type ValidatorSetEntry } from "../../core/networks/validator-set.ts";
import type { PublicKey } from "../bls/keys.ts";
import { type CanonicalSet, createCanonicalSet, type ValidatorEntry } from "../validator-sets/canonical-set.ts";
import { type ChainHead, createHeads, type Network } from "./heads.ts";
import { createStatement, type IndexPools } from "./statement.ts";

/** The validators of a subnet at a height. */
export interface SubnetValidators {
  readonly set: CanonicalSet;
  /** Validators without a BLS key, and inactive ones of an L1, whose `nodeId` is empty. */
  readonly unable: readonly ValidatorEntry[];
}

export interface SetKey {
  readonly network: Network;
  /** In hex. */
  readonly subnetId: string;
  readonly height: bigint;
}

export interface ValidatorSets {
  /**
   * The height whose validators nodes use for new messages: the parent of the oldest of the blocks (at most 64) that were accepted
   * within the last 30 seconds; the last indexed block if there are none. The timestamp of a block stands for the time at which
   * nodes accepted it. Source: avalanchego, vms/platformvm/validators.
   */
  proposedHeight(network: Network): Promise<bigint>;
  /**
   * Returns the validators of a subnet after a block. `head` is the head of the P-Chain that the height was compared with. Fails
   * with `NOT_FOUND` if there were none. Keeps the last sets: blocks of the P-Chain are final.
   */
  at(key: SetKey, head: ChainHead): Promise<SubnetValidators>;
}

export interface ValidatorSetsOptions {
  readonly pools: IndexPools;
  readonly parseKey: (bytes: Uint8Array) => PublicKey;
  readonly nowSeconds: () => number;
}

const WINDOW_SECONDS = 30;
const MAX_KEPT = 64;

export const PROPOSED_HEIGHT = `SELECT greatest(coalesce(
    (SELECT min(block_number) - 1 FROM (
      SELECT block_number, block_timestamp FROM primary_blocks
      WHERE network_id = $1 AND chain = 'P' ORDER BY block_number DESC LIMIT 64
    ) last WHERE block_timestamp >= $2),
    (SELECT block_number FROM primary_heads WHERE network_id = $1 AND chain = 'P')
  ), 0) AS height`;

export function createValidatorSets({ pools, parseKey, nowSeconds }: ValidatorSetsOptions): ValidatorSets {
  const proposed = createStatement<{ height: string }>(pools.primary, PROPOSED_HEIGHT);
  const openHeads = createHeads(pools);
  const kept = new LRUCache<string, Promise<SubnetValidators>>({ max: MAX_KEPT });

  async function read({ network, subnetId, height }: SetKey, head: ChainHead): Promise<SubnetValidators> {
    const { networkId } = network;
    const entries = (
      await withOutage(() => loadValidatorSet(pools.primary(networkId), { networkId, subnetId, height }))
    ).map(entryOf);
    // The indexer can have begun to derive all rows again, and then the rows that were read may be incomplete.
    const now = await openHeads().ofPrimaryChain(network, "P");
    if (now.rowsVersion !== head.rowsVersion || now.height < height)
      throw new Failure("UNAVAILABLE", `the P-Chain of network ${network.network} is being indexed again, try later`);
    if (entries.length === 0)
      throw new Failure("NOT_FOUND", `subnet ${formatId(subnetId)} has no validators at height ${height}`);
    return {
      set: createCanonicalSet(entries, parseKey),
      unable: entries.filter(({ publicKey }) => publicKey === null),
    };
  }

  return {
    async proposedHeight({ networkId }) {
      const [row] = await proposed([networkId, Math.floor(nowSeconds()) - WINDOW_SECONDS]);
      return BigInt(row?.height ?? 0);
    },
    at(key, head) {
      const name = [key.network.networkId, head.rowsVersion, key.subnetId, key.height].join(" ");
      const found = kept.get(name);
      if (found) return found;
      const reading = read(key, head);
      kept.set(name, reading);
      reading.catch(() => kept.peek(name) === reading && kept.delete(name));
      return reading;
    },
  };
}

function entryOf({ nodeId, weight, publicKey }: ValidatorSetEntry): ValidatorEntry {
  return {
    nodeId: nodeId === null ? "" : formatNodeId(nodeId),
    weight,
    publicKey: publicKey === null ? null : Buffer.from(publicKey, "hex"),
  };
}
