import { type Address, encodeFunctionData, type Hex } from "viem";
import { isFullRun } from "../support/full.ts";
import { freshTables, type Indexing, startIndexing, until } from "../support/indexed/indexing.ts";
import { FAULTS } from "../support/node/faults.ts";
import { startFaultyNode } from "../support/node/faulty-node.ts";
import { ACCOUNTS, type Anvil, type Call, startAnvil } from "./anvil.ts";
import { compileContracts } from "./contracts.ts";
import { expectSameRows } from "./expect-same-rows.ts";

const CHAIN = 31_337;
const contracts = compileContracts("tokens.sol");
const [FIRST, SECOND, THIRD] = ACCOUNTS as [Address, Address, Address];

const transfer = (to: Address, recipient: Address, value: bigint): Call => ({
  to,
  data: encodeFunctionData({ abi: contracts["Plain"]?.abi ?? [], functionName: "transfer", args: [recipient, value] }),
});

const headOf = ({ client }: Anvil): Promise<Hex> => client.getBlock().then(({ hash }) => hash);

/** Mines this many blocks with a payment and two transfers each, one of them to the sender. */
async function live(anvil: Anvil, token: Address, blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    await anvil.send(transfer(token, SECOND, BigInt(i)));
    await anvil.send(transfer(token, FIRST, 1n));
    await anvil.send({ from: SECOND, to: THIRD, value: 1n });
    await anvil.mine();
  }
}

const deployToken = (anvil: Anvil, name: string) => anvil.deploy(contracts["Plain"], [name, "TKN", 18]);

/** Expects the rows of a fresh index of the node's current chain. */
async function expectFresh(indexing: Indexing, anvil: Anvil): Promise<void> {
  const head = await headOf(anvil);
  await indexing.untilHead(head);
  expectSameRows(await indexing.tables(), await freshTables(CHAIN, anvil.url, head));
}

it.concurrent("the head is followed block by block, including empty blocks", async () => {
  await using anvil = await startAnvil();
  const token = await deployToken(anvil, "Token");
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
  for (let i = 0; i < 5; i++) {
    await live(anvil, token, 1);
    await indexing.untilHead(await headOf(anvil));
  }
  await anvil.mine(70);
  await expectFresh(indexing, anvil);
  const { erc20_transfers, evm_blocks } = await indexing.tables();
  expect([evm_blocks.length, erc20_transfers.length]).toEqual([1 + 1 + 5 + 70, 10]);
});

const DEPTHS = isFullRun ? Array.from({ length: 64 }, (_, i) => i + 1) : [1, 2, 16, 64];

describe("reorganisations", () => {
  it.concurrent("up to 64 blocks deep leave the rows of a fresh index", async () => {
    await using anvil = await startAnvil();
    const token = await deployToken(anvil, "Token");
    await live(anvil, token, 70);
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
    await indexing.untilHead(await headOf(anvil));
    for (const depth of DEPTHS) {
      await anvil.reorganise(depth, [transfer(token, THIRD, BigInt(depth)), { to: SECOND, value: 1n }]);
      if (depth % 32 === 0) await expectFresh(indexing, anvil);
      else await indexing.untilHead(await headOf(anvil));
    }
  });

  it.concurrent("during requests never stop the chain", async () => {
    await using anvil = await startAnvil();
    const token = await deployToken(anvil, "Token");
    await live(anvil, token, 40);
    await using slow = await startFaultyNode({ upstream: anvil.url });
    // Block and receipts are separate requests, so the node may switch branches in between.
    Object.assign(slow.faults, { batchLimit: 1, delayMs: 2 });
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: slow.url });
    const states = new Set<string>();
    for (let i = 0; i < (isFullRun ? 60 : 10); i++) {
      await anvil.reorganise(1 + (i % 20), [transfer(token, THIRD, BigInt(i))]);
      await anvil.mine(1);
      const before = slow.traffic.requests;
      await until(
        async () => slow.traffic.requests,
        (requests) => requests > before + 2,
        "requests between two reorganisations",
        1,
      );
      states.add((await indexing.seen()).state);
    }
    await expectFresh(indexing, anvil);
    expect(states).not.toContain("WAITING");
  });

  it.concurrent("remove a token, and read the contract at its address on the other branch", async () => {
    await using anvil = await startAnvil();
    await anvil.mine(3);
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
    const names: (string | null | undefined)[] = [];
    const addresses = new Set<string>();
    for (const name of ["Before", "After"]) {
      const token = await deployToken(anvil, name);
      await live(anvil, token, 2);
      await expectFresh(indexing, anvil);
      names.push((await indexing.tables()).erc20_tokens[0]?.["name"]);
      addresses.add(token);
      if (name === "Before") await anvil.rollBack(3);
    }
    expect(names).toEqual(["Before", "After"]);
    expect(addresses.size).toBe(1);
  });

  it.concurrent("to a shorter chain, down to the first block, are followed once the other branch has a block", async () => {
    await using anvil = await startAnvil();
    const token = await deployToken(anvil, "Token");
    await live(anvil, token, 30);
    await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
    await indexing.untilHead(await headOf(anvil));
    await anvil.rollBack(20);
    // A part of the same chain, which cannot be distinguished from a node that is behind.
    await indexing.untilState("WAITING", /head is block 11, but block 31 is indexed/);
    await anvil.mine(1);
    await expectFresh(indexing, anvil);
    await anvil.rollBack(12);
    await anvil.mine(1);
    await expectFresh(indexing, anvil);
    expect((await indexing.tables()).evm_blocks).toHaveLength(2);
  });
});

it.concurrent("a node that restarts with another genesis stops the chain, and no row changes", async () => {
  await using anvil = await startAnvil({ genesisSeconds: 1_700_000_000 });
  await live(anvil, await deployToken(anvil, "Token"), 5);
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
  await indexing.untilHead(await headOf(anvil));
  const before = await indexing.tables();
  for (const blocks of [2, 20]) {
    await anvil.stop();
    await anvil.start({ genesisSeconds: 1_600_000_000 + blocks });
    await anvil.mine(blocks);
    await indexing.untilState("STOPPED", /genesis is 0x[0-9a-f]{64}, but the indexed genesis is 0x[0-9a-f]{64}/);
  }
  expect(await indexing.tables()).toEqual(before);
});

it.concurrent("a node of another chain id stops the chain before anything is written", async () => {
  await using anvil = await startAnvil({ chainId: 4_242 });
  await anvil.mine(5);
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
  await indexing.untilState("STOPPED", /serves chain 4242, not 31337/);
  expect((await indexing.tables()).evm_blocks).toEqual([]);
});

it.concurrent("a node behind the stored head makes the chain wait until it has caught up", async () => {
  await using anvil = await startAnvil();
  const token = await deployToken(anvil, "Token");
  await live(anvil, token, 5);
  await using lagging = await startFaultyNode({ upstream: anvil.url });
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: lagging.url });
  await indexing.untilHead(await headOf(anvil));
  lagging.faults.wrongAnswers = [FAULTS.frozenHead(4, "null")];
  await live(anvil, token, 3);
  await indexing.untilState("WAITING", /head is block 4, but block 6 is indexed/);
  await lagging.heal();
  await expectFresh(indexing, anvil);
});

it.concurrent("the head in the progress is the head that the node returned", async () => {
  await using anvil = await startAnvil();
  await anvil.mine(9);
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
  const { pool } = indexing.database;
  const text = "SELECT node_block_number, fetched_block_number FROM chain_progress";
  await until(
    async () => (await pool.query({ text, rowMode: "array" })).rows[0],
    (row) => row?.join() === "9,9",
    "both at block 9",
  );
});
