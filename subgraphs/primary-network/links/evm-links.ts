import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { isEvmAddress } from "../../../core/formats/address.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { PrimaryNetworkBlock } from "../blocks/types.ts";
import type { PrimaryContext } from "../context.ts";
import { L1ValidatorManagerDetails } from "../ownership/subnet-ownership.ts";
import { EvmInput, EvmOutput } from "../transactions/part-types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { Contract, EvmAddress, EvmBlock } from "./evm-types.ts";

const NO_EVM_CHAIN = "Null if the configuration has no EVM chain with the blockchain ID of the C-Chain.";

/** EVM chain ID under which the C-Chain of a network is served; null if it is not served. */
async function cChainOf(network: NetworkName, { networks, servedChains }: PrimaryContext): Promise<string | null> {
  const { cChainId: blockchainId } = await networks.require(network);
  return servedChains.chainIdOf({ network, blockchainId, evmChainId: null });
}

async function onCChain(network: NetworkName, address: string, context: PrimaryContext): Promise<EvmAddress | null> {
  const chainId = await cChainOf(network, context);
  return chainId === null ? null : { chainId, address };
}

async function evmBlock(
  network: NetworkName,
  blockNumber: string | null,
  context: PrimaryContext,
): Promise<EvmBlock | null> {
  const chainId = blockNumber === null ? null : await cChainOf(network, context);
  return chainId === null || blockNumber === null ? null : { chainId, blockNumber };
}

@Resolver(() => EvmInput)
class EvmInputLinks {
  @FieldResolver(() => EvmAddress, { nullable: true, description: `The account \`fromAddress\`. ${NO_EVM_CHAIN}` })
  from(@Root() { spent, fromAddress }: EvmInput, @Ctx() context: PrimaryContext): Promise<EvmAddress | null> {
    return onCChain(spent.network, fromAddress, context);
  }
}

@Resolver(() => EvmOutput)
class EvmOutputLinks {
  @FieldResolver(() => EvmAddress, { nullable: true, description: `The account \`toAddress\`. ${NO_EVM_CHAIN}` })
  to(@Root() { network, toAddress }: EvmOutput, @Ctx() context: PrimaryContext): Promise<EvmAddress | null> {
    return onCChain(network, toAddress, context);
  }
}

@Resolver(() => PrimaryNetworkTransaction)
class TransactionEvmLinks {
  @FieldResolver(() => EvmBlock, {
    nullable: true,
    description: `C-Chain block that contains it, as a block of the EVM chain. Null on other chains. ${NO_EVM_CHAIN}`,
  })
  async evmBlock(
    @Root() { network, chain, blockNumber }: PrimaryNetworkTransaction,
    @Ctx() context: PrimaryContext,
  ): Promise<EvmBlock | null> {
    return chain === "C" ? evmBlock(network, blockNumber, context) : null;
  }
}

@Resolver(() => PrimaryNetworkBlock)
class BlockEvmLinks {
  @FieldResolver(() => EvmBlock, {
    nullable: true,
    description: `The C-Chain block as a block of the EVM chain. Null on other chains. ${NO_EVM_CHAIN}`,
  })
  async evmBlock(
    @Root() { network, place: { chain }, blockNumber }: PrimaryNetworkBlock,
    @Ctx() context: PrimaryContext,
  ): Promise<EvmBlock | null> {
    return chain === "C" ? evmBlock(network, blockNumber, context) : null;
  }
}

@Resolver(() => L1ValidatorManagerDetails)
class ManagerEvmLinks {
  @FieldResolver(() => Contract, {
    nullable: true,
    description:
      "The contract. Null if the configuration has no EVM chain with this `blockchainId`, or if `contractAddress` is no EVM address.",
  })
  contract(
    @Root() { network, blockchainId, contractAddress: address }: L1ValidatorManagerDetails,
    @Ctx() { servedChains }: PrimaryContext,
  ): Contract | null {
    const chainId = servedChains.chainIdOf({ network, blockchainId, evmChainId: null });
    return chainId !== null && isEvmAddress(address) ? { chainId, address } : null;
  }
}

/** The links to what the C-Chain and the EVM chains of L1s have. */
export const EVM_LINKS = [EvmInputLinks, EvmOutputLinks, TransactionEvmLinks, BlockEvmLinks, ManagerEvmLinks];
