import { buildFederatedSchema } from "../federated-schema.ts";
import { EvmBlockResolver, resolveEvmBlockReference } from "./blocks/resolver.ts";
import { ChainIndexingResolver, ChainResolver, resolveChainReference } from "./chains/resolver.ts";
import { Erc20TokenResolver, resolveErc20TokenReference } from "./erc20-tokens/resolver.ts";
import { Erc20TransferResolver, resolveErc20TransferReference } from "./erc20-transfers/resolver.ts";
import { EvmTransactionResolver, resolveEvmTransactionReference } from "./transactions/resolver.ts";

/** The evm subgraph's executable schema and its SDL. */
export const { schema, sdl } = buildFederatedSchema(
  [
    ChainResolver,
    ChainIndexingResolver,
    EvmBlockResolver,
    EvmTransactionResolver,
    Erc20TransferResolver,
    Erc20TokenResolver,
  ],
  {
    Chain: resolveChainReference,
    EvmBlock: resolveEvmBlockReference,
    EvmTransaction: resolveEvmTransactionReference,
    Erc20Transfer: resolveErc20TransferReference,
    Erc20Token: resolveErc20TokenReference,
  },
);
