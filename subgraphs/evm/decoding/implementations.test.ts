import { C_CHAIN, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { scansOf } from "../../../test/support/database/plans.ts";
import { distinctStatementsOf, statementsOf } from "../../../test/support/database/statements.ts";

const [PROXY, BEACON_PROXY, BEACON, CLONE, OTHER] = ["a1", "a2", "a3", "a4", "a5"].map((byte) => byte.repeat(20)) as [
  string,
  string,
  string,
  string,
  string,
];
const hex = (bytes: string | undefined): string => `0x${bytes}`;

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
  const upgrade = (address: string, block: number, kind: string, implementation: string) =>
    `(${C_CHAIN}, ${block}, 0, '\\x${address}', '${kind}', '\\x${implementation.repeat(20)}')`;
  await opened.database.pool.query(
    `INSERT INTO evm_proxy_upgrades (chain_id, block_number, log_index, address, kind, implementation_address) VALUES
     ${[
       upgrade(PROXY, 1, "IMPLEMENTATION", "01"),
       upgrade(PROXY, 9, "IMPLEMENTATION", "02"),
       upgrade(BEACON_PROXY, 2, "BEACON", "a3"),
       upgrade(BEACON, 1, "IMPLEMENTATION", "03"),
       upgrade(BEACON, 5, "IMPLEMENTATION", "04"),
     ].join()}`,
  );
  await opened.database.pool.query(
    `INSERT INTO evm_deployments (chain_id, address, block_number, block_index, trace_index, tx_hash, creator_address, opcode, implementation_address)
     VALUES (${C_CHAIN}, '\\x${CLONE}', 3, 0, 1, '\\x01', '\\x${OTHER}', 'CREATE2', '\\x${"05".repeat(20)}'),
       (${C_CHAIN}, '\\x${PROXY}', 1, 0, 1, '\\x01', '\\x${OTHER}', 'CREATE', NULL),
       (${C_CHAIN}, '\\x${OTHER}', 3, 0, 2, '\\x01', '\\x${CLONE}', 'CREATE', NULL)`,
  );
});
afterAll(() => opened[Symbol.asyncDispose]());

describe("the implementation of a contract", () => {
  it.each<[what: string, address: string, expected: string | null]>([
    ["the latest event Upgraded", PROXY, "02"],
    ["the latest event of the beacon that the event BeaconUpgraded names", BEACON_PROXY, "04"],
    ["the code with which it was created", CLONE, "05"],
    ["nothing for a contract that is no proxy", OTHER, null],
  ])("is that of %s", async (_, address, expected) => {
    const [found] = await opened
      .context()
      .implementations.byProxy([{ chainId: C_CHAIN, address: hex(address) }], opened.context().work);
    expect(found?.implementation ?? null).toBe(expected && hex(expected.repeat(20)));
  });

  it("is read for many contracts with one statement, and leads to the address", async () => {
    const contract = (address: string, at: number) =>
      `c${at}: contract(chainId: "${C_CHAIN}", address: "${hex(address)}") { implementation { chainId address } }`;
    let data: unknown;
    const statements = await statementsOf(async () => {
      ({ data } = await opened.ask(`{ ${[PROXY, CLONE, OTHER].map(contract).join(" ")} }`));
    });
    expect(data).toMatchObject({
      c0: { implementation: { chainId: C_CHAIN, address: hex("02".repeat(20)) } },
      c1: { implementation: { chainId: C_CHAIN, address: hex("05".repeat(20)) } },
      c2: { implementation: null },
    });
    expect(statements).toHaveLength(3);
  });
});

describe("the statement that finds the entries of ABIs", () => {
  it("reads only those with the selector of the call and for its contract, by index", async () => {
    await opened.database.pool.query(
      `INSERT INTO contract_abi_entries (abi_id, entry_index, chain_id, address, kind, selector, entry)
       SELECT n, 0, ${C_CHAIN}, substr(sha256(n::text::bytea), 1, 20), 'function', '\\xa9059cbb', '{}' FROM generate_series(1, 5000) n`,
    );
    await opened.database.pool.query("ANALYZE contract_abi_entries, evm_proxy_upgrades, evm_deployments");
    const sent = await distinctStatementsOf(async () => {
      const { load } = opened.context();
      await load.abiEntries({ chainId: C_CHAIN, address: hex(PROXY), kind: "function", selector: "0xa9059cbb" });
    });
    const { text, values } = sent.find(({ text }) => text.includes("contract_abi_entries")) ?? { text: "", values: [] };
    const scans = await scansOf(opened.database.pool, text, [...values]);
    const ofEntries = scans.filter(({ table }) => table === "contract_abi_entries");
    expect(ofEntries.length).toBeGreaterThan(0);
    for (const { kind, rows, removed } of ofEntries)
      expect([kind, rows + removed]).toEqual([expect.stringMatching(/Index|Bitmap/), 0]);
  });
});
