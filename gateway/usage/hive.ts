import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createHive, type HiveClient } from "@graphql-hive/core";
import { type DocumentNode, print } from "graphql";
import { oncePer } from "../../core/async/once.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { VERSION } from "../../core/observability/version.ts";
import { type ClientSoftware, LAST_REPORT_MS, type ReportedOperation, type UsageReporter } from "./reporter.ts";

/** Of one attempt to send a report. */
const TIMEOUT_MS = 10_000;
/** A report is sent earlier if it has so many. */
const MAX_OPERATIONS = 1_500;

type HiveSettings = NonNullable<Config["graphql"]["usageReporting"]["hive"]>;

/** Reports to GraphQL Hive by its own client, which hides literals and reads no variables. */
export function createHiveReporter({ token, target, endpoint }: HiveSettings, logger: Logger): UsageReporter {
  const hive = createHive({
    token,
    usage: { ...(target && { target }), endpoint, clientInfo: ({ client }: { client: ClientSoftware }) => client },
    agent: {
      name: "moraine",
      version: VERSION,
      timeout: TIMEOUT_MS,
      maxRetries: 0,
      maxSize: MAX_OPERATIONS,
      logger: {
        debug: (text) => logger.debug(`GraphQL Hive: ${text}`),
        info: (text) => logger.info(`GraphQL Hive: ${text}`),
        error: (text) => logger.warn(`GraphQL Hive: ${String(text)}`),
      },
    },
  });
  const documentOf = oncePer(comparedDocument);
  return {
    report({ operation, client, durationNs, errors }) {
      const { schema, name: operationName } = operation;
      const args = { schema, document: documentOf(operation), operationName, contextValue: { client } };
      if (operation.isSubscription) hive.collectSubscriptionUsage({ args });
      // Messages of errors can have values of variables, and only the number of errors is reported.
      else hive.collectRequest({ args, result: { errors: Array(errors).fill({ message: "" }) }, duration: durationNs });
    },
    async [Symbol.asyncDispose]() {
      await Promise.race([dispose(hive), sleep(LAST_REPORT_MS, undefined, { ref: false })]);
    },
  };
}

/** Twice, because the client starts its timer again if the first operation is still collected meanwhile. Its errors are in the log. */
async function dispose(hive: HiveClient): Promise<void> {
  await hive.dispose().catch(() => {});
  await hive.dispose().catch(() => {});
}

/**
 * Hive's client compares documents by their JSON, which it makes of the whole document for each request: two milliseconds for a large one. A document
 * whose JSON is a hash is as good.
 */
function comparedDocument({ document }: ReportedOperation): DocumentNode {
  const digest = hash("sha256", print(document), "hex");
  return { ...document, toJSON: () => digest } as DocumentNode;
}
