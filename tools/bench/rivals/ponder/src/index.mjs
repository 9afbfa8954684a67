import { ponder } from "ponder:registry";
import { balances, logs, transactions, transfers } from "ponder:schema";

ponder.on("Token:Transfer", async ({ event, context: { db } }) => {
  const { block, transaction, transactionReceipt: receipt, log, args } = event;
  const { number: blockNumber, hash: blockHash, timestamp: blockTimestamp } = block;
  const { transactionIndex: blockIndex, hash: txHash } = transaction;
  const { logIndex } = log;
  await db
    .insert(transactions)
    .values({
      hash: txHash,
      blockNumber,
      blockIndex,
      blockHash,
      blockTimestamp,
      from: transaction.from,
      to: transaction.to,
      type: transaction.type,
      status: receipt.status,
      nonce: transaction.nonce,
      value: transaction.value,
      gasLimit: transaction.gas,
      gasUsed: receipt.gasUsed,
      cumulativeGasUsed: receipt.cumulativeGasUsed,
      gasPrice: receipt.effectiveGasPrice,
      maxFeePerGas: transaction.maxFeePerGas,
      maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
      input: transaction.input,
      contractAddress: receipt.contractAddress,
    })
    .onConflictDoNothing();
  const [topic0, topic1, topic2, topic3] = log.topics;
  const { address, data } = log;
  await db
    .insert(logs)
    .values({ blockNumber, logIndex, blockIndex, txHash, address, topic0, topic1, topic2, topic3, data });
  const { from, to, value } = args;
  await db
    .insert(transfers)
    .values({ blockNumber, logIndex, blockIndex, blockTimestamp, blockHash, txHash, from, to, token: address, value });
  for (const [holder, amount] of [
    [from, -value],
    [to, value],
  ])
    await db
      .insert(balances)
      .values({ token: address, address: holder, balance: amount })
      .onConflictDoUpdate(({ balance }) => ({ balance: balance + amount }));
});
