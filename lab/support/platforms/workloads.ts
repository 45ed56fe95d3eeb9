import { bareJwk, type Claims, type Workload } from './platform.ts';

const api = 'https://api.example.com';
const sts = 'https://sts.amazonaws.com/';

/** What most platforms sign with. */
const rs256 = {
  jwk: ({ jwk }) => ({ ...jwk }),
  alg: 'RS256',
  typ: 'JWT',
  choices: { clientIdClaim: 'sub' },
} as const satisfies Partial<Workload>;

/** A client of the API. @param required the value of each claim that its tokens must have. */
function clientOf(
  externalClientId: string,
  required: Readonly<Record<string, string>> = {},
): Workload['client'] {
  const requiredClaims = Object.entries(required).map(([claim, value]) => ({
    claim,
    values: [value],
  }));
  const conditions = requiredClaims.length > 0 && { requiredClaims };
  return { externalClientId, audiences: [api], ...conditions };
}

/** Pages that were read on this day. */
function pages(...urls: readonly string[]): Workload['source'] {
  return { pages: urls, read: '2026-11-23' };
}

type Refused = Workload['refused'][number];

/** Tokens with another value of the claim that names the client, of a required claim, of `aud`. */
const unknown = (what: string, claims: Claims): Refused => [what, claims, 'client_unknown'];
const unmet = (what: string, claims: Claims): Refused => [what, claims, 'client_condition_unmet'];
const audience = (what: string, aud: string | readonly string[]): Refused => [
  what,
  { aud },
  'token_audience_not_allowed',
];

/** What most discovery documents have, and that of Kubernetes' service account issuer only. */
const usualDocument = {
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
};

const pod = { name: 'dialer-6b9c', uid: '3a2f5b6c-7d8e-4f90-a1b2-c3d4e5f60718' };
const serviceaccount = { name: 'dialer', uid: '9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a' };

const github = {
  document: {
    ...usualDocument,
    issuer: 'https://token.actions.githubusercontent.com',
    jwks_uri: 'https://token.actions.githubusercontent.com/.well-known/jwks',
    subject_types_supported: ['public', 'pairwise'],
    claims_supported: ['sub', 'aud', 'exp', 'iat', 'iss', 'jti', 'nbf', 'ref', 'repository'],
    scopes_supported: ['openid'],
  },
  ...rs256,
  jwk: ({ jwk }) => ({ ...jwk, x5t: 'x', x5c: ['MIIDrDCCApSgAwIBAgIQ'] }),
  source: pages(
    'https://docs.github.com/en/actions/reference/security/oidc',
    'https://docs.github.com/en/actions/concepts/security/openid-connect',
  ),
  notShown: ['members of the JWKS', 'the life of the token', 'how far nbf is before iat'],
  times: { life: 300, notBefore: 600 },
} as const satisfies Partial<Workload>;

/** Subjects of repositories since July 2026 have the ids of the owner and the repository. */
const immutable = 'repo:acme@583231/app@1296269';

/** A job has the claim `environment` only if it names one; its subject then has it, not the ref. */
const githubClaims = {
  jti: '3c8a1e6e-7f4d-4e6e-9a0b-1f2d3c4b5a69',
  aud: api,
  ref: 'refs/heads/feature/login',
  ref_type: 'branch',
  ref_protected: 'true',
  repository: 'acme/app',
  repository_id: '1296269',
  repository_owner: 'acme',
  repository_owner_id: '583231',
  repository_visibility: 'private',
  event_name: 'push',
  job_workflow_ref: 'acme/app/.github/workflows/deploy.yml@refs/heads/main',
  runner_environment: 'github-hosted',
};

const awsAccount = {
  document: {
    ...usualDocument,
    issuer: 'https://3f1c9a52-0b7e-4f3a-9d15-6f2d8c1b7a40.tokens.sts.global.api.aws',
    jwks_uri:
      'https://3f1c9a52-0b7e-4f3a-9d15-6f2d8c1b7a40.tokens.sts.global.api.aws/.well-known/jwks.json',
    id_token_signing_alg_values_supported: ['RS256', 'ES384'],
    claims_supported: ['aud', 'exp', 'iat', 'iss', 'jti', 'sub'],
  },
  ...rs256,
  alg: 'ES384',
} as const satisfies Partial<Workload>;

/** Platforms that give a workload a token of its own. */
export const workloads: readonly Workload[] = [
  {
    ...github,
    name: 'GitHub Actions, branches of a repository',
    claims: { ...githubClaims, sub: `${immutable}:ref:refs/heads/feature/login` },
    choices: { clientIdClaim: 'sub', allowClientPatterns: true },
    client: clientOf(`${immutable}:ref:refs/heads/*`),
    refused: [
      unknown('another repository', { sub: 'repo:acme@583231/other@77:ref:refs/heads/main' }),
      unknown('a repository made again', { sub: 'repo:acme@583231/app@99:ref:refs/heads/main' }),
      unknown('an owner made again', { sub: 'repo:acme@7/app@1296269:ref:refs/heads/a' }),
      unknown('a pull request', { sub: `${immutable}:pull_request` }),
      unknown('a tag', { sub: `${immutable}:ref:refs/tags/v1` }),
      audience('the audience of another service', 'sts.amazonaws.com'),
    ],
  },
  {
    ...github,
    name: 'GitHub Actions, jobs of an environment',
    claims: {
      ...githubClaims,
      sub: `${immutable}:environment:production`,
      ref: 'refs/heads/main',
      environment: 'production',
    },
    client: clientOf(`${immutable}:environment:production`, { ref: 'refs/heads/main' }),
    refused: [
      unknown('another environment', { sub: `${immutable}:environment:test` }),
      unknown('a job without one', { sub: `${immutable}:ref:refs/heads/main` }),
      unmet('another branch', { ref: 'refs/heads/feature/login' }),
    ],
  },
  {
    ...github,
    name: 'GitHub Actions, a subject without ids',
    claims: { ...githubClaims, sub: 'repo:acme/app:ref:refs/heads/feature/login' },
    choices: { clientIdClaim: 'sub', allowClientPatterns: true },
    client: clientOf('repo:acme/app:ref:refs/heads/*', { repository_id: '1296269' }),
    refused: [
      unknown('a repository with a longer name', { sub: 'repo:acme/app2:ref:refs/heads/a' }),
      unmet('a repository made again', { repository_id: '99' }),
      unmet('no id of the repository', { repository_id: undefined }),
    ],
  },
  {
    name: 'GitLab CI',
    document: {
      ...usualDocument,
      issuer: 'https://gitlab.com',
      jwks_uri: 'https://gitlab.com/oauth/discovery/keys',
      token_endpoint: 'https://gitlab.com/oauth/token',
      response_types_supported: ['code'],
    },
    ...rs256,
    source: pages('https://docs.gitlab.com/ci/secrets/id_token_authentication'),
    notShown: ['the header', 'members of the JWKS'],
    times: { life: 3600, notBefore: 5 },
    claims: {
      sub: 'project_path:acme/voice/app:ref_type:branch:ref:main',
      aud: api,
      project_id: '46573356',
      project_path: 'acme/voice/app',
      namespace_id: '68413579',
      ref: 'main',
      ref_type: 'branch',
      ref_protected: 'true',
      pipeline_source: 'push',
      runner_id: 12_270_835,
      jti: '02f8d1a4-2b58-4a3e-9a0d-6a0f0ab7f9c1',
    },
    choices: { clientIdClaim: 'sub', allowClientPatterns: true },
    client: clientOf('project_path:acme/voice/app:ref_type:branch:ref:*', {
      project_id: '46573356',
      ref_protected: 'true',
    }),
    refused: [
      unknown('another project', { sub: 'project_path:acme/voice/other:ref_type:branch:ref:main' }),
      unknown('a tag', { sub: 'project_path:acme/voice/app:ref_type:tag:ref:v1' }),
      unmet('a fork of the project', { project_id: '1' }),
      unmet('a branch that is not protected', { ref_protected: 'false' }),
    ],
  },
  {
    name: 'Amazon EKS',
    document: {
      ...usualDocument,
      issuer: 'https://oidc.eks.us-west-2.amazonaws.com/id/A1B2C3D4E5F60718293A4B5C6D7E8F90',
      jwks_uri: 'https://oidc.eks.us-west-2.amazonaws.com/id/A1B2C3D4E5F60718293A4B5C6D7E8F90/keys',
      authorization_endpoint: 'urn:kubernetes:programmatic_authorization',
      claims_supported: ['sub', 'iss'],
    },
    ...rs256,
    typ: undefined,
    source: pages(
      'https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/',
      'https://docs.aws.amazon.com/eks/latest/userguide/service-accounts.html',
    ),
    notShown: ['the header', 'members of the JWKS'],
    times: { life: 3600, notBefore: 0 },
    claims: {
      aud: [api],
      sub: 'system:serviceaccount:voice:dialer',
      'kubernetes.io': { namespace: 'voice', pod, serviceaccount, node: { name: 'ip-10-0-1-2' } },
    },
    client: clientOf('system:serviceaccount:voice:dialer'),
    refused: [
      unknown('another service account', { sub: 'system:serviceaccount:voice:other' }),
      unknown('another namespace', { sub: 'system:serviceaccount:test:dialer' }),
      audience('the token for AWS', ['sts.amazonaws.com']),
    ],
  },
  {
    name: 'Kubernetes',
    document: {
      ...usualDocument,
      issuer: 'https://kubernetes.example.com',
      jwks_uri: 'https://kubernetes.example.com/openid/v1/jwks',
    },
    ...rs256,
    typ: undefined,
    source: pages(
      'https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/',
      'https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/',
    ),
    notShown: ['the header', 'members of the JWKS'],
    times: { life: 3600, notBefore: 0 },
    claims: {
      aud: [api],
      jti: 'd7e8f90a-1b2c-4d3e-8f40-51627384950a',
      sub: 'system:serviceaccount:voice:dialer',
      'kubernetes.io': { namespace: 'voice', pod, serviceaccount },
    },
    choices: { clientIdClaim: 'sub', allowClientPatterns: true },
    client: clientOf('system:serviceaccount:voice:*', { '/kubernetes.io/namespace': 'voice' }),
    refused: [
      unknown('another namespace', { sub: 'system:serviceaccount:test:dialer' }),
      unmet('a claim that says otherwise', {
        'kubernetes.io': { namespace: 'test', serviceaccount },
      }),
      unmet('no such claim', { 'kubernetes.io': undefined }),
    ],
  },
  {
    ...awsAccount,
    name: 'AWS STS, GetWebIdentityToken',
    source: pages(
      'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_outbound_token_claims.html',
      'https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html',
      'https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetOutboundWebIdentityFederationInfo.html',
    ),
    notShown: [
      'the header',
      'members of the discovery document and of the JWKS',
      'aud of a token for several audiences',
    ],
    times: { life: 300 },
    claims: {
      aud: api,
      sub: 'arn:aws:iam::123456789012:role/DialerRole',
      jti: 'b1946ac9-2492-4d23-8e1f-5e2a9b7c0d31',
      [sts]: {
        aws_account: '123456789012',
        source_region: 'us-west-2',
        org_id: 'o-abc1234567',
        principal_tags: { environment: 'production' },
        lambda_source_function_arn: 'arn:aws:lambda:us-west-2:123456789012:function:dialer',
      },
    },
    client: clientOf('arn:aws:iam::123456789012:role/DialerRole', {
      '/https:~1~1sts.amazonaws.com~1/org_id': 'o-abc1234567',
      '/https:~1~1sts.amazonaws.com~1/principal_tags/environment': 'production',
    }),
    refused: [
      unknown('another role', { sub: 'arn:aws:iam::123456789012:role/Other' }),
      unknown('another account', { sub: 'arn:aws:iam::210987654321:role/DialerRole' }),
      unmet('another organisation', { [sts]: { org_id: 'o-other' } }),
    ],
  },
  {
    ...awsAccount,
    name: 'Amazon Bedrock AgentCore',
    source: pages(
      'https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/client-auth-methods.html',
    ),
    // AWS_IAM_ID_TOKEN_JWT: STS signs for the execution role of the agent.
    notShown: ['aud', 'the life of the token', 'whether client_id is sent', 'everything of STS'],
    times: { life: 300 },
    claims: {
      aud: api,
      sub: 'arn:aws:iam::123456789012:role/AgentRole',
      jti: '4b0c6a52-51c6-4f0e-8d3e-0f6a7b8c9d10',
      [sts]: { aws_account: '123456789012', source_region: 'us-west-2', org_id: 'o-abc1234567' },
    },
    client: clientOf('arn:aws:iam::123456789012:role/AgentRole', {
      '/https:~1~1sts.amazonaws.com~1/org_id': 'o-abc1234567',
    }),
    refused: [unknown('another role', { sub: 'arn:aws:iam::123456789012:role/Other' })],
  },
  {
    name: 'Google Cloud',
    document: {
      ...usualDocument,
      issuer: 'https://accounts.google.com',
      jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
      token_endpoint: 'https://oauth2.googleapis.com/token',
      response_types_supported: ['code', 'token', 'id_token', 'none'],
      scopes_supported: ['openid', 'email', 'profile'],
    },
    ...rs256,
    source: pages(
      'https://docs.cloud.google.com/compute/docs/instances/verifying-instance-identity',
    ),
    notShown: ['members of the JWKS'],
    times: { life: 3600 },
    claims: {
      aud: api,
      azp: '107517467455664443765',
      sub: '107517467455664443765',
      email: 'dialer@example-project.iam.gserviceaccount.com',
      email_verified: true,
      google: { compute_engine: { project_id: 'example-project', zone: 'us-west1-a' } },
    },
    client: clientOf('107517467455664443765', {
      '/google/compute_engine/project_id': 'example-project',
    }),
    refused: [
      unknown('another service account', { sub: '1', azp: '1' }),
      unknown('a person with a Google account', { sub: '2', azp: '3.apps' }),
      unmet('the same account outside the project', {
        google: { compute_engine: { project_id: 'x' } },
      }),
    ],
  },
  {
    name: 'SPIRE',
    document: {
      issuer: 'https://spire-oidc.example.org',
      jwks_uri: 'https://spire-oidc.example.org/keys',
      authorization_endpoint: '',
      response_types_supported: ['id_token'],
      subject_types_supported: [],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'ES384'],
    },
    jwk: (key) => bareJwk(key),
    alg: 'ES256',
    typ: 'JWT',
    source: pages(
      'https://github.com/spiffe/spiffe/blob/main/standards/JWT-SVID.md',
      'https://github.com/spiffe/spire/blob/main/support/oidc-discovery-provider/README.md',
    ),
    notShown: [
      'claims beyond sub, aud and exp: iss and iat come from the configuration of the server',
    ],
    times: { life: 300 },
    claims: { aud: [api], sub: 'spiffe://example.org/ns/voice/sa/dialer' },
    choices: { clientIdClaim: 'sub', allowClientPatterns: true },
    client: clientOf('spiffe://example.org/ns/voice/*'),
    refused: [
      unknown('another namespace', { sub: 'spiffe://example.org/ns/test/sa/dialer' }),
      unknown('another trust domain', { sub: 'spiffe://evil.org/ns/voice/sa/dialer' }),
      audience('another audience', ['spiffe://example.org/b']),
    ],
  },
  {
    name: 'Buildkite',
    document: {
      ...usualDocument,
      issuer: 'https://agent.buildkite.com',
      jwks_uri: 'https://agent.buildkite.com/.well-known/jwks',
      subject_types_supported: ['public', 'pairwise'],
    },
    ...rs256,
    typ: undefined,
    source: pages(
      'https://buildkite.com/docs/agent/cli/reference/oidc',
      'https://github.com/rubygems/rubygems.org/issues/5412',
    ),
    notShown: ['members of the discovery document and of the JWKS'],
    times: { life: 300, notBefore: 0 },
    claims: {
      aud: api,
      sub: '0184990a-477b-4fa8-9968-496074483cee',
      jti: '0194b014-8517-7cef-b232-76a827315f08',
      organization_slug: 'acme-inc',
      pipeline_slug: 'super-duper-app',
      pipeline_id: '0184990a-477b-4fa8-9968-496074483cee',
      build_number: 5,
      build_branch: 'main',
      build_tag: null,
      build_commit: 'b5ffe3aeea51cec6c41aef16e45ee6bce47d8810',
      step_key: null,
      job_id: '01945ecf-80f0-41e8-9b83-a2970a9305a1',
      agent_id: '01945ecf-8bcf-40a6-9d70-a765db9a0928',
      build_source: 'ui',
      runner_environment: 'buildkite-hosted',
    },
    client: clientOf('0184990a-477b-4fa8-9968-496074483cee', { build_branch: 'main' }),
    refused: [
      unknown('another pipeline', { sub: '0184990a-477b-4fa8-9968-000000000000' }),
      unmet('another branch', { build_branch: 'feature/login' }),
    ],
  },
];
