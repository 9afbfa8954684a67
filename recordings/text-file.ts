import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A place in a file, in bytes. */
export interface TextPlace {
  readonly start: number;
  readonly length: number;
}

/** Texts on disk: they would need memory of the process for as long as it runs. */
export interface TextFile {
  /** Adds bytes of UTF-8 text at the end, and returns where they start. */
  append(bytes: Buffer): number;
  read(place: TextPlace): string;
}

const descriptors = new FinalizationRegistry((descriptor: number) => closeSync(descriptor));

/** Makes a temporary file. It is closed when nothing refers to it any more, and never has a name that others can open. */
export function createTextFile(): TextFile {
  const directory = mkdtempSync(join(tmpdir(), "moraine-recording-"));
  const descriptor = openSync(join(directory, "texts"), "wx+", 0o600);
  const remove = () => rmSync(directory, { recursive: true, force: true });
  // An open file can be removed, except on Windows.
  if (process.platform === "win32") process.once("exit", remove);
  else remove();
  let end = 0;
  const file: TextFile = {
    append(bytes) {
      const start = end;
      while (end < start + bytes.length)
        end += writeSync(descriptor, bytes, end - start, start + bytes.length - end, end);
      return start;
    },
    read({ start, length }) {
      const bytes = Buffer.allocUnsafe(length);
      if (readSync(descriptor, bytes, 0, length, start) < length)
        throw new Error("a temporary file of a recording is shorter than what was written to it");
      return bytes.toString("utf8");
    },
  };
  descriptors.register(file, descriptor);
  return file;
}
