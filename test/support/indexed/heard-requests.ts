import type pg from "pg";
import { createLogger } from "../../../core/observability/logger.ts";
import { createMetadataRequests } from "../../../indexer/shared/metadata-requests.ts";
import { until } from "./indexing.ts";

/** The notifications of requests for metadata of a chain. The first one comes when the connection listens. */
export interface HeardRequests extends AsyncDisposable {
  untilCount(expected: number): Promise<number>;
}

export function hearRequests(pool: pg.Pool, chainId: string): HeardRequests {
  const requests = createMetadataRequests(pool, createLogger("silent"));
  let count = 0;
  requests.listen(chainId, () => void count++);
  return {
    untilCount: (expected) =>
      until(
        async () => count,
        (heard) => heard === expected,
        `${expected} notifications`,
      ),
    [Symbol.asyncDispose]: () => requests[Symbol.asyncDispose](),
  };
}
