import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { ExportInput } from "./arguments.ts";

/** What an interrupted command leaves beside its output file, so that the same command can continue. */
export interface CommandState {
  /** Path of the file that contains the operation's id. */
  readonly path: string;
  /** The operation that an earlier run of the same command started; null if there is none. */
  readonly operationId: string | null;
  /** Stores the operation's id. Deletes the bytes that were downloaded for another operation. */
  save(operationId: string): void;
  /** Path of the downloaded bytes of an operation. The name contains the operation's id, so it is unique. */
  partialOf(operationId: string): string;
  /** Deletes the state and the downloaded bytes. */
  clear(): void;
}

interface Saved {
  readonly input: ExportInput;
  readonly operationId: string;
}

/** Reads the state beside `out`. */
export function openCommandState(out: string, input: ExportInput): CommandState {
  const path = `${out}.export.json`;
  const partialOf = (operationId: string) => `${out}.${operationId}.partial`;
  let saved = read(path);
  const isSame = saved !== null && JSON.stringify(saved.input) === JSON.stringify(input);
  const clear = () => {
    if (!saved) return;
    rmSync(path, { force: true });
    rmSync(partialOf(saved.operationId), { force: true });
  };
  return {
    path,
    operationId: isSame && saved ? saved.operationId : null,
    save(operationId) {
      if (saved?.operationId !== operationId) clear();
      saved = { input, operationId };
      writeFileSync(`${path}.new`, JSON.stringify(saved));
      renameSync(`${path}.new`, path);
    },
    partialOf,
    clear,
  };
}

const UUID = /^[0-9a-f-]{36}$/;

/** Null if there is no readable state. */
function read(path: string): Saved | null {
  try {
    const saved = JSON.parse(readFileSync(path, "utf8")) as Partial<Saved> | null;
    return saved?.input && UUID.test(saved.operationId ?? "") ? (saved as Saved) : null;
  } catch {
    return null;
  }
}
