import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "../../core/config/config.ts";
import { SETTING_NAMES } from "../../core/config/setting-names.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { startStack } from "../support/stack.ts";

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: unknown }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface StatefulSet {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly enableServiceLinks: boolean;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly initContainers: readonly Container[];
        readonly containers: readonly Container[];
        readonly volumes: readonly {
          readonly name: string;
          readonly emptyDir?: object;
          readonly secret?: { readonly secretName: string };
        }[];
      };
    };
    readonly volumeClaimTemplates: readonly { readonly metadata: { readonly name: string } }[];
  };
}

interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly name: string; readonly targetPort: string }[];
  };
}

const FOLDER = "deploy/kubernetes/base";
const read = (path: string): string => readFileSync(path, "utf8");
/** The only document of a file, with its anchors replaced. */
function manifest<Kind>(path: string): Kind {
  const documents = parseAllDocuments(read(path));
  expect(documents).toHaveLength(1);
  return documents[0]?.toJS() as Kind;
}

const { spec } = manifest<StatefulSet>(`${FOLDER}/statefulset.yaml`);
const pod = spec.template.spec;
const [migration] = pod.initContainers;
const [container] = pod.containers;
const dockerfile = read("Dockerfile");
const inImage = (pattern: RegExp) => pattern.exec(dockerfile)?.[1];
const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];

describe("the StatefulSet", () => {
  it("runs the image as it is: its user, its port, its volume and its command", () => {
    const [uid, gid] =
      inImage(/^USER (.+)$/m)
        ?.split(":")
        .map(Number) ?? [];
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: uid, runAsGroup: gid, fsGroup: gid });
    expect(container?.ports?.[0]).toEqual({ name: "http", containerPort: Number(inImage(/^EXPOSE (\d+)$/m)) });
    const data = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
    const mounted = container?.volumeMounts?.filter(({ name }) => data.includes(name));
    expect(mounted?.map(({ mountPath }) => mountPath)).toEqual([inImage(/^VOLUME (\S+)$/m)]);
    expect(container?.command).toBeUndefined();
    const start = JSON.parse(inImage(/^CMD (\[.*\])$/m) ?? "[]") as string[];
    expect(migration?.command).toEqual([...start.slice(0, -1), "migrate"]);
    expect([migration?.image, container?.image]).toEqual(["moraine", "moraine"]);
  });

  it("can write only to its volume and to temporary directories", () => {
    for (const one of [migration, container]) {
      expect(one?.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(one?.volumeMounts?.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath)).toEqual([
        "/moraine/.moraine",
        "/dev/shm",
        "/tmp",
      ]);
    }
    expect(pod.securityContext["fsGroupChangePolicy"]).toBe("OnRootMismatch");
  });

  it("mounts volumes that exist", () => {
    const claims = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
    const names = [...pod.volumes.map(({ name }) => name), ...claims];
    for (const { volumeMounts = [] } of [...pod.initContainers, ...pod.containers])
      expect(names).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
  });

  it("sets only variables that are settings, and none of them by the name of a Service", () => {
    const known = [...SETTING_NAMES.map(({ variable }) => variable), "MORAINE_CONFIG"];
    for (const { env } of [...pod.initContainers, ...pod.containers])
      for (const { name } of env) expect(known).toContain(name);
    expect(pod.enableServiceLinks).toBe(false);
  });

  it("gives the pod the time that a stop takes", () => {
    const variables = (container?.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    const env = Object.fromEntries(variables) as Record<string, string>;
    const { shutdown } = loadConfig({ ...env, MORAINE_CONFIG: "" });
    // The 15 s to close what is open: core/processes/process.ts.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      shutdown.delaySeconds + shutdown.limitSeconds + 15,
    );
  });

  it("probes ports that the container has, and paths that a service in order answers with 200", async () => {
    await using database = await indexedAlpha();
    await using stack = await startStack({ database, config: database.config });
    expect(probes).toHaveLength(3);
    for (const probe of probes) {
      expect(container?.ports?.map(({ name }) => name)).toContain(probe?.httpGet.port);
      expect((await fetch(`${stack.url}${probe?.httpGet.path}`)).status).toBe(200);
    }
    expect((await fetch(`${stack.url}/v1/no-such-check`)).status).toBe(404);
  });
});

it("the Service selects the pod and names its ports", () => {
  const { metadata, spec: service } = manifest<Service>(`${FOLDER}/service.yaml`);
  expect(metadata.name).toBe(
    manifest<{ spec: { serviceName: string } }>(`${FOLDER}/statefulset.yaml`).spec.serviceName,
  );
  expect(spec.template.metadata.labels).toMatchObject(service.selector);
  expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
  const names = container?.ports?.map(({ name }) => name);
  expect(service.ports.map(({ targetPort }) => targetPort)).toEqual(names);
});

it("the Secret is the one that the pod mounts, and its settings can be used", () => {
  const secret = manifest<{ metadata: { name: string }; stringData: Record<string, string> }>(
    `${FOLDER}/settings.yaml`,
  );
  expect(pod.volumes.map((volume) => volume.secret?.secretName)).toContain(secret.metadata.name);
  const settings = JSON.parse(secret.stringData["moraine.json"] ?? "") as Record<string, unknown>;
  const variables = Object.entries(settings).map(([name, value]) => {
    const variable = SETTING_NAMES.find(({ path }) => path === name)?.variable ?? name;
    return [variable, typeof value === "string" ? value : JSON.stringify(value)];
  });
  const config = loadConfig(Object.fromEntries(variables) as Record<string, string>);
  expect(config.evmChains).toHaveLength(1);
});

describe("the overlay for an external PostgreSQL", () => {
  it("gives the database to each container of the pod, from a Secret", () => {
    const patch = manifest<StatefulSet>("deploy/kubernetes/external-postgresql/database.yaml").spec.template.spec;
    const named = (containers: readonly Container[]) => containers.map(({ name }) => name);
    expect(named(patch.initContainers)).toEqual(named(pod.initContainers));
    expect(named(patch.containers)).toEqual(named(pod.containers));
    for (const { env } of [...patch.initContainers, ...patch.containers])
      expect(env).toEqual([
        { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "moraine-database", key: "url" } } },
      ]);
  });

  it.each(["base", "external-postgresql"])("lists files that exist in %s", (folder) => {
    const kustomization = parse(read(`deploy/kubernetes/${folder}/kustomization.yaml`)) as {
      readonly resources: readonly string[];
      readonly patches?: readonly { readonly path: string }[];
    };
    const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "deploy/kubernetes"])
      .toString()
      .split("\n");
    const own = files
      .filter((file) => file.startsWith(`deploy/kubernetes/${folder}/`))
      .map((file) => file.split("/").at(-1));
    const listed = [...kustomization.resources, ...(kustomization.patches ?? []).map(({ path }) => path)];
    const inFolder = listed.filter((file) => !file.startsWith("../"));
    expect(inFolder.sort()).toEqual(own.filter((file) => file !== "kustomization.yaml").sort());
  });
});
