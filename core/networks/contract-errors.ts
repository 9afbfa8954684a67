/** The error of a JSON-RPC answer to `eth_call`. */
export interface CallError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}

/** Code of a revert: `data` is what the contract reverted with. */
const REVERTED = 3;
const HEX = /^0x([0-9a-f]{2})*$/i;

/**
 * The errors of the EVM in the words of the nodes: go-ethereum, coreth, subnet-evm and Erigon; Besu and OpenEthereum; Nethermind;
 * and Reth and Anvil, whose halt reasons are single words. Each must match the whole text. The case of letters is ignored.
 */
const EVM_ERRORS: readonly string[] = [
  // The contract reverted. The text that it gave follows.
  "execution reverted\\b.*",
  "reverted( 0x[0-9a-f]*)?",
  "revert(: .*|ed with reason string .*)?",
  // Out of gas: also a call that needs more gas than the node allows for a call.
  "(contract creation code storage )?out ?of ?gas",
  "out of gas: (out of gas|gas required exceeds|gas exhausted|invalid operand to an opcode).*",
  "gas required exceeds allowance( \\(\\d+\\)| or always failing transaction)?",
  "gas ?uint64 ?overflow",
  "MemoryOOG|PrecompileOOG|InvalidOperandOOG|ReentrancySentryOOG",
  // An opcode that does not exist, or not yet.
  "invalid opcode(:.*| ?0x[0-9a-f]+)?",
  "bad ?instruction( [0-9a-f]+)?",
  "OpcodeNotFound|InvalidFEOpcode|NotActivated",
  // A jump to a place that is no jump destination.
  "(invalid|bad) ?jump ?destination( [0-9a-fx]+)?",
  "InvalidJump",
  // Too few or too many values on the stack.
  "stack ?underflow( \\(.*\\))?",
  "stack ?overflow( \\(.*\\))?",
  "stack limit reached( \\d+( \\(\\d+\\))?)?",
  "out of stack",
  // A change of the state in a static call.
  "write protection",
  "illegal state change",
  "static ?call ?violation",
  "mutable call in static context",
  "StateChangeDuringStaticCall|CallNotAllowedInsideStatic",
  // Bytes of a returned value that does not have them.
  "return data out of bounds",
  "out of bounds",
  "access ?violation",
  "OutOfOffset",
  // A precompiled contract refuses its input.
  "precompile (error|failure)|PrecompileFailure",
  "precompile .* failed with error\\b.*",
  "PrecompileError\\b.*",
  "invalid function selector 0x[0-9a-f]*",
  "missing function selector to precompile\\b.*",
  // A limit of the EVM.
  "max call depth exceeded|CallTooDeep",
  "insufficient balance for transfer|OutOfFunds",
  "contract address collision|CreateCollision",
  "max (code|initcode) size exceeded|code is too large|CreateContractSizeLimit|CreateInitCodeSizeLimit",
  "invalid code: .*|code is invalid|InvalidCode|CreateContractStartingWithEF",
  "nonce uint64 overflow|NonceOverflow|OverflowPayment",
];

/** Words that nodes put before and behind such an error. */
const BEFORE = "(err: |evm: |EVM error:? |(Error: )?VM Exception while processing transaction: )*";
const BEHIND = "( \\(supplied gas \\d+\\))?";
const EVM_ERROR = new RegExp(`^${BEFORE}(${EVM_ERRORS.join("|")})${BEHIND}$`, "is");

/** A text that names no error. The data has it. */
const SEE_DATA = /^(VM execution error|The execution failed due to an exception)\.?$/i;

/**
 * True if the contract's own code caused an error answer to `eth_call`, so that every node returns it. All other errors, known or
 * unknown, are the node's: the same call may succeed later.
 */
export function isContractError({ code, message, data }: CallError): boolean {
  if (code === REVERTED && typeof data === "string" && HEX.test(data)) return true;
  if (typeof message !== "string") return false;
  if (SEE_DATA.test(message)) return typeof data === "string" && EVM_ERROR.test(data);
  return EVM_ERROR.test(message);
}
