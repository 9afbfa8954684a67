import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { formatAddress } from "../../../core/bech32.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/primary-chains.ts";
import { Chain } from "../chains/types.ts";
import type { MetricsContext } from "../context.ts";
import { Contract, Erc20Token } from "./evm-types.ts";
import { EvmAddress, NftCollection, PrimaryNetworkAddress, SearchArgs, SearchResults } from "./types.ts";

@Resolver()
export class SearchResolver {
  @Query(() => SearchResults, {
    description: "Find what a text names, on every configured EVM chain and primary network.",
  })
  search(@Args(() => SearchArgs) args: SearchArgs, @Ctx() { search }: MetricsContext): Promise<SearchResults> {
    return search.search(args.text, args.size);
  }
}

@Resolver(() => EvmAddress)
export class EvmAddressResolver {
  @FieldResolver(() => Chain, { nullable: true, description: "Chain of the address." })
  chain(@Root() { chainId }: EvmAddress): Chain {
    return { chainId };
  }

  @FieldResolver(() => Contract, {
    nullable: true,
    description:
      "Contract at the address; null if neither its creation nor a token transfer that it emitted is indexed.",
  })
  contract(@Root() { chainId, address, isContract }: EvmAddress): Contract | null {
    return isContract ? { chainId, address } : null;
  }

  @FieldResolver(() => Erc20Token, {
    nullable: true,
    description: "ERC-20 token at the address; null if it has emitted no ERC-20 transfer.",
  })
  erc20Token(@Root() { chainId, address, isErc20Token }: EvmAddress): Erc20Token | null {
    return isErc20Token ? { chainId, address } : null;
  }
}

@Resolver(() => NftCollection)
export class NftCollectionResolver {
  @FieldResolver(() => Chain, { nullable: true, description: "Chain of the contract." })
  chain(@Root() { chainId }: NftCollection): Chain {
    return { chainId };
  }

  @FieldResolver(() => Contract, { nullable: true, description: "The contract." })
  contract(@Root() { chainId, address }: NftCollection): Contract {
    return { chainId, address };
  }
}

@Resolver(() => PrimaryNetworkAddress)
export class PrimaryNetworkAddressResolver {
  @FieldResolver(() => String, { description: "The address in Bech32, without a chain." })
  bech32Address(@Root() { hrp, owner }: PrimaryNetworkAddress): string {
    return formatAddress({ chain: null, prefix: hrp, address: owner.slice(2) });
  }

  @FieldResolver(() => [String], {
    description: "Chains on which the address is known: `p-chain`, `x-chain`, `c-chain`.",
  })
  chainNames(@Root() { chains }: PrimaryNetworkAddress): string[] {
    return [...chains].map((chain) => PRIMARY_CHAIN_ALIASES[chain as PrimaryChain]);
  }
}
