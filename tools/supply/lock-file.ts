const FOLDER = "node_modules/";

/** A package in `package-lock.json`. */
export interface LockedPackage {
  /** Path of its folder, such as `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** The licence that the package declares; null if it declares none. */
  readonly licence: string | null;
  /** Base64 of the SHA-512 of the package's archive. */
  readonly sha512: string;
  /** True if Moraine runs without it: only tests, checks or benchmarks need it. */
  readonly isDevelopment: boolean;
  /** True if the package is installed only on some platforms. */
  readonly isOptional: boolean;
  /** Names of the packages that it imports. */
  readonly dependencies: readonly string[];
}

/** The project and all packages that `npm ci` installs. */
export interface LockFile {
  readonly name: string;
  readonly version: string;
  /** Names of the packages that Moraine imports when it runs. */
  readonly dependencies: readonly string[];
  readonly packages: readonly LockedPackage[];
}

interface Entry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** Reads the text of a `package-lock.json` with version 3 of the format. Throws if a package has no SHA-512. */
export function parseLockFile(text: string): LockFile {
  const { packages } = JSON.parse(text) as { readonly packages: Readonly<Record<string, Entry>> };
  const { "": root = {}, ...installed } = packages;
  return {
    name: root.name ?? "",
    version: root.version ?? "",
    dependencies: Object.keys(root.dependencies ?? {}),
    packages: Object.entries(installed).map(([path, entry]) => parsePackage(path, entry)),
  };
}

function parsePackage(path: string, entry: Entry): LockedPackage {
  const [, sha512] = /^sha512-(\S+)/.exec(entry.integrity ?? "") ?? [];
  if (!sha512) throw new Error(`package-lock.json: ${path} has no SHA-512`);
  return {
    path,
    // An alias has another name than its folder.
    name: entry.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
    version: entry.version ?? "",
    licence: entry.license ?? null,
    sha512,
    isDevelopment: entry.dev === true,
    isOptional: entry.optional === true,
    dependencies: [...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }), ...requiredPeers(entry)],
  };
}

/** A package works without its optional peers, which are installed only if another package needs them. */
function requiredPeers({ peerDependencies = {}, peerDependenciesMeta = {} }: Entry): string[] {
  return Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
}

/** Finds the packages that a package imports, as Node.js does: in its own folder, then in those around it. */
export function createResolver(
  packages: readonly LockedPackage[],
): (path: string, names: readonly string[]) => LockedPackage[] {
  const byPath = new Map(packages.map((one) => [one.path, one]));
  const resolve = (path: string, name: string): LockedPackage | undefined => {
    const found = byPath.get(path === "" ? FOLDER + name : `${path}/${FOLDER}${name}`);
    if (found || path === "") return found;
    const around = path.lastIndexOf(`/${FOLDER}`);
    return resolve(around < 0 ? "" : path.slice(0, around), name);
  };
  // Optional and peer dependencies may be missing.
  return (path, names) => names.flatMap((name) => resolve(path, name) ?? []);
}
