// Serves the supergraph with Apollo Gateway, as its documentation shows it. Started with the URLs of its subgraphs.
import { readFileSync } from "node:fs";
import { ApolloGateway, RemoteGraphQLDataSource } from "@apollo/gateway";
import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";

const { urls } = JSON.parse(process.argv[2]);
const gateway = new ApolloGateway({
  supergraphSdl: readFileSync(new URL("../../../gateway/supergraph.graphql", import.meta.url), "utf8"),
  buildService: ({ name }) => new RemoteGraphQLDataSource({ url: urls[name] }),
});
const server = new ApolloServer({ gateway });
const { url } = await startStandaloneServer(server, { listen: { port: 0, host: "127.0.0.1" } });

// The parent asks for the processor time, as it asks Moraine's processes.
process.on("message", (name) => {
  if (name === "end") process.exit();
  const { user, system } = process.cpuUsage();
  process.send(name === "cpu" ? (user + system) / 1_000 : process.memoryUsage.rss());
});
process.on("disconnect", () => process.exit());
process.send(Number(new URL(url).port));
