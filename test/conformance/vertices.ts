import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { type ListRoute, paginationRules } from "./pagination.ts";
import { blockchainRules, CHAIN_NAMES, networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";

const pathOf = (blockchainId: string, network = "fuji"): string =>
  `/v1/networks/${network}/blockchains/${blockchainId}/vertices`;
const PATH = pathOf("x-chain");

const X_ONLY_RULES: readonly Rule[] = [
  rule("E19.1", "MUST", "refuses any chain but the X-Chain with 400", async (api) => {
    for (const chain of ["P", "C"] as const)
      for (const name of CHAIN_NAMES[chain])
        expect(await api.refusal(pathOf(name))).toEqual([
          400,
          `blockchainId must be x-chain or ${CHAIN_NAMES.X[1]}, the only chain with vertices, got "${name}"`,
        ]);
  }),
  rule("E19.2", "CHOICE", "returns an empty list for an X-Chain that started with blocks", async (api) => {
    expect(await api.body(PATH)).toEqual({ vertices: [], chainInfo: { chainName: "x-chain", network: "fuji" } });
  }),
];

/** All rules of E19 for a recording without vertices. */
export const VERTEX_RULES: readonly Rule[] = [
  ...X_ONLY_RULES,
  ...networkRules("E19", (network) => pathOf("x-chain", network)),
  ...blockchainRules("E19", pathOf, ["X"]),
  ...everyRouteRules({
    id: "E19",
    path: PATH,
    units: 20,
    statements: 1,
    parameter: { name: "pageSize", good: "3", bad: "x" },
  }),
];

/** Rules of pagination, for a network whose X-Chain has vertices. */
export function vertexPaginationRules(expected: (api: Api) => readonly string[]): Rule[] {
  const list: ListRoute = {
    id: "E19",
    path: PATH,
    items: "vertices",
    expected,
    others: {},
    spellings: [pathOf("x-chain", "testnet"), pathOf("2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm")],
    key: ({ vertexHash }) => String(vertexHash),
  };
  return paginationRules(list);
}
