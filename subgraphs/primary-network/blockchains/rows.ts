/** SELECT list of a blockchain, without its genesis. */
export const COLUMNS = `network_id AS "networkId", blockchain_id AS "blockchainId", blockchain_seq AS "blockchainSeq",
  create_timestamp AS "createBlockTimestamp", create_block_number AS "createBlockNumber", vm_id AS "vmId",
  subnet_id AS "subnetId", name AS "blockchainName", evm_chain_id AS "evmChainId"`;

/** SQL of the all-zero ID: the P-Chain among blockchains, the primary network among subnets. */
export const ZERO_ID = "decode(repeat('00', 32), 'hex')";

/** ID of the P-Chain among blockchains, and of the primary network among subnets. */
export const P_CHAIN_ID = `0x${"00".repeat(32)}`;

/** VM ID of the P-Chain: the name `platformvm` in ASCII, padded with zeros. */
export const PLATFORM_VM_ID = `0x${Buffer.from("platformvm").toString("hex").padEnd(64, "0")}`;

const PLATFORM_VM = `decode('${PLATFORM_VM_ID.slice(2)}', 'hex')`;

/** SELECT list of the P-Chain from `primary_networks`: no transaction created it. It sorts before all other blockchains. */
export const P_CHAIN_COLUMNS = `network_id AS "networkId", ${ZERO_ID} AS "blockchainId", -1::bigint AS "blockchainSeq",
  genesis_timestamp AS "createBlockTimestamp", -1::bigint AS "createBlockNumber", ${PLATFORM_VM} AS "vmId",
  ${ZERO_ID} AS "subnetId", 'P-Chain' AS "blockchainName", NULL::numeric AS "evmChainId"`;
