import { Args, Ctx, FieldResolver, Query, Resolver, Root, Subscription } from "type-graphql";
import { primaryChainName } from "../../../core/database/block-channels.ts";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import { findChain } from "../networks/chains.ts";
import { chainInfo } from "../networks/types.ts";
import {
  BlockTransactionConnection,
  BlockTransactionsArgs,
  PrimaryNetworkBlock,
  PrimaryNetworkBlockAddedArgs,
  PrimaryNetworkBlockArgs,
  PrimaryNetworkBlockConnection,
  PrimaryNetworkBlocksArgs,
} from "./types.ts";

@Resolver(() => PrimaryNetworkBlock)
export class PrimaryNetworkBlockResolver {
  @Query(() => PrimaryNetworkBlockConnection, {
    description:
      "Blocks of a chain, newest first. C-Chain blocks are listed only if the node from which this network is indexed provides them through its index API.",
  })
  async primaryNetworkBlocks(
    @Args(() => PrimaryNetworkBlocksArgs) args: PrimaryNetworkBlocksArgs,
    @Ctx() { networks, primaryBlocks, work }: PrimaryContext,
  ): Promise<PrimaryNetworkBlockConnection> {
    const network = await networks.require(args.network);
    const chain = findChain(network, args.blockchainId);
    const { nodeId, fromTime = null, toTime = null } = args.filter ?? {};
    const filter = {
      chain,
      startTimestamp: fromTime,
      endTimestamp: toTime,
      nodeId: nodeId ? parseNodeIdParameter("nodeId", nodeId) : null,
    };
    if (chain !== "C") await networks.requireIndexed(network, chain);
    const page = await primaryBlocks.page(network, filter, args, work);
    // Blocks of the C-Chain have an indexer of their own, which can be ahead of that of its atomic transactions.
    if (page.nodes.length === 0) await networks.requireIndexed(network, chain);
    return page.with({ chainInfo: chainInfo(network, chain) });
  }

  @Query(() => PrimaryNetworkBlock, {
    nullable: true,
    description:
      "One block by height or ID; one of the two is required. Null if it is not indexed. A C-Chain block is found only if the node from which this network is indexed provides C-Chain blocks through its index API.",
  })
  async primaryNetworkBlock(
    @Args(() => PrimaryNetworkBlockArgs) args: PrimaryNetworkBlockArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkBlock | null> {
    const served = await networks.require(args.network);
    const { network } = served;
    const chain = findChain(served, args.blockchainId);
    const { blockNumber, blockHash } = args;
    if (!blockNumber && !blockHash)
      throw new Failure("INVALID_PARAMETER", "blockNumber or blockHash must be given, got neither");
    const block = blockHash
      ? await load.primaryBlockByHash({ network, chain, blockHash: parseIdParameter("blockHash", blockHash) })
      : await load.primaryBlockByNumber({ network, chain, blockNumber: blockNumber ?? "" });
    if (!block) await networks.requireIndexed(served, chain);
    return !blockNumber || block?.blockNumber === blockNumber ? block : null;
  }

  @Subscription(() => PrimaryNetworkBlock, {
    description:
      "Sends each block of a P- or X-Chain when it is indexed, in order. Blocks of these chains are final. To a client that is more than 1,000 blocks behind, sends only the last 1,000 blocks. Begins with the next block, or with `fromBlock`: after a connection was lost, pass the number after the last block that you received.",
    subscribe: ({ args, context }) => followBlocks(args, context),
  })
  primaryNetworkBlockAdded(
    @Root() block: PrimaryNetworkBlock,
    @Args(() => PrimaryNetworkBlockAddedArgs) _args: PrimaryNetworkBlockAddedArgs,
  ): PrimaryNetworkBlock {
    return block;
  }

  @FieldResolver(() => BlockTransactionConnection, {
    description: "Transactions in block order; on the C-Chain, the atomic transactions.",
  })
  async transactions(
    @Root() { network, place }: PrimaryNetworkBlock,
    @Args(() => BlockTransactionsArgs) args: BlockTransactionsArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<BlockTransactionConnection> {
    const { networkId, chain, blockTimestamp, blockNumber } = place;
    const parent = [networkId, chain, blockTimestamp, blockNumber];
    const page = await load.transactionsOfPrimaryBlock(parent, args);
    return page.withFound(await Promise.all(page.nodes.map(({ txHash }) => load.transaction({ network, txHash }))));
  }
}

async function followBlocks(
  { network: name, blockchainId, fromBlock }: PrimaryNetworkBlockAddedArgs,
  { networks, blockSubscriptions, work }: PrimaryContext,
) {
  const { network, chain } = await networks.requireChain(name, blockchainId);
  if (chain === "C")
    throw new Failure(
      "INVALID_PARAMETER",
      `blockchainId must be a P- or X-Chain, got ${quoted(blockchainId)}: subscribe to the blocks of an EVM chain by blockAdded`,
    );
  return blockSubscriptions.subscribe(primaryChainName(network.networkId, chain), work, fromBlock);
}

/** Resolves a federated reference to a block, by height or by ID. */
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
  const block = await (key.blockHash === undefined
    ? load.primaryBlockByNumber({ network, chain, blockNumber: Quantity.parseValue(key.blockNumber) })
    : load.primaryBlockByHash({ network, chain, blockHash: parseIdParameter("blockHash", key.blockHash) }));
  if (!block) await networks.requireIndexed(served, chain);
  return block;
}
