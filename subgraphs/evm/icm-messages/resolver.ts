import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { IcmEvent } from "../icm-events/types.ts";
import { blockchainIdIn, configuredEnd, destinationOf, type MessageEnd, sourceOf } from "./ends.ts";
import { IcmMessage, IcmMessageArgs } from "./types.ts";

@Resolver(() => IcmMessage)
export class IcmMessageResolver {
  @Query(() => IcmMessage, {
    nullable: true,
    description: "One interchain message by id. Null if no event of it is indexed.",
  })
  icmMessage(
    @Args(() => IcmMessageArgs) { messageId }: IcmMessageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<IcmMessage | null> {
    return load.icmMessage({ messageId });
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Blockchain id of the source chain, in CB58. Null if neither an event nor the configuration has it.",
  })
  sourceBlockchainId(@Root() message: IcmMessage, @Ctx() context: EvmContext): string | null {
    return blockchainIdIn(sourceOf(message), context);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Blockchain id of the destination chain, in CB58. Null if neither an event nor the configuration has it.",
  })
  destinationBlockchainId(@Root() message: IcmMessage, @Ctx() context: EvmContext): string | null {
    return blockchainIdIn(destinationOf(message), context);
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Source chain. Null if it is not configured." })
  sourceChain(@Root() message: IcmMessage, @Ctx() context: EvmContext): Promise<Chain | null> | null {
    return chainIn(sourceOf(message), context);
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Destination chain. Null if it is not configured." })
  destinationChain(@Root() message: IcmMessage, @Ctx() context: EvmContext): Promise<Chain | null> | null {
    return chainIn(destinationOf(message), context);
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description: "Event that sent it. Null if the source chain is not indexed.",
  })
  sentEvent(@Root() { row }: IcmMessage, @Ctx() context: EvmContext): Promise<IcmEvent | null> | null {
    return eventAt(row.sourceChainId, row.sentBlockNumber, row.sentLogIndex, context);
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description: "Event that received it. Null: not yet, or the destination is not indexed.",
  })
  receivedEvent(@Root() { row }: IcmMessage, @Ctx() context: EvmContext): Promise<IcmEvent | null> | null {
    return eventAt(row.destinationChainId, row.receivedBlockNumber, row.receivedLogIndex, context);
  }

  @FieldResolver(() => IcmEvent, { nullable: true, description: "First event that executed it. Null: not yet." })
  executedEvent(@Root() { row }: IcmMessage, @Ctx() context: EvmContext): Promise<IcmEvent | null> | null {
    return eventAt(row.destinationChainId, row.executedBlockNumber, row.executedLogIndex, context);
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description: "First event by which its execution failed. Null: it did not fail.",
  })
  failedEvent(@Root() { row }: IcmMessage, @Ctx() context: EvmContext): Promise<IcmEvent | null> | null {
    return eventAt(row.destinationChainId, row.failedBlockNumber, row.failedLogIndex, context);
  }
}

@Resolver(() => IcmEvent)
export class MessageOfIcmEventResolver {
  @FieldResolver(() => IcmMessage, {
    nullable: true,
    description: "The message with both of its ends. Null for `SendWarpMessage`, whose id is that of a warp message.",
  })
  message(@Root() { event, messageId }: IcmEvent, @Ctx() { load }: EvmContext): Promise<IcmMessage | null> | null {
    return event === "SendWarpMessage" ? null : load.icmMessage({ messageId });
  }
}

function chainIn(end: MessageEnd, context: EvmContext): Promise<Chain | null> | null {
  const found = configuredEnd(end, context);
  return found && context.load.chain({ chainId: String(found.chainId) });
}

function eventAt(
  chainId: string | null,
  blockNumber: string | null,
  logIndex: number | null,
  { load }: EvmContext,
): Promise<IcmEvent | null> | null {
  if (chainId === null || blockNumber === null || logIndex === null) return null;
  return load.icmEvent({ chainId, blockNumber, logIndex });
}

/** Resolves a message by its federation key. */
export function resolveIcmMessageReference(
  { messageId }: { readonly messageId: string },
  { load }: EvmContext,
): Promise<IcmMessage | null> {
  return load.icmMessage({ messageId: messageId.toLowerCase() });
}
