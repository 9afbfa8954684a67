import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { preflightHeaders } from "./cors.ts";

function granted(method: string, names: string): (string | undefined)[] {
  const request = new IncomingMessage(new Socket());
  request.method = "OPTIONS";
  request.headers = {
    origin: "http://example.com",
    "access-control-request-method": method,
    "access-control-request-headers": names,
  };
  const headers = new Map(preflightHeaders(request) ?? []);
  return ["Methods", "Headers"].map((what) => headers.get(`Access-Control-Allow-${what}`));
}

describe("a preflight", () => {
  it.each([
    ["content-type,x-requested-with", "Content-Type, X-Requested-With"],
    ["accept ,content-type", "Accept, Content-Type"],
    ["ACCEPT,,content-TYPE,", "Accept, Content-Type"],
    ["accept content-type", "Accept, Content-Type"],
    ["origin", "Origin"],
    [" , ", undefined],
  ])("for the headers %s grants %s", (asked, names) => {
    expect(granted("POST", asked)).toEqual(["POST", names]);
  });

  it.each(["x-foo", "content-type,authorization", "content_type"])("for the headers %s grants nothing", (asked) => {
    expect(granted("POST", asked)).toEqual([undefined, undefined]);
  });

  it.each([
    ["post", "POST"],
    ["Head", "HEAD"],
    ["OPTIONS", "OPTIONS"],
    ["put", undefined],
  ])("for %s grants %s", (asked, method) => {
    expect(granted(asked, "")).toEqual([method, undefined]);
  });
});
