import { createDataLoader } from "../../core/database/data-loader.ts";
import { failureOf, type SignatureService } from "../../signatures/protocol/client.ts";
import type { DescribedMessage, MessageSource } from "../../signatures/protocol/protocol.ts";
import type { SignableMessage } from "./messages/types.ts";

const MAX_SOURCES = 1_000;

/** The loaders of one request. */
export interface Loaders {
  /** The message of a log or transaction; null if it has none. Sources that are asked for in one tick share one call. */
  message(source: MessageSource): Promise<SignableMessage | null>;
}

export function createLoaders({ service }: { readonly service: SignatureService }): Loaders {
  const describe = async (sources: readonly MessageSource[]) => (await service.describe(sources)).map(messageIn);
  const messages = createDataLoader("message", describe, { cacheKeyFn: JSON.stringify, maxBatchSize: MAX_SOURCES });
  return { message: (source) => messages.load(source) };
}

function messageIn(described: DescribedMessage): SignableMessage | null | Error {
  if ("failure" in described) return failureOf(described.failure);
  return described.message as SignableMessage | null; // the type of the graph only adds names
}
