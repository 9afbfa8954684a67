import { setTimeout as sleep } from "node:timers/promises";
import {
  buildClientSchema,
  type ExecutionResult,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  validate,
} from "graphql";
import { Agent, request } from "undici";
import { Failure, messageOf } from "../../core/errors/errors.ts";
import type { GraphClient, RequestInfo } from "../../core/graph/graph-client.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { INTERNAL_TOKEN_HEADER } from "../../core/limits/access/internal-token.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { traceHeaders } from "../../core/observability/observe.ts";
import { signalOf } from "../../core/work/work.ts";
import { receivedResult } from "../../gateway/public-error.ts";

/** Longer than the gateway waits for a subgraph: 30 seconds, or 120 seconds for signatures. */
const TIMEOUT_MS = 130_000;
const RETRY_MS = 1_000;

export interface HttpGraphOptions {
  /** URL of the gateway. */
  readonly url: string;
  /** Header in which API keys are sent on, so that the gateway identifies the callers. */
  readonly keyHeader: string;
  /** Shows the gateway that requests are charged already; see `loadInternalToken`. */
  readonly internalToken?: string | undefined;
  readonly logger: Logger;
}

/**
 * Connects to a gateway in another process. Retries every second until that gateway answers, and logs each failure.
 * If the signal is aborted before that, rejects with the reason of the signal.
 */
export async function createHttpGraphClient(
  { url, keyHeader, internalToken, logger }: HttpGraphOptions,
  signal: AbortSignal,
): Promise<GraphClient & AsyncDisposable> {
  const agent = new Agent({ headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const trusted: Headers = {
    [SCHEMA_HEADER]: REST_SCHEMA,
    ...(internalToken === undefined ? {} : { [INTERNAL_TOKEN_HEADER]: internalToken }),
  };
  const send = (query: string, variables: Readonly<Record<string, unknown>>, info: RequestInfo) =>
    post(agent, url, { query, variables }, { ...headersOf(info, keyHeader), ...trusted }, signalOf(info.work));
  const schema = await readSchema(agent, { url, logger, headers: trusted, signal });
  return {
    schema,
    prepare(document) {
      const [error] = validate(schema, parse(document));
      if (error) throw error;
      return async (variables, info) => {
        try {
          return await send(document, variables, info);
        } catch (error) {
          return {
            errors: [
              error instanceof Failure ? error : new Failure("UNAVAILABLE", "the gateway cannot be reached", error),
            ],
          };
        }
      };
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

interface SchemaSource {
  readonly url: string;
  readonly logger: Logger;
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

async function readSchema(
  agent: Agent,
  { url, logger, headers: trusted, signal }: SchemaSource,
): Promise<GraphQLSchema> {
  for (;;) {
    try {
      const headers = { "x-request-id": "introspection", ...trusted };
      const { data, errors } = await post(agent, url, { query: getIntrospectionQuery() }, headers, signal);
      if (errors?.[0]) throw errors[0];
      return buildClientSchema(data as unknown as IntrospectionQuery);
    } catch (error) {
      if (signal.aborted) {
        await agent.destroy();
        throw signal.reason;
      }
      logger.warn({ reason: messageOf(error) }, "the schema of the gateway cannot be read yet");
      // An abort is noticed above.
      await sleep(RETRY_MS, null, { signal }).catch(() => {});
    }
  }
}

type Headers = Readonly<Record<string, string>>;

function headersOf({ requestId, apiKey }: RequestInfo, keyHeader: string): Headers {
  const headers = { "x-request-id": requestId, ...traceHeaders() };
  return apiKey === undefined ? headers : { ...headers, [keyHeader]: apiKey };
}

async function post(
  agent: Agent,
  url: string,
  body: unknown,
  headers: Headers,
  signal?: AbortSignal,
): Promise<ExecutionResult> {
  const response = await request(url, {
    method: "POST",
    dispatcher: agent,
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
  });
  const answer = (await response.body.json().catch(() => null)) as ExecutionResult | null;
  if (answer && ("data" in answer || "errors" in answer)) return receivedResult(answer);
  throw new Failure("UPSTREAM_FAILED", `the gateway answered HTTP ${response.statusCode} without a GraphQL result`);
}
