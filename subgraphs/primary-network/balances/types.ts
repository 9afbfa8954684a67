import { ArgsType, createUnionType, Field, Int, InterfaceType, ObjectType } from "type-graphql";
import { Timestamp } from "../../../core/graph/scalars.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { FungibleAmount } from "../assets/types.ts";
import { Id } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";

/** Selects the balances to sum: owners, chain and time. */
export interface BalanceQuery {
  readonly network: ServedNetwork;
  readonly chain: PrimaryChain;
  /** `0x` hex, without duplicates. */
  readonly addresses: readonly string[];
  /** Seconds; null: now. */
  readonly blockTimestamp: string | null;
  /** Only the blocks of the chain up to this one, whose time is `blockTimestamp`; null: all blocks up to that time. */
  readonly blockNumber: string | null;
  /** Argument that has the time, for messages. */
  readonly timeArgument: string;
}

@ObjectType({ description: "Balance of an asset." })
export class AssetBalance extends FungibleAmount {
  @Field(() => Int, { description: "Number of outputs in the balance." })
  utxoCount!: number;
}

const SharedBalanceStatus = graphEnum({
  name: "SharedBalanceStatus",
  description: "State of outputs in atomic memory, as the chain of the balance sees it.",
  values: {
    pendingExport: "This chain exported the outputs, and the other chain can import them.",
    pendingImport: "The other chain exported the outputs, and this chain can import them.",
  },
});
export type SharedBalanceStatus = (typeof SharedBalanceStatus)[string];

@ObjectType({
  description:
    "Balance of an asset in atomic memory: outputs that one chain exported and another chain has not yet imported.",
})
export class SharedAssetBalance extends AssetBalance {
  @Field(() => Id, {
    description:
      "Blockchain ID of the other chain: the chain that can import the outputs, or the chain that exported them.",
  })
  sharedWithChainId!: string;

  @Field(() => SharedBalanceStatus, { description: "Whether this chain exported the outputs or can import them." })
  status!: SharedBalanceStatus;
}

@InterfaceType({ description: "Balances in atomic memory. Every chain of a primary network has atomic memory." })
abstract class AtomicMemory {
  chain!: PrimaryChain;

  @Field(() => [SharedAssetBalance], {
    description: "Outputs that this chain exported and that are not yet imported, without a locktime in the future.",
  })
  atomicMemoryUnlocked!: SharedAssetBalance[];

  @Field(() => [SharedAssetBalance], {
    description: "Outputs that this chain exported and that are not yet imported, with a locktime in the future.",
  })
  atomicMemoryLocked!: SharedAssetBalance[];
}

@InterfaceType({ description: "Balances on a UTXO chain.", implements: AtomicMemory })
abstract class OutputBalances extends AtomicMemory {
  @Field(() => [AssetBalance], {
    description:
      "Outputs that are not staked and have no locktime in the future. The outputs of a stake count as not staked from its end time on, although they cannot be spent until a block returns them.",
  })
  unlockedUnstaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Staked outputs without a locktime in the future." })
  unlockedStaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Outputs that are not staked and cannot be used before their locktime." })
  lockedPlatform!: AssetBalance[];

  @Field(() => [AssetBalance], {
    description: "Outputs that are not staked and can be used only for staking before their locktime.",
  })
  lockedStakeable!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Staked outputs with a locktime in the future." })
  lockedStaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Outputs of a stake that has not started." })
  pendingStaked!: AssetBalance[];
}

@ObjectType({ description: "Balances on the P-Chain.", implements: OutputBalances })
class PChainBalances extends OutputBalances {}

@ObjectType({
  description:
    "Balances on the X-Chain. `unlockedStaked`, `lockedStakeable`, `lockedStaked` and `pendingStaked` are always empty.",
  implements: OutputBalances,
})
class XChainBalances extends OutputBalances {}

@ObjectType({
  description:
    "Balances of the C-Chain in atomic memory. For the balance of a C-Chain account, see `nativeTokenBalance`.",
  implements: AtomicMemory,
})
class CChainBalances extends AtomicMemory {}

const PrimaryNetworkBalances = createUnionType({
  name: "PrimaryNetworkBalances",
  description: "Balances on one chain. A list is empty if the addresses own nothing of that kind.",
  types: () => [PChainBalances, XChainBalances, CChainBalances] as const,
  resolveType: ({ chain }) => `${chain}ChainBalances`,
});
type PrimaryNetworkBalances = PChainBalances | XChainBalances | CChainBalances;

@ObjectType({
  description: "Outputs that other chains exported to this chain and that this chain has not yet imported.",
})
export class ImportableBalances {
  @Field(() => [SharedAssetBalance], { description: "Outputs that can be imported now." })
  unlocked!: SharedAssetBalance[];

  @Field(() => [SharedAssetBalance], { description: "Outputs that can be imported after their locktime." })
  locked!: SharedAssetBalance[];
}

@ObjectType({ description: "Combined balances of a set of addresses." })
export class AddressBalances {
  /** The query of the request, for fields that read further data. */
  query!: BalanceQuery;

  @Field(() => PrimaryNetworkBalances, {
    description: "Balances. An output that several of the given addresses own is counted once.",
  })
  balances!: PrimaryNetworkBalances;

  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ArgsType()
export class AddressBalancesArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`p-chain`, `x-chain`, `c-chain`, or a blockchain ID as CB58 or hex." })
  blockchainId!: string;

  @Field(() => [String], {
    description: "Bech32 addresses, optionally with a chain prefix such as `P-`. 1 to 200 addresses.",
  })
  addresses!: string[];

  @RestOnly()
  @Field(() => Timestamp, {
    nullable: true,
    description:
      "The same as `at.time`. Blocks of that second are included, and whether an output is locked or staked is decided by that time. Fails with `INVALID_PARAMETER` if it is later than the latest time for which the index is complete. Cannot be combined with `at`.",
  })
  blockTimestamp?: string | null;

  @Field(() => StateAt, {
    nullable: true,
    description:
      "Block of the chain, or a time, after which the balances are read. Whether an output is locked or staked is decided by the time of the block, or by the given time. After a block of this chain, what other chains have imported or exported is included up to the time of the block. Fails with `INVALID_PARAMETER` for a time that is later than the latest time for which the index is complete. Default: the outputs that exist after the last indexed block; whether they are locked or staked is decided by the current time.",
  })
  at?: StateAt | null;
}
