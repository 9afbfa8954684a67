import { buildFederatedSchema } from "../shared/federated-schema.ts";
import { ChainActivityResolver } from "./activity/resolver.ts";
import { ChainActivityConnection } from "./activity/types.ts";
import { AddressBalancesResolver, Erc20TokenBalanceResolver } from "./address-balances/resolver.ts";
import { Erc20TokenBalanceConnection } from "./address-balances/types.ts";
import { AddressNftsResolver, NftBalanceResolver } from "./address-nfts/resolver.ts";
import { NftBalanceConnection } from "./address-nfts/types.ts";
import { AccountsResolver } from "./addresses/accounts-resolver.ts";
import { BlockReferenceResolver, EvmAddressResolver } from "./addresses/resolver.ts";
import { AverageTpsResolver } from "./average-tps/resolver.ts";
import { AverageTpsConnection } from "./average-tps/types.ts";
import { ChainMetricResolver } from "./chain-metrics/resolver.ts";
import { ChainMetricConnection } from "./chain-metrics/types.ts";
import { resolveAddressKey } from "./chains/resolve-address-key.ts";
import { resolveChainReference } from "./chains/resolver.ts";
import { Chain } from "./chains/types.ts";
import { Erc20Token } from "./erc20-tokens/types.ts";
import { Erc20HolderFieldsResolver, Erc20HolderResolver } from "./holders/resolver.ts";
import { Erc20HolderConnection } from "./holders/types.ts";
import { HoldersAboveResolver } from "./holders-above/resolver.ts";
import { Last24HoursResolver } from "./last-24-hours/resolver.ts";
import { NftCollectionHolderResolver, NftHolderResolver } from "./nft-collections/resolver.ts";
import { NftCollection, NftHolderConnection } from "./nft-collections/types.ts";
import { storedTokenResolver } from "./page-tokens/stored-page.ts";
import { SearchResolver } from "./search/resolver.ts";
import { Erc20SupplyResolver } from "./supplies/resolver.ts";
import { ChainTotalsResolver } from "./totals/resolver.ts";

const CONNECTIONS = [
  AverageTpsConnection,
  ChainActivityConnection,
  ChainMetricConnection,
  Erc20HolderConnection,
  Erc20TokenBalanceConnection,
  NftBalanceConnection,
  NftHolderConnection,
];

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
    SearchResolver,
    ...CONNECTIONS.map(storedTokenResolver),
  ],
  {
    Chain: resolveChainReference,
    Erc20Token: resolveAddressKey,
    EvmAddress: resolveAddressKey,
    NftCollection: resolveAddressKey,
  },
  { entities: [Chain, Erc20Token, NftCollection] },
);
