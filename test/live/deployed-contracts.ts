import { type Address, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from "viem";
import { ACCOUNTS, type Anvil, type Call } from "./anvil.ts";
import { type Contract, compileContracts } from "./contracts.ts";

const contracts = compileContracts("facts.sol");
const [FIRST] = ACCOUNTS as [Address];

/** Address of the warp precompile on Avalanche's chains. */
export const WARP: Address = "0x0200000000000000000000000000000000000005";

const contract = (name: string): Contract => {
  const found = contracts[name];
  if (!found) throw new Error(`no contract ${name} in contracts/facts.sol`);
  return found;
};

/**
 * The contracts of contracts/facts.sol that the first account deploys, in this order: constructor's contract and
 * argument.
 */
const CONTRACTS = {
  factory: ["Factory"],
  box: ["Box"],
  splitter: ["Splitter"],
  proxy: ["Proxy", "splitter"],
  caller: ["Caller"],
  honest: ["Honest"],
  wrapped: ["Wrapped"],
  /** The same code, but not configured as a wrapped native token. */
  unknownWrapped: ["Wrapped"],
  unique: ["Unique721"],
  items: ["Items1155"],
  messenger: ["Messenger", WARP],
  /** Emits the events of a messenger and of the warp precompile, but is neither. */
  strangeWarp: ["Warping"],
  strangeMessenger: ["Messenger", "strangeWarp"],
} as const satisfies Record<string, readonly [contract: string, arg?: string]>;

export type ContractName = keyof typeof CONTRACTS;

const CONTRACT_NAMES = Object.keys(CONTRACTS) as ContractName[];
const addressOf = (role: string): Address =>
  getContractAddress({ from: FIRST, nonce: BigInt(CONTRACT_NAMES.indexOf(role as ContractName)) });

/** Addresses of the contracts on a chain that `deployContracts` began. */
export const DEPLOYED = Object.fromEntries(CONTRACT_NAMES.map((role) => [role, addressOf(role)])) as Readonly<
  Record<ContractName, Address>
>;

/** The settings of a chain with these contracts. */
export const CONTRACT_SETTINGS = {
  teleporterMessengers: [DEPLOYED.messenger],
  wrappedNativeTokens: [DEPLOYED.wrapped],
};

/** Deploys all contracts on a chain without blocks, in three blocks, and funds two of them. */
export async function deployContracts(anvil: Anvil): Promise<void> {
  const { client } = anvil;
  await client.setCode({ address: WARP, bytecode: await warpCode(anvil) });
  for (const [i, role] of CONTRACT_NAMES.entries()) {
    const [name, arg] = CONTRACTS[role] as readonly [string, string?];
    const args = arg === undefined ? [] : [arg.startsWith("0x") ? arg : addressOf(arg)];
    await anvil.send(deploy(name, args, 0n));
    if (i % 5 === 4) await anvil.mine();
  }
  await anvil.mine();
  await anvil.send({ to: DEPLOYED.caller, value: 10_000n });
  await anvil.send(callOf("honest", "mint", [FIRST, 1_000_000n]));
  await anvil.mine();
}

/** The code that the constructor returns, from a call without a transaction. */
async function warpCode({ client }: Anvil): Promise<Hex> {
  const { data } = await client.call({ data: contract("Warping").bytecode });
  return data ?? "0x";
}

/** A call of a contract's function; the proxy is called as a splitter. */
export function callOf(role: ContractName, functionName: string, args: readonly unknown[] = [], value = 0n): Call {
  const { abi } = contract(role === "proxy" ? "Splitter" : CONTRACTS[role][0]);
  return { to: DEPLOYED[role], data: encodeFunctionData({ abi, functionName, args }), value };
}

/** The creation code of a contract whose constructor has no parameters. */
export const bytecodeOf = (name: string): Hex => contract(name).bytecode;

/** A transaction that deploys a contract with this value. */
export function deploy(name: string, args: readonly unknown[], value: bigint): Call {
  const { abi, bytecode } = contract(name);
  return { data: encodeDeployData({ abi, bytecode, args }), value };
}
