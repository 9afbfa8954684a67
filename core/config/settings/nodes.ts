import { z } from "zod";
import { areDistinct, headers, SECRET } from "./fields.ts";

/** The name of a node that has none in the settings. */
export const defaultNodeName = (index: number): string => `node ${index + 1}`;

/** The setting `nodeUrls`: nodes whose URLs have this form. `what` says what a URL must be, after "must be". */
export function nodeList<Url extends z.ZodType<string, string>>(nodeUrl: Url, what: string) {
  const node = z.strictObject({
    url: nodeUrl,
    headers: headers.default({}),
    name: z.string().min(1).max(64).optional(),
  });
  const short = nodeUrl.transform((url): z.output<typeof node> => ({ url, headers: {} }) as z.output<typeof node>);
  const error = `must be ${what}, or an object with url and, if needed, headers and name`;
  return z
    .array(z.union([short, node], { error }))
    .min(1)
    .optional()
    .meta(SECRET);
}

/** The settings of an entry that name its nodes. Exactly one of `nodeUrl` and `nodeUrls` is set. */
export interface NodeSettings {
  readonly nodeUrl?: string | undefined;
  readonly nodeHeaders: Readonly<Record<string, string>>;
  readonly nodeUrls?:
    | readonly {
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly name?: string | undefined;
      }[]
    | undefined;
}

interface NodeRule {
  readonly setting: keyof NodeSettings;
  readonly message: string;
  readonly isMet: (entry: NodeSettings) => boolean;
}

const NODE_RULES: readonly NodeRule[] = [
  {
    setting: "nodeUrl",
    message: "must be a URL that begins with http:// or https://",
    isMet: ({ nodeUrl, nodeUrls }) => nodeUrl !== undefined || nodeUrls !== undefined,
  },
  {
    setting: "nodeUrls",
    message: "must not be set together with nodeUrl: name all nodes in nodeUrls",
    isMet: ({ nodeUrl, nodeUrls }) => nodeUrl === undefined || nodeUrls === undefined,
  },
  {
    setting: "nodeHeaders",
    message: "must not be set together with nodeUrls: set headers of each entry of nodeUrls",
    isMet: ({ nodeUrls, nodeHeaders }) => nodeUrls === undefined || Object.keys(nodeHeaders).length === 0,
  },
  {
    setting: "nodeUrls",
    message: "must not contain a URL twice",
    isMet: ({ nodeUrls = [] }) => areDistinct(nodeUrls, ({ url }) => url),
  },
  {
    setting: "nodeUrls",
    message: "must not contain a name twice",
    isMet: ({ nodeUrls = [] }) => areDistinct(nodeUrls, ({ name }, i) => name ?? defaultNodeName(i)),
  },
];

/** Checks the settings of an entry that name its nodes. */
export const checkNodes: z.core.CheckFn<NodeSettings> = ({ value, issues }) => {
  const { setting, message } = NODE_RULES.find(({ isMet }) => !isMet(value)) ?? {};
  if (setting !== undefined) issues.push({ code: "custom", path: [setting], message, input: value });
};
