import { Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import { NODE_CALL_COST } from "../../shared/evm-node/node-call-cost.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Deployment, DeploymentConnection } from "../deployments/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { requireHead } from "../evm-addresses/require-head.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { NestedPageArgs } from "../transactions/types.ts";
import { Contract, ContractArgs } from "./types.ts";

@Resolver(() => Contract)
export class ContractResolver {
  @Query(() => Contract, {
    nullable: true,
    description: `Get a contract. Null if neither the creation of the contract nor a token transfer that it emitted is indexed. The creation of a contract by another contract is indexed only if the block is traced; see \`Capability.TRACES\`. ${UNINDEXED_CHAIN}`,
  })
  async contract(
    @Args(() => ContractArgs) { chainId: chainIdText, address }: ContractArgs,
    @Ctx() context: EvmContext,
  ): Promise<Contract | null> {
    const chainId = findChainId(chainIdText, context);
    return (await context.load.contract({ chainId, address })) ?? nullIfIndexed(chainId, context);
  }

  @Mutation(() => Boolean, {
    description:
      "Schedule another read of the name, symbol and decimals of a contract that emitted token transfers. The read runs in the background, at the earliest one minute after the previous attempt. Until it succeeds, the previous values are kept. Always returns true. Fails with `NOT_FOUND` if the chain is not configured or no token transfer of the contract is indexed. Fails with `UNAVAILABLE` until the first block of the chain is indexed.",
  })
  async reindexContract(
    @Args(() => ContractArgs) { chainId, address }: ContractArgs,
    @Ctx() context: EvmContext,
  ): Promise<boolean> {
    await context.contracts.reindex({ chainId: findChainId(chainId, context), address }, context.work);
    return true;
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the contract; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: Contract, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => Deployment, {
    nullable: true,
    description:
      "Latest deployment of the contract. Null if none is indexed: the contract is in the genesis, or another contract created it in a block that is not traced; see `Chain.capabilities`.",
  })
  async deployment(@Root() contract: Contract, @Ctx() { load }: EvmContext): Promise<Deployment | null> {
    return (await load.deploymentsOfContract(keyOf(contract), { size: 1 })).nodes[0] ?? null;
  }

  @FieldResolver(() => DeploymentConnection, {
    nullable: true,
    description:
      "All deployments of the contract, newest first. A contract that destroyed itself can be deployed again. Null if no deployment is indexed and some blocks of the chain are not traced; `Chain.capabilities` has the reason.",
  })
  async deployments(
    @Root() contract: Contract,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() context: EvmContext,
  ): Promise<DeploymentConnection | null> {
    const { load } = context;
    const page = await pageOfIndexed(contract.chainId, load.deploymentsOfContract(keyOf(contract), args), context);
    return page.nodes.length > 0 || args.cursor || (await isFullyTraced(contract, load)) ? page : null;
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: `The contract to which this one passes its calls now, if it is a proxy: by the latest event \`Upgraded\` or \`BeaconUpgraded\` (EIP-1967), or by the code with which it was created (EIP-1167). If no deployment of the contract is indexed, the chain's node is asked for its storage and code. Null if it is no such proxy; null, with an error, if the node cannot tell. ${NODE_CALL_COST}`,
  })
  async implementation(@Root() contract: Contract, @Ctx() context: EvmContext): Promise<EvmAddress | null> {
    const { chainId, address } = contract;
    const indexed = await context.load.implementation({ chainId, address });
    if (indexed) return { chainId, address: indexed.implementation };
    if ((await context.load.deploymentsOfContract(keyOf(contract), { size: 1 })).nodes.length > 0) return null;
    const chain = context.configuredChains.require(chainId);
    const found = await context.findImplementation(chain, await requireHead(chainId, context), address);
    return found === null ? null : { chainId, address: found };
  }

  @FieldResolver(() => Erc20Token, {
    nullable: true,
    description: "ERC-20 token at the address; null if the contract emitted no ERC-20 transfer.",
  })
  erc20Token(@Root() { chainId, address }: Contract, @Ctx() { load }: EvmContext): Promise<Erc20Token | null> {
    return load.erc20Token({ chainId, address });
  }
}

/** True if every indexed block of the contract's chain is traced. */
async function isFullyTraced({ chainId }: Contract, load: EvmContext["load"]): Promise<boolean> {
  const traces = (await load.capabilities({ chainId }))?.capabilities.find(({ capability }) => capability === "traces");
  return traces?.isOn === true && traces.missingBlocks === "0";
}

const keyOf = ({ chainId, address }: Contract): readonly string[] => [chainId, bytea(address)];

/** Resolves a contract by its federation key. */
export async function resolveContractReference(
  key: { readonly chainId: string; readonly address: unknown },
  context: EvmContext,
): Promise<Contract | null> {
  const chainId = referencedChainId(key, context);
  return chainId === null ? null : context.load.contract({ chainId, address: Address.parseValue(key.address) });
}
