import { decimalText } from "../../../core/decimal.ts";
import type { Column } from "../column.ts";
import { booleanText, evmAddressText, hexText } from "../shared/cells.ts";
import { usdText } from "../shared/prices.ts";
import type { EvmRow } from "./row.ts";
import type { EvmFields } from "./statements.ts";

type Name = keyof EvmFields;

const text =
  (name: Name) =>
  ({ fields }: EvmRow): string =>
    fields[name] ?? "";

const hex =
  (name: Name) =>
  ({ fields }: EvmRow): string =>
    hexText(fields[name]);

const address =
  (name: Name) =>
  ({ fields }: EvmRow): string =>
    evmAddressText(fields[name]);

function amount({ fields: { value }, token }: EvmRow): string {
  return value === null || token === null || token.decimals === null ? "" : decimalText(BigInt(value), token.decimals);
}

/** True if the transaction or the call failed, so that it transferred nothing. */
const hasFailed = ({ txStatus, isReverted }: EvmFields): boolean => txStatus === "0" || isReverted === "t";

function valueUsd({ fields, token, price }: EvmRow): string {
  const { value } = fields;
  return hasFailed(fields) || value === null || price === null || token === null || token.decimals === null
    ? ""
    : usdText(BigInt(value), token.decimals, price);
}

function feeUsd({ fee, price, chain }: EvmRow): string {
  return fee === null || price === null ? "" : usdText(fee, chain.networkToken.decimals, price);
}

const WEI = "smallest unit of the native token";
const NOT_NATIVE = "The row is not NATIVE.";
const NO_TOKEN = "A NATIVE or INTERNAL row.";

/** Columns of `TRANSACTION_EXPORT_EVM`. */
export const EVM_COLUMNS: readonly Column<EvmRow>[] = [
  {
    name: "RowType",
    kind: "text",
    description:
      "`NATIVE`: a transaction. `INTERNAL`: a call within a transaction that transfers the native token or creates a contract. `ERC20`, `ERC721`, `ERC1155`: a transfer of a token.",
    unit: null,
    empty: null,
    example: "NATIVE",
    cell: text("rowType"),
  },
  {
    name: "ChainId",
    kind: "number",
    description: "EVM chain id.",
    unit: null,
    empty: null,
    example: "43114",
    cell: ({ chain }) => String(chain.chainId),
  },
  {
    name: "ChainName",
    kind: "text",
    description: "Name of the chain in the configuration.",
    unit: null,
    empty: null,
    example: "C-Chain",
    cell: ({ chain }) => chain.chainName,
  },
  {
    name: "BlockNumber",
    kind: "number",
    description: "Number of the block.",
    unit: null,
    empty: null,
    example: "48500000",
    cell: text("blockNumber"),
  },
  {
    name: "BlockHash",
    kind: "text",
    description: "Hash of the block.",
    unit: null,
    empty: null,
    example: "0x17533aeb5193378b9ff441d61728e7a2ebaf10f61fd5310759451627dfca2e7c",
    cell: hex("blockHash"),
  },
  {
    name: "BlockTimestamp",
    kind: "number",
    description: "Timestamp of the block.",
    unit: "seconds since 1970-01-01 UTC",
    empty: null,
    example: "1719497196",
    cell: text("blockTimestamp"),
  },
  {
    name: "BlockTime",
    kind: "text",
    description: "The same time in ISO 8601, in UTC.",
    unit: null,
    empty: null,
    example: "2024-06-27T14:06:36Z",
    cell: ({ time }) => time,
  },
  {
    name: "TxIndex",
    kind: "number",
    description: "Index of the transaction in the block.",
    unit: null,
    empty: null,
    example: "3",
    cell: text("blockIndex"),
  },
  {
    name: "TxHash",
    kind: "text",
    description: "Hash of the transaction.",
    unit: null,
    empty: null,
    example: "0x3e9303f81be00b4af28515dab7b914bf3dbff209ea10e7071fa24d4af0a112d4",
    cell: hex("txHash"),
  },
  {
    name: "TxStatus",
    kind: "number",
    description: "`1` if the transaction succeeded, `0` if it failed.",
    unit: null,
    empty: NOT_NATIVE,
    example: "1",
    cell: text("txStatus"),
  },
  {
    name: "TxType",
    kind: "number",
    description: "Transaction type (EIP-2718).",
    unit: null,
    empty: NOT_NATIVE,
    example: "2",
    cell: text("txType"),
  },
  {
    name: "Direction",
    kind: "text",
    description:
      "`OUT`: the sender is an exported address. `IN`: the recipient, or the contract that the transaction creates, is one. `SELF`: both are, even if they differ.",
    unit: null,
    empty: null,
    example: "OUT",
    cell: ({ direction }) => direction,
  },
  {
    name: "From",
    kind: "text",
    description: "Sender, in checksum case.",
    unit: null,
    empty: null,
    example: "0x4b4Cc2b97c5F04d84D1e36f8A4B6E7e2aFCe4AB8",
    cell: address("from"),
  },
  {
    name: "To",
    kind: "text",
    description: "Recipient, in checksum case. For an internal creation of a contract, the contract.",
    unit: null,
    empty: "A transaction that creates a contract, and an internal creation that failed.",
    example: "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7",
    cell: address("to"),
  },
  {
    name: "Nonce",
    kind: "number",
    description: "Nonce of the sender.",
    unit: null,
    empty: NOT_NATIVE,
    example: "17",
    cell: text("nonce"),
  },
  {
    name: "Value",
    kind: "number",
    description: "Amount that is transferred.",
    unit: "smallest unit of the token",
    empty: "An ERC721 row.",
    example: "1500000000000000000",
    cell: text("value"),
  },
  {
    name: "Amount",
    kind: "number",
    description: "The same amount as an exact decimal.",
    unit: "whole tokens",
    empty: "An ERC721 or ERC1155 row, and a token whose metadata is not indexed yet.",
    example: "1.5",
    cell: amount,
  },
  {
    name: "TokenAddress",
    kind: "text",
    description: "Contract of the token, in checksum case.",
    unit: null,
    empty: NO_TOKEN,
    example: "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
    cell: address("tokenAddress"),
  },
  {
    name: "TokenName",
    kind: "text",
    description: "Name of the token. In NATIVE and INTERNAL rows, of the native token.",
    unit: null,
    empty: "The contract has no name, or its metadata is not indexed yet.",
    example: "USD Coin",
    cell: ({ token }) => token?.name ?? "",
  },
  {
    name: "TokenSymbol",
    kind: "text",
    description: "Symbol of the token. In NATIVE and INTERNAL rows, of the native token.",
    unit: null,
    empty: "The contract has no symbol, or its metadata is not indexed yet.",
    example: "USDC",
    cell: ({ token }) => token?.symbol ?? "",
  },
  {
    name: "TokenDecimals",
    kind: "number",
    description: "Number of decimals of the token. In NATIVE and INTERNAL rows, of the native token.",
    unit: null,
    empty: "An ERC721 or ERC1155 row, and a token whose metadata is not indexed yet.",
    example: "6",
    cell: ({ token }) => (token?.decimals == null ? "" : String(token.decimals)),
  },
  {
    name: "TokenId",
    kind: "number",
    description: "Id of the NFT.",
    unit: null,
    empty: "The row is neither ERC721 nor ERC1155.",
    example: "4217",
    cell: text("tokenId"),
  },
  {
    name: "LogIndex",
    kind: "number",
    description: "Index in the block of the log that is the transfer.",
    unit: null,
    empty: NO_TOKEN,
    example: "12",
    cell: ({ fields }) => (fields.tokenAddress === null ? "" : (fields.rowIndex ?? "")),
  },
  {
    name: "BatchIndex",
    kind: "number",
    description: "Position in the batch of an ERC-1155 transfer; 0 for a single transfer.",
    unit: null,
    empty: "The row is not ERC1155.",
    example: "0",
    cell: text("batchIndex"),
  },
  {
    name: "Operator",
    kind: "text",
    description: "Account that ordered an ERC-1155 transfer, in checksum case.",
    unit: null,
    empty: "The row is not ERC1155.",
    example: "0x4b4Cc2b97c5F04d84D1e36f8A4B6E7e2aFCe4AB8",
    cell: address("operator"),
  },
  {
    name: "TraceIndex",
    kind: "number",
    description: "Position in the transaction's call tree, depth first; the outermost call would be 0.",
    unit: null,
    empty: "The row is not INTERNAL.",
    example: "4",
    cell: ({ fields }) => (fields.internalTxType === null ? "" : (fields.rowIndex ?? "")),
  },
  {
    name: "InternalTxType",
    kind: "text",
    description: "`CALL`, `CALLCODE`, `CREATE` or `CREATE2`.",
    unit: null,
    empty: "The row is not INTERNAL.",
    example: "CALL",
    cell: text("internalTxType"),
  },
  {
    name: "Opcode",
    kind: "text",
    description: "Opcode of the call as the node names it.",
    unit: null,
    empty: "The row is not INTERNAL.",
    example: "CALL",
    cell: text("opcode"),
  },
  {
    name: "IsReverted",
    kind: "text",
    description: "`true` if the call or a call around it failed, so that it transferred nothing; otherwise `false`.",
    unit: null,
    empty: "The row is not INTERNAL.",
    example: "false",
    cell: ({ fields }) => booleanText(fields.isReverted),
  },
  {
    name: "Fee",
    kind: "number",
    description: "Fee that the exported address paid: `GasUsed` × `GasPrice`. A failed transaction costs a fee too.",
    unit: WEI,
    empty: "The row is not NATIVE, or the sender is not an exported address.",
    example: "525000000000000",
    cell: ({ fee }) => (fee === null ? "" : String(fee)),
  },
  {
    name: "FeeAmount",
    kind: "number",
    description: "The same fee as an exact decimal.",
    unit: "whole native tokens",
    empty: "The row is not NATIVE, or the sender is not an exported address.",
    example: "0.000525",
    cell: ({ fee, chain }) => (fee === null ? "" : decimalText(fee, chain.networkToken.decimals)),
  },
  {
    name: "GasUsed",
    kind: "number",
    description: "Gas that the transaction used, or the call of an INTERNAL row.",
    unit: "gas",
    empty: "An ERC20, ERC721 or ERC1155 row.",
    example: "21000",
    cell: text("gasUsed"),
  },
  {
    name: "CumulativeGasUsed",
    kind: "number",
    description: "Gas used in the block up to and including the transaction.",
    unit: "gas",
    empty: NOT_NATIVE,
    example: "342000",
    cell: text("cumulativeGasUsed"),
  },
  {
    name: "GasLimit",
    kind: "number",
    description: "Gas limit of the transaction, or of the call of an INTERNAL row.",
    unit: "gas",
    empty: "An ERC20, ERC721 or ERC1155 row.",
    example: "30000",
    cell: text("gasLimit"),
  },
  {
    name: "GasPrice",
    kind: "number",
    description: "Price paid per unit of gas.",
    unit: WEI,
    empty: NOT_NATIVE,
    example: "25000000000",
    cell: text("gasPrice"),
  },
  {
    name: "BaseFeePerGas",
    kind: "number",
    description: "Base fee of the block per unit of gas.",
    unit: WEI,
    empty: NOT_NATIVE,
    example: "25000000000",
    cell: ({ baseFee }) => baseFee ?? "",
  },
  {
    name: "MaxFeePerGas",
    kind: "number",
    description: "Maximum fee per unit of gas (EIP-1559).",
    unit: WEI,
    empty: "The row is not NATIVE, or the transaction type has none.",
    example: "50000000000",
    cell: text("maxFeePerGas"),
  },
  {
    name: "MaxPriorityFeePerGas",
    kind: "number",
    description: "Maximum priority fee per unit of gas (EIP-1559).",
    unit: WEI,
    empty: "The row is not NATIVE, or the transaction type has none.",
    example: "1500000000",
    cell: text("maxPriorityFeePerGas"),
  },
  {
    name: "CallType",
    kind: "text",
    description: "`NATIVE_TRANSFER`, `CONTRACT_CALL` or `CONTRACT_CREATION`.",
    unit: null,
    empty: NOT_NATIVE,
    example: "CONTRACT_CALL",
    cell: ({ method }) => method?.callType ?? "",
  },
  {
    name: "MethodHash",
    kind: "text",
    description: "Selector of a contract call: the first four bytes of its call data.",
    unit: null,
    empty: "The transaction is not a contract call.",
    example: "0xa9059cbb",
    cell: ({ method }) => method?.methodHash ?? "",
  },
  {
    name: "MethodName",
    kind: "text",
    description: "Signature with that selector. Otherwise `Native Transfer` or `Contract Created`.",
    unit: null,
    empty: "The row is not NATIVE, or no signature is known.",
    example: "transfer(address,uint256)",
    cell: ({ method }) => method?.methodName ?? "",
  },
  {
    name: "ContractAddress",
    kind: "text",
    description: "Contract that the transaction creates, in checksum case, also if it failed.",
    unit: null,
    empty: "The transaction creates no contract.",
    example: "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7",
    cell: address("contractAddress"),
  },
  {
    name: "LogCount",
    kind: "number",
    description: "Number of logs of the transaction.",
    unit: null,
    empty: NOT_NATIVE,
    example: "2",
    cell: text("logCount"),
  },
  {
    name: "PriceUsd",
    kind: "number",
    description: "Price of one whole token at the time of the block. In NATIVE and INTERNAL rows, of the native token.",
    unit: "US dollars",
    empty: "No price is indexed for the token at that time. Every ERC721 and ERC1155 row.",
    example: "27.4512",
    cell: ({ price }) => price?.text ?? "",
  },
  {
    name: "ValueUsd",
    kind: "number",
    description: "`Amount` × `PriceUsd`, rounded half up to six digits after the point.",
    unit: "US dollars",
    empty: "`Amount` or `PriceUsd` is empty, or the transaction or the call failed.",
    example: "41.1768",
    cell: valueUsd,
  },
  {
    name: "FeeUsd",
    kind: "number",
    description: "`FeeAmount` × `PriceUsd`, rounded likewise.",
    unit: "US dollars",
    empty: "`FeeAmount` or `PriceUsd` is empty.",
    example: "0.014412",
    cell: feeUsd,
  },
];
