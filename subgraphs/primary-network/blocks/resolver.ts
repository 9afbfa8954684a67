import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors.ts";
import { Quantity } from "../../../core/scalars.ts";
import type { NetworkName } from "../../shared/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import { findChain } from "../networks/chains.ts";
import { chainInfo } from "../networks/types.ts";
import {
  BlockTransactionPage,
  BlockTransactionsArgs,
  PrimaryNetworkBlock,
  PrimaryNetworkBlockArgs,
  PrimaryNetworkBlockPage,
  PrimaryNetworkBlocksArgs,
} from "./types.ts";

@Resolver(() => PrimaryNetworkBlock)
export class PrimaryNetworkBlockResolver {
  @Query(() => PrimaryNetworkBlockPage, {
    description:
      "The latest indexed blocks of a chain of a primary network, newest first. Of C those that the node's index gives.",
  })
  async primaryNetworkBlocks(
    @Args(() => PrimaryNetworkBlocksArgs) args: PrimaryNetworkBlocksArgs,
    @Ctx() { networks, primaryBlocks }: PrimaryContext,
  ): Promise<PrimaryNetworkBlockPage> {
    const network = await networks.find(args.network);
    const { nodeId, startTimestamp = null, endTimestamp = null } = args;
    const filter = {
      chain: findChain(network, args.blockchainId),
      startTimestamp,
      endTimestamp,
      nodeId: nodeId ? parseNodeIdParameter("nodeId", nodeId) : null,
    };
    const { items, nextPageToken } = await primaryBlocks.page(network, filter, args);
    return { nextPageToken, blocks: items, chainInfo: chainInfo(network, filter.chain) };
  }

  @Query(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "One block, by number or hash; null when it is not indexed.",
  })
  async primaryNetworkBlock(
    @Args(() => PrimaryNetworkBlockArgs) args: PrimaryNetworkBlockArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkBlock | null> {
    const served = await networks.find(args.network);
    const { network } = served;
    const chain = findChain(served, args.blockchainId);
    const { blockNumber, blockHash } = args;
    if (!blockNumber && !blockHash)
      throw new Failure("INVALID_PARAMETER", "blockNumber or blockHash must be given, got neither");
    const block = blockHash
      ? await load.primaryBlockByHash({ network, chain, blockHash: parseIdParameter("blockHash", blockHash) })
      : await load.primaryBlockByNumber({ network, chain, blockNumber: blockNumber ?? "" });
    return !blockNumber || block?.blockNumber === blockNumber ? block : null;
  }

  @FieldResolver(() => BlockTransactionPage, { description: "Its transactions, in its order; on C the atomic ones." })
  async transactions(
    @Root() { network, place }: PrimaryNetworkBlock,
    @Args(() => BlockTransactionsArgs) args: BlockTransactionsArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<BlockTransactionPage> {
    const { networkId, chain, blockTimestamp, blockNumber } = place;
    const parent = [networkId, chain, blockTimestamp, blockNumber];
    const { items, nextPageToken } = await load.transactionsOfPrimaryBlock(parent, args);
    const found = await Promise.all(items.map(({ txHash }) => load.transaction({ network, txHash })));
    return { nextPageToken, transactions: found.filter((one) => one !== null) };
  }
}

/** The block that another subgraph names by number or hash. */
export async function resolvePrimaryBlockReference(
  key: {
    readonly network: NetworkName;
    readonly chainName: string;
    readonly blockNumber?: unknown;
    readonly blockHash?: string;
  },
  { networks, load }: PrimaryContext,
): Promise<PrimaryNetworkBlock | null> {
  const served = await networks.get(key.network);
  if (!served) return null;
  const { network } = served;
  const chain = findChain(served, key.chainName);
  return key.blockHash === undefined
    ? load.primaryBlockByNumber({ network, chain, blockNumber: Quantity.parseValue(key.blockNumber) })
    : load.primaryBlockByHash({ network, chain, blockHash: parseIdParameter("blockHash", key.blockHash) });
}
