import type pg from "pg";
import type { Config } from "../config-schema.ts";
import { loadSecret } from "../database.ts";
import { createLocalLinks, type FileLinks } from "./links.ts";
import { createS3Links } from "./s3-links.ts";

/** Name of the installation's secret that signs links to local files. */
export const LINKS_SECRET = "download-links";

export interface FileLinkDeps {
  readonly pool: pg.Pool;
  /** Port of the process that serves the files, if `exports.publicUrl` is not set. Called only for links. */
  readonly port: () => number;
  readonly nowSeconds: () => number;
}

/** Links to exported files, in the store that the settings name. */
export function createFileLinks(config: Pick<Config, "exports" | "host">, deps: FileLinkDeps): FileLinks {
  const { s3, publicUrl, linkLifetimeSeconds } = config.exports;
  if (s3) return createS3Links(s3, linkLifetimeSeconds);
  const { pool, port, nowSeconds } = deps;
  let links: Promise<FileLinks> | undefined;
  const load = async () => {
    const secret = await loadSecret(pool, LINKS_SECRET);
    const url = () => publicUrl ?? `http://${config.host}:${port()}`;
    return createLocalLinks({ secret, publicUrl: url, lifetimeSeconds: linkLifetimeSeconds, nowSeconds });
  };
  return {
    async urlOf(file) {
      links ??= load();
      // A secret that could not be read is read again for the next link.
      links.catch(() => {
        links = undefined;
      });
      return (await links).urlOf(file);
    },
  };
}
