import { type Address, type Hex, numberToHex, stringToHex } from "viem";
import { ACCOUNTS, type Anvil, type Call } from "./anvil.ts";
import { AT, act, deploy, type Role, WARP } from "./stage.ts";

const [FIRST, SECOND, THIRD] = ACCOUNTS as [Address, Address, Address];
const ZERO: Address = `0x${"0".repeat(40)}`;

const dataOf = (role: Role, functionName: string, args: readonly unknown[]): Hex =>
  act(role, functionName, args).data as Hex;

/** Salts of CREATE2, by number. */
export const salt = (n: number): Hex => numberToHex(n, { size: 32 });
/** At this salt contracts are made and end at once, again and again. */
export const PHOENIX = stringToHex("phoenix", { size: 32 });
/** A blockchain id. */
const ELSEWHERE = stringToHex("another chain", { size: 32 });

/** Everything that can be done on the stage; with other numbers it is done otherwise. */
export const ACTIONS: Readonly<Record<string, (n: number) => Call>> = {
  // Contracts that come to be.
  create: (n) => act("factory", "make", [], BigInt(n)),
  createWithoutValue: () => act("factory", "make"),
  create2: (n) => act("factory", "makeAt", [salt(n)], BigInt(n)),
  createByTransaction: (n) => deploy("Box", [], BigInt(n)),
  createWithinCreation: () => act("factory", "makeMother", [], 10n),
  clone: () => act("factory", "clone", [AT.splitter], 4n),
  proxy: () => deploy("Proxy", [AT.splitter], 5n),
  // Contracts that do not.
  createInVain: () => act("factory", "makeInVain", [], 3n),
  createAndRevert: () => act("factory", "makeAndRevert", [], 4n),
  createWhereSomethingIs: () => act("factory", "makeAt", [salt(5)]),
  createByTransactionInVain: () => deploy("Stillborn", [], 5n),
  // Contracts that end.
  endOlder: (n) => act("factory", "send", [AT.box, THIRD], BigInt(n)),
  endAtOnce: (n) => act("factory", "makeAndEnd", [PHOENIX, SECOND], BigInt(n)),
  endWhileCreated: (n) => act("factory", "makeMayfly", [THIRD], BigInt(n)),
  endWhileCreatedByTransaction: (n) => deploy("Mayfly", [SECOND], BigInt(n)),
  // Calls.
  split: (n) => act("splitter", "split", [[SECOND, THIRD]], BigInt(2 * n)),
  splitByProxy: (n) => act("proxy", "split", [[SECOND, THIRD, AT.caller]], BigInt(3 * n)),
  payProxy: (n) => ({ to: AT.proxy, value: BigInt(n) }),
  pay: (n) => act("caller", "pay", [THIRD, BigInt(n % 7)], 1n),
  payAndRevert: (n) => act("caller", "payAndRevert", [THIRD], BigInt(n)),
  tryToPay: (n) => act("caller", "tryToPay", [THIRD], BigInt(n)),
  tryToPayTooMuch: () => act("caller", "tryToPayTooMuch", [THIRD]),
  payUnpayable: (n) => act("caller", "payUnpayable", [AT.honest], BigInt(n)),
  lend: (n) => act("caller", "lend", [AT.splitter, dataOf("splitter", "split", [[SECOND, THIRD]])], BigInt(2 * n)),
  look: () => act("caller", "look", [AT.caller, dataOf("caller", "pay", [THIRD, 1n])]),
  borrow: (n) => act("caller", "borrow", [AT.splitter], BigInt(n)),
  fail: () => ({ to: AT.honest, data: "0xdeadbeef", value: 1n }),
  // Tokens.
  mint: (n) => act("honest", "mint", [THIRD, BigInt(n)]),
  transfer: (n) => act("honest", "transfer", [SECOND, BigInt(n)]),
  transferToOneself: (n) => act("honest", "transfer", [FIRST, BigInt(n)]),
  transferTooMuch: () => act("honest", "transfer", [SECOND, 10n ** 30n]),
  burn: (n) => act("honest", "burn", [BigInt(1 + (n % 5))]),
  wrap: (n) => act("wrapped", "deposit", [], BigInt(10 * n)),
  wrapByPayment: (n) => ({ to: AT.wrapped, value: BigInt(5 * n) }),
  unwrap: (n) => act("wrapped", "withdraw", [BigInt(n)]),
  transferWrapped: (n) => act("wrapped", "transfer", [SECOND, BigInt(n)]),
  wrapUnknown: (n) => act("unknownWrapped", "deposit", [], BigInt(n)),
  mintUnique: (n) => act("unique", "move", [ZERO, SECOND, 2n ** 255n + BigInt(n)]),
  transferUnique: (n) => act("unique", "move", [SECOND, THIRD, BigInt(n)]),
  burnUnique: (n) => act("unique", "move", [THIRD, ZERO, BigInt(n)]),
  mintItem: (n) => act("items", "move", [ZERO, FIRST, BigInt(n), 100n]),
  transferItems: (n) => act("items", "moveAll", [FIRST, SECOND, [BigInt(n), 7n, BigInt(n + 1)], [1n, 2n, 3n]]),
  transferItemsOfOneId: (n) => act("items", "moveAll", [FIRST, THIRD, [BigInt(n), BigInt(n), BigInt(n)], [1n, 0n, 1n]]),
  transferNoItems: () => act("items", "moveAll", [FIRST, THIRD, [], []]),
  burnItem: (n) => act("items", "move", [FIRST, ZERO, BigInt(n), 1n]),
  // Messages.
  sendMessage: () => act("messenger", "sendTo", [ELSEWHERE, SECOND]),
  receiveMessage: (n) => act("messenger", "receiveFrom", [ELSEWHERE, BigInt(n), THIRD, true]),
  receiveMessageInVain: (n) => act("messenger", "receiveFrom", [ELSEWHERE, BigInt(n), THIRD, false]),
  sendStrangeMessage: () => act("strangeMessenger", "sendTo", [ELSEWHERE, SECOND]),
  warp: (n) => ({ ...act("strangeWarp", "sendWarpMessage", [salt(n)]), to: WARP }),
};

/** So many blocks of four actions each; which, the number of the first says. */
export async function perform(anvil: Anvil, blocks: number, first = 0): Promise<void> {
  for (let block = first; block < first + blocks; block++) {
    for (const call of callsOf(block)) await anvil.send(call);
    await anvil.mine();
  }
}

/** The actions of a block. */
export function callsOf(block: number): Call[] {
  const actions = Object.values(ACTIONS);
  return Array.from({ length: 4 }, (_, i) => {
    const n = 4 * block + i;
    return (actions[n % actions.length] as (n: number) => Call)(n);
  });
}
