import { dirname } from "node:path";
import { ConfigError } from "../config/config.ts";
import { DATA_DIRECTORY_SETTING } from "../config/data-directory.ts";
import { quoted } from "../errors/errors.ts";
import type { Account } from "./account.ts";
import type { ClusterPaths } from "./cluster-paths.ts";

/** What to do, by what the server logs before it ends. */
const REMEDIES: readonly (readonly [log: RegExp, remedy: string | ((account: Account | null) => string)])[] = [
  [
    /database files are incompatible with server/,
    "use the version of Moraine and the kind of machine that wrote these files, or choose another directory, in which everything is indexed again",
  ],
  [
    /invalid permissions|wrong ownership|Permission denied/,
    (account) =>
      `give the directory postgres in it, with all files, to ${account ? `the account ${account.name}, as which PostgreSQL runs because it refuses to run as root` : "this user"}, with mode 0700`,
  ],
  [
    /incorrect checksum in control file|could not locate a valid checkpoint record|invalid checkpoint record|not a valid data directory|could not (open|read) file ".*(pg_control|PG_VERSION)"/,
    "its files are damaged: put back a copy that was made while Moraine was stopped, or choose another directory, in which everything is indexed again",
  ],
];

/** The error for a server that has logged this and ended: a `ConfigError` with the remedy if the reason is in the files of the cluster. */
export function startFailure(log: string, paths: ClusterPaths, account: Account | null): Error {
  const remedy = REMEDIES.find(([pattern]) => pattern.test(log))?.[1];
  if (!remedy) return new Error(`PostgreSQL did not start: ${log || "it has logged nothing, as on a full disk"}`);
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(log)?.[1] ?? log.split("\n", 1)[0];
  const detail = /DETAIL: +(.*?)\.?$/m.exec(log)?.[1];
  const why = detail ? `${reason}: ${detail}` : reason;
  const what = typeof remedy === "string" ? remedy : remedy(account);
  return new ConfigError(
    `${DATA_DIRECTORY_SETTING} is ${quoted(dirname(paths.log))}: PostgreSQL cannot use it (${why}); ${what}`,
  );
}
