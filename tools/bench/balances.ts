import { formatAddress } from "../../core/formats/bech32.ts";
import { inSession } from "./database.ts";
import { createTarget, get, type Target } from "./load.ts";
import { startServer } from "./start-server.ts";
import type { Line } from "./table.ts";

const NETWORK_ID = 76_099;
const ROWS = 500_000;
/** One output in five belongs to the owner `many`. All of its outputs are unspent. */
const EVERY = 5;
const HEAD = 1_600_000_000 + ROWS * 2;
const ROUNDS = 21;

const many = "00112233445566778899aabbccddeeff00112233";
const few = "ffeeddccbbaa99887766554433221100ffeeddcc";
const others = "substring(sha256(('owner' || n % 40000)::bytea), 1, 20)";

const FILL: readonly string[] = [
  `INSERT INTO primary_networks VALUES (${NETWORK_ID}, 'custom', '\\x00', 0, sha256('x'), sha256('c'), sha256('avax'), '{}')`,
  `INSERT INTO primary_heads VALUES (${NETWORK_ID}, 'P', 0, ${ROWS}, '\\x', '\\x', ${HEAD}, 0, 1)`,
  ...["utxos", "primary_assets"].map(
    (table) => `CREATE TABLE ${table}_${NETWORK_ID} PARTITION OF ${table} FOR VALUES IN (${NETWORK_ID})`,
  ),
  `INSERT INTO primary_assets VALUES (${NETWORK_ID}, sha256('avax'), 'Avalanche', 'AVAX', 9, 'secp256k1', 'fixed', 0)`,
  // The outputs of one owner are spread over the table, as on a real chain.
  `INSERT INTO utxos (network_id, utxo_id, tx_hash, output_index, asset_id, output_type, amount, locktime, threshold,
     addresses, role, created_on_chain, chain, created_block_number, created_timestamp,
     consumed_tx_hash, consumed_block_number, consumed_timestamp)
   SELECT ${NETWORK_ID}, sha256(('utxo' || n)::bytea), sha256(('tx' || n)::bytea), 0, sha256('avax'),
     'secp256k1fx.TransferOutput', 1000000000 + n, 0, 1,
     ARRAY[CASE WHEN n % ${EVERY} = 0 THEN decode('${many}', 'hex') WHEN n % 50000 = 1 THEN decode('${few}', 'hex') ELSE ${others} END],
     'PLAIN', 'P', 'P', n, 1600000000 + n * 2,
     CASE WHEN isSpent THEN sha256(('spent' || n)::bytea) END, CASE WHEN isSpent THEN n + 9 END,
     CASE WHEN isSpent THEN 1600000000 + n * 2 + 18 END
   FROM (SELECT n, n % ${EVERY} > 0 AND n % 50000 <> 1 AND n % 3 > 0 AS isSpent FROM generate_series(0, ${ROWS - 1}) n) made`,
  "VACUUM ANALYZE utxos",
];

/** Time of one answer of E8 over REST, in milliseconds: the median of several. */
export interface BalanceTime {
  readonly name: string;
  readonly outputs: number;
  readonly ms: number;
}

/** Fills a network of its own, and measures the balances of an owner with few outputs and of one with a hundred thousand. */
export async function measureBalances(url: string): Promise<BalanceTime[]> {
  await inSession(url, async (client) => {
    for (const statement of FILL) await client.query(statement);
  });
  // The API reads no genesis file and sends no request to this node, so neither needs to exist.
  const primaryNetworks = [
    { network: "fuji", networkId: NETWORK_ID, nodeUrl: "http://127.0.0.1:1", genesisFile: "none" },
  ];
  await using server = await startServer({ kind: "moraine", url, evmChains: [], primaryNetworks });
  await using target = createTarget(server.url);
  const times: BalanceTime[] = [];
  for (const [owner, who] of [
    [few, "an owner of few"],
    [many, "an owner of many"],
  ] as const)
    for (const [time, when] of [
      ["", "now"],
      [`&blockTimestamp=${HEAD - ROWS}`, "half way"],
    ] as const) {
      const address = formatAddress({ chain: null, prefix: "custom", address: owner });
      const path = `/v1/networks/fuji/blockchains/p-chain/balances?addresses=${address}${time}`;
      times.push({ name: `${who}, ${when}`, ...(await timed(target, path)) });
    }
  return times;
}

async function timed(target: Target, path: string): Promise<Omit<BalanceTime, "name">> {
  const load = get(path);
  const { balances } = JSON.parse(await target.ask(load)) as {
    balances: { unlockedUnstaked: { utxoCount: number }[] };
  };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await target.ask(load);
    times.push(performance.now() - startedAt);
  }
  const ms = times.sort((one, other) => one - other)[ROUNDS >> 1] as number;
  return { outputs: balances.unlockedUnstaked[0]?.utxoCount ?? 0, ms };
}

export function balanceLines(times: readonly BalanceTime[]): Line[] {
  return [
    ["E8, balances", "", "outputs", "ms/request"],
    ...times.map(({ name, outputs, ms }) => [name, "over REST", outputs.toLocaleString("en"), ms.toFixed(1)]),
  ];
}
