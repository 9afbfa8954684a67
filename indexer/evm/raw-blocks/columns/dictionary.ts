const zeros = (count: number) => "0".repeat(count);

/** Texts that most blocks have. They have the first numbers. Part of the format of stored payloads. */
export const KNOWN_TEXTS: readonly string[] = [
  // Topics of Transfer, Approval, TransferSingle, Sync and Swap (V2), Deposit, Withdrawal and Swap (V3).
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  // The hash of no uncles, the root of an empty trie, and zeros.
  "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
  `0x${zeros(64)}`,
  `0x${zeros(512)}`,
  `0x${zeros(40)}`,
  `0x${zeros(16)}`,
  // The address to which fees are burnt.
  `0x01${zeros(38)}`,
];

const names = (list: string): string => JSON.stringify(list.split(" "));
const PLACE = "blockHash blockNumber";
const SIGNATURE = "v r s";

/** Lists of field names that blocks have in common, the most frequent last, for deflate. Part of the format of stored payloads. */
export const COLUMN_DICTIONARY = [
  names("address storageKeys"),
  names(`${PLACE} from gas gasPrice hash input nonce to transactionIndex value type chainId ${SIGNATURE}`),
  names(
    `${PLACE} from gas gasPrice hash input nonce to transactionIndex value type accessList chainId ${SIGNATURE} yParity`,
  ),
  `[["derived"],["block","receipts"],`,
  names(
    "baseFeePerGas blobGasUsed blockExtraData blockGasCost difficulty excessBlobGas extDataGasUsed extDataHash extraData gasLimit gasUsed hash logsBloom minDelayExcess miner mixHash nonce number parentBeaconBlockRoot parentHash receiptsRoot sha3Uncles size stateRoot timestamp timestampMilliseconds totalDifficulty transactions transactionsRoot uncles",
  ),
  ",",
  names(
    `${PLACE} from gas gasPrice maxFeePerGas maxPriorityFeePerGas hash input nonce to transactionIndex value type accessList chainId ${SIGNATURE} yParity`,
  ),
  ",",
  names(
    `${PLACE} contractAddress cumulativeGasUsed effectiveGasPrice from gasUsed logs logsBloom status to transactionHash transactionIndex type`,
  ),
  ",",
  names("address topics data blockNumber transactionHash transactionIndex blockHash logIndex removed"),
  `][]`,
].join("");
