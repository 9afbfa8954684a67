import { endSession, openLongSession } from "../../shared/maintenance-session.ts";
import { rebuildIndexes } from "../maintenance/rebuild-indexes.ts";
import type { CommandDeps } from "./command.ts";

type CompactDeps = Pick<CommandDeps, "url" | "signal" | "report"> & {
  readonly rules: Pick<CommandDeps["rules"], "chainId">;
};

/** Rebuilds the indexes of a chain, as `rebuildIndexes` does, in a database session of its own. */
export async function compactIndexes({ url, rules: { chainId }, signal, report }: CompactDeps): Promise<string> {
  const client = await openLongSession(url, `moraine compact ${chainId}`);
  try {
    return await rebuildIndexes(client, chainId, { signal, report });
  } finally {
    await endSession(client);
  }
}
