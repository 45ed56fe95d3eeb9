import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Alg } from '../../contract/signing-algorithms.ts';
import { hangLimit } from '../support/hang-limit.ts';
import { makePythonEnvironment } from '../support/python-environment.ts';
import { type CommandResult, runCommand } from '../support/run-command.ts';
import type { InteropIssuer } from './issuer.ts';
import { type RunningVerifier, startProcess, type Variables } from './verifier-process.ts';

const folder = join(import.meta.dirname, '../../test/interop');
/** Heavy packages are kept here between runs, outside the repository. */
export const workFolder = join(tmpdir(), 'authorization-server-interop');

export type Open = (alg: Alg, variables: Variables) => Promise<RunningVerifier>;

/** How to start a verifier, or the runtime that is not on this machine. */
export type Prepared = { readonly open: Open } | { readonly missing: string };

export interface Library {
  readonly name: string;
  readonly version: string;
  readonly language: string;
  /** What a verifier of this service's tokens has to say with it. */
  readonly needs: string;
  /** Algorithms that it cannot verify, each with the reason. Anything else must work. */
  readonly limits?: Partial<Readonly<Record<Alg, string>>>;
  /** What it does with a key of an unknown type in the JWKS, if that breaks the other keys. */
  readonly breaksWithMlDsa?: string;
  prepare(issuer: InteropIssuer): Promise<Prepared>;
}

const noMlDsa = (reason: string) => ({ 'ML-DSA-44': reason });

function why(what: string, { output }: CommandResult): string {
  return `${what} (${output.trim().split('\n').at(-1)?.slice(0, 160) ?? ''})`;
}

function programs(name: string, command: readonly [string, ...string[]]): Prepared {
  return { open: async (alg, variables) => startProcess([...command, name, alg], variables) };
}

function python(name: string): Library['prepare'] {
  return async () => {
    const environment = await makePythonEnvironment([
      '-r',
      join(folder, 'python/requirements.txt'),
    ]);
    if ('missing' in environment) return environment;
    return programs(name, [join(environment.bin, 'python'), join(folder, 'python/verify.py')]);
  };
}

async function build(
  command: readonly [string, ...string[]],
  cwd: string,
  environment: Variables = {},
): Promise<CommandResult> {
  mkdirSync(workFolder, { recursive: true });
  return runCommand(command, { cwd, environment, timeout: hangLimit });
}

function node(name: string): Library['prepare'] {
  return async () => {
    const cwd = join(workFolder, 'node');
    mkdirSync(cwd, { recursive: true });
    const copied = await build(['cp', '-r', `${join(folder, 'node')}/.`, cwd], folder);
    const installed = await build(['npm', 'ci', '--no-audit', '--ignore-scripts'], cwd);
    if (copied.code !== 0 || installed.code !== 0) return { missing: why('npm', installed) };
    return programs(name, [process.execPath, join(cwd, 'verify.js')]);
  };
}

function go(name: string): Library['prepare'] {
  return async () => {
    const binary = join(workFolder, 'verify-go');
    const built = await build(['go', 'build', '-o', binary, '.'], join(folder, 'go'));
    return built.code === 0 ? programs(name, [binary]) : { missing: why('Go', built) };
  };
}

/** Java reads no file of certificates: it wants a trust store of its own kind. */
async function makeTrustStore({ directory, caPath }: InteropIssuer) {
  const store = join(directory, 'trust.p12');
  const flags = ['-importcert', '-noprompt', '-alias', 'interop', '-storepass', 'changeit'];
  await build(['keytool', ...flags, '-file', caPath, '-keystore', store], directory);
  const property = '-Djavax.net.ssl.trustStore';
  return [`${property}=${store}`, `${property}Password=changeit`] as const;
}

/** Compiles with Maven, and reads the class path that it prints. */
async function buildJava(
  cwd: string,
  name: string,
  flags: readonly string[] = [],
): Promise<{ readonly classPath: string } | { readonly missing: string }> {
  const target = join(workFolder, name);
  const copies = join(target, 'lib');
  const goals = ['compile', 'dependency:copy-dependencies', `-DoutputDirectory=${copies}`];
  const command = ['mvn', '-q', '-B', `-DbuildDirectory=${target}`, ...flags, ...goals] as const;
  const built = await build(command, cwd);
  if (built.code !== 0) return { missing: why('Maven', built) };
  return { classPath: [join(target, 'classes'), join(copies, '*')].join(':') };
}

async function nimbus(issuer: InteropIssuer): Promise<Prepared> {
  const built = await buildJava(join(folder, 'java'), 'nimbus');
  if ('missing' in built) return built;
  const trust = await makeTrustStore(issuer);
  return programs('nimbus', ['java', ...trust, '-cp', built.classPath, 'Verify']);
}

const typ = 'checks `typ` itself: `at+jwt`';

export const libraries: readonly Library[] = [
  {
    name: 'jose',
    version: '6.2.17',
    language: 'Node',
    needs: "`typ: 'at+jwt'`, `algorithms`",
    prepare: node('jose'),
  },
  {
    name: 'aws-jwt-verify',
    version: '5.2.1',
    language: 'Node',
    needs: `\`jwksUri\`; ${typ}`,
    limits: {
      PS256: 'not implemented',
      ...noMlDsa('not implemented'),
    },
    prepare: node('aws-jwt-verify'),
  },
  {
    name: 'jwks-rsa',
    version: '4.1.0 with jsonwebtoken 9.0.3',
    language: 'Node',
    needs: `\`algorithms\`; ${typ}`,
    limits: noMlDsa('not implemented by jsonwebtoken'),
    prepare: node('jwks-rsa'),
  },
  {
    name: 'get-jwks',
    version: '11.0.3 with fast-jwt 6.3.6',
    language: 'Node',
    needs: "`jwksPath`, `checkTyp: 'at+jwt'`, `algorithms`",
    limits: noMlDsa('not implemented by fast-jwt'),
    prepare: node('get-jwks'),
  },
  {
    name: 'express-oauth2-jwt-bearer',
    version: '1.10.0',
    language: 'Node',
    needs: '`strict: true` (checks `typ` and the claims of RFC 9068), `tokenSigningAlg`',
    limits: noMlDsa('its list of algorithms has no ML-DSA'),
    prepare: node('express-oauth2-jwt-bearer'),
  },
  {
    name: 'PyJWT',
    version: '2.15.1',
    language: 'Python',
    needs: `\`algorithms\`, \`options.require\`; ${typ}`,
    limits: noMlDsa('not implemented'),
    prepare: python('PyJWT'),
  },
  {
    name: 'joserfc',
    version: '1.8.0',
    language: 'Python',
    needs: `\`algorithms\`, a claims registry; ${typ}; fetches and keeps the JWKS itself`,
    limits: noMlDsa('not implemented'),
    prepare: python('joserfc'),
  },
  {
    name: 'Authlib',
    version: '1.9.9',
    language: 'Python',
    needs: '`JWTBearerTokenValidator` (RFC 9068) with a `get_jwks` of your own',
    limits: {
      PS256: 'its validator allows RS256 and ES256',
      ES384: 'its validator allows RS256 and ES256',
      ...noMlDsa('its validator allows RS256 and ES256'),
    },
    prepare: python('Authlib'),
  },
  {
    name: 'python-jose',
    version: '3.5.0',
    language: 'Python',
    needs: `\`algorithms\`; ${typ}; fetches and keeps the JWKS itself`,
    breaksWithMlDsa: 'it tries each key, and the type AKP is an error',
    limits: {
      PS256: 'not implemented',
      ...noMlDsa('not implemented'),
    },
    prepare: python('python-jose'),
  },
  {
    name: 'go-oidc',
    version: '3.21.0',
    language: 'Go',
    needs: `\`SupportedSigningAlgs\`, your audience as \`ClientID\`; ${typ}`,
    limits: noMlDsa('not implemented'),
    prepare: go('go-oidc'),
  },
  {
    name: 'golang-jwt',
    version: '5.3.1 with keyfunc 3.6.2',
    language: 'Go',
    needs: `\`WithValidMethods\`, \`WithExpirationRequired\`; ${typ}`,
    limits: noMlDsa('not implemented'),
    prepare: go('golang-jwt'),
  },
  {
    name: 'lestrrat-jwx',
    version: '3.3.0',
    language: 'Go',
    needs: `\`WithRequiredClaim("exp")\`; ${typ}; keeps the JWKS itself, or \`jwk.Cache\``,
    breaksWithMlDsa: 'the key type AKP is an error for the whole set',
    limits: noMlDsa('the key type AKP is refused'),
    prepare: go('lestrrat-jwx'),
  },
  {
    name: 'go-jwt-middleware',
    version: '2.3.1',
    language: 'Go',
    needs: `one \`SignatureAlgorithm\`; ${typ}`,
    breaksWithMlDsa: 'go-jose refuses the whole set',
    limits: noMlDsa('not implemented'),
    prepare: go('go-jwt-middleware'),
  },
  {
    name: 'Nimbus JOSE+JWT',
    version: '10.10',
    language: 'Java',
    needs: '`DefaultJOSEObjectTypeVerifier` with `at+jwt`, the algorithm, required claims',
    limits: noMlDsa('not implemented'),
    prepare: nimbus,
  },
];
