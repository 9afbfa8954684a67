import type { Address } from "viem";
import { testConfig } from "../support/config.ts";
import { startIndexing } from "../support/indexed/indexing.ts";
import { startStack } from "../support/stack.ts";
import { ACCOUNTS, type Anvil, startAnvil } from "./anvil.ts";

const CHAIN = 31_337;
const [, SECOND, THIRD] = ACCOUNTS as [Address, Address, Address];

const headOf = ({ client }: Anvil) => client.getBlock().then(({ hash }) => hash);

async function pay(anvil: Anvil, value: bigint): Promise<void> {
  await anvil.send({ from: SECOND, to: THIRD, value });
  await anvil.mine();
}

it("E8N balances of a live node follow its head, do not change at a block, and are those of the indexed branch", async () => {
  await using anvil = await startAnvil();
  await using indexing = await startIndexing({ chainId: CHAIN, nodeUrl: anvil.url });
  const evmChains = [{ chainId: CHAIN, network: "fuji", nodeUrl: anvil.url, chainName: "anvil" }];
  await using stack = await startStack({ database: indexing.database, config: testConfig({ evmChains }) });
  const balance = async (query = "") => {
    const { status, body } = await stack.get(`/v1/chains/${CHAIN}/addresses/${THIRD}/balances:getNative${query}`);
    expect(status).toBe(200);
    return (body as { nativeTokenBalance: { balance: string } }).nativeTokenBalance.balance;
  };
  const onNode = (blockNumber: number) => anvil.client.getBalance({ address: THIRD, blockNumber: BigInt(blockNumber) });

  for (let n = 1; n <= 5; n++) {
    await pay(anvil, BigInt(n));
    await indexing.untilHead(await headOf(anvil));
    expect(await balance()).toBe(String(await onNode(n)));
  }
  for (let n = 0; n <= 5; n++) expect(await balance(`?blockNumber=${n}`)).toBe(String(await onNode(n)));
  const { timestamp } = await anvil.client.getBlock({ blockNumber: 3n });
  expect(await balance(`?blockTimestamp=${timestamp}`)).toBe(String(await onNode(3)));

  const before = await balance("?blockNumber=5");
  await anvil.reorganise(2, [{ from: SECOND, to: THIRD, value: 1_000n }]);
  await indexing.untilHead(await headOf(anvil));
  expect(await balance("?blockNumber=5")).toBe(String(await onNode(5)));
  expect(BigInt(await balance("?blockNumber=5")) - BigInt(before)).toBe(1_000n - 4n - 5n);
});
