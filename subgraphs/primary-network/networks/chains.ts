import { parseId } from "../../../core/cb58.ts";
import { Failure, quoted } from "../../../core/errors.ts";
import { idText } from "../identifiers/ids.ts";
import type { ServedNetwork } from "./served-network.ts";

/** A chain of a primary network, with its name in the tables. */
export type PrimaryChain = "P" | "X" | "C";

/** Aliases of the chains in paths and in `chainInfo`. */
export const ALIASES = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;

const P_CHAIN = "11111111111111111111111111111111LpoYY";

/** Blockchain IDs in the REST specification. A private network that is served as mainnet or Fuji also accepts them. */
const DOCUMENTED_IDS: Readonly<Record<ServedNetwork["network"], Readonly<Record<"X" | "C", string>>>> = {
  mainnet: {
    X: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
    C: "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
  },
  fuji: {
    X: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
    C: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
  },
};

/** Resolves a caller's `blockchainId`: an alias, or an ID as CB58 or hex. Throws `NOT_FOUND` for any other value. */
export function findChain(network: ServedNetwork, blockchainId: string): PrimaryChain {
  const chain = chainByText(network, blockchainId) ?? chainByText(network, parseId(blockchainId) ?? "");
  if (chain) return chain;
  const names = [...Object.values(ALIASES), P_CHAIN, idText(network.xChainId), idText(network.cChainId)].join(", ");
  throw new Failure(
    "NOT_FOUND",
    `blockchainId ${quoted(blockchainId)} is not a chain of network ${network.network}: its chains are ${names}`,
  );
}

function chainByText({ network, xChainId, cChainId }: ServedNetwork, text: string): PrimaryChain | null {
  const { X, C } = DOCUMENTED_IDS[network];
  if (text === ALIASES.P || text === P_CHAIN) return "P";
  if (text === ALIASES.X || text === X || text === idText(xChainId)) return "X";
  if (text === ALIASES.C || text === C || text === idText(cChainId)) return "C";
  return null;
}

/** CB58 ID of a chain of the network. */
export function chainIdText({ xChainId, cChainId }: ServedNetwork, chain: PrimaryChain): string {
  if (chain === "P") return P_CHAIN;
  return idText(chain === "X" ? xChainId : cChainId);
}
