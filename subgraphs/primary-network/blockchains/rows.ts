/** SELECT list of a blockchain, without its genesis. */
export const COLUMNS = `network_id AS "networkId", blockchain_id AS "blockchainId", blockchain_seq AS "blockchainSeq",
  create_timestamp AS "createBlockTimestamp", create_block_number AS "createBlockNumber", vm_id AS "vmId",
  subnet_id AS "subnetId", name AS "blockchainName", evm_chain_id AS "evmChainId"`;

/** SQL of the all-zero ID: the P-Chain among blockchains, the primary network among subnets. */
export const ZERO_ID = "decode(repeat('00', 32), 'hex')";

/** SQL of the VM ID `platformvm`: the name in ASCII, padded with zeros. */
const PLATFORM_VM = `decode(rpad(encode('platformvm', 'hex'), 64, '0'), 'hex')`;

/** SELECT list of the P-Chain from `primary_networks`: no transaction created it. It sorts before all other blockchains. */
export const P_CHAIN_COLUMNS = `network_id AS "networkId", ${ZERO_ID} AS "blockchainId", -1::bigint AS "blockchainSeq",
  genesis_timestamp AS "createBlockTimestamp", -1::bigint AS "createBlockNumber", ${PLATFORM_VM} AS "vmId",
  ${ZERO_ID} AS "subnetId", 'P-Chain' AS "blockchainName", NULL::numeric AS "evmChainId"`;
