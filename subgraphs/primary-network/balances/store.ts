import { type Database, prepared } from "../../../core/database.ts";
import { Failure } from "../../../core/errors.ts";
import { bytea, byteaArray, MAX_BIGINT } from "../../shared/rows.ts";
import { ALIASES, chainIdText, type PrimaryChain } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { chainInfo } from "../networks/types.ts";
import { SUMS_OF_EXPORTS, SUMS_OF_OUTPUTS } from "./sums.ts";
import type { AddressBalances, AssetBalance, ImportableBalances, SharedAssetBalance } from "./types.ts";

/** Whose balances are asked for, where and when. */
export interface BalancesAsked {
  readonly network: ServedNetwork;
  readonly chain: PrimaryChain;
  /** `0x` hex, each once. */
  readonly addresses: readonly string[];
  /** Seconds; null: now. */
  readonly blockTimestamp: string | null;
}

export interface BalanceStore {
  /** Two statements with a time, else one. Throws `INVALID_PARAMETER` for a time beyond the chain's last indexed block. */
  of(asked: BalancesAsked): Promise<AddressBalances>;
  /** What the chain can import, of a time that `of` took. */
  importable(asked: BalancesAsked): Promise<ImportableBalances>;
}

interface Sum extends Omit<AssetBalance, "bucket"> {
  readonly bucket: string;
  readonly otherChain: PrimaryChain;
}

/** Time of the last indexed block of a chain. */
export const HEAD = "SELECT block_timestamp AS time FROM primary_heads WHERE network_id = $1 AND chain = $2";

const OUTPUTS = [
  "unlockedUnstaked",
  "unlockedStaked",
  "lockedPlatform",
  "lockedStakeable",
  "lockedStaked",
  "pendingStaked",
];
const EXPORTS = ["atomicMemoryUnlocked", "atomicMemoryLocked"];
const BUCKETS = { P: [...OUTPUTS, ...EXPORTS], X: [...OUTPUTS, ...EXPORTS], C: EXPORTS } as const;

/** Without a time locks are compared with `nowSeconds`, as a node does. */
export function createBalanceStore({ pool }: Pick<Database, "pool">, nowSeconds: () => number): BalanceStore {
  const head = prepared<{ time: string }>(pool, "primary-balances-head", HEAD);
  const sumsOfOutputs = prepared<Sum>(pool, "primary-balances", SUMS_OF_OUTPUTS);
  const sumsOfExports = prepared<Sum>(pool, "primary-balances-importable", SUMS_OF_EXPORTS);
  const parametersOf = ({ network, chain, addresses, blockTimestamp }: BalancesAsked) => [
    network.networkId,
    byteaArray(addresses),
    chain,
    blockTimestamp ?? nowSeconds(),
    blockTimestamp ?? MAX_BIGINT,
    bytea(network.avaxAssetId),
  ];
  const refuseLater = async ({ network: { networkId, network }, chain, blockTimestamp }: BalancesAsked) => {
    if (blockTimestamp === null) return;
    const [{ time = "0" } = {}] = await head([networkId, chain]);
    if (BigInt(blockTimestamp) > BigInt(time))
      throw new Failure(
        "INVALID_PARAMETER",
        `blockTimestamp must be at most ${time}, the time of the last indexed block of ${ALIASES[chain]} of ${network}, got ${blockTimestamp}`,
      );
  };
  return {
    async of(asked) {
      await refuseLater(asked);
      const { network, chain } = asked;
      const sums = await sumsOfOutputs(parametersOf(asked));
      const lists = BUCKETS[chain].map((bucket) => [
        bucket,
        sums
          .filter((sum) => sum.bucket === bucket)
          .map((sum) => (EXPORTS.includes(bucket) ? shared(network, sum, "pendingExport") : owned(sum))),
      ]);
      return { asked, balances: { chain, ...Object.fromEntries(lists) }, chainInfo: chainInfo(network, chain) };
    },
    async importable(asked) {
      const sums = await sumsOfExports(parametersOf(asked));
      const inBucket = (name: string) =>
        sums.filter(({ bucket }) => bucket === name).map((sum) => shared(asked.network, sum, "pendingImport"));
      return { unlocked: inBucket("atomicMemoryUnlocked"), locked: inBucket("atomicMemoryLocked") };
    },
  };
}

function owned({ bucket: _, otherChain: __, ...balance }: Sum): AssetBalance {
  return balance;
}

function shared(network: ServedNetwork, sum: Sum, status: string): SharedAssetBalance {
  return { ...owned(sum), sharedWithChainId: chainIdText(network, sum.otherChain), status };
}
