import type { ExportFileForm, PrimaryExportRequest } from "../../../core/database/operations.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAINS } from "../../../core/networks/primary-chains.ts";
import type { PrimaryNetworks } from "../chains/networks.ts";
import { parseBech32Addresses, parseEvmAddresses, requireFewAddresses } from "./address-lists.ts";
import type { Days } from "./days.ts";
import { sortedUnique } from "./invalid.ts";
import { parsePrimaryChains } from "./primary-chains.ts";
import { findNetwork } from "./primary-network.ts";

export interface PrimaryOptions {
  readonly type: PrimaryExportRequest["type"];
  readonly addresses: readonly string[] | null;
  readonly cChainEvmAddresses: readonly string[] | null;
  readonly includeChains: readonly string[];
  readonly form: ExportFileForm;
}

/** Builds the request of a primary network export with these options. Throws like `RequestParser.parse`. */
export async function parsePrimaryRequest(
  networks: PrimaryNetworks,
  options: PrimaryOptions,
  { firstDate, lastDate }: Days,
): Promise<PrimaryExportRequest> {
  const { type, form } = options;
  if (options.addresses === null && options.cChainEvmAddresses === null)
    throw new Failure("INVALID_PARAMETER", `options.addresses or options.cChainEvmAddresses is required for ${type}`);
  const listed = options.addresses === null ? [] : await parseBech32Addresses("options.addresses", options.addresses);
  const evmAddresses =
    options.cChainEvmAddresses === null
      ? []
      : parseEvmAddresses("options.cChainEvmAddresses", options.cChainEvmAddresses);
  const addresses = sortedUnique(listed.map(({ address }) => `0x${address}`));
  requireFewAddresses("options.addresses and options.cChainEvmAddresses", addresses.length + evmAddresses.length);
  const named = await parsePrimaryChains(networks, options.includeChains);
  const { network, networkId } = findNetwork(networks.configured, named, listed);
  const chains = PRIMARY_CHAINS.filter((chain) => named.some((one) => one.chain === chain));
  return { type, network, networkId, firstDate, lastDate, chains, addresses, evmAddresses, ...form };
}
