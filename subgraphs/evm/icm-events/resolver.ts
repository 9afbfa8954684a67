import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";
import { parseIndex } from "../../shared/keyed-rows.ts";
import { EvmBlock } from "../blocks/types.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmTransaction } from "../transactions/types.ts";
import { blockchainIdOf } from "./teleporter.ts";
import { IcmEvent, IcmEventPage, IcmEventsArgs, type TransactionDirectionType } from "./types.ts";

@Resolver(() => IcmEvent)
export class IcmEventResolver {
  @Query(() => IcmEventPage, {
    description: "Everything that happened to an interchain message, on all chains that are served, oldest first.",
  })
  icmEvents(@Args(() => IcmEventsArgs) args: IcmEventsArgs, @Ctx() { icmEvents }: EvmContext): Promise<IcmEventPage> {
    return icmEvents.page(args);
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: IcmEvent, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: "Blockchain id of the other chain, in CB58; null when the event names none.",
  })
  blockchainId(@Root() { blockchainId }: IcmEvent): string | null {
    return blockchainIdOf(blockchainId);
  }

  @FieldResolver(() => Chain, { nullable: true, description: "The other chain, when it is served." })
  async otherChain(@Root() event: IcmEvent, @Ctx() { configured, load }: EvmContext): Promise<Chain | null> {
    const other = configured.get(this.blockchainId(event) ?? "");
    return other && load.chain({ chainId: String(other.chainId) });
  }

  @FieldResolver(() => EvmTransaction, { nullable: true, description: "The transaction that it happened in." })
  transaction(@Root() { chainId, txHash }: IcmEvent, @Ctx() { load }: EvmContext): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Its block." })
  block(@Root() { chainId, blockNumber }: IcmEvent, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByNumber({ chainId, blockNumber });
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description: "The first sending of its message, on whichever chain that is served.",
  })
  source(@Root() event: IcmEvent, @Ctx() context: EvmContext): Promise<IcmEvent | null> {
    return endOf(event, "SOURCE_TRANSACTION", context);
  }

  @FieldResolver(() => IcmEvent, {
    nullable: true,
    description: "The first receipt of its message, on whichever chain that is served.",
  })
  destination(@Root() event: IcmEvent, @Ctx() context: EvmContext): Promise<IcmEvent | null> {
    return endOf(event, "DESTINATION_TRANSACTION", context);
  }
}

async function endOf(
  { messageId }: IcmEvent,
  direction: TransactionDirectionType,
  { load }: EvmContext,
): Promise<IcmEvent | null> {
  return (await load.icmEnd({ messageId, direction }))?.event ?? null;
}

/** The event that another subgraph names. */
export async function resolveIcmEventReference(
  key: { readonly chainId: string; readonly blockNumber: unknown; readonly logIndex: unknown },
  { configured, load }: EvmContext,
): Promise<IcmEvent | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  if (!chainId) return null;
  const blockNumber = Quantity.parseValue(key.blockNumber);
  return load.icmEvent({ chainId, blockNumber, logIndex: parseIndex(key.logIndex) });
}
