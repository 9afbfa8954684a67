import { buildFederatedSchema } from "../shared/federated-schema.ts";
import { EvmBlockResolver, resolveEvmBlockReference } from "./blocks/resolver.ts";
import { ChainCapabilityResolver } from "./capabilities/resolver.ts";
import { ChainListsResolver } from "./chains/lists-resolver.ts";
import { ChainIndexingResolver, ChainResolver, resolveChainReference } from "./chains/resolver.ts";
import { ContractResolver, resolveContractReference } from "./contracts/resolver.ts";
import {
  DecodedInternalTransactionResolver,
  DecodedLogResolver,
  DecodedTransactionResolver,
} from "./decoding/resolver.ts";
import { DeploymentResolver, resolveDeploymentReference } from "./deployments/resolver.ts";
import { Erc20BalanceResolver } from "./erc20-balances/resolver.ts";
import { Erc20TokenResolver, resolveErc20TokenReference } from "./erc20-tokens/resolver.ts";
import { Erc20TransferResolver, resolveErc20TransferReference } from "./erc20-transfers/resolver.ts";
import { Erc721TransferResolver, resolveErc721TransferReference } from "./erc721-transfers/resolver.ts";
import { Erc1155TransferResolver, resolveErc1155TransferReference } from "./erc1155-transfers/resolver.ts";
import { EvmAccountResolver, resolveEvmAccountReference } from "./evm-accounts/resolver.ts";
import { EvmAddressListsResolver } from "./evm-addresses/lists-resolver.ts";
import { EvmAddressResolver, resolveEvmAddressReference } from "./evm-addresses/resolver.ts";
import { IcmEventResolver, resolveIcmEventReference } from "./icm-events/resolver.ts";
import {
  IcmMessagesOfAccountResolver,
  IcmMessagesOfAddressResolver,
  IcmMessagesResolver,
} from "./icm-messages/lists-resolver.ts";
import { IcmMessageResolver, MessageOfIcmEventResolver, resolveIcmMessageReference } from "./icm-messages/resolver.ts";
import { InternalTransactionResolver, resolveInternalTransactionReference } from "./internal-transactions/resolver.ts";
import { ADDRESS_LINKS, UtilityAddressLinks } from "./links/address-links.ts";
import { BLOCK_LINKS } from "./links/block-links.ts";
import { CHAIN_LINKS } from "./links/chain-links.ts";
import { MESSAGE_LINKS } from "./links/message-links.ts";
import { LogResolver } from "./logs/resolver.ts";
import { NativeTokenBalanceResolver } from "./native-balances/resolver.ts";
import { NftCollectionListsResolver, NftCollectionTokenResolver } from "./nft-collections/lists-resolver.ts";
import {
  Erc721CollectionResolver,
  Erc1155CollectionResolver,
  NftCollectionResolver,
  resolveNftCollectionReference,
} from "./nft-collections/resolver.ts";
import { Erc721TokenListsResolver, Erc1155TokenListsResolver } from "./nft-tokens/lists-resolver.ts";
import {
  Erc721TokenResolver,
  Erc1155TokenResolver,
  NftReindexResolver,
  resolveErc721TokenReference,
  resolveErc1155TokenReference,
} from "./nft-tokens/resolver.ts";
import { Erc20TransferCountResolver, NftTransferCountResolver, TokenListsResolver } from "./token-lists/resolver.ts";
import { TransactionContentsResolver } from "./transactions/contents-resolver.ts";
import { EvmTransactionResolver, resolveEvmTransactionReference } from "./transactions/resolver.ts";

/** The executable schema of the evm subgraph, and its SDL. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [
    ChainResolver,
    ChainIndexingResolver,
    EvmBlockResolver,
    EvmTransactionResolver,
    TransactionContentsResolver,
    Erc20TransferResolver,
    Erc20TokenResolver,
    NativeTokenBalanceResolver,
    Erc721TokenResolver,
    Erc1155TokenResolver,
    NftReindexResolver,
    NftCollectionResolver,
    Erc721CollectionResolver,
    Erc1155CollectionResolver,
    ChainCapabilityResolver,
    Erc721TransferResolver,
    Erc1155TransferResolver,
    InternalTransactionResolver,
    DeploymentResolver,
    ContractResolver,
    IcmEventResolver,
    IcmMessagesResolver,
    IcmMessagesOfAddressResolver,
    IcmMessagesOfAccountResolver,
    IcmMessageResolver,
    MessageOfIcmEventResolver,
    Erc20BalanceResolver,
    EvmAddressResolver,
    DecodedTransactionResolver,
    DecodedInternalTransactionResolver,
    DecodedLogResolver,
    UtilityAddressLinks,
    ...ADDRESS_LINKS,
    ...BLOCK_LINKS,
    ...CHAIN_LINKS,
    ...MESSAGE_LINKS,
    EvmAddressListsResolver,
    EvmAccountResolver,
    ChainListsResolver,
    LogResolver,
    TokenListsResolver,
    Erc20TransferCountResolver,
    NftTransferCountResolver,
    NftCollectionListsResolver,
    NftCollectionTokenResolver,
    Erc721TokenListsResolver,
    Erc1155TokenListsResolver,
  ],
  {
    Chain: resolveChainReference,
    EvmBlock: resolveEvmBlockReference,
    EvmAccount: resolveEvmAccountReference,
    EvmAddress: resolveEvmAddressReference,
    EvmTransaction: resolveEvmTransactionReference,
    Erc20Transfer: resolveErc20TransferReference,
    Erc20Token: resolveErc20TokenReference,
    Erc721Token: resolveErc721TokenReference,
    Erc1155Token: resolveErc1155TokenReference,
    NftCollection: resolveNftCollectionReference,
    Erc721Transfer: resolveErc721TransferReference,
    Erc1155Transfer: resolveErc1155TransferReference,
    EvmInternalTransaction: resolveInternalTransactionReference,
    Deployment: resolveDeploymentReference,
    Contract: resolveContractReference,
    IcmEvent: resolveIcmEventReference,
    IcmMessage: resolveIcmMessageReference,
  },
);
