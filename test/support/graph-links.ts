import { readFileSync } from "node:fs";
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  parse,
} from "graphql";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";

/** Scalars whose values always name something. */
const ID_SCALARS: ReadonlySet<string> = new Set(["Address", "Hash", "Id", "NodeId"]);
/** Other scalars name something if the name of the field says so. */
const ID_NAMES =
  /(Ids?|[hH]ash(es)?|[aA]ddress(es)?|^chainNames?|[bB]lock(Number|Height)|[a-z]BlockIndex|PChainHeight|Subnets)$/;
const OTHER_SCALARS: ReadonlySet<string> = new Set([
  "String",
  "ID",
  "Int",
  "Integer",
  "Quantity",
  "SignedQuantity",
  "Float",
]);

/** What the link of a field is called: the first rule that matches its name applies. */
const NAMING: readonly (readonly [RegExp, string])[] = [
  [/^address$/, "evmAddress"],
  [/^addresses$/, "owners"],
  [/^rewardAddresses$/, "rewardOwners"],
  [/^validationId(Hex)?$/, "l1Validator"],
  [/^block(Number|Hash|Height)$/, "block"],
  [/Block(Number|Index)$/, "Block"],
  [/Height$/, "Block"],
  [/^txHash$/, "transaction"],
  [/^txHashes$/, "transactions"],
  [/(Tx|Transaction)Hash$/, "Transaction"],
  [/^chainName$/, "blockchain"],
  [/(Id|Hash|Address)$/, ""],
  [/(Id|Hashe|Addresse)s$/, "s"],
  [/$/, "EvmAddress"],
];

/** The links that the rule of names does not find, as paths from the object. */
export const DEVIATIONS: Readonly<Record<string, string>> = {
  "AcpPreferences.objectors": "objectorNodes",
  "AcpPreferences.supporters": "supporterNodes",
  "Blockchain.evmChainId": "chain",
  "Chain.platformChainId": "blockchain",
  "Erc1155Token.address": "collection",
  "Erc721Token.address": "collection",
  "IcmEvent.messageId": "message",
  "IcmMessage.destinationAddress": "destinationEvmAddress",
  "NftCollectionToken.tokenId": "erc721Token",
  "Node.nodeId": "validatorNode",
  "Operation.addresses": "evmAddresses",
  "Operation.cChainEvmAddresses": "evmAddresses",
  "PrimaryNetworkTransaction.chainName": "chainInfo.blockchain",
  "PrimaryNetworkTransaction.destinationChain": "destinationBlockchain",
  "PrimaryNetworkTransaction.sourceChain": "sourceBlockchain",
  "PrimaryNetworkUtxo.assetId": "asset.asset",
  "SignableMessage.sourceChainId": "sourceBlockchain",
  "TransactionVertex.hash": "vertex",
};

const OWN = "the object itself";
const VM = "the graph has no virtual machines";
const AHEAD = "a block that may not be indexed yet";
const PART = "names a part of the object";
const INTERNAL = "a hash of data, which names no object";
const OF_NODE = "a constant of the network, or what a node has installed";
const MESSAGE = "the graph has no object for a warp message";
const WRAPPER = "the graph has no object for the wrapper of a block";

/** Ids without a link, with the reason. */
export const WITHOUT_LINK: Readonly<Record<string, string>> = {
  "Blockchain.blockchainId": OWN,
  "Blockchain.vmId": VM,
  "BlockchainInfo.chainName": "the name that its creator chose",
  "BlockchainInfo.vmId": VM,
  "Chain.chainId": OWN,
  "Chain.vmId": VM,
  "ChainIndexing.fetchedBlockNumber": AHEAD,
  "ChainIndexing.nodeBlockNumber": AHEAD,
  "Erc1155Token.tokenId": OWN,
  "Erc721Token.tokenId": OWN,
  "EvmAccount.address": OWN,
  "EvmAddress.address": OWN,
  "EvmBlock.blockHash": OWN,
  "EvmBlock.blockNumber": OWN,
  "EvmBlock.receiptsRoot": INTERNAL,
  "EvmBlock.stateRoot": INTERNAL,
  "EvmLog.topic0": INTERNAL,
  "EvmLog.topic1": "a parameter of an event of any type",
  "EvmLog.topic2": "a parameter of an event of any type",
  "EvmLog.topic3": "a parameter of an event of any type",
  "EvmTransaction.txHash": OWN,
  "IcmMessage.messageId": OWN,
  "L1Validator.validationId": OWN,
  "L1Validator.validationIdHex": OWN,
  "Method.methodHash": INTERNAL,
  "NetworkUpgrades.apricotPhase4MinPChainHeight": OF_NODE,
  "NetworkUpgrades.cortinaXChainStopVertexId": OF_NODE,
  "Node.networkId": OF_NODE,
  "NodeFx.fxId": OF_NODE,
  "NodePeer.trackedSubnets": "a peer may name any subnet, of which most have no validation here",
  "NodeVm.vmId": OF_NODE,
  "Operation.operationId": OWN,
  "PrimaryChainIndexing.fetchedBlockNumber": AHEAD,
  "PrimaryChainIndexing.nodeBlockNumber": AHEAD,
  "PrimaryNetwork.networkId": OWN,
  "PrimaryNetworkAddress.address": OWN,
  "PrimaryNetworkAddress.chainNames": PART,
  "PrimaryNetworkAsset.assetId": OWN,
  "PrimaryNetworkBlock.blockHash": OWN,
  "PrimaryNetworkBlock.blockNumber": OWN,
  "PrimaryNetworkTransaction.txHash": OWN,
  "PrimaryNetworkUtxo.groupId": PART,
  "PrimaryNetworkUtxo.utxoId": OWN,
  "ProposerDetails.proposerId": WRAPPER,
  "ProposerDetails.proposerParentId": WRAPPER,
  "SignableMessage.messageId": MESSAGE,
  "SignableMessage.messageIdCb58": MESSAGE,
  "Subnet.subnetId": OWN,
  "ValidatorNode.nodeId": OWN,
  "Verification.blockNumber": "a block of an EVM chain or of a primary network",
  "XChainVertex.vertexHash": OWN,
};

/** The schema that callers see. */
export const schema = createPlanner(committedSupergraph(), []).publicSchema;
const ROOTS = ["Query", "Mutation", "Subscription"];
const types = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !name.startsWith("__") && !ROOTS.includes(name));

const entities: ReadonlySet<string> = new Set(
  SUBGRAPHS.flatMap(({ name }) =>
    parse(readFileSync(`subgraphs/${name}/schema.graphql`, "utf8")).definitions.flatMap((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION && node.directives?.some((one) => one.name.value === "key")
        ? [node.name.value]
        : [],
    ),
  ),
);

type Field = GraphQLField<unknown, unknown>;

/** True for an entity, a list of entities, and a page of them. */
export function isLink(field: Field | undefined): boolean {
  const type = field && getNamedType(field.type);
  if (!isObjectType(type)) return false;
  if (entities.has(type.name)) return true;
  return Object.values(type.getFields()).some(
    (one) => isListType(getNullableType(one.type)) && entities.has(getNamedType(one.type).name),
  );
}

/** A number with a name in the plural is a count. */
function isId({ name, type }: Field): boolean {
  const scalar = getNamedType(type).name;
  if (ID_SCALARS.has(scalar)) return true;
  const isCount = scalar !== "String" && /(Ids|[hH]ashes|[aA]ddresses|Subnets)$/.test(name);
  return name !== "id" && OTHER_SCALARS.has(scalar) && ID_NAMES.test(name) && !isCount;
}

/** The name of the link of a field, by the rule of names. */
export function linkNameOf(name: string): string {
  const [pattern = /$/, replacement = ""] = NAMING.find(([one]) => one.test(name)) ?? [];
  return name.replace(pattern, replacement);
}

/** The field at a path of names, from a type. */
export function fieldAt(type: GraphQLObjectType, path: string): Field | undefined {
  const [name = "", ...rest] = path.split(".");
  const field = type.getFields()[name];
  const inner = field && getNamedType(field.type);
  return rest.length > 0 && isObjectType(inner) ? fieldAt(inner, rest.join(".")) : field;
}

/** All ids in answers. */
export const ids = types.flatMap((type) =>
  Object.values(type.getFields())
    .filter(isId)
    .map((field) => ({ type, field, key: `${type.name}.${field.name}` })),
);
