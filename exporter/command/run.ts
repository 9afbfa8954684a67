import type { ExportArguments } from "./arguments.ts";
import { downloadTo } from "./download.ts";
import { createOperationsClient, ExportFailed, type OperationsClient, type WatchedOperation } from "./graph.ts";
import { createProgressDisplay, type ProgressDisplay } from "./progress.ts";
import { type CommandState, openCommandState } from "./state.ts";

/**
 * Exports into a file through the service at `baseUrl`, or continues an interrupted run of the same command. Resolves with
 * the text to print. Throws `ExportFailed`. Aborting the signal rejects the promise with the signal's reason, and ends what is
 * shown on the terminal.
 */
export async function runExport(baseUrl: string, input: ExportArguments, signal: AbortSignal): Promise<string> {
  using display = createProgressDisplay();
  const client = createOperationsClient(baseUrl, input.key, signal);
  return await Promise.race([exportInto(input, { client, display, signal }), rejectionOf(signal)]);
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_never, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

interface Deps {
  readonly client: OperationsClient;
  readonly display: ProgressDisplay;
  readonly signal: AbortSignal;
}

async function exportInto({ input, out }: ExportArguments, deps: Deps): Promise<string> {
  const { client, display } = deps;
  const state = openCommandState(out, input);
  const operation = (await continued(deps, state)) ?? (await client.start(input));
  const { operationId } = operation;
  const isNew = operationId !== state.operationId;
  state.save(operationId);
  if (isNew) display.print(`export ${operationId} started`);
  const ended = await client.watch(operationId, (changed) => display.showRows(changed));
  if (ended.operationStatus === "FAILED") {
    state.clear();
    throw new ExportFailed(ended.message ?? "the export failed");
  }
  await download(operationId, out, state, deps);
  state.clear();
  return summary(ended, out);
}

/** The operation of an interrupted run; null if there is none that still exists. */
async function continued({ client, display }: Deps, state: CommandState): Promise<WatchedOperation | null> {
  const known = state.operationId === null ? null : await client.read(state.operationId);
  if (!known) return null;
  const startedAt = new Date(known.createdAtTimestamp * 1_000).toISOString();
  display.print(`continuing the export that was started at ${startedAt}; delete ${state.path} to start a new one`);
  return known;
}

async function download(id: string, out: string, state: CommandState, { client, display, signal }: Deps) {
  const file = async () => {
    const known = (await client.read(id))?.file;
    if (!known) throw new ExportFailed("the service has deleted the file: run the command again");
    return known;
  };
  const total = Number((await file()).sizeBytes);
  const onBytes = (bytes: number) => display.showDownload(bytes, total);
  await downloadTo({ out, partial: state.partialOf(id), file, onBytes, signal });
}

function summary({ file, message, metadata }: WatchedOperation, out: string): string {
  const written = `${out}: ${file?.rowCount} rows, ${file?.sizeBytes} bytes, SHA-256 ${file?.sha256}`;
  if (!metadata?.nextDate) return message ? `${written}\n${message}` : written;
  return `${written}\nThe export was truncated at its maximum size. Continue it with --from ${metadata.nextDate} and another --out.`;
}
