import type { Network } from "../config/settings/network.ts";
import { channelName } from "./postgres/schema-names.ts";

/** Types of operations, which are export jobs. The names are those of the REST specification. */
export const OperationType = {
  TRANSACTION_EXPORT_EVM: "TRANSACTION_EXPORT_EVM",
  TRANSACTION_EXPORT_PRIMARY_NETWORK: "TRANSACTION_EXPORT_PRIMARY_NETWORK",
  TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE: "TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE",
  TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING: "TRANSACTION_EXPORT_PRIMARY_NETWORK_STAKING",
} as const;
export type OperationType = keyof typeof OperationType;

/** An operation is `RUNNING` from its start, also while it waits for a worker, until it has one of the other statuses. */
export const OperationStatus = {
  RUNNING: "RUNNING",
  COMPLETED: "COMPLETED",
  COMPLETED_WITH_WARNING: "COMPLETED_WITH_WARNING",
  FAILED: "FAILED",
} as const;
export type OperationStatus = keyof typeof OperationStatus;

/** Why an operation failed, or completed with a warning. */
export type OperationCode = "ErrInvalidRequest" | "ErrInternal" | "WarnTruncatedExport";

/** Formats of an exported file. */
export const Compression = { NONE: "NONE", GZIP: "GZIP" } as const;
export type Compression = keyof typeof Compression;

/** How an exported file writes times. */
export const ExportDateFormat = { ISO_8601: "ISO_8601", DATE_TIME: "DATE_TIME" } as const;
export type ExportDateFormat = keyof typeof ExportDateFormat;

/** The form of an exported file. A member that has its default is left out, so that equal requests have equal JSON. */
export interface ExportFileForm {
  readonly compression: Compression;
  /** Default: ISO 8601. `DATE_TIME` is `YYYY-MM-DD hh:mm:ss`. Both are in UTC. */
  readonly dateFormat?: "DATE_TIME" | undefined;
  /** True if the file begins with a byte order mark. */
  readonly byteOrderMark?: true | undefined;
  /** True if the file has the column `ExportedAddress`. */
  readonly exportedAddress?: true | undefined;
}

/** Task name of export jobs in graphile-worker. The payload is an `ExportJob`. */
export const EXPORT_TASK = "export-transactions";

/** Payload of an export job. */
export interface ExportJob {
  readonly operationId: string;
}

/**
 * Name of the PostgreSQL channel (see `channelName`) on which every change of an operation is announced, in the transaction that makes it.
 * The payload is the JSON of an `OperationNotification`.
 */
export const OPERATIONS_CHANNEL = "moraine_operations";

export interface OperationNotification {
  readonly operationId: string;
  readonly owner: string;
  /** With it, watchers get the end of an operation at once; without it, after at most 250 ms. */
  readonly operationStatus?: OperationStatus;
}

/** SQL that announces a change of an operation to the watchers of all processes. It reads columns of the changed row. */
export const ANNOUNCE_CHANGE = `pg_notify(${channelName(OPERATIONS_CHANNEL)}, json_build_object(
  'operationId', operation_id, 'owner', owner, 'operationStatus', operation_status)::text)`;

/** Message of an operation that was cancelled. */
export const CANCELLED_MESSAGE = "the export was cancelled";

/** The days of an export, both inclusive, in UTC as `YYYY-MM-DD`. Null: no limit. */
interface Days {
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

/**
 * A valid request for an export of EVM transactions, as the table `operations` stores it. Lists are sorted and have no
 * duplicates, so that equal requests have equal JSON.
 */
export interface EvmExportRequest extends Days, ExportFileForm {
  readonly type: "TRANSACTION_EXPORT_EVM";
  /** `0x` and 40 hex digits in lower case. At least one. */
  readonly addresses: readonly string[];
  /** EVM chain ids in decimal. At least one. */
  readonly chainIds: readonly string[];
}

/** A valid request for one of the exports of a primary network, stored like `EvmExportRequest`. */
export interface PrimaryExportRequest extends Days, ExportFileForm {
  readonly type: Exclude<OperationType, "TRANSACTION_EXPORT_EVM">;
  readonly network: Network;
  readonly networkId: number;
  /** At least one. */
  readonly chains: readonly ("P" | "X" | "C")[];
  /** Address hashes of P-, X- and bech32 C-addresses: `0x` and 40 hex digits in lower case. */
  readonly addresses: readonly string[];
  /** EVM accounts of the C-Chain: `0x` and 40 hex digits in lower case. At least one of the two lists has an entry. */
  readonly evmAddresses: readonly string[];
}

export type ExportRequest = EvmExportRequest | PrimaryExportRequest;
