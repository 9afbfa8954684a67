import { EventEmitter, on } from "node:events";
import { GraphQLError } from "graphql";
import { checksum, validate } from "ox/Address";

/** All labels, in the order in which they were added. They are in memory: a restart forgets those that callers have added. */
const labels = [];
/** Emits each label that is added, as an event with the name of its chain. */
const added = new EventEmitter().setMaxListeners(0);
const eventOf = (chainId) => `label on ${chainId}`;

/** An address as Moraine writes it: with the upper and lower case of EIP-55. */
export const evmAddressOf = ({ chainId, address }) => ({ chainId, address: checksum(address) });

/** The labels of an address, newest first. */
export const labelsOf = ({ chainId, address }) =>
  labels.filter(({ evmAddress }) => evmAddress.chainId === chainId && evmAddress.address === address).reverse();

/** The addresses of a chain that have labels, each once. */
export function labelledAddresses(chainId) {
  const addresses = labels.map(({ evmAddress }) => evmAddress).filter((one) => one.chainId === chainId);
  return [...new Map(addresses.map((one) => [one.address, one])).values()];
}

/** Adds a label. Callers of Moraine get the message and the code of a GraphQL error that is thrown here. */
export function addLabel({ chainId, address, text, author }) {
  if (!validate(address, { strict: false })) throw failure("BAD_USER_INPUT", `${address} is not an address`);
  const evmAddress = evmAddressOf({ chainId, address });
  if (labelsOf(evmAddress).some((label) => label.text === text))
    throw failure("LABEL_EXISTS", `${address} already has the label ${text}`);
  const label = { text, author, createdAt: Math.floor(Date.now() / 1000), evmAddress };
  labels.push(label);
  added.emit(eventOf(chainId), label);
  return label;
}

/** The labels that are added to addresses of a chain from now on, each as a list with one item. */
export const labelsAdded = (chainId) => on(added, eventOf(chainId));

const failure = (code, message) => new GraphQLError(message, { extensions: { code } });

// Addresses of the demo.
for (const [address, text] of [
  ["0x0100000000000000000000000000000000000000", "Burned fees"],
  ["0x25eF87aE077E77411610582A6602B1a451e72C02", "Load test"],
  ["0xCE4e1E5f3f0EAd12Dd4707754d9bCf57825Fd6b0", "Token of the examples"],
])
  addLabel({ chainId: "760011", address, text, author: "the labels team" });
