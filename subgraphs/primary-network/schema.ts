import { buildFederatedSchema } from "../shared/federated-schema.ts";
import { PrimaryNetworkAddressResolver, resolvePrimaryAddressReference } from "./addresses/resolver.ts";
import { PrimaryNetworkAssetResolver, resolveAssetReference } from "./assets/resolver.ts";
import { AddressBalancesResolver } from "./balances/resolver.ts";
import {
  BlockchainResolver,
  ChainBlockchainResolver,
  resolveBlockchainReference,
  resolveChainReference,
} from "./blockchains/resolver.ts";
import { PrimaryNetworkBlockResolver, resolvePrimaryBlockReference } from "./blocks/resolver.ts";
import { DelegatorResolver, resolveDelegatorReference } from "./delegators/resolver.ts";
import { ChainExceptionResolver, ChainExceptionsResolver } from "./exceptions/resolver.ts";
import { L1ValidatorResolver, resolveL1ValidatorReference } from "./l1-validators/resolver.ts";
import { ASSET_LINKS } from "./links/asset-links.ts";
import { BLOCK_LINKS } from "./links/block-links.ts";
import { BLOCKCHAIN_LINKS } from "./links/blockchain-links.ts";
import { EVM_LINKS } from "./links/evm-links.ts";
import { OWNER_LINKS } from "./links/owner-links.ts";
import { STAKING_LINKS } from "./links/staking-links.ts";
import { TRANSACTION_LINKS } from "./links/transaction-links.ts";
import { PrimaryNetworkResolver } from "./networks/resolver.ts";
import { HistoricalRewardResolver, RewardAmountResolver } from "./rewards/resolver.ts";
import {
  DelegatorTotalsResolver,
  L1ValidatorTotalsResolver,
  ValidatorTotalsResolver,
} from "./stakers/totals-resolvers.ts";
import { PrimaryNetworkStatisticsResolver } from "./statistics/resolver.ts";
import { resolveSubnetReference, SubnetResolver } from "./subnets/resolver.ts";
import { EvmInputResolver, L1ValidatorDetailsResolver, RelatedEntitiesResolver } from "./transactions/related.ts";
import { PrimaryNetworkTransactionResolver, resolveTransactionReference } from "./transactions/resolver.ts";
import { PrimaryNetworkUtxoResolver, resolveUtxoReference } from "./utxos/resolver.ts";
import { resolveValidatorNodeReference, ValidatorNodeResolver } from "./validator-nodes/resolver.ts";
import { SubnetValidatorSetResolver, ValidatorSetMemberResolver } from "./validator-sets/resolver.ts";
import { resolveValidatorReference, ValidatorResolver } from "./validators/resolver.ts";
import { resolveVertexReference, XChainVertexResolver } from "./vertices/resolver.ts";

/** Executable schema and SDL of the primary-network subgraph: one line per resolver class and per entity. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [
    PrimaryNetworkResolver,
    PrimaryNetworkStatisticsResolver,
    ChainExceptionsResolver,
    ChainExceptionResolver,
    PrimaryNetworkTransactionResolver,
    RelatedEntitiesResolver,
    L1ValidatorDetailsResolver,
    EvmInputResolver,
    PrimaryNetworkUtxoResolver,
    AddressBalancesResolver,
    PrimaryNetworkBlockResolver,
    XChainVertexResolver,
    SubnetResolver,
    BlockchainResolver,
    ChainBlockchainResolver,
    ValidatorResolver,
    ValidatorTotalsResolver,
    DelegatorTotalsResolver,
    ValidatorNodeResolver,
    DelegatorResolver,
    HistoricalRewardResolver,
    RewardAmountResolver,
    L1ValidatorResolver,
    PrimaryNetworkAddressResolver,
    PrimaryNetworkAssetResolver,
    ...ASSET_LINKS,
    ...BLOCK_LINKS,
    ...BLOCKCHAIN_LINKS,
    ...EVM_LINKS,
    ...OWNER_LINKS,
    ...STAKING_LINKS,
    ...TRANSACTION_LINKS,
    SubnetValidatorSetResolver,
    ValidatorSetMemberResolver,
    L1ValidatorTotalsResolver,
  ],
  {
    PrimaryNetworkTransaction: resolveTransactionReference,
    PrimaryNetworkUtxo: resolveUtxoReference,
    PrimaryNetworkBlock: resolvePrimaryBlockReference,
    XChainVertex: resolveVertexReference,
    Subnet: resolveSubnetReference,
    Blockchain: resolveBlockchainReference,
    Chain: resolveChainReference,
    Validator: resolveValidatorReference,
    ValidatorNode: resolveValidatorNodeReference,
    Delegator: resolveDelegatorReference,
    L1Validator: resolveL1ValidatorReference,
    PrimaryNetworkAddress: resolvePrimaryAddressReference,
    PrimaryNetworkAsset: resolveAssetReference,
  },
);
