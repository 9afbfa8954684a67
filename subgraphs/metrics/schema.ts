import { buildFederatedSchema } from "../shared/schema/federated-schema.ts";
import { ChainActivityResolver } from "./activity/resolver.ts";
import { AverageTpsResolver } from "./average-tps/resolver.ts";
import { ChainMetricResolver } from "./chain-metrics/resolver.ts";
import { resolveChainReference } from "./chains/resolver.ts";
import { Chain } from "./chains/types.ts";
import { Last24HoursResolver } from "./last-24-hours/resolver.ts";
import {
  EvmAddressResolver,
  NftCollectionResolver,
  PrimaryNetworkAddressResolver,
  SearchResolver,
} from "./search/resolver.ts";
import { ChainTotalsResolver } from "./totals/resolver.ts";

/** The executable schema of the metrics subgraph, and its SDL. */
export const { schema, sdl } = buildFederatedSchema(
  [
    AverageTpsResolver,
    ChainActivityResolver,
    Last24HoursResolver,
    ChainTotalsResolver,
    ChainMetricResolver,
    SearchResolver,
    EvmAddressResolver,
    NftCollectionResolver,
    PrimaryNetworkAddressResolver,
  ],
  { Chain: resolveChainReference },
  { entities: [Chain] },
);
