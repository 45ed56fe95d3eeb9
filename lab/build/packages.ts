import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };

export const root = resolve(import.meta.dirname, '../..');
/** Declarations of all packages. Each package gets those that its entries lead to. */
const allTypes = join(root, 'dist/types');

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // The oldest Node that the packages support.
  target: 'node22',
  format: 'esm',
  // Comments with licences are in THIRD-PARTY-LICENSES.
  legalComments: 'none',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
};

/** The forward-auth command as one file, which a container can have without anything else. */
export const forwardAuthBuildOptions: BuildOptions = {
  ...common,
  entryPoints: { 'forward-auth': 'verifier/forward-auth/main.ts' },
  external: ['@aws-sdk/credential-provider-node'],
  minify: true,
  outdir: join(root, 'verifier/dist'),
};

/** A package that is published. */
interface PackageBuild {
  /** With package.json. */
  readonly folder: string;
  /** The source of each entry. What entries share is one file, so that each class exists once. */
  readonly entries: Readonly<Record<string, string>>;
  /** The files whose declarations are published; the entries if left out. */
  readonly declarations?: readonly string[];
  /** Sources of commands. No one imports them, so they have no declarations. */
  readonly commands?: Readonly<Record<string, string>>;
  /** What a bundle imports. The code of every other package is in the bundle. */
  readonly options: Pick<BuildOptions, 'external' | 'packages'>;
  /** Bundles of one file each. */
  readonly others?: readonly BuildOptions[];
  /** Files and folders that are copied to `dist`, by their name there. */
  readonly assets?: Readonly<Record<string, string>>;
}

const swaggerUi = 'node_modules/swagger-ui-dist';

export const packages: readonly PackageBuild[] = [
  {
    folder: 'packages/constructs',
    entries: {
      app: 'lib/synthesise-app.ts',
      'authorization-server': 'lib/authorization-server.ts',
      'deployment-config': 'contract/deployment-config.ts',
      'oauth-client': 'lib/oauth-client.ts',
      'platform-authorizer': 'lib/platform-authorizer.ts',
    },
    options: { packages: 'external' },
    assets: { lambda: 'dist/lambda' },
  },
  {
    folder: 'packages/authctl',
    entries: {
      management: 'adapters/management.ts',
      portal: 'portal/create-portal.ts',
      'deployment-config': 'contract/deployment-config.ts',
    },
    commands: { authctl: 'cli/authctl.ts' },
    options: { packages: 'external' },
    // The portal reads its assets next to its own file.
    assets: { assets: 'portal/assets' },
  },
  {
    folder: 'verifier',
    entries: {
      verifier: 'verifier/verifier.ts',
      'dynamodb-lookups': 'verifier/dynamodb-lookups.ts',
      express: 'verifier/express.ts',
      fastify: 'verifier/fastify.ts',
      hono: 'verifier/hono.ts',
    },
    // AWS's package for profiles is optional.
    options: { external: ['@aws-sdk/credential-provider-node'] },
    others: [forwardAuthBuildOptions],
  },
  {
    folder: 'packages/local',
    entries: { library: 'lab/local/library.ts' },
    declarations: ['lab/local/local-service.ts'],
    commands: { local: 'lab/local/package-main.ts' },
    options: { packages: 'external' },
    assets: {
      assets: 'portal/assets',
      // Its package runs a script that reports the installation.
      'reference/swagger-ui.css': `${swaggerUi}/swagger-ui.css`,
      'reference/swagger-ui-bundle.js': `${swaggerUi}/swagger-ui-bundle.js`,
      'reference/openapi.yaml': 'docs/openapi.yaml',
    },
  },
  {
    folder: 'packages/create',
    entries: {},
    commands: { create: 'lab/create/main.ts' },
    options: {},
  },
];

/** `node_modules/@scope/name` of the files that a bundle has of other packages. */
function packagesIn(inputs: readonly string[]): readonly string[] {
  const names = inputs.map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/** The licences of the packages whose code is in the bundles, as they ask for. */
function writeLicences(dist: string, inputs: readonly string[]): void {
  const texts = packagesIn(inputs).map((name) => {
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: join(root, name) });
    if (file === undefined) throw new Error(`${name} has no licence file`);
    const text = readFileSync(join(root, name, file), 'utf8').trim();
    return `${name.replace('node_modules/', '')}\n\n${text}\n`;
  });
  if (texts.length === 0) return;
  writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

const typeImport = /(?:from|import\()\s*['"](\.[^'"]+)['"]/g;

/** Copies the declarations that the entries lead to. */
function copyTypes(dist: string, entries: readonly string[]): void {
  const wanted = new Set<string>();
  const visit = (path: string): void => {
    const file = path.replace(/\.(?:ts|js)$/, '.d.ts');
    if (wanted.has(file) || !existsSync(file)) return;
    wanted.add(file);
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(typeImport)) {
      visit(resolve(dirname(file), specifier));
    }
  };
  for (const entry of entries) visit(join(allTypes, entry));
  for (const file of wanted) {
    const target = join(dist, 'types', relative(allTypes, file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
}

function copyAssets(dist: string, assets: PackageBuild['assets'] = {}): void {
  for (const [name, source] of Object.entries(assets)) {
    cpSync(join(root, source), join(dist, name), { recursive: true });
  }
}

/** For the files in `bin`. */
function copyNodeCheck(dist: string): void {
  copyFileSync(join(import.meta.dirname, 'node-check.js'), join(dist, 'node-check.js'));
}

/**
 * An import by an old Node ends with a sentence, as the commands do. Other runtimes have versions of
 * their own, and a bundle of a company's app has no package.json to read.
 */
function nodeGuard(folder: string): string {
  const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8');
  const { name, engines } = JSON.parse(manifest) as {
    readonly name: string;
    readonly engines: { readonly node: string };
  };
  const oldest = engines.node.replace('>=', '');
  const [major, minor] = oldest.split('.');
  const versions = 'globalThis.process?.versions ?? {}';
  const [isOld, text] = [
    `node && !bun && !deno && (+node.split(".")[0] < ${major} || (+node.split(".")[0] === ${major} && +node.split(".")[1] < ${minor}))`,
    `"${name}: Node " + node + " is too old; install Node ${oldest} or newer"`,
  ];
  return `{ const { node, bun, deno } = ${versions}; if (${isOld}) throw new Error(${text}); }`;
}

/** Bundles entries of a package, and its others. @returns the files that are in the bundles. */
function bundle(
  { folder, options, others = [] }: PackageBuild,
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
): readonly string[] {
  const banner = { js: nodeGuard(folder) };
  const entries = { entryPoints: { ...entryPoints }, splitting: true, outdir };
  const own = { ...common, ...options, ...entries, banner };
  const all = Object.keys(entryPoints).length === 0 ? others : [own, ...others];
  return all.flatMap((each) => {
    const { metafile } = buildSync({ ...each, metafile: true });
    return Object.keys(metafile.inputs);
  });
}

function buildPackage(build: PackageBuild): void {
  const { folder, entries, declarations, commands, others, assets } = build;
  const dist = join(root, folder, 'dist');
  rmSync(dist, { recursive: true, force: true });
  const inputs = bundle(build, { ...entries, ...commands }, dist);
  writeLicences(dist, [...inputs, ...Object.values(assets ?? {})]);
  copyTypes(dist, declarations ?? Object.values(entries));
  copyAssets(dist, assets);
  if (commands !== undefined || others !== undefined) copyNodeCheck(dist);
  for (const name of ['LICENSE', 'CHANGELOG.md']) {
    copyFileSync(join(root, name), join(root, folder, name));
  }
}

/**
 * The commands of packages, without declarations.
 *
 * @param distOf where those of a folder go.
 */
export function buildCommands(
  folders: readonly string[],
  distOf = (folder: string) => join(root, folder, 'dist'),
): void {
  for (const build of packages.filter(({ folder }) => folders.includes(folder))) {
    const dist = distOf(build.folder);
    bundle(build, build.commands ?? {}, dist);
    copyAssets(dist, build.assets);
    copyNodeCheck(dist);
  }
}

/**
 * Builds `dist` of each package. The functions' bundles must be there. Without the packages that
 * `npm run setup` installs, it builds only the commands.
 */
export function buildPackages(): void {
  if (!existsSync(join(root, 'node_modules/aws-cdk-lib'))) {
    // The commands of a clone: `npm ci` installs no CDK, which declarations need.
    buildCommands(manifest.workspaces);
    return;
  }
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  for (const each of packages) buildPackage(each);
  // A container runs it without npm, which would make it executable.
  chmodSync(join(root, 'verifier/dist/forward-auth.js'), 0o755);
}
