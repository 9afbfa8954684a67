import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { isFailureCode } from "../../../core/errors/errors.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import {
  AGGREGATION_PATH,
  type AggregationInput,
  type AggregationProgress,
  type AggregationResult,
  type DescribedMessage,
  MESSAGES_PATH,
  type MessageSource,
  type SignableMessage,
} from "../../../signatures/protocol/protocol.ts";
import { type Listener, listen } from "../node/listen.ts";
import { recorded } from "./recorded-network.ts";

/** A server that speaks the protocol of the signature service, and answers as a test says. It asks no validators. */
export interface ProtocolServer extends Listener {
  /** Sources of each call for messages, and inputs of the aggregations, in order. */
  readonly described: (readonly MessageSource[])[];
  readonly inputs: AggregationInput[];
  /** Number of aggregations whose connection is open. */
  readonly open: () => number;
}

export interface ProtocolAnswers {
  describe?(source: MessageSource): DescribedMessage;
  /**
   * Writes lines and ends the response. Default: the recorded progress and result; or a failure, if the input has its code in
   * place of a subnet or transaction.
   */
  aggregate?(input: AggregationInput, response: ServerResponse): void;
}

export async function startProtocolServer(answers: ProtocolAnswers = {}): Promise<ProtocolServer> {
  const { describe = () => ({ message: RECORDED_MESSAGE }), aggregate = sendRecorded } = answers;
  const described: (readonly MessageSource[])[] = [];
  const inputs: AggregationInput[] = [];
  let open = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const body: unknown = JSON.parse(await text(request));
    if (request.url === MESSAGES_PATH) {
      const sources = body as readonly MessageSource[];
      described.push(sources);
      response.end(JSON.stringify(sources.map(describe)));
    } else if (request.url === AGGREGATION_PATH) {
      open += 1;
      response.once("close", () => {
        open -= 1;
      });
      inputs.push(body as AggregationInput);
      aggregate(body as AggregationInput, response);
    } else response.writeHead(404).end();
  };
  const listener = await listen((request, response) => void respond(request, response));
  return { ...listener, described, inputs, open: () => open };
}

interface Vector {
  readonly messageIDHex: string;
  readonly unsignedMessage: string;
  readonly sourceChainID: string;
  readonly signingSubnet: string;
  readonly validatorSet: {
    readonly canonical: readonly { publicKey: string; weight: string; nodeIDs: readonly string[] }[];
    readonly totalWeight: string;
  };
  readonly quorum: { readonly required: string };
  readonly minimal: {
    readonly signedMessage: string;
    readonly signers: readonly number[];
    readonly signerWeight: string;
  };
}

const vector = recorded<Vector>("c-chain-message");
const hexOf = (id: string): string => parseIdText(id) ?? id;

/** A message that recorded validators signed. */
export const RECORDED_MESSAGE: SignableMessage = {
  network: "fuji",
  messageId: vector.messageIDHex,
  unsignedMessage: vector.unsignedMessage,
  sourceChainId: hexOf(vector.sourceChainID),
  justification: "",
  signingSubnetId: hexOf(vector.signingSubnet),
};

/** The progress of its aggregation before the first signature. */
export const RECORDED_PROGRESS: AggregationProgress = {
  state: "COLLECTING",
  message: RECORDED_MESSAGE,
  signingSubnetId: RECORDED_MESSAGE.signingSubnetId,
  pChainHeight: "2",
  totalWeight: vector.validatorSet.totalWeight,
  requiredWeight: vector.quorum.required,
  connectedWeight: vector.validatorSet.totalWeight,
  signedWeight: "0",
  refusedWeight: "0",
};

const validators = vector.validatorSet.canonical.map(({ publicKey, weight, nodeIDs: nodeIds }) => ({
  publicKey,
  weight,
  nodeIds,
}));

/** The recorded aggregate of the fewest validators that meet the quorum. */
export const RECORDED_RESULT: AggregationResult = {
  ...RECORDED_PROGRESS,
  state: "DONE",
  signedWeight: vector.minimal.signerWeight,
  signedMessage: vector.minimal.signedMessage,
  aggregateWeight: vector.minimal.signerWeight,
  signers: validators.filter((_, bit) => vector.minimal.signers.includes(bit)),
  others: validators
    .filter((_, bit) => !vector.minimal.signers.includes(bit))
    .map((validator) => ({ ...validator, reason: "NOT_NEEDED", detail: null, errorCode: null })),
  collectedFrom: "validators",
  connectMs: 12.5,
  collectMs: 30,
};

/** Writes an event as a line. */
export function writeEvent(response: ServerResponse, event: object): void {
  response.write(`${JSON.stringify(event)}\n`);
}

function sendRecorded({ source, signingSubnetId }: AggregationInput, response: ServerResponse): void {
  const code = source.kind === "transaction" ? source.txHash : signingSubnetId;
  if (isFailureCode(code))
    return void response.end(JSON.stringify({ type: "failure", code, message: `${code} of the service` }));
  writeEvent(response, { type: "progress", ...RECORDED_PROGRESS });
  writeEvent(response, { type: "result", ...RECORDED_RESULT });
  response.end();
}
