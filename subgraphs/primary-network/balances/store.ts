import { type Database, prepared, runTogether } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { INEXACT_VERTICES, type InexactVertices, inexactTime } from "../../../core/networks/vertex-times.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint, bytea, byteaArray, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { chainIdText } from "../networks/chains.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { chainInfo } from "../networks/types.ts";
import { CONFIRMED_TIME, type ConfirmedTime } from "./confirmed-time.ts";
import {
  IMPORTABLE_OF_EACH,
  OUTPUTS_OF_EACH,
  SUMS_OF_IMPORTABLE,
  SUMS_OF_IMPORTABLE_AT_BLOCK,
  SUMS_OF_OUTPUTS,
  SUMS_OF_OUTPUTS_AT_BLOCK,
} from "./sums.ts";
import type {
  AddressBalances,
  AssetBalance,
  BalanceQuery,
  ImportableBalances,
  SharedAssetBalance,
  SharedBalanceStatus,
} from "./types.ts";

export interface BalanceStore {
  /**
   * Balances of the addresses on the chain. One statement, or two with a time. Throws `INVALID_PARAMETER` for a time later than
   * `CONFIRMED_TIME`, and for a time at which it is not certain which transactions of vertices the addresses had.
   */
  of(query: BalanceQuery, work: Work): Promise<AddressBalances>;
  /**
   * Outputs that the chain can import. One statement, or two with a time. Does not check that the chain is indexed up to the time of the
   * query: call `of` with the same query first.
   */
  importable(query: BalanceQuery, work: Work): Promise<ImportableBalances>;
  /** Current balances of each of the addresses of a query alone, in any order. One statement. */
  ofEach(query: BalanceQuery, work: Work): Promise<OfAddress<AddressBalances>[]>;
  /** The outputs that the chain can import now for each of the addresses of a query alone, in any order. One statement. */
  importableOfEach(query: BalanceQuery, work: Work): Promise<OfAddress<ImportableBalances>[]>;
}

/** Balances of one address on one chain. */
export type OfAddress<Balances> = Balances & BalanceKey;

export interface BalanceKey {
  readonly network: NetworkName;
  readonly chain: PrimaryChain;
  /** `0x` hex. */
  readonly address: string;
}

interface Sum extends Omit<AssetBalance, "network"> {
  readonly bucket: string;
  readonly otherChain: PrimaryChain;
}

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

/** Without a time, locks are compared with `nowSeconds`, as a node does. */
export function createBalanceStore({ pool }: Pick<Database, "pool">, nowSeconds: () => number): BalanceStore {
  const confirmedTime = prepared<ConfirmedTime>(pool, "primary-balances-confirmed-time", CONFIRMED_TIME);
  const sumsOfOutputs = prepared<Sum>(pool, "primary-balances", SUMS_OF_OUTPUTS);
  const sumsOfOutputsAtBlock = prepared<Sum>(pool, "primary-balances-at-block", SUMS_OF_OUTPUTS_AT_BLOCK);
  const sumsOfImportable = prepared<Sum>(pool, "primary-balances-importable", SUMS_OF_IMPORTABLE);
  const outputsOfEach = prepared<SumOfAddress>(pool, "primary-balances-of-each", OUTPUTS_OF_EACH);
  const importablesOfEach = prepared<SumOfAddress>(pool, "primary-balances-importable-of-each", IMPORTABLE_OF_EACH);
  const sumsOfImportableAtBlock = prepared<Sum>(
    pool,
    "primary-balances-importable-at-block",
    SUMS_OF_IMPORTABLE_AT_BLOCK,
  );
  const inexactVertices = prepared<InexactVertices>(pool, "primary-balances-inexact-vertices", INEXACT_VERTICES);
  const parametersOf = ({ network, chain, addresses, blockTimestamp, blockNumber }: BalanceQuery) => {
    const time = blockTimestamp === null ? null : bigint(blockTimestamp);
    return [
      network.networkId,
      byteaArray(addresses),
      chain,
      time ?? nowSeconds(),
      time ?? MAX_BIGINT,
      bytea(network.avaxAssetId),
      ...(blockNumber === null ? [] : [blockNumber]),
    ];
  };
  /** The time is read before the sums: what is indexed between them does not change balances up to this time. */
  const sumsAt = async (query: BalanceQuery, blockTimestamp: string, work: Work): Promise<Sum[]> => {
    const { network, chain, blockNumber, timeArgument } = query;
    const sumsOf = blockNumber === null ? sumsOfOutputs : sumsOfOutputsAtBlock;
    const types = chain === "X" ? null : ["ImportTx"];
    const [[confirmed], sums] = await runTogether(
      [confirmedTime.with(inexactParameters(query, blockTimestamp, types)), sumsOf.with(parametersOf(query))],
      work,
    );
    const { time = "0", isProvisional = null } = confirmed ?? {};
    if (BigInt(blockTimestamp) > BigInt(time))
      throw new Failure(
        "INVALID_PARAMETER",
        `${timeArgument} must be at most ${time}, the time up to which ${PRIMARY_CHAIN_ALIASES[chain]} of ${network.network} is indexed, got ${blockTimestamp}`,
      );
    if (confirmed && isProvisional !== null)
      throw inexactTime(`${timeArgument} ${blockTimestamp}`, { ...confirmed, isProvisional });
    return sums;
  };
  return {
    async of(query, work) {
      const { blockTimestamp } = query;
      const sums = await (blockTimestamp === null
        ? sumsOfOutputs(parametersOf(query), work)
        : sumsAt(query, blockTimestamp, work));
      return balancesOf(query, sums);
    },
    async importable(query, work) {
      const { blockTimestamp, blockNumber, timeArgument } = query;
      const types = ["ExportTx", "ImportTx"];
      const sumsOf = blockNumber === null ? sumsOfImportable : sumsOfImportableAtBlock;
      const [inexact] =
        blockTimestamp === null ? [] : await inexactVertices(inexactParameters(query, blockTimestamp, types), work);
      if (inexact) throw inexactTime(`${timeArgument} ${blockTimestamp}`, inexact);
      return importableOf(query, await sumsOf(parametersOf(query), work));
    },
    async ofEach(query, work) {
      const sums = await outputsOfEach(parametersOf(query), work);
      return eachAddress(query, sums, balancesOf);
    },
    async importableOfEach(query, work) {
      const sums = await importablesOfEach(parametersOf(query), work);
      return eachAddress(query, sums, importableOf);
    },
  };
}

type SumOfAddress = Sum & { readonly address: string };

/** The balances of each address, which `balances` makes of its sums. */
function eachAddress<Balances>(
  query: BalanceQuery,
  sums: readonly SumOfAddress[],
  balances: (query: BalanceQuery, sums: readonly Sum[]) => Balances,
): OfAddress<Balances>[] {
  const { network, chain } = query;
  const byAddress = new Map<string, Sum[]>(query.addresses.map((address) => [address, []]));
  for (const { address, ...sum } of sums) byAddress.get(address)?.push(sum);
  return [...byAddress].map(([address, own]) => {
    return { ...balances({ ...query, addresses: [address] }, own), network: network.network, chain, address };
  });
}

function balancesOf(query: BalanceQuery, sums: readonly Sum[]): AddressBalances {
  const { network, chain } = query;
  const lists = BUCKETS[chain].map((bucket) => [
    bucket,
    sums
      .filter((sum) => sum.bucket === bucket)
      .map((sum) =>
        EXPORTS.includes(bucket) ? sharedBalance(network, sum, "pendingExport") : assetBalance(network, sum),
      ),
  ]);
  return { query, balances: { chain, ...Object.fromEntries(lists) }, chainInfo: chainInfo(network, chain) };
}

function importableOf({ network }: BalanceQuery, sums: readonly Sum[]): ImportableBalances {
  const inBucket = (name: string) =>
    sums.filter(({ bucket }) => bucket === name).map((sum) => sharedBalance(network, sum, "pendingImport"));
  return { unlocked: inBucket("atomicMemoryUnlocked"), locked: inBucket("atomicMemoryLocked") };
}

/** Parameters of `INEXACT_VERTICES`. */
function inexactParameters(
  { network, chain, addresses }: BalanceQuery,
  blockTimestamp: string,
  types: readonly string[] | null,
): unknown[] {
  return [network.networkId, chain, byteaArray(addresses), [bigint(blockTimestamp)], types];
}

function assetBalance({ network }: ServedNetwork, { bucket: _, otherChain: __, ...balance }: Sum): AssetBalance {
  return { ...balance, network };
}

function sharedBalance(network: ServedNetwork, sum: Sum, status: SharedBalanceStatus): SharedAssetBalance {
  return { ...assetBalance(network, sum), sharedWithChainId: chainIdText(network, sum.otherChain), status };
}
