import type { EvmExportRequest, ExportFileForm } from "../../../core/database/operations.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { parseEvmAddresses, requireEntries, requireFewAddresses } from "./address-lists.ts";
import type { Days } from "./days.ts";
import { invalid, sortedUnique } from "./invalid.ts";

export interface EvmOptions {
  readonly addresses: readonly string[];
  readonly includeChains: readonly string[];
  readonly form: ExportFileForm;
}

/** Builds the request of an EVM export with these options. Throws `INVALID_PARAMETER`. */
export function parseEvmRequest(chains: Chains, options: EvmOptions, { firstDate, lastDate }: Days): EvmExportRequest {
  const addresses = parseEvmAddresses("options.addresses", options.addresses);
  requireFewAddresses("options.addresses", addresses.length);
  const chainIds = parseChainIds(chains, options.includeChains);
  return {
    type: "TRANSACTION_EXPORT_EVM",
    firstDate,
    lastDate,
    addresses,
    chainIds,
    ...options.form,
  };
}

function parseChainIds(chains: Chains, list: readonly string[]): string[] {
  const path = "options.includeChains";
  requireEntries(path, list);
  const ids = list.map((text, index) => {
    const chain = chains.get(text);
    if (!chain) throw invalid(`${path}[${index}]`, "must be in the list of chains", text);
    return String(chain.chainId);
  });
  return sortedUnique(ids);
}
