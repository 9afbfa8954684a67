import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { NetworkName } from "../../shared/network-name.ts";
import { bytea } from "../../shared/rows.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { Json } from "../identifiers/scalars.ts";
import { ALIASES, chainIdText } from "../networks/chains.ts";
import { Subnet } from "../subnets/types.ts";
import { Blockchain, BlockchainArgs, Chain } from "./types.ts";

@Resolver(() => Blockchain)
export class BlockchainResolver {
  @Query(() => Blockchain, { nullable: true, description: "One blockchain; null when it is not indexed." })
  async blockchain(
    @Args(() => BlockchainArgs) args: BlockchainArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Blockchain | null> {
    const served = await networks.find(args.network);
    const alias = (["P", "X", "C"] as const).find((chain) => ALIASES[chain] === args.blockchainId);
    const text = alias ? chainIdText(served, alias) : args.blockchainId;
    return load.blockchain({ network: served.network, blockchainId: parseIdParameter("blockchainId", text) });
  }

  @FieldResolver(() => Json, {
    nullable: true,
    description:
      'Its genesis: of an EVM chain what the contract names of it, of any other `{"encoding": "hex", "data": "0x…"}`. Null of the P-Chain.',
  })
  async genesisData(@Root() { key }: Blockchain, @Ctx() { load }: PrimaryContext): Promise<object | null> {
    const [genesis] = await load.genesis([key.networkId, bytea(key.blockchainId)]);
    return genesis ?? null;
  }

  @FieldResolver(() => Subnet, { description: "The subnet that validates it." })
  subnet(@Root() { network, subnetId }: Blockchain, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network, subnetId });
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "The same as an EVM chain; null when it is not served as one.",
  })
  chain(@Root() blockchain: Blockchain, @Ctx() { servedChains }: PrimaryContext): Chain | null {
    const chainId = servedChains.chainIdOf(blockchain);
    return chainId === null ? null : { chainId };
  }
}

@Resolver(() => Chain)
export class ChainBlockchainResolver {
  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "The same as the P-Chain knows it; null where it is not indexed or not said which blockchain it is.",
  })
  async blockchain(
    @Root() { chainId }: Chain,
    @Ctx() { networks, servedChains, load }: PrimaryContext,
  ): Promise<Blockchain | null> {
    const found = servedChains.blockchainOf(chainId);
    return found && (await networks.get(found.network)) && load.blockchain(found);
  }
}

/** The blockchain that another subgraph names. */
export async function resolveBlockchainReference(
  key: { readonly network: NetworkName; readonly blockchainId: unknown },
  { networks, load }: PrimaryContext,
): Promise<Blockchain | null> {
  const found = await networks.get(key.network);
  const blockchainId = parseIdParameter("blockchainId", String(key.blockchainId));
  return found && load.blockchain({ network: found.network, blockchainId });
}

/** The EVM chain that another subgraph names. */
export async function resolveChainReference({ chainId }: { readonly chainId: unknown }): Promise<Chain> {
  return { chainId: String(chainId) };
}
