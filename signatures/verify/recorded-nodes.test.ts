import { formatId } from "../../core/formats/id-text.ts";
import { recordingFolder, resultsIn } from "../../test/support/recorded/primary-vectors.ts";
import { bytesOf } from "../../test/support/recorded/warp-vectors.ts";
import { parsePublicKey } from "../bls/keys.ts";
import { parseSignature } from "../bls/signatures.ts";
import { verifyVotes } from "../bls/votes.ts";
import { encodePayload, parsePayload } from "../codec/payload.ts";
import { encodeUnsignedMessage, messageIdOf, parseUnsignedMessage } from "../codec/unsigned-message.ts";

/** The results of a method by its only parameter, a message id in CB58. */
function resultsById(folder: string, file: string, method: string): Map<string, Buffer> {
  const results = resultsIn(folder, file, method).filter(({ text }) => text.startsWith('"0x'));
  return new Map(results.map(({ params, text }) => [String(params[0 as never]), bytesOf(JSON.parse(text))]));
}

describe.each(["alpha", "gamma"] as const)("messages of the chains of the recording %s", (name) => {
  const folder = recordingFolder(name);

  it.each(["c-warp", "l1-warp"])("%s have the id under which the node has them, and its signature", async (file) => {
    const [{ text = "" } = {}] = resultsIn(folder, "info", "info.getNodeID");
    const publicKey = parsePublicKey(bytesOf(JSON.parse(text).nodePOP.publicKey));
    const signatures = resultsById(folder, file, "warp_getMessageSignature");
    const messages = resultsById(folder, file, "warp_getMessage");
    expect([messages.size, signatures.size]).toEqual([19, 19]);
    for (const [id, bytes] of messages) {
      const message = parseUnsignedMessage(bytes);
      expect(formatId(messageIdOf(bytes))).toBe(id);
      expect(Buffer.from(encodeUnsignedMessage(message))).toEqual(bytes);
      expect(Buffer.from(encodePayload(parsePayload(message.payload)))).toEqual(Buffer.from(message.payload));
      const vote = { publicKey, signature: parseSignature(signatures.get(id) as Buffer) };
      expect(await verifyVotes(bytes, [vote])).toEqual([true]);
    }
  });
});
