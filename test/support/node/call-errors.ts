/** An error answer to `eth_call`. */
export interface CallErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const of = (code: number, ...messages: readonly string[]): CallErrorAnswer[] =>
  messages.map((message) => ({ code, message }));

/** Errors that the code of a contract causes, in the words of the nodes. */
export const CONTRACT_ERRORS: readonly CallErrorAnswer[] = [
  // go-ethereum, coreth, subnet-evm, Erigon
  { code: 3, message: "execution reverted", data: "0x" },
  { code: 3, message: "execution reverted: not today", data: "0x08c379a0" },
  { code: 3, message: "execution reverted: header not found", data: "0x08c379a0" },
  { code: 3, message: "missing trie node", data: "0x4e487b71" },
  ...of(
    -32000,
    "execution reverted",
    "execution reverted: missing trie node 56e81f17",
    "execution reverted: request timed out\nrate limit",
    "evm: execution reverted",
    "out of gas",
    "contract creation code storage out of gas",
    "err: out of gas (supplied gas 50000000)",
    "gas required exceeds allowance (50000000)",
    "gas required exceeds allowance or always failing transaction",
    "gas uint64 overflow",
    "invalid opcode: INVALID",
    "invalid opcode: opcode 0xfe not defined",
    "invalid opcode 0xfe",
    "invalid jump destination",
    "stack underflow (0 <=> 2)",
    "stack limit reached 1024 (1023)",
    "write protection",
    "return data out of bounds",
    "max call depth exceeded",
    "insufficient balance for transfer",
    "contract address collision",
    "max code size exceeded",
    "max initcode size exceeded",
    "invalid code: must not begin with 0xef",
    "nonce uint64 overflow",
    "invalid function selector 0x06fdde03",
    "missing function selector to precompile - input length (0)",
  ),
  // Besu
  { code: -32000, message: "Execution reverted", data: "0x08c379a0" },
  ...of(
    -32000,
    "Out of gas",
    "Stack underflow",
    "Bad jump destination",
    "Bad instruction",
    "Invalid opcode: 0xfe",
    "Out of bounds",
    "Out of stack",
    "Illegal state change",
    "Code is too large",
    "Precompile error",
  ),
  // Nethermind and OpenEthereum
  ...of(-32003, "out of gas", "Precompile 0x05 failed with error: invalid input"),
  ...[
    "revert",
    "Reverted 0x7a933234",
    "OutOfGas",
    "BadInstruction",
    "Bad instruction fe",
    "InvalidJumpDestination",
  ].map((data) => ({ code: -32015, message: "VM execution error.", data })),
  { code: -32015, message: "The execution failed due to an exception.", data: "Bad jump destination 1f" },
  { code: -32015, message: "VM execution error.", data: "StaticCallViolation" },
  // Reth and Anvil
  ...of(
    -32003,
    "out of gas: gas required exceeds: 50000000",
    "out of gas: gas exhausted during memory expansion: 50000000",
    "Out of gas: gas required exceeds allowance: 30000000",
    "out of gas: invalid operand to an opcode: 50000000",
    "EVM error: OpcodeNotFound",
    "EVM error InvalidFEOpcode",
    "EVM error OutOfGas",
    "EVM error MemoryOOG",
    "EVM error: InvalidJump",
    "EVM error: StackUnderflow",
    "EVM error: StackOverflow",
    "EVM error: StateChangeDuringStaticCall",
    "EVM error: OutOfOffset",
    "EVM error: CallTooDeep",
  ),
  // Hardhat and Ganache
  ...of(
    -32603,
    "Error: VM Exception while processing transaction: reverted with reason string 'no'",
    "VM Exception while processing transaction: revert",
    "VM Exception while processing transaction: invalid opcode",
  ),
];

/** Errors of nodes and of services in front of them. The contract has no part in them. */
export const NODE_ERRORS: readonly CallErrorAnswer[] = [
  ...of(
    -32000,
    "execution aborted (timeout = 5s)",
    "header not found",
    "missing trie node 56e81f171bcc55a6 (path ) state 0x56e8 is not available",
    "required historical state unavailable (reexec=128)",
    "required historical state unavailable: state not available",
    "historical state 56e8 is not available",
    "cannot query unfinalized data",
    "unknown block",
    "request timed out",
    "context deadline exceeded",
    "context canceled",
    "leveldb: closed",
    "pebble: closed",
    "database is shutting down",
    "out of memory",
    "too many requests",
    "internal error",
    "daily request count exceeded, request rate limited",
    "err: insufficient funds for gas * price + value: address 0x00 have 0 want 1 (supplied gas 50000000)",
    "err: intrinsic gas too low: have 20000, want 21000 (supplied gas 20000)",
    "state reverted to an earlier block",
    "the backend says: execution reverted",
    "an error that nobody has seen before",
    "",
  ),
  // The text alone does not show that the contract reverted: some services use the code for invalid arguments.
  { code: 3, message: "invalid argument" },
  { code: 3, message: "invalid argument", data: { reason: "upstream" } },
  { code: -32601, message: "the method eth_call does not exist/is not available" },
  { code: -32602, message: "invalid argument 1: header for hash not found" },
  { code: -32603, message: "Internal error" },
  { code: -32603, message: "Internal JSON-RPC error." },
  { code: -32001, message: "Resource not found" },
  { code: -32002, message: "No state available for block 0x5" },
  { code: -32003, message: "out of memory: memory limit exceeded during memory expansion" },
  { code: -32005, message: "limit exceeded" },
  { code: -32016, message: "rate limit reached" },
  { code: -32603, message: "EVM error MemoryLimitOOG" },
  { code: -32603, message: "EVM error FatalExternalError" },
  { code: -32603, message: "EVM error: database error: failed to get account" },
  { code: -32015, message: "VM execution error." },
  { code: -32015, message: "VM execution error.", data: "missing trie node" },
  { code: 429, message: "Your app has exceeded its compute units per second capacity." },
  { code: 4444, message: "pruned history unavailable" },
];

/** Results that are no bytes: no contract can return them. */
export const INVALID_RESULTS: readonly unknown[] = [null, "", "0x1", "0xzz", "text", 7, true, {}, []];
