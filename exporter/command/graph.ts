import { createClient } from "graphql-ws";
import { request } from "undici";
import WebSocket from "ws";
import type { OperationCode, OperationStatus } from "../../core/database/operations.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { ExpectedError } from "../../core/errors/expected-error.ts";
import type { ExportInput } from "./arguments.ts";
import { withOptionNames } from "./option-names.ts";

/** The export cannot be completed. The message tells the user why. */
export class ExportFailed extends ExpectedError {}

/** The fields of an operation that the command reads. */
export interface WatchedOperation {
  readonly operationId: string;
  readonly operationStatus: OperationStatus;
  readonly message: string | null;
  /** Seconds since the epoch. */
  readonly createdAtTimestamp: number;
  /** Null while the operation waits for a worker. */
  readonly startedAtTimestamp: number | null;
  readonly metadata: { readonly code: OperationCode | null; readonly nextDate: string | null } | null;
  readonly progress: { readonly rows: string; readonly totalRows: string | null; readonly etaSeconds: number | null };
  readonly file: {
    readonly sizeBytes: string;
    readonly rowCount: string;
    readonly sha256: string;
    readonly downloadUrl: string;
  } | null;
}

const FIELDS = `operationId operationStatus message createdAtTimestamp startedAtTimestamp metadata { code nextDate }
  progress { rows totalRows etaSeconds }
  file { sizeBytes rowCount sha256 downloadUrl }`;
const START = `mutation($request: TransactionExportRequest!, $file: ExportFileOptions) {
  startTransactionExport(request: $request, file: $file) { ${FIELDS} } }`;
const READ = `query($id: ID!) { operation(operationId: $id) { ${FIELDS} } }`;
const WATCH = `subscription($id: ID!) { operationUpdated(operationId: $id) { ${FIELDS} } }`;

/**
 * The operations of a running service, over its graph. Every function throws `ExportFailed`: with the service's message, or
 * because the service cannot be reached.
 */
export interface OperationsClient {
  start(input: ExportInput): Promise<WatchedOperation>;
  /** Null if the operation does not exist, or not any more. */
  read(operationId: string): Promise<WatchedOperation | null>;
  /** Calls `onChange` with each state that the service sends. Returns the last state. Reconnects if the connection is lost. */
  watch(operationId: string, onChange: (operation: WatchedOperation) => void): Promise<WatchedOperation>;
}

/** `baseUrl` without a slash at its end. Aborting the signal ends requests and subscriptions. */
export function createOperationsClient(baseUrl: string, key: string | null, signal: AbortSignal): OperationsClient {
  const url = `${baseUrl}/graphql`;
  const headers: Readonly<Record<string, string>> = key === null ? {} : { "x-service-api-key": key };
  const run = async (query: string, variables: object): Promise<Readonly<Record<string, unknown>>> => {
    const response = await request(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ query, variables }),
      signal,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new ExportFailed(`${baseUrl} cannot be reached: ${messageOf(error)}`);
    });
    const body = (await response.body.json().catch(() => null)) as GraphResult | null;
    if (body?.errors?.[0]) throw new ExportFailed(textOf(body.errors[0]));
    if (!body?.data) throw new ExportFailed(`${url} answered HTTP ${response.statusCode} without a GraphQL result`);
    return body.data;
  };
  return {
    start: async (input) => (await run(START, input))["startTransactionExport"] as WatchedOperation,
    read: async (id) => (await run(READ, { id }))["operation"] as WatchedOperation | null,
    watch: (id, onChange) => watch({ url: url.replace(/^http/, "ws"), headers, signal }, id, onChange),
  };
}

interface GraphResult {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly GraphError[];
}

interface GraphError {
  readonly message: string;
  readonly extensions?: { readonly code?: unknown };
}

/** The message of an error. A wrong value is named by its option. */
function textOf({ message, extensions }: GraphError): string {
  return extensions?.code === "INVALID_PARAMETER" ? withOptionNames(message) : message;
}

interface WatchOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Attempts to connect again, with waits that graphql-ws makes longer each time. */
const RETRIES = 10;

async function watch(
  { url, headers, signal }: WatchOptions,
  id: string,
  onChange: (operation: WatchedOperation) => void,
): Promise<WatchedOperation> {
  const client = createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams: headers,
    retryAttempts: RETRIES,
    shouldRetry: () => !signal.aborted,
  });
  signal.addEventListener("abort", () => client.terminate(), { once: true });
  let last: WatchedOperation | null = null;
  try {
    for await (const result of client.iterate({ query: WATCH, variables: { id } })) {
      if (result.errors?.[0]) throw new ExportFailed(result.errors[0].message);
      last = (result.data as { readonly operationUpdated: WatchedOperation }).operationUpdated;
      onChange(last);
    }
  } catch (error) {
    throw error instanceof ExportFailed ? error : new ExportFailed(watchError(error));
  } finally {
    await client.dispose();
  }
  if (!last || last.operationStatus === "RUNNING")
    throw new ExportFailed("the service ended the subscription before the export had ended: run the command again");
  return last;
}

/** graphql-ws throws a close event, an error, or the GraphQL errors of the subscription. */
function watchError(error: unknown): string {
  if (Array.isArray(error)) return error.map(messageOf).join("; ");
  if (error instanceof Error) return error.message;
  const { code, reason } = Object(error) as { readonly code?: unknown; readonly reason?: unknown };
  return `the connection to the service was lost (${String(code)} ${String(reason ?? "")})`;
}
