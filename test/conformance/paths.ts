import { exchangeBytes } from "../support/node/listen.ts";
import type { Api } from "./api.ts";
import { type Rule, rule } from "./rule.ts";

const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";
const P_CHAIN = "/v1/networks/fuji/blockchains/p-chain";
const SUBNETS = ["11111111111111111111111111111111LpoYY", "2ZKbwERx36B5WrYesQGAeTV4NTo4dx6j8svkjwAEix89ZPencR"];

/** Requests with lists, and the same requests as clients write them that append brackets to the names of lists. */
const LISTS_WITH_BRACKETS = [
  [
    `${P_CHAIN}/transactions?addresses=${OWNER}&txTypes=ImportTx&txTypes=ExportTx`,
    `${P_CHAIN}/transactions?addresses[]=${OWNER}&txTypes[]=ImportTx&txTypes[]=ExportTx`,
    `${P_CHAIN}/transactions?addresses[0]=${OWNER}&txTypes[0]=ImportTx&txTypes[1]=ExportTx`,
    `${P_CHAIN}/transactions?addresses%5B%5D=${OWNER}&txTypes%5B0%5D=ImportTx&txTypes=ExportTx`,
  ],
  [`${P_CHAIN}/balances?addresses=${OWNER}`, `${P_CHAIN}/balances?addresses[]=${OWNER}`],
  [`/v1/networks/fuji/rewards?addresses=${OWNER}`, `/v1/networks/fuji/rewards?addresses[0]=${OWNER}`],
  [
    `/v1/networks/fuji/delegators?rewardAddresses=${OWNER}`,
    `/v1/networks/fuji/delegators?rewardAddresses%5B0%5D=${OWNER}`,
  ],
  [
    `/v1/networks/fuji/l1Validators?${SUBNETS.map((id) => `subnetId=${id}`).join("&")}`,
    `/v1/networks/fuji/l1Validators?${SUBNETS.map((id, at) => `subnetId[${at}]=${id}`).join("&")}`,
  ],
] as const;

/** The rules of every path, including unknown paths. */
export const PATH_RULES: readonly Rule[] = [
  rule("ALL.1", "MUST", "returns 404 with the documented body for an unknown path", async (api) => {
    for (const path of [
      "/v1",
      "/v2/chains",
      "/v1/chain",
      "/v1/chains/1/2/3",
      "/nope",
      "/hosted",
      "/hosted/nope",
      "/v1/ch%61in",
    ])
      expect(await api.get(path)).toMatchObject({
        status: 404,
        body: { message: `Cannot GET ${path}`, statusCode: 404, error: "Not Found" },
      });
  }),
  rule("ALL.2", "MUST", "returns 404 with the documented body for any method on an unknown path", async (api) => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH"])
      expect(await api.refusal("/v1/nope", { method })).toEqual([404, `Cannot ${method} /v1/nope`]);
  }),
  rule("ALL.3", "MUST", "returns application/json for every response, including errors", async (api) => {
    for (const path of [
      "/v1/chains",
      "/v1/nope",
      "/nope",
      "/v1/chains/1",
      "/v1/chains?network=x",
      "/openapi.json",
      "/hosted",
    ])
      expect((await api.get(path)).headers.get("content-type")).toBe("application/json; charset=utf-8");
  }),
  rule("ALL.4", "CHOICE", "refuses a URL above 12,288 characters with 400", async (api) => {
    expect((await api.refusal(`/v1/chains?a=${"x".repeat(12_300)}`))[0]).toBe(400);
    expect((await api.refusal(`/v1/chains/${"x".repeat(12_300)}`))[0]).toBe(400);
    expect((await api.get(`/v1/chains?a=${"x".repeat(12_200)}`)).status).toBe(200);
  }),
  rule("ALL.5", "CHOICE", "refuses a request body above the limit with 400, and ignores a smaller one", async (api) => {
    const chunks = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n0\r\n\r\n`;
    const head = "GET /v1/chains HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    expect(await exchangeBytes(api.port, head + chunks(1_000))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchangeBytes(api.port, head + chunks(1_200_000))).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*at most 1048576 bytes/,
    );
  }),
  rule("ALL.6", "CHOICE", "serves a page with links at / and the OpenAPI document at /openapi.json", async (api) => {
    const answer = await exchangeBytes(api.port, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    for (const path of ["graphql", "v1/chains", "openapi.json"]) expect(answer).toContain(`href="${path}"`);
    expect(await api.body("/openapi.json")).toMatchObject({ openapi: "3.1.0" });
  }),
  rule("ALL.7", "CHOICE", "the probe paths of the hosted service succeed", async (api) => {
    for (const mount of ["", "/hosted"])
      for (const probe of ["/v1/health-check", "/v1/live-check", "/v2/health-check", "/v2/live-check"])
        expect(await probed(api, mount + probe)).toEqual([200, "ok"]);
  }),
  rule("ALL.8", "CHOICE", "allows web pages of other origins to send requests and read headers", async (api) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${api.port}/v1/chains`, { method: "OPTIONS" });
    expect(status).toBe(204);
    for (const name of ["x-service-api-key", "x-glacier-api-key", "content-type"])
      expect(headers.get("access-control-allow-headers")).toContain(name);
    expect(headers.get("access-control-expose-headers")).toContain("retry-after");
  }),
  rule("ALL.9", "CHOICE", "reads lists with brackets after their names as the same lists", async (api) => {
    for (const [plain, ...bracketed] of LISTS_WITH_BRACKETS)
      for (const mount of ["", "/hosted"]) {
        const { text } = await api.get(mount + plain);
        for (const same of bracketed) expect(await api.get(mount + same)).toMatchObject({ status: 200, text });
      }
  }),
];

async function probed(api: Api, path: string): Promise<unknown[]> {
  const response = await fetch(`http://127.0.0.1:${api.port}${path}`);
  return [response.status, ((await response.json()) as { status: unknown }).status];
}
