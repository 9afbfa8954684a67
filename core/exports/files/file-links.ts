import type pg from "pg";
import type { Config } from "../../config/config-schema.ts";
import { loadSecret } from "../../database/database.ts";
import { createLocalLinks, type FileLinks } from "./links.ts";
import { createS3Links } from "./s3-links.ts";

/** Name of the installation's secret that signs links to local files. */
export const LINKS_SECRET = "download-links";

export interface FileLinksDeps {
  readonly settings: Config["exports"];
  readonly pool: pg.Pool;
  /** Base URL of local links if `publicUrl` is not set. A function: the port is known only when the server listens. */
  readonly serverUrl: () => string;
  readonly nowSeconds: () => number;
}

/** Links to exported files, in the store that the settings name. */
export async function createFileLinks({ settings, pool, serverUrl, nowSeconds }: FileLinksDeps): Promise<FileLinks> {
  const { s3, publicUrl, linkLifetimeSeconds: lifetimeSeconds } = settings;
  if (s3) return createS3Links(s3, lifetimeSeconds);
  const secret = await loadSecret(pool, LINKS_SECRET);
  return createLocalLinks({ secret, publicUrl: () => publicUrl ?? serverUrl(), lifetimeSeconds, nowSeconds });
}
