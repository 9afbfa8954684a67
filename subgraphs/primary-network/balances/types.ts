import { ArgsType, createUnionType, Field, Int, InterfaceType, ObjectType } from "type-graphql";
import type { PrimaryChain } from "../../../core/primary-chains.ts";
import { Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { AssetAmount } from "../assets/types.ts";
import { Id } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";

/** Which balances to sum: owners, chain and time. */
export interface BalanceQuery {
  readonly network: ServedNetwork;
  readonly chain: PrimaryChain;
  /** `0x` hex, without duplicates. */
  readonly addresses: readonly string[];
  /** Seconds; null: now. */
  readonly blockTimestamp: string | null;
}

@ObjectType({ description: "Balance of an asset.", simpleResolvers: true })
export class AssetBalance extends AssetAmount {
  @Field(() => Int, { description: "Number of outputs in the balance." })
  utxoCount!: number;
}

@ObjectType({
  description: "Balance in atomic memory: exported by one chain, not yet imported by another.",
  simpleResolvers: true,
})
export class SharedAssetBalance extends AssetBalance {
  @Field(() => Id, {
    description: "Blockchain ID of the other chain: the one that can import, or the one that exported.",
  })
  sharedWithChainId!: string;

  @Field(() => String, {
    description: "`pendingExport` if this chain exported the outputs, `pendingImport` if it can import them.",
  })
  status!: string;
}

@InterfaceType({ description: "Balances that every chain has." })
export abstract class AtomicMemory {
  chain!: PrimaryChain;

  @Field(() => [SharedAssetBalance], { description: "Exported by the chain, not yet imported, not locked." })
  atomicMemoryUnlocked!: SharedAssetBalance[];

  @Field(() => [SharedAssetBalance], {
    description: "Exported by the chain, not yet imported, with a locktime in the future.",
  })
  atomicMemoryLocked!: SharedAssetBalance[];
}

@InterfaceType({ description: "Balances on a UTXO chain.", implements: AtomicMemory })
export abstract class OutputBalances extends AtomicMemory {
  @Field(() => [AssetBalance], { description: "Spendable. Includes stakes whose end time has passed." })
  unlockedUnstaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Staked, and spendable once the stake ends." })
  unlockedStaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Not staked, and not usable before its locktime." })
  lockedPlatform!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Not staked, and usable only for staking before its locktime." })
  lockedStakeable!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Staked, with a locktime in the future." })
  lockedStaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Committed to a stake that has not started." })
  pendingStaked!: AssetBalance[];
}

@ObjectType({ description: "Balances on the P-Chain.", implements: OutputBalances, simpleResolvers: true })
export class PChainBalances extends OutputBalances {}

@ObjectType({
  description: "Balances on the X-Chain. The staked lists are always empty.",
  implements: OutputBalances,
  simpleResolvers: true,
})
export class XChainBalances extends OutputBalances {}

@ObjectType({
  description: "Balances of the C-Chain in atomic memory. Account balances belong to the EVM chain.",
  implements: AtomicMemory,
  simpleResolvers: true,
})
export class CChainBalances extends AtomicMemory {}

export const PrimaryNetworkBalances = createUnionType({
  name: "PrimaryNetworkBalances",
  description: "Balances on one chain. A list is empty if the addresses own nothing of that kind.",
  types: () => [PChainBalances, XChainBalances, CChainBalances] as const,
});
export type PrimaryNetworkBalances = PChainBalances | XChainBalances | CChainBalances;

@ObjectType({
  description: "Outputs that other chains exported to a chain and that it has not imported.",
  simpleResolvers: true,
})
export class ImportableBalances {
  @Field(() => [SharedAssetBalance], { description: "Importable now." })
  unlocked!: SharedAssetBalance[];

  @Field(() => [SharedAssetBalance], { description: "Importable once the locktime has passed." })
  locked!: SharedAssetBalance[];
}

@ObjectType({ description: "Combined balances of a set of addresses.", simpleResolvers: true })
export class AddressBalances {
  /** The request, for fields that read more. */
  query!: BalanceQuery;

  @Field(() => PrimaryNetworkBalances, {
    description: "Balances. An output that several of the addresses own counts once.",
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

  @Field(() => Timestamp, {
    nullable: true,
    description:
      "Time of the balances, at most the latest time for which the index is complete. Blocks of that second are included. Default: after the last indexed block, with locks and stakes as of now.",
  })
  blockTimestamp?: string | null;
}
