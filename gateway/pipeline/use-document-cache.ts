import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";

/**
 * Keeps the parsed form of the documents that were used last, and remembers which of them are valid. What other steps make for a document
 * lives as long as its parsed form. Documents that cannot be parsed or are too large are not kept. Invalid documents are kept without
 * their errors, and validated again each time.
 *
 * It replaces the cache of the runtime, which keeps 1,024 documents of any size: a caller could fill the memory with them.
 */
export function useDocumentCache(documents: KnownDocuments): GatewayPlugin<GraphContext> {
  return {
    onPluginInit({ plugins }) {
      removeRuntimeCache(plugins);
    },
    onParse({ params, setParsedDocument }) {
      const text = params.source.toString();
      const known = documents.parsed(text);
      if (known) {
        setParsedDocument(known);
        return undefined;
      }
      return ({ result }) => {
        if (result && !(result instanceof Error)) documents.add(text, result);
      };
    },
    onValidate({ params: { documentAST }, setResult }) {
      if (documents.isValid(documentAST)) {
        setResult([]);
        return undefined;
      }
      return ({ valid: isValid }) => {
        if (isValid) documents.addValid(documentAST);
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
