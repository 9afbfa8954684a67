import { ArgsType, createUnionType, Field, Int, InterfaceType, ObjectType } from "type-graphql";
import { Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { AssetAmount } from "../assets/types.ts";
import { Id } from "../identifiers/scalars.ts";
import type { PrimaryChain } from "../networks/chains.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";
import type { BalancesAsked } from "./store.ts";

@ObjectType({ description: "What is owned of an asset.", simpleResolvers: true })
export class AssetBalance extends AssetAmount {
  @Field(() => Int, { description: "Number of outputs that it is made of." })
  utxoCount!: number;
}

@ObjectType({ description: "What is on its way from one chain to another.", simpleResolvers: true })
export class SharedAssetBalance extends AssetBalance {
  @Field(() => Id, {
    description: "The chain at the other end: that can import it, or that exported it.",
  })
  sharedWithChainId!: string;

  @Field(() => String, {
    description: "`pendingExport` of what this chain exported, `pendingImport` of what it can import.",
  })
  status!: string;
}

@InterfaceType({ description: "What the balances on every chain have." })
export abstract class AtomicMemory {
  chain!: PrimaryChain;

  @Field(() => [SharedAssetBalance], { description: "Exported by the chain and not imported yet." })
  atomicMemoryUnlocked!: SharedAssetBalance[];

  @Field(() => [SharedAssetBalance], { description: "The same, of outputs whose locktime has not come." })
  atomicMemoryLocked!: SharedAssetBalance[];
}

@InterfaceType({ description: "Balances on a chain that is made of outputs.", implements: AtomicMemory })
export abstract class OutputBalances extends AtomicMemory {
  @Field(() => [AssetBalance], { description: "What can be spent. A stake is, from its end on." })
  unlockedUnstaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Staked, and free at the end of the stake." })
  unlockedStaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Not staked, and not to be used before its locktime." })
  lockedPlatform!: AssetBalance[];

  @Field(() => [AssetBalance], {
    description: "Not staked, and to be used for nothing but staking before its locktime.",
  })
  lockedStakeable!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Staked, with a locktime that has not come." })
  lockedStaked!: AssetBalance[];

  @Field(() => [AssetBalance], { description: "Given to a stake that has not begun." })
  pendingStaked!: AssetBalance[];
}

@ObjectType({ description: "Balances on the P-Chain.", implements: OutputBalances, simpleResolvers: true })
export class PChainBalances extends OutputBalances {}

@ObjectType({
  description: "Balances on the X-Chain, where nothing is staked.",
  implements: OutputBalances,
  simpleResolvers: true,
})
export class XChainBalances extends OutputBalances {}

@ObjectType({
  description: "What the C-Chain has of outputs: those on their way to other chains.",
  implements: AtomicMemory,
  simpleResolvers: true,
})
export class CChainBalances extends AtomicMemory {}

export const PrimaryNetworkBalances = createUnionType({
  name: "PrimaryNetworkBalances",
  description: "Balances on a chain. Of a list that is empty there is nothing.",
  types: () => [PChainBalances, XChainBalances, CChainBalances] as const,
});
export type PrimaryNetworkBalances = PChainBalances | XChainBalances | CChainBalances;

@ObjectType({
  description: "What other chains have exported to a chain, which has not imported it.",
  simpleResolvers: true,
})
export class ImportableBalances {
  @Field(() => [SharedAssetBalance], { description: "What can be imported." })
  unlocked!: SharedAssetBalance[];

  @Field(() => [SharedAssetBalance], { description: "What can be imported from its locktime on." })
  locked!: SharedAssetBalance[];
}

@ObjectType({ description: "Balances of addresses together.", simpleResolvers: true })
export class AddressBalances {
  /** What was asked for. */
  asked!: BalancesAsked;

  @Field(() => PrimaryNetworkBalances, {
    description: "Balances; an output that several of the addresses own counts once.",
  })
  balances!: PrimaryNetworkBalances;

  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ArgsType()
export class AddressBalancesArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "The chain: `p-chain`, `x-chain`, `c-chain` or its id." })
  blockchainId!: string;

  @Field(() => String, { description: "Addresses in Bech32, with commas between them." })
  addresses!: string;

  @Field(() => Timestamp, {
    nullable: true,
    description:
      "The balances after the last block that was made by then. Absent: after the last indexed block, with locks and stakes as of now.",
  })
  blockTimestamp?: string | null;
}
