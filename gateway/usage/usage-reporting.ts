import type { IncomingHttpHeaders } from "node:http";
import { setImmediate as nextIteration } from "node:timers/promises";
import { OperationTypeNode, separateOperations } from "graphql";
import { oncePer } from "../../core/async/once.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { withEnd } from "../../core/observability/observe.ts";
import type { Observers, Operation } from "../operation/operation.ts";
import type { AnsweredOperation, ClientSoftware, ReportedOperation, UsageReporter } from "./reporter.ts";

/** Reports the operations of callers to schema registries. */
export interface UsageReporting extends AsyncDisposable {
  /** These observers, which also report the operations of callers of `/graphql`. */
  observers(observers: Observers): Observers;
}

/**
 * Null if the settings name no registry. The code of a registry is loaded only if it is needed. Operations are collected after they have been
 * answered; a report that fails is logged and dropped.
 */
export function createUsageReporting(
  { hive, apollo }: Config["graphql"]["usageReporting"],
  logger: Logger,
): UsageReporting | null {
  if (!hive && !apollo) return null;
  const reporters: Promise<UsageReporter>[] = [];
  if (hive) reporters.push(import("./hive.ts").then((module) => module.createHiveReporter(hive, logger)));
  if (apollo) reporters.push(import("./apollo.ts").then((module) => module.createApolloReporter(apollo, logger)));
  const reportedOf = oncePer(reportedOperation);
  const report = async (operation: Operation, answered: Omit<AnsweredOperation, "operation">) => {
    try {
      await nextIteration();
      for (const reporter of await Promise.all(reporters))
        reporter.report({ ...answered, operation: reportedOf(operation) });
    } catch (error) {
      logger.warn({ err: error }, "an operation cannot be reported");
    }
  };
  return {
    observers: (observers) => ({
      of(operation, sender) {
        const observe = observers.of(operation, sender);
        if (!sender) return observe;
        return (run) => {
          const startedAt = performance.now();
          let errors = 0;
          const hasFailed = (value: unknown) => {
            errors = errorsOf(value);
            return false;
          };
          return withEnd(
            () => observe(run),
            hasFailed,
            (hasThrown) => {
              const durationNs = Math.round((performance.now() - startedAt) * 1e6);
              void report(operation, { client: clientOf(sender.headers), durationNs, errors: hasThrown ? 1 : errors });
            },
          );
        };
      },
    }),
    async [Symbol.asyncDispose]() {
      // Reports of operations that have been answered are on their way.
      await nextIteration();
      const loaded = await Promise.all(reporters);
      await Promise.all(loaded.map((reporter) => reporter[Symbol.asyncDispose]()));
    },
  };
}

function reportedOperation({ name, kind, document, schema }: Operation): ReportedOperation {
  return {
    name,
    isSubscription: kind === OperationTypeNode.SUBSCRIPTION,
    document: separateOperations(document)[name ?? ""] ?? document,
    schema,
  };
}

function errorsOf(value: unknown): number {
  return typeof value === "object" && value !== null && "errors" in value && Array.isArray(value.errors)
    ? value.errors.length
    : 0;
}

const NAME_HEADERS = ["graphql-client-name", "x-graphql-client-name", "apollographql-client-name"];
const VERSION_HEADERS = ["graphql-client-version", "x-graphql-client-version", "apollographql-client-version"];
const MAX_CHARACTERS = 100;

function clientOf(headers: IncomingHttpHeaders): ClientSoftware {
  const first = (names: readonly string[]) =>
    names
      .map((name) => headers[name])
      .find((value) => typeof value === "string")
      ?.slice(0, MAX_CHARACTERS) ?? "";
  return { name: first(NAME_HEADERS), version: first(VERSION_HEADERS) };
}
