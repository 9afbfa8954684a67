import { blockchainInUrl } from "./node-url.ts";

const ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";

it.each([
  ["http://node:9650/ext/bc/C/rpc", { name: "C", blockchainId: null, infoUrl: "http://node:9650/ext/info" }],
  [
    `https://proxy.example/avalanche/ext/bc/${ID}/rpc/?token=abc`,
    { name: ID, blockchainId: ID, infoUrl: "https://proxy.example/avalanche/ext/info?token=abc" },
  ],
  ["https://subnets.example/dispatch/testnet/rpc", null],
  [`https://proxy.example/rpc?path=/ext/bc/${ID}/rpc`, null],
])("the blockchain in the URL %s", (url, expected) => {
  expect(blockchainInUrl(url)).toEqual(expected);
});
