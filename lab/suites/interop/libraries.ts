import type { Alg } from '../../../contract/signing-algorithms.ts';
import type { Missing, Runtime, Trust } from '../../support/runtimes.ts';
import { buildSpringBoot, pomOf, type SpringBoot, startApi } from '../../support/spring-boot.ts';
import { go, java, node, pinned, python, rust, versionInPom } from './programs.ts';
import { type RunningVerifier, startProgram, type Variables } from './running-program.ts';

export type Open = (alg: Alg, variables: Variables) => Promise<RunningVerifier>;

/** How to start a verifier, or what this machine lacks. */
type Prepared = { readonly open: Open } | Missing;

export interface Library {
  /** With its version, as the table has it. */
  readonly name: string;
  readonly language: string;
  /** What a verifier of this service's tokens has to say with it. */
  readonly needs: string;
  /** `typ` of good tokens; `at+jwt` if left out. */
  readonly typ?: 'JWT';
  /** Whether it also decides about scopes, and checks the proofs of bound tokens (RFC 9449). */
  readonly isService?: true;
  /** Algorithms that it cannot verify. Anything else must work. */
  readonly lacks: readonly Alg[];
  /** What it does with a key of an unknown type in the JWKS, if that breaks the other keys. */
  readonly breaksWithMlDsa?: string;
  /** It fetches no JWKS. */
  readonly ownCache?: true;
  /** `moves`: the program's clock can be moved, to see when a new key is accepted. */
  readonly clock?: 'moves';
  /** When a new key is accepted, if a setting of the library decides that. The run shortens it. */
  readonly refresh?: string;
  prepare(trust: Trust): Promise<Prepared>;
}

export function typOf({ typ }: Library): 'at+jwt' | 'JWT' {
  return typ ?? 'at+jwt';
}

/** Asks the example's `GET /messages`. */
function askService(url: string): RunningVerifier['ask'] {
  return async ({ token, request }) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await (request?.(url) ?? fetch(url, { headers }));
    const challenge = response.headers.get('www-authenticate') ?? '';
    await response.body?.cancel();
    const { status, ok } = response;
    return { ok, status, why: `${status} ${challenge}` };
  };
}

/** The Spring Boot example as a verifier. It takes the algorithms from the JWKS. */
function prepareSpring(boot: SpringBoot, ...args: readonly string[]): Library['prepare'] {
  return async (trust) => {
    const built = await buildSpringBoot(boot, trust, ...args);
    if ('missing' in built) return built;
    return {
      open: async (_alg, variables) => {
        const { url, close } = await startApi(built.command, variables);
        return { ask: askService(url), close };
      },
    };
  };
}

const { npm, pip, maven, cargo } = pinned;

function program(runtime: Runtime, library: string, entry = 'verify'): Library['prepare'] {
  return async (trust) => {
    const built = await runtime(entry, trust);
    if ('missing' in built) return built;
    const { command } = built;
    return { open: async (alg, variables) => startProgram([...command, library, alg], variables) };
  };
}

export const matrixAlgs = ['RS256', 'PS256', 'ES256', 'ES384', 'ML-DSA-44'] as const;

type Findings = Pick<Library, 'needs'> & Partial<Library>;

const mlDsa = ['ML-DSA-44'] as const;

/** Libraries of a language, by the name that the package and the program have; most lack ML-DSA. */
const of =
  (language: string, runtime: Runtime, versionOf: (name: string) => string) =>
  (library: string, findings: Findings): Library => ({
    name: `${library} ${versionOf(library)}`,
    language,
    prepare: program(runtime, library),
    lacks: mlDsa,
    ...findings,
  });

const withNode = (library: string, findings: Findings) =>
  of('Node', node, npm)(library, { clock: 'moves', ...findings });
const withPython = (library: string, findings: Findings) =>
  of('Python', python, pip)(library, { clock: 'moves', ...findings });
const withGo = (library: string, module: string, findings: Findings) =>
  of('Go', go, () => pinned.go(module))(library, findings);
const withRust = of('Rust', rust, cargo);

// docs/interop.md says what a row wants of its reader's code by these.
const typ = '`typ`';
const jwks = 'JWKS';

function springBoot(boot: SpringBoot): readonly Library[] {
  const name = `Spring Boot ${versionInPom(pomOf(boot), 'spring-boot-starter-parent')}`;
  const common = { language: 'Java', isService: true, lacks: mlDsa } as const;
  return [
    {
      ...common,
      name,
      needs: '`jwtDecoder` of [the example](../examples/spring-boot/README.md)',
      prepare: prepareSpring(boot),
    },
    {
      ...common,
      name: `${name} with \`issuer-uri\` only`,
      needs: '`accessTokenType` `JWT` in the deployment, and `audiences`; refuses `at+jwt`',
      typ: 'JWT',
      prepare: prepareSpring(boot, '--spring.profiles.active=access-token-type-jwt'),
    },
  ];
}

export const libraries: readonly Library[] = [
  withNode('jose', {
    needs: "`issuer`, `audience`, `typ: 'at+jwt'`, `algorithms`, `requiredClaims`",
    lacks: [],
  }),
  withNode('aws-jwt-verify', {
    needs: `\`issuer\`, \`audience\`, \`jwksUri\`; ${typ}`,
    lacks: ['PS256', ...mlDsa],
  }),
  withNode('jwks-rsa', {
    name: `jwks-rsa ${npm('jwks-rsa')} with jsonwebtoken ${npm('jsonwebtoken')}`,
    needs: `\`issuer\`, \`audience\`, \`algorithms\`; ${typ}`,
  }),
  withNode('get-jwks', {
    name: `get-jwks ${npm('get-jwks')} with fast-jwt ${npm('fast-jwt')}`,
    needs:
      "`allowedIss`, `allowedAud`, `jwksPath`, `checkTyp: 'at+jwt'`, `algorithms`, `requiredClaims`",
  }),
  withNode('express-oauth2-jwt-bearer', {
    needs:
      '`issuer`, `audience`, `tokenSigningAlg`, `strict: true` (checks `typ` and the claims of RFC 9068)',
  }),
  withNode('mcp-auth', {
    needs: 'use jose: it insists on `authorization_code`',
    lacks: matrixAlgs,
  }),
  withPython('PyJWT', { needs: `\`issuer\`, \`audience\`, \`algorithms\`, \`require\`; ${typ}` }),
  withPython('joserfc', {
    needs: `\`algorithms\`, \`JWTClaimsRegistry\` with \`iss\`, \`aud\` and \`exp\`; ${typ}; ${jwks}`,
    ownCache: true,
  }),
  withPython('Authlib', {
    needs: `\`JWTBearerTokenValidator\` (RFC 9068) with \`issuer\`, \`resource_server\` and a \`get_jwks\`: ${jwks}`,
    lacks: ['PS256', 'ES384', ...mlDsa],
    ownCache: true,
  }),
  withPython('djangorestframework-simplejwt', {
    needs: `\`ALGORITHM\`, \`JWK_URL\`, \`AUDIENCE\`, \`ISSUER\`, \`USER_ID_CLAIM: 'sub'\`, \`TOKEN_TYPE_CLAIM: None\`; ${typ}`,
  }),
  withPython('python-jose', {
    needs: `\`issuer\`, \`audience\`, \`algorithms\`; ${typ}; ${jwks}`,
    breaksWithMlDsa: 'it tries each key, and the type AKP is an error',
    lacks: ['PS256', ...mlDsa],
    ownCache: true,
  }),
  withGo('go-oidc', 'github.com/coreos/go-oidc/v3', {
    needs: `your issuer in \`NewVerifier\`, your audience as \`ClientID\`, \`SupportedSigningAlgs\`; ${typ}`,
  }),
  withGo('golang-jwt', 'github.com/golang-jwt/jwt/v5', {
    name: `golang-jwt ${pinned.go('github.com/golang-jwt/jwt/v5')} with keyfunc ${pinned.go('github.com/MicahParks/keyfunc/v3')}`,
    needs: `\`WithIssuer\`, \`WithAudience\`, \`WithValidMethods\`, \`WithExpirationRequired\`; ${typ}`,
  }),
  withGo('lestrrat-jwx', 'github.com/lestrrat-go/jwx/v3', {
    name: `lestrrat jwx ${pinned.go('github.com/lestrrat-go/jwx/v3')}`,
    needs: `\`WithIssuer\`, \`WithAudience\`, \`jwk.NewCache\`, \`WithRequiredClaim("exp")\`; ${typ}`,
    breaksWithMlDsa: 'the key type AKP is an error for the whole set',
    refresh: 'at the next refresh: `WithMinInterval`, 15 minutes by default',
  }),
  withGo('go-jwt-middleware', 'github.com/auth0/go-jwt-middleware/v2', {
    needs: `your issuer and audience in \`validator.New\`, one \`SignatureAlgorithm\`, \`NewCachingProvider\`; ${typ}`,
    breaksWithMlDsa: 'go-jose refuses the whole set',
    refresh: 'when the TTL that you give to `NewCachingProvider` ends',
  }),
  {
    name: `Nimbus JOSE+JWT ${maven('nimbus-jose-jwt')}`,
    language: 'Java',
    needs:
      '`DefaultJWTClaimsVerifier` with your audience, `issuer` and required claims; `DefaultJOSEObjectTypeVerifier` with `at+jwt`; the algorithm',
    lacks: mlDsa,
    prepare: program(java, 'nimbus', 'Verify'),
  },
  ...springBoot('boot-3'),
  ...springBoot('boot-4'),
  withRust('jsonwebtoken', {
    needs: `\`Validation::new(alg)\`, \`set_issuer\`, \`set_audience\`, \`set_required_spec_claims\`; ${typ}; ${jwks}`,
    ownCache: true,
  }),
];
