import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { createHandler } from "graphql-http/lib/use/http";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import { addLabel, evmAddressOf, labelledAddresses, labelsAdded, labelsOf } from "./labels.mjs";

const schema = buildSubgraphSchema({
  typeDefs: parse(readFileSync(new URL("schema.graphql", import.meta.url), "utf8")),
  resolvers: {
    EvmAddress: {
      // Moraine asks for the fields of addresses by their keys. Every address exists: most have no labels.
      __resolveReference: evmAddressOf,
      label: (evmAddress) => labelsOf(evmAddress)[0]?.text,
      labels: labelsOf,
    },
    Query: { labelledAddresses: (_, { chainId }) => labelledAddresses(chainId) },
    Mutation: { addLabel: (_, label) => addLabel(label) },
    Subscription: {
      labelAdded: { subscribe: (_, { chainId }) => labelsAdded(chainId), resolve: ([label]) => label },
    },
  },
});

// Moraine sends queries and mutations by HTTP POST, and subscriptions by graphql-ws to the same URL.
const server = createServer(createHandler({ schema }));
useServer({ schema }, new WebSocketServer({ server }));
server.listen(Number(process.env.LABELS_PORT ?? 4100), "127.0.0.1", () => {
  console.log(`The subgraph answers on http://127.0.0.1:${server.address().port}/graphql`);
});
