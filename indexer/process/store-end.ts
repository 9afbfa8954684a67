import type { Placement } from "../../core/database/placement.ts";
import { withSession } from "../../core/database/postgres/connect.ts";
import { messageOf } from "../../core/errors/errors.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { NamedProgress } from "../terminal.ts";

const TIMEOUT_MS = 5_000;

const CHAIN = "UPDATE chain_progress SET state = 'WAITING', reason = $2 WHERE chain_id = $1";
const PRIMARY_CHAIN = "UPDATE primary_progress SET state = 'WAITING', reason = $3 WHERE network_id = $1 AND chain = $2";

/** Stores for callers of the API why the chains that an ended process wrote are not indexed now. A failure is only logged. */
export async function storeEnd(
  placement: Pick<Placement, "evm" | "primary">,
  written: readonly Pick<NamedProgress, "ids">[],
  { reason, logger }: { readonly reason: string; readonly logger: Logger },
): Promise<void> {
  const byUrl = new Map<string, Pick<NamedProgress, "ids">[]>();
  for (const one of written) {
    const url = "chainId" in one.ids ? placement.evm(one.ids.chainId) : placement.primary(one.ids.networkId);
    byUrl.set(url, [...(byUrl.get(url) ?? []), one]);
  }
  for (const [url, ofDatabase] of byUrl)
    await storeIn(url, ofDatabase, reason).catch((error: unknown) => {
      logger.debug({ reason: messageOf(error) }, "the end of the indexer's process could not be stored");
    });
}

async function storeIn(url: string, written: readonly Pick<NamedProgress, "ids">[], reason: string): Promise<void> {
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const options = { application_name: "moraine ended indexer", ...limits };
  await withSession(
    url,
    async (session) => {
      for (const { ids } of written)
        if ("chainId" in ids) await session.query(CHAIN, [ids.chainId, reason]);
        else await session.query(PRIMARY_CHAIN, [ids.networkId, ids.chain, reason]);
    },
    options,
  );
}
