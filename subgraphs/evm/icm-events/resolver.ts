import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { parseIndex } from "../../shared/rows/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { chainsOf } from "../ranged-lists/filters.ts";
import { timesOf } from "../ranged-lists/range.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { blockchainIdOf } from "./teleporter.ts";
import { IcmEvent, IcmEventConnection, IcmEventsArgs } from "./types.ts";

@Resolver(() => IcmEvent)
export class IcmEventResolver {
  @Query(() => IcmEventConnection, {
    description: "List the events of an interchain message on all configured chains, or on some, oldest first.",
  })
  icmEvents(@Args(() => IcmEventsArgs) args: IcmEventsArgs, @Ctx() context: EvmContext): Promise<IcmEventConnection> {
    const filter = args.filter ?? {};
    const list = { messageId: args.messageId, ...chainsOf(filter, context), times: timesOf(filter) };
    return context.icmEvents.page(list, args, context.work);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the event; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: IcmEvent, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Blockchain id, in CB58, of the chain at the other end of the message; null if the event has none.",
  })
  blockchainId(@Root() { blockchainId }: IcmEvent): string | null {
    return blockchainIdOf(blockchainId);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "The chain at the other end of the message; null if the event has none, or if it is not configured.",
  })
  async otherChain(@Root() event: IcmEvent, @Ctx() { configuredChains, load }: EvmContext): Promise<Chain | null> {
    const other = configuredChains.get(this.blockchainId(event) ?? "");
    return other && load.chain({ chainId: String(other.chainId) });
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction of the event." })
  transaction(@Root() { chainId, txHash }: IcmEvent, @Ctx() { load }: EvmContext): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the event." })
  block(@Root() { chainId, blockNumber }: IcmEvent, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description:
      "First `SendCrossChainMessage` event of the message, on any configured chain; null if none is indexed. Always null for a `SendWarpMessage` event.",
  })
  source(@Root() { messageId }: IcmEvent, @Ctx() { load }: EvmContext): Promise<IcmEvent | null> {
    return load.firstIcmEvent({ messageId, direction: "SOURCE_TRANSACTION" });
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description:
      "First event of the message with the direction `DESTINATION_TRANSACTION`, on any configured chain; null if none is indexed.",
  })
  destination(@Root() { messageId }: IcmEvent, @Ctx() { load }: EvmContext): Promise<IcmEvent | null> {
    return load.firstIcmEvent({ messageId, direction: "DESTINATION_TRANSACTION" });
  }
}

/** Resolves an event by its federation key. */
export async function resolveIcmEventReference(
  key: { readonly chainId: string; readonly blockNumber: unknown; readonly logIndex: unknown },
  context: EvmContext,
): Promise<IcmEvent | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  const blockNumber = Quantity.parseValue(key.blockNumber);
  return context.load.icmEvent({ chainId, blockNumber, logIndex: parseIndex(key.logIndex) });
}
