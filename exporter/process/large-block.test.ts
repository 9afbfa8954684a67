import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { startOperation, untilEnded } from "../../test/support/exports/operations.ts";
import { isFullRun } from "../../test/support/full.ts";
import { TIMINGS } from "../timings.ts";
import { forkWorker } from "./worker-process.ts";

const CHAIN = 7;
const WALLET = `0x${"aa".repeat(20)}`;
/** All of them at once take more memory than a worker may use. */
const ROWS = 200_000;

(isFullRun ? it : it.skip)(
  "a worker process exports a block with very many transfers of one address within its limit of memory",
  async () => {
    await using database = await createTestDatabase();
    const { pool } = database;
    for (const table of ["evm_blocks", "evm_transactions", "erc20_transfers"])
      await pool.query(`CREATE TABLE ${table}_${CHAIN} PARTITION OF ${table} FOR VALUES IN (${CHAIN})`);
    await pool.query(
      `INSERT INTO evm_blocks (chain_id, block_number, block_hash, parent_hash, block_timestamp, tx_count, base_fee, gas_used,
       gas_limit, gas_cost, fees_spent, cumulative_transactions, state_root, receipts_root, miner, size_bytes)
     VALUES (${CHAIN}, 1, '\\x01', '\\x00', 1717200000, 1, 1, 0, 0, 0, 0, 0, '\\x00', '\\x00', '\\x00', 0)`,
    );
    await pool.query(
      `INSERT INTO erc20_transfers (chain_id, block_number, log_index, block_index, block_timestamp, block_hash, tx_hash,
       from_address, to_address, token_address, value)
     SELECT ${CHAIN}, 1, i, 0, 1717200000, '\\x01', sha256('tx'), $1, $2, $2, 2500000 FROM generate_series(1, ${ROWS}) i`,
      [Buffer.from(WALLET.slice(2), "hex"), Buffer.alloc(20, 2)],
    );
    await pool.query(`INSERT INTO chain_heads VALUES (${CHAIN}, '\\x00', 0, 1, '\\x01', 1717200000, 0, 1)`);
    const directory = mkdtempSync(join(tmpdir(), "moraine-large-block-"));
    const evmChains = [{ chainId: CHAIN, network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "Seven" }];
    const config = testConfig({ evmChains, exports: { directory } });
    const worker = forkWorker({
      config,
      databaseUrl: database.url,
      logLevel: "silent",
      timings: { ...TIMINGS, sweepMs: 200 },
    });
    const id = await startOperation(pool, { rowsOf: { address: WALLET, chainId: String(CHAIN) } });
    const operation = await untilEnded(pool, id);
    expect(operation).toMatchObject({ operation_status: "COMPLETED", row_count: String(ROWS) });
    const [file = ""] = readdirSync(directory);
    expect(statSync(join(directory, file)).size).toBe(Number(operation.byte_count));
    await worker.end();
    rmSync(directory, { recursive: true });
  },
);
