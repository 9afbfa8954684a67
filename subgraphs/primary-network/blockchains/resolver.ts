import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { Json } from "../../shared/schema/output-scalar.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { chainIdText } from "../networks/chains.ts";
import { Subnet } from "../subnets/types.ts";
import { Blockchain, BlockchainArgs, Chain } from "./types.ts";

@Resolver(() => Blockchain)
export class BlockchainResolver {
  @Query(() => Blockchain, { nullable: true, description: "One blockchain by ID. Null if it is not indexed." })
  async blockchain(
    @Args(() => BlockchainArgs) args: BlockchainArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Blockchain | null> {
    const served = await networks.require(args.network, "P");
    const alias = (["P", "X", "C"] as const).find((chain) => PRIMARY_CHAIN_ALIASES[chain] === args.blockchainId);
    const text = alias ? chainIdText(served, alias) : args.blockchainId;
    return load.blockchain({ network: served.network, blockchainId: parseIdParameter("blockchainId", text) });
  }

  @FieldResolver(() => Json, {
    nullable: true,
    description:
      'Genesis. For an EVM chain, the members that the REST specification names; for any other chain `{"encoding": "hex", "data": "0x…"}`. Null for the P-Chain.',
  })
  async genesisData(@Root() { key }: Blockchain, @Ctx() { load }: PrimaryContext): Promise<object | null> {
    const [genesis] = await load.genesis([key.networkId, bytea(key.blockchainId)]);
    return genesis ?? null;
  }

  @FieldResolver(() => Subnet, { description: "Subnet that validates it." })
  subnet(@Root() { network, subnetId }: Blockchain, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network, subnetId });
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description:
      "The EVM chain that this installation serves for this blockchain. The two are matched by blockchain ID. If the configuration of the EVM chain has no blockchain ID, they are matched by EVM chain ID. Null if no EVM chain matches.",
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
    description:
      "The EVM chain as the P-Chain registers it. Null if the chain's network is not served, if the configuration does not have the chain's blockchain ID, or if the blockchain is not indexed yet.",
  })
  async blockchain(
    @Root() { chainId }: Chain,
    @Ctx() { networks, servedChains, load }: PrimaryContext,
  ): Promise<Blockchain | null> {
    const found = servedChains.blockchainOf(chainId);
    return found && (await networks.get(found.network, "P")) && load.blockchain(found);
  }
}

/** Resolves a federated reference to a blockchain. */
export async function resolveBlockchainReference(
  key: { readonly network: NetworkName; readonly blockchainId: unknown },
  { networks, load }: PrimaryContext,
): Promise<Blockchain | null> {
  const found = await networks.get(key.network, "P");
  const blockchainId = parseIdParameter("blockchainId", String(key.blockchainId));
  return found && load.blockchain({ network: found.network, blockchainId });
}

/** Resolves a federated reference to an EVM chain. */
export async function resolveChainReference({ chainId }: { readonly chainId: unknown }): Promise<Chain> {
  return { chainId: String(chainId) };
}
