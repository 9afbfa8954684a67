import type { ExportFileForm, ExportRequest, OperationType } from "../../../core/database/operations.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { PrimaryNetworks } from "../chains/networks.ts";
import { parseDays } from "./days.ts";
import { parseEvmRequest } from "./evm-request.ts";
import { parsePrimaryRequest } from "./primary-request.ts";
import type { ExportFileOptions, TransactionExportOptions, TransactionExportRequest } from "./types.ts";

export interface RequestParser {
  /**
   * Checks a request and converts it to the form in which it is stored. Throws `INVALID_PARAMETER` with the first error, or
   * `UNAVAILABLE` if a blockchain id is unknown while the genesis of a private network is not indexed.
   */
  parse(request: TransactionExportRequest, file?: ExportFileOptions | null): Promise<ExportRequest>;
}

type Option = keyof TransactionExportOptions;

interface TypeOptions {
  readonly required: readonly Option[];
  readonly optional: readonly Option[];
}

const OF_PRIMARY_NETWORK: TypeOptions = {
  required: ["includeChains"],
  optional: ["addresses", "cChainEvmAddresses", "compression"],
};

/** The options of each type of export. */
const OPTIONS: Readonly<Record<OperationType, TypeOptions>> = {
  TRANSACTION_EXPORT_EVM: { required: ["addresses", "includeChains"], optional: ["compression"] },
  TRANSACTION_EXPORT_PRIMARY_NETWORK: OF_PRIMARY_NETWORK,
  TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE: OF_PRIMARY_NETWORK,
  TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING: OF_PRIMARY_NETWORK,
};

export function createRequestParser(chains: Chains, networks: PrimaryNetworks): RequestParser {
  return {
    async parse({ type, options, ...dates }, file) {
      requireOptions(type, options);
      const days = parseDays(dates);
      const { addresses = null, cChainEvmAddresses = null } = options;
      const includeChains = options.includeChains ?? [];
      const form = formOf(options, file ?? {});
      if (type === "TRANSACTION_EXPORT_EVM")
        return parseEvmRequest(chains, { addresses: addresses ?? [], includeChains, form }, days);
      return parsePrimaryRequest(networks, { type, addresses, cChainEvmAddresses, includeChains, form }, days);
    },
  };
}

/** Members that have their default are undefined, so that the JSON of the request does not have them. */
function formOf({ compression }: TransactionExportOptions, file: ExportFileOptions): ExportFileForm {
  return {
    compression: compression ?? "NONE",
    dateFormat: file.dateFormat === "DATE_TIME" ? "DATE_TIME" : undefined,
    byteOrderMark: file.byteOrderMark || undefined,
    exportedAddress: file.exportedAddress || undefined,
  };
}

/** Throws if a required option is missing, or if the type of export does not have a given option. Null counts as missing. */
function requireOptions(type: OperationType, options: TransactionExportOptions): void {
  const { required, optional } = OPTIONS[type];
  const given = Object.entries(options).filter(([, value]) => value !== null && value !== undefined);
  const names = new Set(given.map(([name]) => name));
  const missing = required.find((name) => !names.has(name));
  if (missing) throw new Failure("INVALID_PARAMETER", `options.${missing} is required for ${type}`);
  const known = new Set<string>([...required, ...optional]);
  const unknown = [...names].find((name) => !known.has(name));
  if (unknown) throw new Failure("INVALID_PARAMETER", `options.${unknown} is not an option of ${type}`);
}
