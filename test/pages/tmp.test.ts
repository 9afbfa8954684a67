import { writeFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";
import { compileCost } from "../../core/graph/operation-cost.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { documentOf, evmFacts, most, PAGES, servePages } from "./page.ts";
import { readSnapshots } from "../support/recorded/primary-recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { expectedMessages } from "../support/oracle/facts-messages.ts";
import { readPrimaryOracle } from "../support/oracle/primary-oracle.ts";
import { loadOfficialLibrary } from "../support/oracle/official-library.ts";
test("x", async () => {
  const { publicSchema: schema } = createPlanner(committedSupergraph(), []);
  const out: string[] = [];
  for (const p of PAGES) { const d = parse(documentOf(p)); out.push(p + " " + JSON.stringify(validate(schema, d).map((e) => e.message)));
    try { out.push(p + " cost " + JSON.stringify(compileCost(schema, d, null)({})));} catch (e) { out.push(String(e)); } }
  writeFileSync("/tmp/valid.txt", out.join("\n"));
  const [c, l1] = evmFacts();
  const W = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
  const oracle = readPrimaryOracle(ALPHA, await loadOfficialLibrary());
  const owner = "custom1pzfl27lghwuy3hmlmyxqw4uz3dmq5gr0ufw3ka";
  const end = readSnapshots(ALPHA).at(-1)!;
  const nodes = (end.answers("platform.getCurrentValidators").find((a) => !("nodeIDs" in a.params) && a.params["subnetID"] === "11111111111111111111111111111111LpoYY" )?.result as any).validators;
  writeFileSync("/tmp/nodes.json", JSON.stringify(nodes, null, 1));
  const msgs = expectedMessages([...c.facts.icm_events, ...l1.facts.icm_events]);
  writeFileSync("/tmp/msgs.json", JSON.stringify(msgs, null, 1));
  writeFileSync("/tmp/hold.json", JSON.stringify({counts: c.holdings.erc20_counts, nft: c.holdings.nft_counts, sup: c.holdings.erc20_supplies.slice(0,3), n1155: c.holdings.erc1155_counts.slice(0,3), nh: c.holdings.nft_holders.slice(0,3), b: c.state.tokenBalances.slice(0,3), dep: c.facts.evm_deployments.slice(0,2), icm: c.facts.icm_events.slice(0,2), itx: c.facts.evm_internal_transactions.slice(0,1), fail: c.facts.evm_failures, ups: c.facts.evm_proxy_upgrades, tr: c.facts.erc20_transfers.slice(0,1)}, null, 1));
  await using s = await servePages();
  const tok = most(c.facts.erc20_transfers, "token_address");
  const n721 = most(c.facts.erc721_transfers, "token_address");
  const n1155 = most(c.facts.erc1155_transfers, "token_address");
  const first = { network: "FUJI" };
  const P = oracle.P;
  const v: Record<string, any> = {
    "01-wallet-portfolio": { address: W, primaryAddress: owner, ...first },
    "02-token": { chainId: c.id, address: tok, holder: W, at: { block: "60" } },
    "03-token-lists": { chainId: c.id, tokenOrder: { field: "HOLDERS" }, collectionOrder: { field: "TRANSFERS" } },
    "04-nft-collection": { chainId: c.id, address: n721 },
    "05-nft-item": { chainId: c.id, erc721Address: n721, erc721TokenId: "2", erc1155Address: n1155, erc1155TokenId: most(c.facts.erc1155_transfers.filter((r) => r["token_address"] === n1155), "token_id"), at: {block: "60"} },
    "06-explorer-home": first,
    "07-evm-transaction": { chainId: c.id, txHash: "0xd6c5b746581e586e360066c5fbaecc2dd8d84a6caeb697b91523c65215acc790" },
    "08-evm-block": { chainId: c.id, blockNumber: "60", ...first },
    "09-address": { chainId: c.id, address: W, filter: { direction: "SENT" }, method: "0xa9059cbb", at: { block: "60" } },
    "10-logs": { chainId: c.id, filter: { address: tok } },
    "11-contract": { chainId: c.id, address: c.facts.evm_proxy_upgrades[0]?.["address"] ?? tok },
    "12-p-chain-transactions": { ...first, blockchainId: "p-chain", filter: { types: ["CREATE_SUBNET_TX", "CONVERT_SUBNET_TO_L1_TX"] } },
    "13-primary-transaction": { ...first, txHash: P.find((t) => t.txType === "ConvertSubnetToL1Tx")!.txHash },
    "14-primary-address": { ...first, address: owner },
    "15-validator": { ...first, nodeId: nodes[0].nodeID, nodeIds: [nodes[0].nodeID], delegatorOrder: { field: "WEIGHT" } },
    "16-validators": { ...first, filter: { status: "ACTIVE", subnetId: "11111111111111111111111111111111LpoYY" }, orderBy: { field: "WEIGHT" } },
    "17-subnets": { ...first, filter: { kinds: ["L1"] }, orderBy: { field: "TOTAL_WEIGHT" }, subnetId: "2wZnmGBoRa8PpSceBw86aepyUgGWjYXp887jsksnk9aQkpWXkZ", subnetIds: ["2wZnmGBoRa8PpSceBw86aepyUgGWjYXp887jsksnk9aQkpWXkZ"], validatorOrder: { field: "WEIGHT" } },
    "18-interchain-messages": { filter: { states: ["EXECUTED"] }, messageId: msgs.find((m) => m["state"] === "EXECUTED")!["message_id"] },
    "19-network-statistics": { ...first, interval: "DAY" },
    "20-x-chain-asset": { ...first, assetId: oracle.X.find((t) => t.txType === "CreateAssetTx")!.txHash },
    "21-search": { text: "MKTA" },
  };
  for (const [name, variables] of Object.entries(v)) {
    const t0 = Date.now();
    const r = await fetch(s.url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ query: documentOf(name), variables }) });
    const j = await r.json() as any;
    out.push(`${name} ${Date.now() - t0} ms errors ${JSON.stringify(j.errors)} cost ${JSON.stringify(compileCost(schema, parse(documentOf(name)), null)(variables))}`);
    writeFileSync(`/tmp/page-${name}.json`, JSON.stringify(j.data, null, 1));
  }
  writeFileSync("/tmp/valid.txt", out.join("\n"));
}, 300000);
