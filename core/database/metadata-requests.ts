import { channelName } from "./postgres/schema-names.ts";

/** Channel of the notifications that a caller has asked for metadata of tokens to be read again. The payload is the chain id. */
export const METADATA_REQUESTS = "moraine_metadata";

/**
 * Notifies the indexer of chain `$1`. It must be a statement of its own in the transaction that stores the request: Citus runs a statement that changes a
 * distributed table on a worker, where nobody listens.
 */
export const NOTIFY_METADATA_REQUEST = `SELECT pg_notify(${channelName(METADATA_REQUESTS)}, $1::text)`;
