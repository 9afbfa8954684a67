import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { loadValidatorSet } from "../../../core/networks/validator-set.ts";
import { ZERO_ID } from "../network/chains.ts";
import { type ComparisonDeps, type ComparisonResult, combined, differencesBetween, textOf } from "./comparison.ts";
import { PATHS } from "./node.ts";

/** Nodes show all inactive L1 validators as one entry under this id. */
const NO_NODE = "00".repeat(20);

/** Entries by node id. Releases before avalanchego 1.10 return only the weights, in `validators`. */
type Answer = Readonly<Record<string, { readonly publicKey?: string | null; readonly weight: string }>>;
type WeightsOnly = { readonly validators: Readonly<Record<string, string>> };

/** Compares the validator sets of all subnets at the last indexed height. */
export async function compareValidatorSets(deps: ComparisonDeps): Promise<ComparisonResult> {
  const { networkId } = deps.network;
  const { rows } = await deps.pool.query<{ subnet_id: Buffer; block_number: string }>(
    `SELECT s.subnet_id, h.block_number FROM subnets s JOIN primary_heads h ON h.network_id = $1
     WHERE s.network_id = $1 AND h.chain = 'P'
     UNION ALL SELECT $2, block_number FROM primary_heads WHERE network_id = $1 AND chain = 'P'`,
    [networkId, `\\x${ZERO_ID}`],
  );
  const all: ComparisonResult[] = [];
  for (const { subnet_id, block_number } of rows)
    all.push(await compareValidatorSet(deps, subnet_id.toString("hex"), BigInt(block_number)));
  return combined(all);
}

/** Compares the validator set of a subnet at a height. */
export async function compareValidatorSet(
  { pool, network, node }: ComparisonDeps,
  subnetId: string,
  height: bigint,
): Promise<ComparisonResult> {
  const params = { subnetID: formatId(subnetId), height: Number(height) };
  const answer = (await node.ask(PATHS.P, "platform.getValidatorsAt", params)) as Answer | WeightsOnly;
  const fromNode = new Map(Object.entries(answerOf(answer)));
  const hasKeys = [...fromNode.values()].some(({ publicKey }) => publicKey !== undefined);
  const indexed = new Map<string, { publicKey?: string | null; weight: bigint }>();
  for (const { nodeId, weight, publicKey } of await loadValidatorSet(pool, {
    networkId: network.networkId,
    subnetId,
    height,
  })) {
    const name = formatNodeId(nodeId ?? NO_NODE);
    const others = indexed.get(name)?.weight ?? 0n;
    const entry = { weight: others + weight };
    indexed.set(name, hasKeys ? { ...entry, publicKey: publicKey && `0x${publicKey}` } : entry);
  }
  const texts = (entries: Iterable<readonly [string, unknown]>) =>
    new Map([...entries].map(([name, entry]) => [name, textOf(entry)]));
  return differencesBetween(
    `validator of subnet ${params.subnetID} at height ${height},`,
    texts(indexed),
    texts(fromNode),
  );
}

function answerOf(answer: Answer | WeightsOnly): Answer {
  const { validators } = answer as Partial<WeightsOnly>;
  if (!validators) return answer as Answer;
  return Object.fromEntries(Object.entries(validators).map(([nodeId, weight]) => [nodeId, { weight }]));
}
