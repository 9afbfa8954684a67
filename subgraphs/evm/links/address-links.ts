import { Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { RichAddress } from "../addresses/types.ts";
import { UtilityAddresses } from "../chains/types.ts";
import { Contract } from "../contracts/types.ts";
import { Deployment } from "../deployments/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { EvmLog } from "../logs/types.ts";
import { NativeTokenBalanceAt } from "../native-balances/types.ts";
import { NftCollection } from "../nft-collections/types.ts";

interface WithAddress {
  readonly chainId: string;
  readonly address: string;
}

/** Makes the resolver class of the field `evmAddress` of a type, which reads nothing. */
function linkToAddress(Type: new () => WithAddress) {
  @Resolver(() => Type)
  class AddressLink {
    @Directive("@semanticNonNull")
    @FieldResolver(() => EvmAddress, { nullable: true, description: "The address with all that is known of it." })
    evmAddress(@Root() { chainId, address }: WithAddress): EvmAddress {
      return { chainId, address };
    }
  }
  return AddressLink;
}

/** The links from objects that have an address. */
export const ADDRESS_LINKS = [
  RichAddress,
  EvmLog,
  Contract,
  Deployment,
  Erc20Token,
  NftCollection,
  NativeTokenBalanceAt,
].map(linkToAddress);

@Resolver(() => UtilityAddresses)
export class UtilityAddressLinks {
  @FieldResolver(() => EvmAddress, { nullable: true, description: "The address `multicall`; null without it." })
  multicallEvmAddress(@Root() { chainId, multicall }: UtilityAddresses): EvmAddress | null {
    return multicall ? { chainId, address: multicall } : null;
  }
}
