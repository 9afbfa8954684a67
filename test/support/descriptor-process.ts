import { type FileHandle, open } from "node:fs/promises";
import { devNull } from "node:os";
import { descriptorShortage } from "../../core/processes/descriptors.ts";

/**
 * Opens files until the process can open no more, and closes them. Prints, as a list in JSON, what `descriptorShortage` returns before, after each
 * opened file, and after the end. Nothing else opens or closes files in this process, so its answers depend only on the limit.
 */
const files: FileHandle[] = [];
const answers = [await descriptorShortage()];
while (await hasOpened()) answers.push(await descriptorShortage());
for (const file of files) await file.close();
answers.push(await descriptorShortage());
console.log(JSON.stringify(answers));

/** Opens one more file. Returns false if the process has too many open. */
async function hasOpened(): Promise<boolean> {
  try {
    files.push(await open(devNull));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EMFILE") return false;
    throw error;
  }
}
