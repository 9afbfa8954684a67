const zeros = (count: number) => "0".repeat(count);
const zeroHash = `0x${zeros(64)}`;
const zeroBloom = `0x${zeros(512)}`;

/** Text that EVM blocks and receipts have in common, the most frequent last, for deflate. Part of the format of stored payloads. */
export const EVM_DICTIONARY = [
  `{"block":{"baseFeePerGas":"0x","blobGasUsed":"0x0","blockExtraData":"0x","blockGasCost":"0x0","difficulty":"0x1","excessBlobGas":"0x0","extDataGasUsed":"0x0","extDataHash":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","extraData":"0x","gasLimit":"0x","gasUsed":"0x","hash":"0x","logsBloom":"${zeroBloom}`,
  `","minDelayExcess":"0x","miner":"0x0100000000000000000000000000000000000000","mixHash":"${zeroHash}","nonce":"0x0000000000000000","number":"0x","parentBeaconBlockRoot":"${zeroHash}","parentHash":"0x","receiptsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","sha3Uncles":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"`,
  `,"size":"0x","stateRoot":"0x","timestamp":"0x","timestampMilliseconds":"0x","totalDifficulty":"0x","transactions":[],"transactionsRoot":"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421","uncles":[]},"receipts":[]}`,
  `{"blockHash":"0x","blockNumber":"0x","from":"0x","gas":"0x","gasPrice":"0x","maxFeePerGas":"0x","maxPriorityFeePerGas":"0x","hash":"0x","input":"0xa9059cbb000000000000000000000000","nonce":"0x","to":"0x","transactionIndex":"0x0","value":"0x0","type":"0x2","accessList":[],"chainId":"0x","v":"0x1","r":"0x","s":"0x","yParity":"0x1"},`,
  `{"blockHash":"0x","blockNumber":"0x","contractAddress":null,"cumulativeGasUsed":"0x5208","effectiveGasPrice":"0x","from":"0x","gasUsed":"0x5208","logs":[],"logsBloom":"${zeroBloom}","status":"0x1","to":"0x","transactionHash":"0x","transactionIndex":"0x0","type":"0x2"},`,
  `{"address":"0x","topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","0x000000000000000000000000","0x000000000000000000000000"],"data":"${zeroHash}","blockNumber":"0x","transactionHash":"0x","transactionIndex":"0x0","blockHash":"0x","logIndex":"0x0","removed":false}],"logsBloom":"0x`,
].join("");

const frame = (opcode: string, depth: number): string => `,[${depth},"${opcode}","","","0","30000","21000",null,32]`;

/** Text that lists of call trees have in common. Part of the format of stored payloads. */
export const TRACE_DICTIONARY = [
  `"execution reverted","out of gas","SELFDESTRUCT","CALLCODE","CREATE2","CREATE"`,
  ...[4, 3, 2].flatMap((depth) => [frame("DELEGATECALL", depth), frame("STATICCALL", depth), frame("CALL", depth)]),
  `,null,"21000","21000",null,0]],[[0,"CALL","",[1,"DELEGATECALL","",[1,"STATICCALL","",null,"[1,"CALL","","0","`,
].join("");
