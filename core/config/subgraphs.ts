import { url } from "./settings/fields.ts";

interface SubgraphEntry {
  /** The folder below `subgraphs/`, and the name in the supergraph. */
  readonly name: string;
  /** Port in the URL of the supergraph, which schema registries and other gateways use by default. */
  readonly port: number;
  /** The setting with the URL of the subgraph in a process of its own. */
  readonly setting: `${string}SubgraphUrl`;
  /** The part of `moraine start --only`, and the service of docker-compose.parts.yml. */
  readonly service: string;
  /** True if the health check `router` sends a query to it. False for the subgraph that makes the check. */
  readonly isProbed: boolean;
}

/**
 * All subgraphs. A subgraph is its folder and its line here. The gateway, the settings, the health check and `npm run generate`, which
 * writes the supergraph, docker-compose.parts.yml and docs/configuration.md, read this table.
 */
export const SUBGRAPHS = [
  { name: "evm", port: 4001, setting: "evmSubgraphUrl", service: "evm", isProbed: true },
  {
    name: "primary-network",
    port: 4002,
    setting: "primaryNetworkSubgraphUrl",
    service: "primary-network",
    isProbed: true,
  },
  { name: "node", port: 4003, setting: "nodeSubgraphUrl", service: "node", isProbed: false },
  { name: "operations", port: 4004, setting: "operationsSubgraphUrl", service: "operations", isProbed: true },
  { name: "metrics", port: 4005, setting: "metricsSubgraphUrl", service: "metrics", isProbed: true },
  // The service `signatures` asks validators.
  { name: "signatures", port: 4006, setting: "signaturesSubgraphUrl", service: "signatures-subgraph", isProbed: true },
] as const satisfies readonly SubgraphEntry[];

export type SubgraphSetting = (typeof SUBGRAPHS)[number]["setting"];

const urlSetting = (name: string) =>
  url.optional().describe(`GraphQL URL of the ${name} subgraph, if it runs in another process.`);

/** The settings with the URLs of subgraphs. */
export const SUBGRAPH_SETTINGS = Object.fromEntries(
  SUBGRAPHS.map(({ name, setting }) => [setting, urlSetting(name)]),
) as Record<SubgraphSetting, ReturnType<typeof urlSetting>>;

/** The environment variable of a setting, such as `EVM_SUBGRAPH_URL`. */
export function subgraphVariable(setting: SubgraphSetting): string {
  return setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
