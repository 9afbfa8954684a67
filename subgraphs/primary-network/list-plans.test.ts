import "reflect-metadata";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { scansOf } from "../../test/support/database/plans.ts";
import { type MessageScope, messagesSelect } from "../evm/icm-messages/statement.ts";
import { endsOf as listEndsOf, sorted } from "../shared/rows/keyset.ts";
import { type ListSelect, selectOf } from "../shared/rows/list-reader.ts";
import { statementOf } from "../shared/rows/nested-list.ts";
import { type L1ValidatorOrder, orderOf as l1OrderOf } from "./l1-validators/order.ts";
import { L1_POSITION_AT, l1PageStatement } from "./l1-validators/page-statement.ts";
import { REWARD_ORDER, REWARD_POSITION_AT, rewardsStatement } from "./rewards/rows.ts";
import { keyOfList, nestedStakers } from "./stakers/nested-list.ts";
import { endsOf, orderOf, rangeOf, type StakerOrder } from "./stakers/order.ts";
import { STAKER_POSITION_AT, stakerPageStatement } from "./stakers/rows.ts";
import { orderOf as subnetOrderOf } from "./subnets/order.ts";
import { KINDS_POSITION_AT, kindsStatement } from "./subnets/rows.ts";
import { TIME_POSITION_AT, timeOrder } from "./transactions/by-time.ts";
import { timedStatement } from "./transactions/rows.ts";
import { POSITION_AT, UTXO_ORDER, utxosStatement } from "./utxos/of-address-statement.ts";

const LIMIT = 11;
const ROWS = 20_000;
const NODE = "substring(sha256('node'), 1, 20)";

const FILL: readonly string[] = [
  ...["primary_transactions", "stakers", "l1_validators", "subnets", "utxos", "utxo_owners", "primary_rewards"].map(
    (table) => `CREATE TABLE ${table}_5 PARTITION OF ${table} FOR VALUES IN (5)`,
  ),
  `INSERT INTO primary_networks VALUES (5, 'fuji', '\\x00', 1, '\\x01', '\\x02', '\\x03', '{}')`,
  `INSERT INTO primary_heads VALUES (5, 'P', 1, 1, '\\x01', '\\x01', 1, 1, 1)`,
  `INSERT INTO primary_transactions (network_id, chain, tx_seq, tx_hash, tx_type, block_number, block_timestamp, memo,
     consumed_utxo_ids, emitted_utxo_ids, burned_asset_ids, burned_amounts, l1_balance_burned, reward_addresses)
   SELECT 5, 'P', n, sha256(('tx' || n)::bytea), CASE WHEN n % 100 = 0 THEN 'ExportTx' WHEN n < 50 THEN 'CreateSubnetTx' ELSE 'BaseTx' END,
     n, 1000 + n / 3, '\\x', '{}', '{}', '{}', '{}', 0, '{}' FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO stakers (network_id, tx_hash, staker_seq, kind, status, is_permissioned, subnet_id, node_id, weight, start_timestamp, end_timestamp,
     start_priority, shares, output_count, stake_count, reward_addresses, accrued_share, paid_reward, paid_share)
   SELECT 5, sha256(('s' || n)::bytea), n, CASE WHEN n % 4 = 0 THEN 'VALIDATOR' ELSE 'DELEGATOR' END, CASE WHEN n % 7 = 0 THEN 'ACTIVE' ELSE 'COMPLETED' END,
     false, decode(repeat('00', 32), 'hex'), CASE WHEN n % 2 = 0 THEN ${NODE} ELSE substring(sha256((n % 900)::text::bytea), 1, 20) END,
     1 + (n * 7919) % 10007, 1000 + n, 10000000 + (n * 31) % 5003, 1, CASE WHEN n % 4 = 0 THEN 20000 + (n * 13) % 997 END, 0, 0, '{}', 0, 0, 0
   FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO l1_validators (network_id, validation_id, validator_seq, subnet_id, node_id, weight, creation_timestamp, bls_public_key,
     bls_proof_of_possession, remaining_balance_owner_addresses, remaining_balance_owner_threshold, deactivation_owner_addresses,
     deactivation_owner_threshold, min_nonce, end_accumulated_fee, is_active, is_removed)
   SELECT 5, sha256(('l' || n)::bytea), n, sha256((n % 5)::text::bytea), ${NODE}, (n * 7919) % 10007, 1000 + n / 2, '\\x', '\\x', '{}', 1, '{}', 1, 0,
     CASE WHEN n % 3 = 0 THEN (n * 31) % 5003 ELSE 0 END, n % 3 = 0, n % 3 = 1 FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO subnets (network_id, subnet_id, subnet_seq, create_block_number, create_timestamp, create_owner_addresses,
     create_owner_threshold, create_owner_locktime, owner_addresses, owner_threshold, owner_locktime)
   SELECT 5, sha256(n::text::bytea), n, n, n, '{}', 1, 0, '{}', 1, 0 FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO subnet_totals SELECT 5, sha256(n::text::bytea), n, CASE WHEN n % 50 = 0 THEN 'L1' ELSE 'PERMISSIONED' END, n % 13, 0, (n * 7919) % 10007
   FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO utxos (network_id, utxo_id, tx_hash, output_index, asset_id, output_type, amount, locktime, threshold,
     addresses, role, created_on_chain, chain, created_timestamp, consumed_tx_hash, consumed_timestamp)
   SELECT 5, sha256(n::text::bytea), sha256('x'), 0, sha256('avax'), 'secp256k1fx.TransferOutput', 1, 0, 1,
     CASE WHEN n % 10 = 0 THEN ARRAY[${NODE}] WHEN n % 10 = 1 THEN ARRAY[${NODE}, substring(sha256('other'), 1, 20)]
       ELSE ARRAY[substring(sha256(('o' || n % 3000)::bytea), 1, 20)] END,
     'PLAIN', 'P', 'P', 1000 + n, CASE WHEN n % 20 < 10 THEN sha256('y') END, CASE WHEN n % 20 < 10 THEN 1000 + n + 500 END
   FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO utxo_owners SELECT 5, owner.address, chain, consumed_timestamp IS NOT NULL, created_timestamp, utxo_id
   FROM utxos, unnest(addresses) AS owner(address) WHERE cardinality(addresses) > 1`,
  `INSERT INTO primary_rewards (network_id, reward_seq, utxo_id, output_index, staking_tx_hash, reward_tx_hash, reward_type, node_id, subnet_id,
     amount_staked, start_timestamp, end_timestamp, asset_id, amount, addresses, reward_timestamp)
   SELECT 5, n, sha256(n::text::bytea), 0, sha256('x'), sha256('y'), 'VALIDATOR', CASE WHEN n % 2 = 0 THEN ${NODE} ELSE substring(sha256('other'), 1, 20) END,
     '\\x', 1, 1, 1000 + (n * 7919) % 10007, sha256('avax'), 1, '{}', 1 FROM generate_series(0, ${ROWS - 1}) n`,
  `INSERT INTO icm_messages (message_id, state, message_timestamp, source, destination, origin_sender_address, destination_address)
   SELECT sha256(('m' || n)::bytea), CASE WHEN n % 100 = 0 THEN 'FAILED' WHEN n % 10 = 0 THEN 'SENT' ELSE 'EXECUTED' END, 1000 + n / 3,
     CASE WHEN n % 2 = 0 THEN '43114' ELSE '7' END, CASE WHEN n % 2 = 0 THEN '7' ELSE '43114' END,
     CASE WHEN n % 3 = 0 THEN ${NODE} ELSE substring(sha256(n::text::bytea), 1, 20) END, ${NODE} FROM generate_series(0, ${ROWS - 1}) n`,
  "VACUUM ANALYZE",
];

let database: TestDatabase;
let node: Buffer;
let subnet: Buffer;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const statement of FILL) await database.pool.query(statement);
  const { rows } = await database.pool.query(`SELECT ${NODE} AS node, sha256('3') AS subnet`);
  node = rows[0].node;
  subnet = rows[0].subnet;
});
afterAll(() => database[Symbol.asyncDispose]());

/** Checks that a page in each direction reads at most `ranges` ranges of an index of a table, each with as many rows as the page. */
async function check(
  list: ListSelect,
  table: string,
  ranges: number,
  valuesFrom: (isBackward: boolean) => unknown[],
): Promise<void> {
  for (const isBackward of [false, true]) {
    const found = await scansOf(database.pool, selectOf(list, isBackward), valuesFrom(isBackward));
    const read = found.filter((scan) => scan.table === table).map(({ rows, removed }) => rows + removed);
    expect(found.filter(({ kind, table: name }) => kind === "Seq Scan" && name === table)).toEqual([]);
    expect(read.length).toBeGreaterThan(0);
    // The rows of the page are read once more by their keys.
    expect(Math.max(...read)).toBeLessThanOrEqual(LIMIT * ranges);
  }
}

/** Checks both directions of a list of parents, for a parent with this key, from the ends of the list. */
async function checkNested(
  options: Parameters<typeof statementOf>[0],
  table: string,
  ranges: number,
  [partition, ...key]: readonly unknown[],
): Promise<void> {
  const { first, last } = listEndsOf(options.order);
  for (const isBackward of [false, true]) {
    const values = [...key, ...(isBackward ? last : first), LIMIT - 1];
    const statement = statementOf(options, isBackward);
    const found = await scansOf(database.pool, statement, [partition, ...values.map((value) => [value])]);
    const read = found.filter((scan) => scan.table === table).map(({ rows, removed }) => rows + removed);
    expect(found.filter(({ kind, table: name }) => kind === "Seq Scan" && name === table)).toEqual([]);
    expect(read.length).toBeGreaterThan(0);
    expect(Math.max(...read)).toBeLessThanOrEqual(LIMIT * ranges);
  }
}

const FAR = String(10n ** 12n);

describe("a page reads no more rows of each range of an index than it has", () => {
  it.each([
    [[], 1],
    [["ExportTx"], 1],
    [["CreateSubnetTx", "ExportTx", "BaseTx"], 3],
  ])("for transactions of the types %p by time", async (types, ranges) => {
    const ofTypes = types.length > 0;
    const list = {
      order: timeOrder("desc"),
      positionAt: TIME_POSITION_AT,
      select: (k: Parameters<typeof timedStatement>[1]) => timedStatement(ofTypes, k),
    };
    for (const [from, to] of [
      ["1000", "4000"],
      ["0", FAR],
    ] as const)
      await check(list, "primary_transactions_5", ranges, (isBackward) => [
        5,
        "P",
        isBackward ? from : to,
        "-1",
        LIMIT,
        from,
        to,
        ...(ofTypes ? [types] : []),
      ]);
  });

  it.each(["START_TIME", "END_TIME", "WEIGHT", "DELEGATION_FEE"] as const)(
    "for stakers by %s, of a network, a subnet and a node",
    async (field) => {
      for (const direction of ["desc", "asc"] as const)
        for (const scope of ["network", "subnets", "nodes"] as const)
          for (const range of [
            { from: null, to: null },
            { from: "5000", to: "21000" },
          ]) {
            const order: StakerOrder = { field, direction, ...range };
            const ends = endsOf(order);
            const scoped = scope === "network" ? [] : scope === "nodes" ? [[node], null] : [[Buffer.alloc(32)]];
            const list = {
              order: orderOf(order),
              positionAt: STAKER_POSITION_AT,
              select: (k: Parameters<typeof stakerPageStatement>[2]) => stakerPageStatement(scope, field, k),
            };
            await check(list, "stakers_5", 4, (isBackward) => [
              5,
              "VALIDATOR",
              ["ACTIVE", "COMPLETED", "PENDING", "REMOVED"],
              ...(isBackward ? ends.last : ends.first),
              LIMIT,
              null,
              5_000,
              ...rangeOf(order),
              ...scoped,
            ]);
          }
    },
  );

  it.each(["START_TIME", "END_TIME", "WEIGHT", "DELEGATION_FEE"] as const)(
    "for stakers by %s below a subnet and below a node",
    async (field) => {
      for (const direction of ["desc", "asc"] as const)
        for (const [column, id] of [
          ["subnet_id", Buffer.alloc(32)],
          ["node_id", node],
        ] as const) {
          const order: StakerOrder = { field, direction, from: "5000", to: "21000" };
          const options = nestedStakers({ name: "list", kind: "VALIDATOR", columns: { [column]: "bytea" } }, order);
          await checkNested(options, "stakers_5", 4, [5, id, ...keyOfList(null, order), "5000"]);
        }
    },
  );

  it.each(["CREATION_TIME", "WEIGHT", "BALANCE"] as const)(
    "for L1 validators by %s, of a network and of a subnet",
    async (field) => {
      for (const direction of ["desc", "asc"] as const)
        for (const scope of ["network", "subnets"] as const) {
          const order: L1ValidatorOrder = { field, direction };
          const list = {
            order: l1OrderOf(order),
            positionAt: L1_POSITION_AT,
            select: (k: Parameters<typeof l1PageStatement>[2]) => l1PageStatement(scope, order, k),
          };
          await check(list, "l1_validators_5", 2, (isBackward) => [
            5,
            (direction === "desc") === isBackward ? "-1" : FAR,
            "-1",
            LIMIT,
            [false, false],
            [true, false],
            "0",
            FAR,
            ...(scope === "subnets" ? [[subnet]] : []),
          ]);
        }
    },
  );

  it.each(["CREATION_TIME", "VALIDATOR_COUNT", "TOTAL_WEIGHT"] as const)(
    "for subnets of some kinds by %s",
    async (field) => {
      const list = {
        order: subnetOrderOf({ field, direction: "desc" }),
        positionAt: KINDS_POSITION_AT,
        select: kindsStatement,
      };
      await check(list, "subnet_totals", 2, (isBackward) => [
        5,
        LIMIT,
        null,
        ["L1", "PERMISSIONED"],
        ...(field === "CREATION_TIME" ? [] : [isBackward ? "-1" : FAR]),
        isBackward ? "-1" : FAR,
      ]);
    },
  );

  it.each(["desc", "asc"] as const)("for rewards of a network and of a node, %s", async (direction) => {
    for (const scope of ["network", "nodes"] as const) {
      const list = {
        order: sorted(REWARD_ORDER, direction),
        positionAt: REWARD_POSITION_AT,
        select: (k: Parameters<typeof rewardsStatement>[1]) => rewardsStatement(scope, k),
      };
      await check(list, "primary_rewards_5", 1, (isBackward) => [
        5,
        (direction === "desc") === isBackward ? "-1" : FAR,
        "-1",
        LIMIT,
        ...(scope === "nodes" ? [[node]] : []),
      ]);
    }
  });

  it.each([[[false]], [[true]], [[false, true]]])("for outputs of an address that are spent: %p", async (states) => {
    const list = { order: UTXO_ORDER, positionAt: POSITION_AT, select: utxosStatement };
    await check(list, "utxos_5", 1, (isBackward) => [
      5,
      node,
      ["P", "X"],
      states,
      LIMIT,
      isBackward ? "-1" : FAR,
      Buffer.alloc(0),
    ]);
    await check(list, "utxo_owners_5", states.length, (isBackward) => [
      5,
      node,
      ["P", "X"],
      states,
      LIMIT,
      isBackward ? "-1" : FAR,
      Buffer.alloc(0),
    ]);
  });

  it.each(["all", "chains", "address", "addressOnChains"] as const)(
    "for interchain messages of %s",
    async (scope: MessageScope) => {
      const [chains, address] = {
        all: ["", ""],
        chains: ["43114,ab", ""],
        address: ["", node],
        addressOnChains: ["43114,ab", node],
      }[scope];
      for (const direction of ["desc", "asc"] as const)
        for (const states of ["FAILED", "EXECUTED,SENT"])
          for (const times of [
            ["0", FAR],
            ["3000", "5000"],
          ]) {
            const select = messagesSelect({
              scope,
              sides: ["RECEIVED", "SENT"],
              order: direction,
            });
            await checkNested(select, "icm_messages", states.split(",").length, [states, chains, address, ...times]);
          }
    },
  );
});
