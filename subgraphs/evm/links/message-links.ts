import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { blockchainIdOf } from "../icm-events/teleporter.ts";
import { IcmEvent, TeleporterMessageInfo } from "../icm-events/types.ts";
import { Blockchain } from "./blockchain.ts";

/** What an event of an interchain message names: contracts and accounts on both chains, and the other chain. */
@Resolver(() => IcmEvent)
class IcmEventLinks {
  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, { nullable: true, description: "The address `messenger`." })
  messengerEvmAddress(@Root() { chainId, messenger }: IcmEvent): EvmAddress {
    return { chainId, address: messenger };
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description:
      "The address `originSender`, on the chain that sent the message. Null if the event has none, or if that chain is not configured.",
  })
  originSenderEvmAddress(@Root() event: IcmEvent, @Ctx() context: EvmContext): EvmAddress | null {
    const isReceived = event.direction === "DESTINATION_TRANSACTION";
    return addressOn(isReceived ? otherChainId(event, context) : event.chainId, event.originSender);
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description:
      "The address `destinationAddress`, on the chain that receives the message. Null if the event has none, or if that chain is not configured.",
  })
  destinationEvmAddress(@Root() event: IcmEvent, @Ctx() context: EvmContext): EvmAddress | null {
    const isReceived = event.direction === "DESTINATION_TRANSACTION";
    return addressOn(isReceived ? event.chainId : otherChainId(event, context), event.destinationAddress);
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description:
      "The blockchain at the other end of the message, as the P-Chain registers it. Null if the event has none, or if the chain of the event is no longer configured.",
  })
  blockchain(@Root() { chainId, ...event }: IcmEvent, @Ctx() { configuredChains }: EvmContext): Blockchain | null {
    const network = configuredChains.get(chainId)?.network;
    const blockchainId = blockchainIdOf(event.blockchainId);
    return network && blockchainId !== null ? { network, blockchainId } : null;
  }
}

const addressOn = (chainId: string | null, address: string | null): EvmAddress | null =>
  chainId === null || address === null ? null : { chainId, address };

/** EVM chain id of the chain at the other end of the message; null if the event has none, or if it is not configured. */
function otherChainId({ blockchainId }: IcmEvent, { configuredChains }: EvmContext): string | null {
  const other = configuredChains.get(blockchainIdOf(blockchainId) ?? "");
  return other && String(other.chainId);
}

@Resolver(() => TeleporterMessageInfo)
class TeleporterMessageLinks {
  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Source chain of a received message. Null if it is not configured, and for a sent message.",
  })
  sourceChain(@Root() { sourceChainId }: TeleporterMessageInfo, @Ctx() context: EvmContext): Promise<Chain | null> {
    return configuredChain(sourceChainId, context);
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Destination chain of a sent message. Null if it is not configured, and for a received message.",
  })
  destinationChain(
    @Root() { destinationChainId }: TeleporterMessageInfo,
    @Ctx() context: EvmContext,
  ): Promise<Chain | null> {
    return configuredChain(destinationChainId, context);
  }
}

async function configuredChain(chainId: string | null, { configuredChains, load }: EvmContext): Promise<Chain | null> {
  return chainId !== null && configuredChains.get(chainId) ? load.chain({ chainId }) : null;
}

/** The links from interchain messages. */
export const MESSAGE_LINKS = [IcmEventLinks, TeleporterMessageLinks];
