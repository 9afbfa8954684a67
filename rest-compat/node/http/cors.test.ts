import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { preflightHeaders } from "./cors.ts";

function allowedBy(method: string, names: string): (string | undefined)[] {
  const request = new IncomingMessage(new Socket());
  request.method = "OPTIONS";
  request.headers = {
    origin: "http://example.com",
    "access-control-request-method": method,
    "access-control-request-headers": names,
  };
  const headers = new Map(preflightHeaders(request) ?? []);
  return ["Methods", "Headers"].map((kind) => headers.get(`Access-Control-Allow-${kind}`));
}

describe("the response to a preflight", () => {
  it.each([
    ["content-type,x-requested-with", "Content-Type, X-Requested-With"],
    ["accept ,content-type", "Accept, Content-Type"],
    ["ACCEPT,,content-TYPE,", "Accept, Content-Type"],
    ["accept content-type", "Accept, Content-Type"],
    ["origin", "Origin"],
    [" , ", undefined],
  ])("with the requested headers %s allows %s", (requested, names) => {
    expect(allowedBy("POST", requested)).toEqual(["POST", names]);
  });

  it.each(["x-foo", "content-type,authorization", "content_type"])(
    "with the requested headers %s allows nothing",
    (requested) => {
      expect(allowedBy("POST", requested)).toEqual([undefined, undefined]);
    },
  );

  it.each([
    ["post", "POST"],
    ["Head", "HEAD"],
    ["OPTIONS", "OPTIONS"],
    ["put", undefined],
  ])("with the requested method %s allows %s", (requested, method) => {
    expect(allowedBy(requested, "")).toEqual([method, undefined]);
  });
});
