import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";
import type { RefusalSenders } from "./use-refusal.ts";

/**
 * Keeps the parsed form of the valid documents that were used last. What other steps make for a document lives as long as its parsed form.
 * Other documents are parsed and validated again each time.
 *
 * It replaces the cache of the runtime, which keeps 1,024 documents of any size: a caller could fill the memory with them.
 */
export function useDocumentCache(
  documents: KnownDocuments,
  { shareOf }: Pick<RefusalSenders, "shareOf">,
): GatewayPlugin<GraphContext> {
  return {
    onPluginInit({ plugins }) {
      removeRuntimeCache(plugins);
    },
    onParse({ params, setParsedDocument }) {
      const known = documents.valid(params.source.toString());
      if (known) setParsedDocument(known);
    },
    onValidate({ params: { documentAST }, context, setResult }) {
      if (documents.isValid(documentAST)) {
        setResult([]);
        return undefined;
      }
      return ({ valid: isValid }) => {
        if (isValid) documents.addValid(documentAST, shareOf(context.request, context));
      };
    },
  };
}

type Plugins = Parameters<NonNullable<GatewayPlugin["onPluginInit"]>>[0]["plugins"];

/** The runtime has no setting for its cache. Throws if the cache is not found, which can happen only after an update of the runtime. */
function removeRuntimeCache(plugins: Plugins): void {
  const at = plugins.findIndex(
    ({ onParse, onValidate }) => onValidate && /documentCache\w*\.get/.test(String(onParse)),
  );
  if (at < 0) throw new Error("the runtime's cache of documents was not found");
  plugins.splice(at, 1);
}
