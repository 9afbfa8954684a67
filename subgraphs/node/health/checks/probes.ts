import { request } from "undici";
import type { Config } from "../../../../core/config/config-schema.ts";
import { SUBGRAPHS, type SubgraphSetting } from "../../../../core/config/subgraphs.ts";
import { requireSignatureService } from "../../../../signatures/protocol/health.ts";
import type { Probe } from "./router.ts";

const QUESTION = JSON.stringify({ query: "{ __typename }" });

/** A probe that sends a minimal GraphQL query to a server in another process. */
export function httpProbe(url: string): Probe {
  return async (signal) => {
    const headers = { "content-type": "application/json", accept: "application/json" };
    const { body } = await request(url, { method: "POST", headers, body: QUESTION, signal });
    assertAnswered(await body.json());
  };
}

interface Answer {
  readonly data?: { readonly __typename?: unknown } | null;
  readonly errors?: readonly { readonly extensions?: { readonly code?: unknown } }[];
}

function assertAnswered(answer: unknown): void {
  const { data, errors } = Object(answer) as Answer;
  // A gateway with a list of allowed operations refuses this one. It works nevertheless.
  const isRefused = errors?.[0]?.extensions?.code === "FORBIDDEN";
  if (typeof data?.__typename !== "string" && !isRefused) throw new Error("the answer has no data");
}

/** Probes of the gateway, the subgraphs and the signature service whose URLs are configured. */
export function probesOf(config: Partial<Pick<Config, "gatewayUrl" | SubgraphSetting>> & Pick<Config, "signatures">) {
  const urls = [
    ["gateway", config.gatewayUrl] as const,
    ...SUBGRAPHS.filter(({ isProbed }) => isProbed).map(({ name, setting }) => [name, config[setting]] as const),
  ];
  const configured = urls.flatMap(([name, url]): [string, Probe][] => (url ? [[name, httpProbe(url)]] : []));
  const { serviceUrl } = config.signatures;
  if (serviceUrl) configured.push(["signature-service", (signal) => requireSignatureService(serviceUrl, signal)]);
  return Object.fromEntries(configured);
}
