import { type Address, type Hex, numberToHex, stringToHex } from "viem";
import { ACCOUNTS, type Anvil, type Call } from "./anvil.ts";
import { type ContractName, callOf, DEPLOYED, deploy, WARP } from "./deployed-contracts.ts";

const [FIRST, SECOND, THIRD] = ACCOUNTS as [Address, Address, Address];
const ZERO: Address = `0x${"0".repeat(40)}`;

const dataOf = (role: ContractName, functionName: string, args: readonly unknown[]): Hex =>
  callOf(role, functionName, args).data as Hex;

/** The salt for CREATE2 with this number. */
export const salt = (n: number): Hex => numberToHex(n, { size: 32 });
/** The salt at which contracts are repeatedly created and destroyed in one transaction. */
export const PHOENIX = stringToHex("phoenix", { size: 32 });
/** A blockchain id. */
const ELSEWHERE = stringToHex("another chain", { size: 32 });

/** All transactions that tests send to the contracts; the number varies amounts, ids and salts. */
export const ACTIONS: Readonly<Record<string, (n: number) => Call>> = {
  // Creations that succeed.
  create: (n) => callOf("factory", "make", [], BigInt(n)),
  createWithoutValue: () => callOf("factory", "make"),
  create2: (n) => callOf("factory", "makeAt", [salt(n)], BigInt(n)),
  createByTransaction: (n) => deploy("Box", [], BigInt(n)),
  createWithinCreation: () => callOf("factory", "makeMother", [], 10n),
  clone: () => callOf("factory", "clone", [DEPLOYED.splitter], 4n),
  proxy: () => deploy("Proxy", [DEPLOYED.splitter], 5n),
  // Creations that fail.
  createInVain: () => callOf("factory", "makeInVain", [], 3n),
  createAndRevert: () => callOf("factory", "makeAndRevert", [], 4n),
  createWhereSomethingIs: () => callOf("factory", "makeAt", [salt(5)]),
  createByTransactionInVain: () => deploy("Stillborn", [], 5n),
  // Self-destructs.
  endOlder: (n) => callOf("factory", "send", [DEPLOYED.box, THIRD], BigInt(n)),
  endAtOnce: (n) => callOf("factory", "makeAndEnd", [PHOENIX, SECOND], BigInt(n)),
  endWhileCreated: (n) => callOf("factory", "makeMayfly", [THIRD], BigInt(n)),
  endWhileCreatedByTransaction: (n) => deploy("Mayfly", [SECOND], BigInt(n)),
  // Calls.
  split: (n) => callOf("splitter", "split", [[SECOND, THIRD]], BigInt(2 * n)),
  splitByProxy: (n) => callOf("proxy", "split", [[SECOND, THIRD, DEPLOYED.caller]], BigInt(3 * n)),
  payProxy: (n) => ({ to: DEPLOYED.proxy, value: BigInt(n) }),
  pay: (n) => callOf("caller", "pay", [THIRD, BigInt(n % 7)], 1n),
  payAndRevert: (n) => callOf("caller", "payAndRevert", [THIRD], BigInt(n)),
  tryToPay: (n) => callOf("caller", "tryToPay", [THIRD], BigInt(n)),
  tryToPayTooMuch: () => callOf("caller", "tryToPayTooMuch", [THIRD]),
  payUnpayable: (n) => callOf("caller", "payUnpayable", [DEPLOYED.honest], BigInt(n)),
  lend: (n) =>
    callOf("caller", "lend", [DEPLOYED.splitter, dataOf("splitter", "split", [[SECOND, THIRD]])], BigInt(2 * n)),
  look: () => callOf("caller", "look", [DEPLOYED.caller, dataOf("caller", "pay", [THIRD, 1n])]),
  borrow: (n) => callOf("caller", "borrow", [DEPLOYED.splitter], BigInt(n)),
  fail: () => ({ to: DEPLOYED.honest, data: "0xdeadbeef", value: 1n }),
  // Tokens.
  mint: (n) => callOf("honest", "mint", [THIRD, BigInt(n)]),
  transfer: (n) => callOf("honest", "transfer", [SECOND, BigInt(n)]),
  transferToOneself: (n) => callOf("honest", "transfer", [FIRST, BigInt(n)]),
  transferTooMuch: () => callOf("honest", "transfer", [SECOND, 10n ** 30n]),
  burn: (n) => callOf("honest", "burn", [BigInt(1 + (n % 5))]),
  wrap: (n) => callOf("wrapped", "deposit", [], BigInt(10 * n)),
  wrapByPayment: (n) => ({ to: DEPLOYED.wrapped, value: BigInt(5 * n) }),
  unwrap: (n) => callOf("wrapped", "withdraw", [BigInt(n)]),
  transferWrapped: (n) => callOf("wrapped", "transfer", [SECOND, BigInt(n)]),
  wrapUnknown: (n) => callOf("unknownWrapped", "deposit", [], BigInt(n)),
  mintUnique: (n) => callOf("unique", "move", [ZERO, SECOND, 2n ** 255n + BigInt(n)]),
  transferUnique: (n) => callOf("unique", "move", [SECOND, THIRD, BigInt(n)]),
  burnUnique: (n) => callOf("unique", "move", [THIRD, ZERO, BigInt(n)]),
  mintItem: (n) => callOf("items", "move", [ZERO, FIRST, BigInt(n), 100n]),
  transferItems: (n) => callOf("items", "moveAll", [FIRST, SECOND, [BigInt(n), 7n, BigInt(n + 1)], [1n, 2n, 3n]]),
  transferItemsOfOneId: (n) =>
    callOf("items", "moveAll", [FIRST, THIRD, [BigInt(n), BigInt(n), BigInt(n)], [1n, 0n, 1n]]),
  transferNoItems: () => callOf("items", "moveAll", [FIRST, THIRD, [], []]),
  burnItem: (n) => callOf("items", "move", [FIRST, ZERO, BigInt(n), 1n]),
  // Messages.
  sendMessage: () => callOf("messenger", "sendTo", [ELSEWHERE, SECOND]),
  receiveMessage: (n) => callOf("messenger", "receiveFrom", [ELSEWHERE, BigInt(n), THIRD, true]),
  receiveMessageInVain: (n) => callOf("messenger", "receiveFrom", [ELSEWHERE, BigInt(n), THIRD, false]),
  sendStrangeMessage: () => callOf("strangeMessenger", "sendTo", [ELSEWHERE, SECOND]),
  warp: (n) => ({ ...callOf("strangeWarp", "sendWarpMessage", [salt(n)]), to: WARP }),
};

/** Mines blocks of four actions each; the number of the first block selects the actions. */
export async function perform(anvil: Anvil, blocks: number, first = 0): Promise<void> {
  for (let block = first; block < first + blocks; block++) {
    for (const call of callsOf(block)) await anvil.send(call);
    await anvil.mine();
  }
}

/** The four transactions of a block. */
export function callsOf(block: number): Call[] {
  const actions = Object.values(ACTIONS);
  return Array.from({ length: 4 }, (_, i) => {
    const n = 4 * block + i;
    return (actions[n % actions.length] as (n: number) => Call)(n);
  });
}
