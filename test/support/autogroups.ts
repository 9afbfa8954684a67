import { accessSync, constants } from "node:fs";

/** The autogroup of this process. */
export const OWN_AUTOGROUP = "/proc/self/autogroup";

/** True if autogroups can be changed: Linux has them if its kernel was built with them, and a container may have a read-only `/proc`. */
export const HAS_AUTOGROUPS = hasAutogroups();

function hasAutogroups(): boolean {
  try {
    accessSync(OWN_AUTOGROUP, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
