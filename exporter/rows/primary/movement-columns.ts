import { checksumAddress } from "../../../core/formats/address.ts";
import { decimalText } from "../../../core/formats/decimal.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import type { Column } from "../column.ts";
import { evmAddressText, hexText } from "../shared/cells.ts";
import { asText, fieldCell } from "../shared/field-cell.ts";
import { usdText } from "../shared/prices.ts";
import type { MovementFields } from "./movements.ts";
import { addressesText, idText, nodeIdText } from "./network.ts";
import type { MovementRow } from "./row.ts";

const text = fieldCell<MovementFields>(asText);
const hex = fieldCell<MovementFields>(hexText);
const id = fieldCell<MovementFields>(idText);

type TransactionAmount = "burnedAvax" | "l1Balance";

/** An amount of the transaction in nAVAX; null in rows that do not have it. */
const amountOfTransaction = (name: TransactionAmount, { fields, hasTransactionAmounts }: MovementRow): string | null =>
  hasTransactionAmounts ? fields[name] : null;

const nanoOf =
  (name: TransactionAmount) =>
  (row: MovementRow): string =>
    amountOfTransaction(name, row) ?? "";

const avaxOf =
  (name: TransactionAmount) =>
  (row: MovementRow): string => {
    const nano = amountOfTransaction(name, row);
    return nano === null ? "" : decimalText(BigInt(nano), AVAX_DECIMALS);
  };

function feeUsd(row: MovementRow): string {
  const nano = amountOfTransaction("burnedAvax", row);
  return nano === null || row.avaxPrice === null ? "" : usdText(BigInt(nano), AVAX_DECIMALS, row.avaxPrice);
}

/** Outputs without an amount are NFTs and rights to mint. */
const hasAmount = ({ fields }: MovementRow): boolean => fields.outputType === "secp256k1fx.TransferOutput";

function amount(row: MovementRow): string {
  return row.asset === null || !hasAmount(row) ? "" : decimalText(BigInt(row.fields.amount), row.asset.decimals);
}

function valueUsd(row: MovementRow): string {
  const { asset, price, fields } = row;
  return asset === null || price === null || !hasAmount(row)
    ? ""
    : usdText(BigInt(fields.amount), asset.decimals, price);
}

function blockHash({ chain, fields }: MovementRow): string {
  if (fields.blockHash === null) return "";
  return chain === "C" ? hexText(fields.blockHash) : idText(fields.blockHash);
}

/** Blockchain id of the source or destination of an atomic transaction. The row has only the id of the other chain. */
const atomicSide =
  (name: "sourceChain" | "destinationChain") =>
  ({ chain, fields, network }: MovementRow): string => {
    if (fields.sourceChain === null && fields.destinationChain === null) return "";
    return idText(fields[name] ?? { P: P_CHAIN_ID, X: network.xChainId, C: network.cChainId }[chain]);
  };

const P_CHAIN_ID = `\\x${"0".repeat(64)}`;

/** `transfer` for `secp256k1fx.TransferOutput`, and so on. */
function outputKind({ fields: { outputType } }: MovementRow): string {
  return outputType.slice(outputType.indexOf(".") + 1, -"Output".length).toLowerCase();
}

const SECONDS = "seconds since 1970-01-01 UTC";
const NANO = "nAVAX";
const AVAX = "AVAX";
const AVAX_DECIMALS = 9;
const NOT_CONSUMED = "The output is not spent, or it is spent in a block after the last block of the job.";
const NOT_FIRST =
  "The row is not the first row of its transaction in the file, no exported address pays for the transaction";
const ONCE = "Only the first row of a transaction has a value, so that a sum counts each transaction once.";

/** Columns of `TRANSACTION_EXPORT_PRIMARY_NETWORK`. */
export const MOVEMENT_COLUMNS: readonly Column<MovementRow>[] = [
  {
    name: "ChainName",
    kind: "text",
    description: "Chain of the transaction: `p-chain`, `x-chain` or `c-chain`.",
    unit: null,
    empty: null,
    example: "p-chain",
    cell: ({ chain }) => PRIMARY_CHAIN_ALIASES[chain],
  },
  {
    name: "TxHash",
    kind: "text",
    description:
      "Id of the transaction that creates or spends the output. For a reward, of the transaction that pays it. For an output of the genesis, of the genesis transaction.",
    unit: null,
    empty: null,
    example: "2ZHZaRZuQL2PUEpPn9tp6WZWeohBCkSmZzNgiEYsoYVuvJ1c1C",
    cell: id("txHash"),
  },
  {
    name: "TxType",
    kind: "text",
    description: "Type of the transaction, as the chain names it.",
    unit: null,
    empty: "An output of the genesis.",
    example: "AddPermissionlessDelegatorTx",
    cell: text("txType"),
  },
  {
    name: "FundTransferType",
    kind: "text",
    description:
      "`CREDIT`: an output is created on the chain. `DEBIT`: it is spent. `CREDIT_STAKING_SET`: it is created as a stake. `CREDIT_ATOMIC`: it is exported to another chain. `DEBIT_ATOMIC`: it is imported from another chain.",
    unit: null,
    empty: null,
    example: "CREDIT",
    cell: text("type"),
  },
  {
    name: "BlockNumber",
    kind: "number",
    description: "Height of the block of the movement. For a reward, of the block that pays it. 0 for the genesis.",
    unit: null,
    empty: "A transaction in a vertex.",
    example: "11250342",
    cell: text("blockNumber"),
  },
  {
    name: "BlockHash",
    kind: "text",
    description: "Id of that block; on the C-Chain its hash.",
    unit: null,
    empty: "A transaction in a vertex, and an output of the genesis.",
    example: "JV7SUQAUhHxpS4wWu4KQJMPgpgdyWhFMtQPQL1xkHLksQKecK",
    cell: blockHash,
  },
  {
    name: "VertexHash",
    kind: "text",
    description:
      "Id of the vertex that contains the transaction. Before Cortina, the X-Chain had vertices instead of blocks.",
    unit: null,
    empty: "The transaction is not in a vertex.",
    example: "2WVbPpAVFNsAtvvJMgdnzYBXqaoyDXtiTGN2kc4eQJhVory8m8",
    cell: id("vertexHash"),
  },
  {
    name: "BlockTimestamp",
    kind: "number",
    description: "Time of the movement: of its block, or of the vertex.",
    unit: SECONDS,
    empty: null,
    example: "1719497196",
    cell: text("blockTimestamp"),
  },
  {
    name: "BlockTime",
    kind: "time",
    description: "Time of the movement, in ISO 8601 and UTC: of its block, or of the vertex.",
    unit: null,
    empty: null,
    example: "2024-06-27T14:06:36Z",
    cell: ({ time }) => time,
  },
  {
    name: "UtxoId",
    kind: "text",
    description: "Id of the output.",
    unit: null,
    empty: null,
    example: "2cPXQbPrnYGgzCGmGWuFbPMvBDJqLkQ5vEoR9DUAwe1vPxqkHC",
    cell: id("utxoId"),
  },
  {
    name: "OutputTxHash",
    kind: "text",
    description:
      "Id of the transaction that has the output. A reward counts as an output of its staking transaction; a reward of an auto-renewed validator, of the transaction that pays it.",
    unit: null,
    empty: null,
    example: "2ZHZaRZuQL2PUEpPn9tp6WZWeohBCkSmZzNgiEYsoYVuvJ1c1C",
    cell: id("outputTxHash"),
  },
  {
    name: "OutputIndex",
    kind: "number",
    description: "Index of the output in that transaction.",
    unit: null,
    empty: null,
    example: "0",
    cell: text("outputIndex"),
  },
  {
    name: "OutputKind",
    kind: "text",
    description: "`transfer`: an amount or an NFT. `mint`: a right to mint. `owned`: a property.",
    unit: null,
    empty: null,
    example: "transfer",
    cell: outputKind,
  },
  {
    name: "AssetId",
    kind: "text",
    description: "Id of the asset.",
    unit: null,
    empty: null,
    example: "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z",
    cell: id("assetId"),
  },
  {
    name: "AssetName",
    kind: "text",
    description: "Name of the asset.",
    unit: null,
    empty: "The asset was created in a block after the last block of the X-Chain.",
    example: "Avalanche",
    cell: ({ asset }) => asset?.name ?? "",
  },
  {
    name: "AssetSymbol",
    kind: "text",
    description: "Symbol of the asset.",
    unit: null,
    empty: "The asset was created in a block after the last block of the X-Chain.",
    example: "AVAX",
    cell: ({ asset }) => asset?.symbol ?? "",
  },
  {
    name: "AssetDecimals",
    kind: "number",
    description: "Number of decimals of the asset.",
    unit: null,
    empty: "The asset was created in a block after the last block of the X-Chain.",
    example: "9",
    cell: ({ asset }) => (asset === null ? "" : String(asset.decimals)),
  },
  {
    name: "Value",
    kind: "number",
    description: "Amount of the output. 0 for an NFT, a right to mint and a property.",
    unit: "smallest unit of the asset",
    empty: null,
    example: "25000000000",
    cell: text("amount"),
  },
  {
    name: "Amount",
    kind: "number",
    description: "Amount of the output as an exact decimal.",
    unit: "whole units of the asset",
    empty: "The output has no amount, or the asset was created in a block after the last block of the X-Chain.",
    example: "25",
    cell: amount,
  },
  {
    name: "Owners",
    kind: "text",
    description: "Owners of the output: Bech32 without a chain prefix, with a semicolon between them.",
    unit: null,
    empty: "The output was created on another chain, in a block after the last block of that chain.",
    example: "avax1qm2a25eytsrj235hq4fnrzkj0p0pjtvshg5spz",
    cell: ({ fields, network }) => addressesText(network.hrp, fields.addresses),
  },
  {
    name: "Threshold",
    kind: "number",
    description: "Number of owners whose signatures are required. 0 if `Owners` is empty.",
    unit: null,
    empty: null,
    example: "1",
    cell: text("threshold"),
  },
  {
    name: "Locktime",
    kind: "number",
    description: "Time before which the output cannot be spent; 0: not locked.",
    unit: SECONDS,
    empty: null,
    example: "0",
    cell: text("locktime"),
  },
  {
    name: "StakeableLocktime",
    kind: "number",
    description: "Time before which the output can only be staked.",
    unit: SECONDS,
    empty: "The output has no such lock.",
    example: "1735689600",
    cell: text("stakeableLocktime"),
  },
  {
    name: "StakeStartTimestamp",
    kind: "number",
    description: "Start of the stake.",
    unit: SECONDS,
    empty: "The output was not created as a stake.",
    example: "1719497196",
    cell: text("stakeStart"),
  },
  {
    name: "StakeEndTimestamp",
    kind: "number",
    description:
      "End of the stake. The output can be spent after the block that ends the stake. The end itself has no row.",
    unit: SECONDS,
    empty: "The output was not created as a stake, or it is that of an auto-renewed validator that has not exited.",
    example: "1722089196",
    cell: text("stakeEnd"),
  },
  {
    name: "NodeId",
    kind: "text",
    description: "Node that the transaction adds, removes or rewards, or to which it delegates.",
    unit: null,
    empty: "The transaction type has none.",
    example: "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg",
    cell: ({ fields }) => (fields.nodeId === null ? "" : nodeIdText(fields.nodeId)),
  },
  {
    name: "SubnetId",
    kind: "text",
    description: "Subnet that the transaction creates, changes or stakes on.",
    unit: null,
    empty: "The transaction type has none.",
    example: "11111111111111111111111111111111LpoYY",
    cell: id("subnetId"),
  },
  {
    name: "RewardType",
    kind: "text",
    description:
      "`VALIDATOR` or `DELEGATOR`: the output is the reward of a stake. `VALIDATOR_FEE`: a validator's share of the rewards of its delegators.",
    unit: null,
    empty: "The output is not a reward.",
    example: "DELEGATOR",
    cell: text("rewardType"),
  },
  {
    name: "StakingTxHash",
    kind: "text",
    description: "Id of the staking transaction whose stake this transaction ends, rewards or configures.",
    unit: null,
    empty: "The transaction does none of these.",
    example: "2ZHZaRZuQL2PUEpPn9tp6WZWeohBCkSmZzNgiEYsoYVuvJ1c1C",
    cell: id("stakingTxHash"),
  },
  {
    name: "SourceChain",
    kind: "text",
    description: "Blockchain id of the chain that an ImportTx imports from, or on which an ExportTx is.",
    unit: null,
    empty: "Neither an ImportTx nor an ExportTx.",
    example: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
    cell: atomicSide("sourceChain"),
  },
  {
    name: "DestinationChain",
    kind: "text",
    description: "Blockchain id of the chain that an ExportTx exports to, or on which an ImportTx is.",
    unit: null,
    empty: "Neither an ImportTx nor an ExportTx.",
    example: "11111111111111111111111111111111LpoYY",
    cell: atomicSide("destinationChain"),
  },
  {
    name: "CreatedOnChain",
    kind: "text",
    description: "Chain that created the output.",
    unit: null,
    empty: null,
    example: "p-chain",
    cell: ({ fields }) => PRIMARY_CHAIN_ALIASES[fields.createdOnChain],
  },
  {
    name: "ConsumableOnChain",
    kind: "text",
    description: "Chain on which the output can be spent. It differs from `CreatedOnChain` for exported outputs.",
    unit: null,
    empty: null,
    example: "p-chain",
    cell: ({ fields }) => PRIMARY_CHAIN_ALIASES[fields.consumableOnChain],
  },
  {
    name: "CreatedBlockNumber",
    kind: "number",
    description: "Height of the block that created the output.",
    unit: null,
    empty: "The output was created in a vertex, or in a block after the last block of its chain.",
    example: "11250342",
    cell: text("createdBlockNumber"),
  },
  {
    name: "CreatedTimestamp",
    kind: "number",
    description: "Time at which the output was created.",
    unit: SECONDS,
    empty: "The output was created on another chain, in a block after the last block of that chain.",
    example: "1719497196",
    cell: text("createdTimestamp"),
  },
  {
    name: "ConsumedTxHash",
    kind: "text",
    description: "Id of the transaction that spent the output.",
    unit: null,
    empty: NOT_CONSUMED,
    example: "Smo1VMHCzD4eNFSoUXA4vPSBNkqrUUbDq28ALbFpN1wPgpNpB",
    cell: id("consumedTxHash"),
  },
  {
    name: "ConsumedBlockNumber",
    kind: "number",
    description: "Height of the block of that transaction.",
    unit: null,
    empty: "The output is not spent, or it is spent in a vertex or in a block after the last block of the job.",
    example: "11263021",
    cell: text("consumedBlockNumber"),
  },
  {
    name: "ConsumedTimestamp",
    kind: "number",
    description: "Time of that transaction.",
    unit: SECONDS,
    empty: NOT_CONSUMED,
    example: "1722090000",
    cell: text("consumedTimestamp"),
  },
  {
    name: "EvmAccounts",
    kind: "text",
    description:
      "Accounts of the C-Chain that the transaction debits (ExportTx) or credits (ImportTx), in checksum case, with a semicolon between them.",
    unit: null,
    empty: "The transaction is not on the C-Chain.",
    example: "0x4b4Cc2b97c5F04d84D1e36f8A4B6E7e2aFCe4AB8",
    cell: ({ accounts }) => accounts.map(({ address }) => checksumAddress(`0x${address}`)).join(";"),
  },
  {
    name: "TxFee",
    kind: "number",
    description: `AVAX that the transaction burns: its fee. ${ONCE}`,
    unit: NANO,
    empty: `${NOT_FIRST}, or the transaction burns no AVAX.`,
    example: "1000000",
    cell: nanoOf("burnedAvax"),
  },
  {
    name: "TxFeeAmount",
    kind: "number",
    description: `Fee of the transaction as an exact decimal: the AVAX that it burns. ${ONCE}`,
    unit: AVAX,
    empty: `${NOT_FIRST}, or the transaction burns no AVAX.`,
    example: "0.001",
    cell: avaxOf("burnedAvax"),
  },
  {
    name: "TxFeeUsd",
    kind: "number",
    description: `Value of the fee, by the price of AVAX at the time of the movement, rounded half up to six digits after the point. ${ONCE}`,
    unit: "US dollars",
    empty: `${NOT_FIRST}, the transaction burns no AVAX, or no price of that time is stored.`,
    example: "0.027451",
    cell: feeUsd,
  },
  {
    name: "L1ValidatorBalance",
    kind: "number",
    description: `AVAX that the transaction adds to balances of L1 validators. ${ONCE}`,
    unit: NANO,
    empty: `${NOT_FIRST}, or the transaction adds no AVAX to L1 validators.`,
    example: "1000000000",
    cell: nanoOf("l1Balance"),
  },
  {
    name: "L1ValidatorBalanceAmount",
    kind: "number",
    description: `The same amount as an exact decimal. ${ONCE}`,
    unit: AVAX,
    empty: `${NOT_FIRST}, or the transaction adds no AVAX to L1 validators.`,
    example: "1",
    cell: avaxOf("l1Balance"),
  },
  {
    name: "GroupId",
    kind: "number",
    description: "Group of an NFT.",
    unit: null,
    empty: "The output is not an NFT.",
    example: "1",
    cell: text("groupId"),
  },
  {
    name: "Payload",
    kind: "text",
    description: "Payload of an NFT as hex.",
    unit: null,
    empty: "The output is not an NFT.",
    example: "0x68656c6c6f",
    cell: hex("payload"),
  },
  {
    name: "Memo",
    kind: "text",
    description: "Memo of the transaction as hex; `0x` if it is empty or the type has none.",
    unit: null,
    empty: "An output of the genesis.",
    example: "0x68656c6c6f",
    cell: hex("memo"),
  },
  {
    name: "PriceUsd",
    kind: "number",
    description: "Price of one AVAX at the time of the movement.",
    unit: "US dollars",
    empty: "The asset is not AVAX, or no price of that time is stored.",
    example: "27.4512",
    cell: ({ price }) => price?.text ?? "",
  },
  {
    name: "ValueUsd",
    kind: "number",
    description: "`Amount` × `PriceUsd`, rounded half up to six digits after the point.",
    unit: "US dollars",
    empty: "`Amount` or `PriceUsd` is empty.",
    example: "686.28",
    cell: valueUsd,
  },
];

const SIMPLE = [
  "ChainName",
  "TxHash",
  "TxType",
  "FundTransferType",
  "BlockTime",
  "AssetSymbol",
  "Amount",
  "TxFeeAmount",
  "TxFeeUsd",
  "PriceUsd",
  "ValueUsd",
];

/** Columns of `TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE`. */
export const SIMPLE_COLUMNS: readonly Column<MovementRow>[] = MOVEMENT_COLUMNS.filter(({ name }) =>
  SIMPLE.includes(name),
);

/** The column that `exportedAddress` of a request adds. */
export const EXPORTED_OWNER: Column<MovementRow> = {
  name: "ExportedAddress",
  kind: "text",
  description:
    "Only in files with `exportedAddress`. Exported address for which the row is listed: an owner of the output, in Bech32 without a chain prefix, or an account of `cChainEvmAddresses` that the transaction debits or credits, in checksum case. If there are several: all of them, the owners first, with a semicolon between them.",
  unit: null,
  empty: null,
  example: "avax1qm2a25eytsrj235hq4fnrzkj0p0pjtvshg5spz",
  cell: ({ network, fields: { addresses, listedAccounts }, owners }) => {
    const exported = addresses.split(",").filter((address) => owners.has(address));
    const accounts = listedAccounts === null ? [] : listedAccounts.split(",").map(evmAddressText);
    return [...exported.map((address) => addressesText(network.hrp, address)), ...accounts].join(";");
  },
};
