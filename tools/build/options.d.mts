import type { BuildOptions } from "esbuild";

export interface BundleOptions {
  readonly entryPoints: readonly string[];
  readonly outdir: string;
  readonly scriptDirectory: string;
}

export const EXTERNAL: readonly string[];
export const PRODUCT_SCRIPTS: readonly string[];
export function bundleOptions(options: BundleOptions): BuildOptions;
