import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { ExportInput } from "./arguments.ts";

/** What an interrupted command leaves beside its output file, so that the same command can continue. */
export interface CommandState {
  /** Path of the bytes that were downloaded so far. */
  readonly partial: string;
  /** The operation that an earlier run of the same command started; null if there is none. */
  readonly operationId: string | null;
  save(operationId: string): void;
  /** Deletes the state and the downloaded bytes. */
  clear(): void;
}

interface Saved {
  readonly request: ExportInput;
  readonly operationId: string;
}

/** Reads the state beside `out`. The state of a command with another request is deleted. */
export function openCommandState(out: string, request: ExportInput): CommandState {
  const path = `${out}.export.json`;
  const partial = `${out}.partial`;
  const clear = () => {
    rmSync(path, { force: true });
    rmSync(partial, { force: true });
  };
  const saved = read(path);
  const isSame = saved !== null && JSON.stringify(saved.request) === JSON.stringify(request);
  if (!isSame) clear();
  return {
    partial,
    operationId: isSame ? saved.operationId : null,
    save(operationId) {
      writeFileSync(`${path}.new`, JSON.stringify({ request, operationId } satisfies Saved));
      renameSync(`${path}.new`, path);
    },
    clear,
  };
}

/** Null if there is no readable state. */
function read(path: string): Saved | null {
  try {
    const saved = JSON.parse(readFileSync(path, "utf8")) as Partial<Saved> | null;
    return saved?.request && typeof saved.operationId === "string" ? (saved as Saved) : null;
  } catch {
    return null;
  }
}
