import { Arg, Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { AddressBalances } from "../balances/types.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorConnection, DelegatorsBelowArgs } from "../delegators/types.ts";
import { addressText, parseAddresses } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { HistoricalRewardConnection, RewardsBelowArgs } from "../rewards/types.ts";
import { keyOfList } from "../stakers/nested-list.ts";
import { AddressTransactionConnection } from "../transactions/types.ts";
import { PrimaryNetworkUtxoConnection } from "../utxos/types.ts";
import { ValidatorConnection, ValidatorsBelowArgs } from "../validators/types.ts";
import { OnChainArgs, PrimaryNetworkAddress, PrimaryNetworkAddressArgs } from "./types.ts";

/** Every list fails alone: a chain that is not indexed yet does not make the others null. */
@Resolver(() => PrimaryNetworkAddress)
export class PrimaryNetworkAddressResolver {
  @Query(() => PrimaryNetworkAddress, {
    description: "An address of a primary network. Lists of an address that is not known are empty.",
  })
  async primaryNetworkAddress(
    @Args(() => PrimaryNetworkAddressArgs) { network, address }: PrimaryNetworkAddressArgs,
    @Ctx() { networks }: PrimaryContext,
  ): Promise<PrimaryNetworkAddress> {
    return addressOf(await networks.require(network), address);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => [String], {
    nullable: true,
    description:
      "Chains on which the address is known: `p-chain`, `x-chain`, `c-chain`. It is known by a transaction, by an output, or by a stake whose rewards it owns.",
  })
  async chainNames(
    @Root() { network, address }: PrimaryNetworkAddress,
    @Ctx() context: PrimaryContext,
  ): Promise<string[]> {
    const served = await context.networks.require(network, "P", "X", "C");
    const found = await context.load.chainsOfAddress({ network, address: hexOf(served, address) });
    return (found?.chains ?? []).map((chain) => PRIMARY_CHAIN_ALIASES[chain]);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => AddressBalances, {
    nullable: true,
    description:
      "Current balances on a chain. For the balances at a time, and for those of several addresses together, see `primaryNetworkBalances`.",
  })
  async balances(
    @Root() { network: name, address }: PrimaryNetworkAddress,
    @Arg("blockchainId", () => String, {
      description: "`p-chain`, `x-chain`, `c-chain`, or a blockchain ID as CB58 or hex.",
    })
    blockchainId: string,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<AddressBalances | null> {
    const { network, chain } = await networks.requireChain(name, blockchainId);
    return load.balances({ network: network.network, chain, address: hexOf(network, address) });
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => PrimaryNetworkUtxoConnection, {
    nullable: true,
    description:
      "Unspent outputs of the address that the chain can consume, newest first: also staked and locked ones, those with several owners, and those that another chain has exported to it.",
  })
  async unspentUtxos(
    @Root() root: PrimaryNetworkAddress,
    @Args(() => OnChainArgs) args: OnChainArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<PrimaryNetworkUtxoConnection> {
    return context.load.utxosOfAddress(await onChain(root, args, context), args);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => AddressTransactionConnection, {
    nullable: true,
    description:
      "Transactions of the chain that consume or create an output of the address, newest first. For those of a type or a time, see `primaryNetworkTransactions`.",
  })
  async transactions(
    @Root() root: PrimaryNetworkAddress,
    @Args(() => OnChainArgs) args: OnChainArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<AddressTransactionConnection> {
    const { load } = context;
    const { network } = root;
    const page = await load.transactionsOfAddress(await onChain(root, args, context), args);
    return page.withFound(await Promise.all(page.nodes.map(({ txHash }) => load.transaction({ network, txHash }))));
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => ValidatorConnection, {
    nullable: true,
    description:
      "Validations whose rewards or delegation fees the address owns, latest start first. For those whose stake it owns, see the staked outputs of `unspentUtxos`.",
  })
  async validators(
    @Root() root: PrimaryNetworkAddress,
    @Args(() => ValidatorsBelowArgs) args: ValidatorsBelowArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<ValidatorConnection> {
    const parent = [...(await onPChain(root, context)), ...keyOfList(args.filter?.status)];
    return context.load.validatorsOfOwner(parent, args);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => DelegatorConnection, {
    nullable: true,
    description: "Delegations whose rewards the address owns, latest start first.",
  })
  async delegators(
    @Root() root: PrimaryNetworkAddress,
    @Args(() => DelegatorsBelowArgs) args: DelegatorsBelowArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<DelegatorConnection> {
    const parent = [...(await onPChain(root, context)), ...keyOfList(args.filter?.status)];
    return context.load.delegatorsOfOwner(parent, args);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => HistoricalRewardConnection, {
    nullable: true,
    description: "Rewards that were paid to the address, latest end of the stake first.",
  })
  async rewards(
    @Root() root: PrimaryNetworkAddress,
    @Args(() => RewardsBelowArgs) args: RewardsBelowArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<HistoricalRewardConnection> {
    return context.load.rewardsOfOwner(await onPChain(root, context), args);
  }
}

/** `0x` hex of an address. Throws `INVALID_PARAMETER`. */
function hexOf(served: ServedNetwork, address: string): string {
  const [hex = ""] = parseAddresses(served, [address], { name: "address" });
  return hex;
}

/** The address in the form of answers. */
function addressOf(served: ServedNetwork, address: string): PrimaryNetworkAddress {
  return { network: served.network, address: addressText(served, hexOf(served, address)) };
}

/** Key of the lists of an address on the P-Chain. Throws like `Networks.require`. */
async function onPChain({ network, address }: PrimaryNetworkAddress, { networks }: PrimaryContext): Promise<string[]> {
  const served = await networks.require(network, "P");
  return [served.networkId, bytea(hexOf(served, address))];
}

/** Key of the lists of an address on one chain. Throws like `Networks.requireChain`. */
async function onChain(
  { network: name, address }: PrimaryNetworkAddress,
  { blockchainId }: OnChainArgs,
  { networks }: PrimaryContext,
): Promise<string[]> {
  const { network, chain } = await networks.requireChain(name, blockchainId);
  return [network.networkId, chain, bytea(hexOf(network, address))];
}

/** Resolves a federated reference to an address. */
export async function resolvePrimaryAddressReference(
  key: { readonly network: NetworkName; readonly address: unknown },
  { networks }: PrimaryContext,
): Promise<PrimaryNetworkAddress | null> {
  const served = await networks.get(key.network);
  return served && addressOf(served, String(key.address));
}
