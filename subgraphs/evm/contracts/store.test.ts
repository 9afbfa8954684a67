import { C_CHAIN, L1, type OpenedEvm, openEvm } from "../../../test/federation/evm.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";

/** Created by a contract, destroyed in the same transaction, created again in the next one. */
const TWICE = "0x4faab96c58773472801912cfc9b4e6da495c2b9b";
const NOBODY = `0x${"1".repeat(40)}`;

let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
});
afterAll(() => opened[Symbol.asyncDispose]());

async function contract(address: string, fields: string, chainId = C_CHAIN) {
  const { data, errors } = await opened.ask(`{ contract(chainId: "${chainId}", address: "${address}") { ${fields} } }`);
  expect(errors).toBeUndefined();
  return data?.["contract"];
}

describe("the store of contracts", () => {
  it("finds a contract by its creation, and by a transfer that it emitted if no creation is indexed", async () => {
    const [token = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM erc20_tokens WHERE chain_id = ${C_CHAIN} AND metadata_status = 'INDEXED' AND symbol = 'MKTA'`,
    );
    const fields = "deployment { opcode } erc20Token { symbol } chain { chainName }";
    const chain = { chainName: "C-Chain" };
    expect(await contract(token, fields)).toEqual({
      deployment: { opcode: "CREATE" },
      erc20Token: { symbol: "MKTA" },
      chain,
    });
    expect(await contract(TWICE, fields)).toEqual({ deployment: { opcode: "CREATE2" }, erc20Token: null, chain });
    await opened.database.pool.query("ALTER TABLE evm_deployments RENAME TO gone");
    await opened.database.pool.query("CREATE TABLE evm_deployments (LIKE gone)");
    const unmade = await contract(token, fields);
    await opened.database.pool.query("DROP TABLE evm_deployments");
    await opened.database.pool.query("ALTER TABLE gone RENAME TO evm_deployments");
    expect(unmade).toEqual({ deployment: null, erc20Token: { symbol: "MKTA" }, chain });
  });

  it("returns null for accounts and for contracts of another chain", async () => {
    expect(await contract(NOBODY, "address")).toBeNull();
    expect(await contract(TWICE, "address", L1)).toBeNull();
  });

  it("lists all deployments of a contract", async () => {
    const deployed = await contract(
      TWICE,
      "deployments { nextPageToken deployments: nodes { opcode address } } deployment { txHash }",
    );
    const { deployments } = deployed as { deployments: { deployments: unknown[]; nextPageToken: string | null } };
    expect([deployments.deployments.length, deployments.nextPageToken]).toEqual([2, null]);
  });

  it("returns null instead of an empty list of deployments if blocks are not traced", async () => {
    const { pool } = opened.database;
    const [token = ""] = await opened.values(
      `SELECT '0x' || encode(address, 'hex') AS value FROM erc20_tokens WHERE chain_id = ${C_CHAIN} LIMIT 1`,
    );
    const fields = "deployment { opcode } deployments { nextPageToken deployments: nodes { opcode } }";
    const deployed = await contract(token, fields);
    expect(deployed).toMatchObject({ deployments: { deployments: [{ opcode: expect.stringMatching(/^CREATE/) }] } });
    await pool.query(`DELETE FROM evm_deployments WHERE chain_id = ${C_CHAIN} AND address = '\\x${token.slice(2)}'`);
    const none = { nextPageToken: null, deployments: [] };
    expect(await contract(token, fields)).toEqual({ deployment: null, deployments: none });
    await pool.query(`INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 3, 3)`);
    expect(await contract(token, fields)).toEqual({ deployment: null, deployments: null });
    await pool.query("DELETE FROM untraced_ranges");
    await pool.query(
      `UPDATE chain_capabilities SET is_on = false WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`,
    );
    expect(await contract(token, fields)).toEqual({ deployment: null, deployments: null });
    expect(await contract(TWICE, fields)).toMatchObject({ deployments: { deployments: [{}, {}] } });
    await pool.query(
      `UPDATE chain_capabilities SET is_on = true WHERE chain_id = ${C_CHAIN} AND capability = 'traces'`,
    );
  });

  it("finds many contracts in one statement", async () => {
    const { load } = opened.context();
    const addresses = await opened.values(
      `SELECT DISTINCT '0x' || encode(address, 'hex') AS value FROM evm_deployments WHERE chain_id = ${C_CHAIN}`,
    );
    expect(addresses.length).toBeGreaterThan(50);
    const statements = await statementsOf(async () => {
      const found = await Promise.all(
        [...addresses, NOBODY].map((address) => load.contract({ chainId: C_CHAIN, address })),
      );
      expect(found.map((one) => one?.address ?? null)).toEqual([...addresses, null]);
    });
    expect(statements).toHaveLength(1);
  });
});
