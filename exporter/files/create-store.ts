import { join, resolve } from "node:path";
import type { Config } from "../../core/config/config-schema.ts";
import type { FileStore } from "./file-store.ts";
import { createLocalStore } from "./local-store.ts";
import { createS3Store } from "./s3-store.ts";

type StoreConfig = Pick<Config, "exports" | "dataDirectory">;

/** Directory of exported files, if they are not in S3. */
export function exportDirectory({ exports: { directory }, dataDirectory }: StoreConfig): string {
  return resolve(directory ?? join(dataDirectory, "exports"));
}

/** The S3 store if the setting `exports.s3` is set, otherwise the local directory. */
export function createFileStore(config: StoreConfig, nowSeconds: () => number): FileStore {
  const { s3, fileLifetimeSeconds } = config.exports;
  return s3 ? createS3Store(s3) : createLocalStore(exportDirectory(config), fileLifetimeSeconds, nowSeconds);
}
