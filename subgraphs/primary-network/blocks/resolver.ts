import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
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
    const { nodeId, startTimestamp = null, endTimestamp = null } = args;
    const filter = {
      chain,
      startTimestamp,
      endTimestamp,
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
