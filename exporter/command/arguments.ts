import { ConfigError } from "../../core/config/config.ts";
import type { ExportDateFormat, OperationType } from "../../core/database/operations.ts";
import { quoted } from "../../core/errors/errors.ts";

/** Types by their names on the command line. */
export const TYPES: Readonly<Record<string, OperationType>> = {
  evm: "TRANSACTION_EXPORT_EVM",
  "primary-network": "TRANSACTION_EXPORT_PRIMARY_NETWORK",
  "primary-network-simple": "TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE",
  "primary-network-staking": "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING",
};

export const DATE_FORMATS: Readonly<Record<string, ExportDateFormat>> = {
  "iso-8601": "ISO_8601",
  "date-time": "DATE_TIME",
};

/** The arguments of the mutation. The service checks the values. */
export interface ExportInput {
  readonly request: ExportRequestInput;
  readonly file: {
    readonly dateFormat: ExportDateFormat;
    readonly byteOrderMark: boolean;
    readonly exportedAddress: boolean;
  };
}

interface ExportRequestInput {
  readonly type: OperationType;
  readonly firstDate?: string;
  readonly lastDate?: string;
  readonly options: {
    readonly addresses?: readonly string[];
    readonly cChainEvmAddresses?: readonly string[];
    readonly includeChains: readonly string[];
    readonly compression: "NONE" | "GZIP";
  };
}

export interface ExportArguments {
  readonly input: ExportInput;
  readonly out: string;
  /** Null: not given. */
  readonly url: string | null;
  readonly key: string | null;
}

/** Values of the options of `moraine export`. */
export interface ExportValues {
  readonly type: string;
  readonly address: readonly string[];
  readonly chain: readonly string[];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly out: string;
  readonly gzip?: boolean | undefined;
  readonly "date-format"?: string | undefined;
  readonly bom?: boolean | undefined;
  readonly "exported-address"?: boolean | undefined;
  readonly url?: string | undefined;
  readonly key?: string | undefined;
}

/** Throws `ConfigError` for a wrong value. */
export function exportArguments(values: ExportValues): ExportArguments {
  if (values.url !== undefined && !/^https?:\/\//.test(values.url))
    throw new ConfigError("--url must be a URL that begins with http:// or https://");
  return {
    input: {
      request: requestOf(values),
      file: {
        dateFormat: named("date-format", values["date-format"] ?? "iso-8601", DATE_FORMATS),
        byteOrderMark: values.bom === true,
        exportedAddress: values["exported-address"] === true,
      },
    },
    out: values.out,
    url: values.url?.replace(/\/+$/, "") ?? null,
    key: values.key ?? null,
  };
}

function requestOf(values: ExportValues): ExportRequestInput {
  const type = named("type", values.type, TYPES);
  return {
    type,
    ...(values.from === undefined ? {} : { firstDate: values.from }),
    ...(values.to === undefined ? {} : { lastDate: values.to }),
    options: {
      ...addressOptions(type, values.address),
      includeChains: values.chain,
      compression: values.gzip ? "GZIP" : "NONE",
    },
  };
}

/** The value of a name on the command line. Throws `ConfigError` if there is no such name. */
function named<Value>(option: string, name: string, values: Readonly<Record<string, Value>>): Value {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value !== undefined) return value;
  throw new ConfigError(`--${option} is ${quoted(name)}: must be one of ${Object.keys(values).join(", ")}`);
}

/** For a primary network, `0x` addresses are accounts of the C-Chain. */
function addressOptions(type: OperationType, addresses: readonly string[]) {
  if (type === "TRANSACTION_EXPORT_EVM") return { addresses };
  const accounts = addresses.filter((address) => address.startsWith("0x"));
  const others = addresses.filter((address) => !address.startsWith("0x"));
  return {
    ...(others.length > 0 ? { addresses: others } : {}),
    ...(accounts.length > 0 ? { cChainEvmAddresses: accounts } : {}),
  };
}
