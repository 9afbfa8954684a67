import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/scalars.ts";
import { bytea } from "../../shared/rows.ts";
import { Chain } from "../chains/types.ts";
import { chainIdOf, type EvmContext } from "../context.ts";
import { Deployment, DeploymentPage } from "../deployments/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { NestedPageArgs } from "../transactions/types.ts";
import { Contract, ContractArgs } from "./types.ts";

@Resolver(() => Contract)
export class ContractResolver {
  @Query(() => Contract, {
    nullable: true,
    description:
      "One contract; null when neither its creation nor a transfer of a token by it is indexed. Contracts made by contracts are known where blocks have call trees: `Chain.capabilities` says whether.",
  })
  contract(
    @Args(() => ContractArgs) { chainId, address }: ContractArgs,
    @Ctx() context: EvmContext,
  ): Promise<Contract | null> {
    return context.load.contract({ chainId: chainIdOf(chainId, context), address });
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: Contract, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => Deployment, {
    nullable: true,
    description:
      "The last time that it came to be; null when that is not known, as of a contract of the genesis, or one that a contract made in a block without call trees: `Chain.capabilities` says whether there are such.",
  })
  async deployment(@Root() contract: Contract, @Ctx() { load }: EvmContext): Promise<Deployment | null> {
    return (await load.deploymentsOfContract(keyOf(contract), { size: 1 })).items[0] ?? null;
  }

  @FieldResolver(() => DeploymentPage, {
    nullable: true,
    description:
      "Every time that it came to be, newest first: it may have destroyed itself in between. Null when none is known and blocks lack the call trees that would tell: `Chain.capabilities` says why.",
  })
  async deployments(
    @Root() contract: Contract,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<DeploymentPage | null> {
    const { items, nextPageToken } = await load.deploymentsOfContract(keyOf(contract), args);
    if (items.length === 0 && !args.pageToken && !(await isTracedInFull(contract, load))) return null;
    return { nextPageToken, deployments: items };
  }

  @FieldResolver(() => Erc20Token, {
    nullable: true,
    description: "The ERC-20 token that it is; null when it is none.",
  })
  erc20Token(@Root() { chainId, address }: Contract, @Ctx() { load }: EvmContext): Promise<Erc20Token | null> {
    return load.token({ chainId, address });
  }
}

/** Whether every indexed block of its chain has call trees. */
async function isTracedInFull({ chainId }: Contract, load: EvmContext["load"]): Promise<boolean> {
  const traces = (await load.capabilities({ chainId }))?.capabilities.find(({ capability }) => capability === "traces");
  return traces?.isOn === true && traces.missingBlocks === "0";
}

const keyOf = ({ chainId, address }: Contract): readonly string[] => [chainId, bytea(address)];

/** The contract that another subgraph names. */
export async function resolveContractReference(
  key: { readonly chainId: string; readonly address: unknown },
  { configured, load }: EvmContext,
): Promise<Contract | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  return chainId ? load.contract({ chainId, address: Address.parseValue(key.address) }) : null;
}
