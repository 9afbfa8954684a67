import type pg from "pg";
import type { Config } from "../config-schema.ts";
import { loadSecret } from "../database.ts";
import { createLocalLinks, type FileLinks } from "./links.ts";

export interface FileLinksDeps {
  readonly settings: Config["exports"];
  readonly pool: pg.Pool;
  /** Base URL of local links if `publicUrl` is not set. A function: the port is known only when the server listens. */
  readonly serverUrl: () => string;
  readonly nowSeconds: () => number;
}

/** Links to exported files, as the settings store them. */
export async function createFileLinks({ settings, pool, serverUrl, nowSeconds }: FileLinksDeps): Promise<FileLinks> {
  const { publicUrl, linkLifetimeSeconds: lifetimeSeconds } = settings;
  const secret = await loadSecret(pool, "download-links");
  return createLocalLinks({ secret, publicUrl: () => publicUrl ?? serverUrl(), lifetimeSeconds, nowSeconds });
}
