/** Columns of a blockchain, but for its genesis. */
export const COLUMNS = `network_id AS "networkId", blockchain_id AS "blockchainId", blockchain_seq AS "blockchainSeq",
  create_timestamp AS "createBlockTimestamp", create_block_number AS "createBlockNumber", vm_id AS "vmId",
  subnet_id AS "subnetId", name AS "blockchainName", evm_chain_id AS "evmChainId"`;

/** SQL of the id of the P-Chain, and of the primary network among the subnets. */
export const ZERO_ID = "decode(repeat('00', 32), 'hex')";

/** The id is the VM's name in ASCII, filled up with zeros. */
const PLATFORM_VM = `decode(rpad(encode('platformvm', 'hex'), 64, '0'), 'hex')`;

/** The P-Chain, which no transaction created, as a row of `primary_networks` tells it: before all others of its network. */
export const P_CHAIN_COLUMNS = `network_id AS "networkId", ${ZERO_ID} AS "blockchainId", -1::bigint AS "blockchainSeq",
  genesis_timestamp AS "createBlockTimestamp", -1::bigint AS "createBlockNumber", ${PLATFORM_VM} AS "vmId",
  ${ZERO_ID} AS "subnetId", 'P-Chain' AS "blockchainName", NULL::numeric AS "evmChainId"`;
