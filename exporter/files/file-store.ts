import type { ExportedFile } from "../../core/exports/files/links.ts";

/** Where exported files are kept. Aborting a signal ends the requests to a store over the network; they reject then. */
export interface FileStore {
  /** Starts the file of an operation. What earlier attempts left stays until `removeOthers` or `remove`. */
  begin(file: ExportedFile, signal: AbortSignal): Promise<FileWriter>;
  /**
   * Continues a file. Null if its bytes are known to be lost. S3 notices a loss only at the next request, which throws
   * `UploadLost`. Throws `NoSpaceToResume`.
   */
  resume(file: ExportedFile, from: ResumePoint, signal: AbortSignal): Promise<FileWriter | null>;
  /** Deletes the file and all that attempts to write it have left. `state` is the last recorded one. */
  remove(file: ExportedFile, state: string | null, signal: AbortSignal): Promise<void>;
  /** Deletes files that no operation needs. Files of unknown operations are kept for `exports.fileLifetimeSeconds`. */
  removeUnneeded(findOperations: FindOperations): Promise<void>;
}

/** Where writing continues. */
export interface ResumePoint {
  /** State of the writer at that time. */
  readonly state: string;
  /** Bytes of the file that were durable. */
  readonly bytes: number;
}

/** Looks up operations and returns those that exist. */
export type FindOperations = (operationIds: readonly string[]) => Promise<ReadonlyMap<string, FileOwner>>;

/** An operation that may have files. */
export interface FileOwner {
  readonly isRunning: boolean;
  /** What `finish` returned; null if the operation has no complete file. */
  readonly state: string | null;
}

/**
 * Writes one file. Disposing it releases its handles; the file stays as it is. The signal that it was opened with ends its
 * requests.
 */
export interface FileWriter extends AsyncDisposable {
  /** The state that `resume` needs to continue after all durable bytes. */
  readonly state: string;
  /** Adds bytes. Returns true if all bytes so far are durable, so that `state` can be recorded. */
  append(bytes: Uint8Array): Promise<boolean>;
  /** Deletes what earlier attempts left. It is called after `state` has been recorded. */
  removeOthers(): Promise<void>;
  /** Makes the file complete and durable. Returns the state of the complete file. */
  finish(): Promise<string>;
}

/** There is no room for the copy with which a file continues. What is written so far is kept. */
export class NoSpaceToResume extends Error {}

/** The store cannot take the file. The message is for callers; `cause` is only logged. */
export class StoreRefused extends Error {}
