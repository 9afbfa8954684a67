import { Ctx, Directive, FieldResolver, Resolver, Root } from "type-graphql";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { blockchainIdOf } from "../icm-events/teleporter.ts";
import { IcmEvent, TeleporterMessageInfo } from "../icm-events/types.ts";
import { blockchainIdIn, configuredEnd, destinationOf, type MessageEnd, sourceOf } from "../icm-messages/ends.ts";
import { IcmMessage } from "../icm-messages/types.ts";
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

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The contract `feeToken`, on the chain of the event. Null if the event has none.",
  })
  feeTokenEvmAddress(@Root() { chainId, feeToken }: IcmEvent): EvmAddress | null {
    return addressOn(chainId, feeToken);
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The address `relayer`, on the chain of the event. Null if the event has none.",
  })
  relayerEvmAddress(@Root() { chainId, relayer }: IcmEvent): EvmAddress | null {
    return addressOn(chainId, relayer);
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

/** What an interchain message names on its source and on its destination. */
@Resolver(() => IcmMessage)
class IcmMessageLinks {
  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The address `originSender`. Null if it is not known, or if the source chain is not configured.",
  })
  originSenderEvmAddress(@Root() message: IcmMessage, @Ctx() context: EvmContext): EvmAddress | null {
    return addressOn(chainIdOf(sourceOf(message), context), message.originSender);
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description:
      "The address `destinationAddress`. Null if it is not known, or if the destination chain is not configured.",
  })
  destinationEvmAddress(@Root() message: IcmMessage, @Ctx() context: EvmContext): EvmAddress | null {
    return addressOn(chainIdOf(destinationOf(message), context), message.destinationAddress);
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The contract `feeToken`. Null if there is none, or if the source chain is not configured.",
  })
  feeTokenEvmAddress(@Root() message: IcmMessage, @Ctx() context: EvmContext): EvmAddress | null {
    return addressOn(chainIdOf(sourceOf(message), context), message.feeToken);
  }

  @FieldResolver(() => EvmAddress, {
    nullable: true,
    description: "The address `relayer`. Null until the message is received.",
  })
  relayerEvmAddress(@Root() message: IcmMessage, @Ctx() context: EvmContext): EvmAddress | null {
    return addressOn(chainIdOf(destinationOf(message), context), message.relayer);
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description:
      "The source chain, as the P-Chain registers it. Null if its id is not known, or if neither chain is configured.",
  })
  sourceBlockchain(@Root() message: IcmMessage, @Ctx() context: EvmContext): Blockchain | null {
    return blockchainOf(message, sourceOf(message), context);
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description:
      "The destination chain, as the P-Chain registers it. Null if its id is not known, or if neither chain is configured.",
  })
  destinationBlockchain(@Root() message: IcmMessage, @Ctx() context: EvmContext): Blockchain | null {
    return blockchainOf(message, destinationOf(message), context);
  }
}

/** EVM chain id of an end of a message; null if it is not configured. */
function chainIdOf(end: MessageEnd, context: EvmContext): string | null {
  const chain = configuredEnd(end, context);
  return chain && String(chain.chainId);
}

/** Both ends of a message are chains of one network. */
function blockchainOf(message: IcmMessage, end: MessageEnd, context: EvmContext): Blockchain | null {
  const blockchainId = blockchainIdIn(end, context);
  const chain = configuredEnd(sourceOf(message), context) ?? configuredEnd(destinationOf(message), context);
  return chain && blockchainId !== null ? { network: chain.network, blockchainId } : null;
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
  @Directive("@semanticNonNull")
  @FieldResolver(() => IcmMessage, { nullable: true, description: "The message with both of its ends." })
  teleporterMessage(
    @Root() { teleporterMessageId }: TeleporterMessageInfo,
    @Ctx() { load }: EvmContext,
  ): Promise<IcmMessage | null> {
    return load.icmMessage({ messageId: teleporterMessageId });
  }

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
export const MESSAGE_LINKS = [IcmEventLinks, IcmMessageLinks, TeleporterMessageLinks];
