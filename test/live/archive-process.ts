import { createLogger } from "../../core/observability/logger.ts";
import { writeBackup } from "../../indexer/archive/backup.ts";
import { restoreBackup } from "../../indexer/archive/restore.ts";
import { openSourceDirectory } from "../../indexer/archive/source-directory.ts";

/** What the process does. */
export interface ArchiveTask {
  readonly name: "backup" | "restore";
  readonly url: string;
  readonly directory: string;
  /** Blocks of a file. */
  readonly blocks: number;
}

/** Writes or restores a backup in a process that tests kill. The task is JSON in the first argument. */
const { name, url, directory, blocks } = JSON.parse(process.argv[2] ?? "") as ArchiveTask;
const logger = createLogger("error");
const deps = { url, signal: new AbortController().signal, report: (line: string) => logger.info(line) };
if (name === "restore") await restoreBackup({ ...deps, source: openSourceDirectory(directory) });
else
  await writeBackup({ ...deps, directory, isArchive: false, checksHashes: false, limits: { blocks, bytes: 1 << 20 } });
