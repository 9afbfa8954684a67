import type { ExportArguments } from "./arguments.ts";
import { downloadTo } from "./download.ts";
import { createOperationsClient, ExportFailed, type OperationsClient, type WatchedOperation } from "./graph.ts";
import { createProgressBar, type ProgressBar } from "./progress.ts";
import { type CommandState, openCommandState } from "./state.ts";

/**
 * Exports into a file through the service at `baseUrl`, or continues an interrupted run of the same command. Resolves with
 * the text to print. Throws `ExportFailed`.
 */
export async function runExport(baseUrl: string, { request, out, key }: ExportArguments): Promise<string> {
  const client = createOperationsClient(baseUrl, key);
  const state = openCommandState(out, request);
  using bar = createProgressBar();
  const operation = (await continued(client, state)) ?? (await client.start(request));
  state.save(operation.operationId);
  const ended = await client.watch(operation.operationId, ({ progress }) => bar.showRows(progress));
  if (ended.operationStatus === "FAILED") {
    state.clear();
    throw new ExportFailed(ended.message ?? "the export failed");
  }
  await download(client, ended, { out, state, bar });
  state.clear();
  return summary(ended, out);
}

/** The operation of an interrupted run; null if there is none that still exists. */
async function continued(client: OperationsClient, state: CommandState): Promise<WatchedOperation | null> {
  const known = state.operationId === null ? null : await client.read(state.operationId);
  if (known === null) state.clear();
  return known;
}

interface Target {
  readonly out: string;
  readonly state: CommandState;
  readonly bar: ProgressBar;
}

async function download(client: OperationsClient, { operationId }: WatchedOperation, { out, state, bar }: Target) {
  const file = async () => {
    const known = (await client.read(operationId))?.file;
    if (!known) throw new ExportFailed("the service has deleted the file: run the command again");
    return known;
  };
  const total = Number((await file()).sizeBytes);
  await downloadTo(out, state.partial, file, (bytes) => bar.showDownload(bytes, total));
}

function summary({ file, message, metadata }: WatchedOperation, out: string): string {
  const written = `${out}: ${file?.rowCount} rows, ${file?.sizeBytes} bytes, SHA-256 ${file?.sha256}`;
  if (!metadata?.nextDate) return message ? `${written}\n${message}` : written;
  return `${written}\nThe export was cut at its maximum size. Continue it with --from ${metadata.nextDate} and another --out.`;
}
