import { membersOf } from "../../../recordings/json-text.ts";

/** An HTTP client that returns a node's answers as unparsed text. */
export interface ReplayClient {
  /** The whole body of the answer to a POST. */
  post(path: string, body: string, contentType?: string): Promise<string>;
  /** The text of `result` or `error` of one call. */
  call(path: string, method: string, params: unknown): Promise<string>;
  /** The same, parsed. */
  parsed(path: string, method: string, params: unknown): Promise<unknown>;
}

/** A client of the node at that URL. */
export function createReplayClient(url: string): ReplayClient {
  const post = async (path: string, body: string, contentType = "application/json"): Promise<string> => {
    const response = await fetch(url + path, { method: "POST", headers: { "content-type": contentType }, body });
    return response.text();
  };
  const call = async (path: string, method: string, params: unknown): Promise<string> => {
    const answer = membersOf(await post(path, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })));
    return answer.get("result") ?? answer.get("error") ?? "";
  };
  return { post, call, parsed: async (...asked) => JSON.parse(await call(...asked)) };
}
