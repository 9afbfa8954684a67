import { createClient } from "graphql-ws";
import WebSocket from "ws";

/** A subscription as text, or with values of its variables. */
type Subscription = string | { readonly query: string; readonly variables: Record<string, unknown> };

/** The events of a subscription over graphql-ws. `connectionParams` is the payload of `connection_init`. */
export async function* overWebSocket<Event>(
  url: string,
  subscription: Subscription,
  connectionParams: Readonly<Record<string, string>> = {},
): AsyncGenerator<Event> {
  const client = createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams });
  try {
    yield* client.iterate(
      typeof subscription === "string" ? { query: subscription } : subscription,
    ) as AsyncIterable<Event>;
  } finally {
    await client.dispose();
  }
}

/** The events of a subscription over Server-Sent Events. */
export async function* overSse<Event>(
  url: string,
  query: string,
  ownHeaders: Readonly<Record<string, string>> = {},
): AsyncGenerator<Event> {
  const abort = new AbortController();
  const headers = { "content-type": "application/json", accept: "text/event-stream", ...ownHeaders };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ query }),
    signal: abort.signal,
  });
  try {
    let text = "";
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const data = /^data: (\{.*)$/m.exec(part)?.[1];
        if (data) yield JSON.parse(data) as Event;
      }
    }
  } finally {
    abort.abort();
  }
}
