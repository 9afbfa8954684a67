import { parseArgs } from "node:util";
import { ConfigError } from "../../core/config/config.ts";
import type { ExportDateFormat, OperationType } from "../../core/database/operations.ts";
import { messageOf, quoted } from "../../core/errors/errors.ts";

export const USAGE = `npm run export -- --type evm --address 0x… --chain 43114 [--from 2026-01-01] [--to 2026-01-31] --out file.csv
npm run export -- --type primary-network --address P-avax1… --chain p-chain --out file.csv

  --type      evm: transactions, internal transactions and token transfers on EVM chains
              primary-network: what enters and leaves addresses on the P-, X- and C-Chain
              primary-network-simple: the same with fewer columns
              primary-network-staking: stakes and rewards
  --address   address whose transactions are exported; can be repeated.
              With --type evm: 0x and 40 hex digits. With the others: a Bech32 address, or 0x… for a C-Chain account
  --chain     chain to export; can be repeated.
              With --type evm: EVM chain id or blockchain id. With the others: p-chain, x-chain, c-chain or blockchain id
  --from      first day in UTC, as YYYY-MM-DD, inclusive. Default: the first day with data
  --to        last day in UTC, as YYYY-MM-DD, inclusive. Default: the last day with data
  --out       file to write. If it exists, it is replaced. Its directory must exist
  --gzip      write a gzip file
  --date-format
              iso-8601: times as 2026-01-31T23:59:59Z, the default
              date-time: times as 2026-01-31 23:59:59. Both are in UTC
  --bom       begin the file with a byte order mark, by which some spreadsheets recognise UTF-8
  --exported-address
              add the column ExportedAddress: the --address for which a row is listed
  --url       base URL of a running service. Default: the one that the settings describe, if it answers;
              otherwise the command exports by itself what is indexed in the database
  --key       API key for the running service
  --help      print this text

If the command is interrupted, run it again with the same options: it follows the export that it started, and downloads the rest
of the file. Until then, <file>.export.json beside the file contains the id of the export.

Exit codes: 0 the file is complete, 1 the export failed, 130 the command was interrupted.`;

/** Types by their names on the command line. */
export const TYPES: Readonly<Record<string, OperationType>> = {
  evm: "TRANSACTION_EXPORT_EVM",
  "primary-network": "TRANSACTION_EXPORT_PRIMARY_NETWORK",
  "primary-network-simple": "TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE",
  "primary-network-staking": "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING",
};

const DATE_FORMATS: Readonly<Record<string, ExportDateFormat>> = { "iso-8601": "ISO_8601", "date-time": "DATE_TIME" };

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

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const list = { type: "string", multiple: true } as const;
const OPTIONS = {
  type: text,
  address: list,
  chain: list,
  from: text,
  to: text,
  out: text,
  gzip: flag,
  "date-format": text,
  bom: flag,
  "exported-address": flag,
  url: text,
  key: text,
} as const;

/** Reads the command line. Throws `ConfigError` for an unknown option, and for a missing or wrong value. */
export function parseExportArguments(args: readonly string[]): ExportArguments {
  const values = parsed(args);
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
    out: required("out", values.out),
    url: values.url?.replace(/\/+$/, "") ?? null,
    key: values.key ?? null,
  };
}

function requestOf(values: ReturnType<typeof parsed>): ExportRequestInput {
  const type = named("type", required("type", values.type), TYPES);
  return {
    type,
    ...(values.from === undefined ? {} : { firstDate: values.from }),
    ...(values.to === undefined ? {} : { lastDate: values.to }),
    options: {
      ...addressOptions(type, required("address", values.address)),
      includeChains: required("chain", values.chain),
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

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new ConfigError(`${messageOf(error)}\n\n${USAGE}`);
  }
}

function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new ConfigError(`--${name} must be given\n\n${USAGE}`);
  return value;
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
