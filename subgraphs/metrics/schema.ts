import { buildFederatedSchema } from "../shared/schema/federated-schema.ts";
import { ChainActivityResolver } from "./activity/resolver.ts";
import { AverageTpsResolver } from "./average-tps/resolver.ts";
import { ChainMetricResolver } from "./chain-metrics/resolver.ts";
import { resolveChainReference } from "./chains/resolver.ts";
import { Chain } from "./chains/types.ts";
import { resolveErc20TokenReference } from "./erc20-tokens/resolver.ts";
import { Erc20Token } from "./erc20-tokens/types.ts";
import { Erc20HolderCheckResolver, Erc20HolderResolver } from "./holders/resolver.ts";
import { HoldersAboveResolver } from "./holders-above/resolver.ts";
import { Last24HoursResolver } from "./last-24-hours/resolver.ts";
import { NftCollectionHolderResolver, resolveNftCollectionReference } from "./nft-collections/resolver.ts";
import { NftCollection } from "./nft-collections/types.ts";
import { EvmAddressResolver, PrimaryNetworkAddressResolver, SearchResolver } from "./search/resolver.ts";
import { Erc20SupplyResolver } from "./supplies/resolver.ts";
import { ChainTotalsResolver } from "./totals/resolver.ts";

/** The executable schema of the metrics subgraph, and its SDL. */
export const { schema, sdl } = buildFederatedSchema(
  [
    AverageTpsResolver,
    ChainActivityResolver,
    Last24HoursResolver,
    ChainTotalsResolver,
    ChainMetricResolver,
    HoldersAboveResolver,
    Erc20HolderResolver,
    Erc20HolderCheckResolver,
    Erc20SupplyResolver,
    NftCollectionHolderResolver,
    SearchResolver,
    EvmAddressResolver,
    PrimaryNetworkAddressResolver,
  ],
  {
    Chain: resolveChainReference,
    Erc20Token: resolveErc20TokenReference,
    NftCollection: resolveNftCollectionReference,
  },
  { entities: [Chain, Erc20Token, NftCollection] },
);
