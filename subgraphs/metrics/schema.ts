import { buildFederatedSchema } from "../shared/federated-schema.ts";
import { ChainActivityResolver } from "./activity/resolver.ts";
import { AddressBalancesResolver, Erc20TokenBalanceResolver } from "./address-balances/resolver.ts";
import { AddressNftsResolver, NftBalanceResolver } from "./address-nfts/resolver.ts";
import { AccountsResolver } from "./addresses/accounts-resolver.ts";
import { BlockReferenceResolver, EvmAddressResolver } from "./addresses/resolver.ts";
import { AverageTpsResolver } from "./average-tps/resolver.ts";
import { ChainMetricResolver } from "./chain-metrics/resolver.ts";
import { resolveAddressKey } from "./chains/resolve-address-key.ts";
import { resolveChainReference } from "./chains/resolver.ts";
import { Chain } from "./chains/types.ts";
import { Erc20Token } from "./erc20-tokens/types.ts";
import {
  Erc1155HolderResolver,
  Erc1155HoldersResolver,
  resolveErc1155TokenReference,
} from "./erc1155-tokens/resolver.ts";
import { Erc20HolderFieldsResolver, Erc20HolderResolver } from "./holders/resolver.ts";
import { HoldersAboveResolver } from "./holders-above/resolver.ts";
import { Last24HoursResolver } from "./last-24-hours/resolver.ts";
import { NftCollectionHolderResolver, NftHolderResolver } from "./nft-collections/resolver.ts";
import { NftCollection } from "./nft-collections/types.ts";
import { SearchResolver } from "./search/resolver.ts";
import { Erc20SupplyResolver } from "./supplies/resolver.ts";
import { ChainTotalsResolver } from "./totals/resolver.ts";

/** The executable schema of the metrics subgraph, and its SDL. */
export const { schema, sdl, compileText } = buildFederatedSchema(
  [
    AverageTpsResolver,
    ChainActivityResolver,
    Last24HoursResolver,
    ChainTotalsResolver,
    ChainMetricResolver,
    EvmAddressResolver,
    BlockReferenceResolver,
    AccountsResolver,
    AddressBalancesResolver,
    Erc20TokenBalanceResolver,
    AddressNftsResolver,
    NftBalanceResolver,
    HoldersAboveResolver,
    Erc20HolderResolver,
    Erc20HolderFieldsResolver,
    Erc20SupplyResolver,
    NftCollectionHolderResolver,
    NftHolderResolver,
    Erc1155HoldersResolver,
    Erc1155HolderResolver,
    SearchResolver,
  ],
  {
    Chain: resolveChainReference,
    Erc20Token: resolveAddressKey,
    Erc1155Token: resolveErc1155TokenReference,
    EvmAddress: resolveAddressKey,
    NftCollection: resolveAddressKey,
  },
  { entities: [Chain, Erc20Token, NftCollection] },
);
