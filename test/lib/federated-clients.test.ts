import { beforeAll, describe, expect, it } from 'vitest';
import {
  evaluate,
  type Resource,
  readConfigFile,
  resourcesOf,
  type Synthesis,
  settingsOf,
  synthesise,
} from './synthesise.ts';

const providers = 'table/authorization-server-identity-providers';
const clients = 'table/authorization-server-clients';

const voice = 'https://api.example.com/voice';
const messages = 'https://api.example.com/messages';

let on: Synthesis;
let off: Synthesis;
let keys: Synthesis;
let moved: Synthesis;
let bound: Synthesis;
beforeAll(() => {
  const config = readConfigFile('three-regions');
  off = synthesise(config);
  on = synthesise({ ...config, federatedClients: { ownProviders: true } }, { checked: true });
  moved = synthesise({ ...config, clientImport: {}, clientSecretPost: true });
  bound = synthesise({
    ...config,
    dpop: { audiences: { [voice]: 'required', [messages]: 'allowed' }, algorithms: ['ES256'] },
  });
  keys = synthesise({ ...config, clientKeys: { algorithms: ['ES256'], only: true } });
});

function resources({ templates }: Synthesis, type: string): readonly Resource[] {
  return Object.values(templates).flatMap((template) => Object.values(resourcesOf(template, type)));
}

function variables(synthesis: Synthesis, name: string) {
  const found = resources(synthesis, 'AWS::Lambda::Function').find(
    ({ Properties }) => Properties['FunctionName'] === `authorization-server-${name}`,
  );
  return settingsOf(found?.Properties);
}

interface Statement {
  readonly Action: unknown;
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** What a function may do with a table, as each region says it. */
function statements(synthesis: Synthesis, name: string, table: string): readonly Statement[] {
  return resources(synthesis, 'AWS::IAM::Policy')
    .flatMap(({ Properties }) => evaluate(Properties['PolicyDocument'].Statement) as unknown[])
    .map((statement) => statement as Statement)
    .filter(({ Condition }) => JSON.stringify(Condition ?? '').includes(`server-${name}`))
    .filter(({ Resource }) => JSON.stringify(Resource).includes(table));
}

/** The name of a version has a hash of its function. */
const withoutVersions = (text: string) => text.replaceAll(/CurrentVersion[0-9A-Za-z]+/g, '');

const actions = (found: readonly Statement[]) => new Set(found.map(({ Action }) => Action));

describe('a deployment with federatedClients', () => {
  it('lets forms through its web ACL that are as large as the function reads', () => {
    const sizes = (synthesis: Synthesis) =>
      new Set(
        resources(synthesis, 'AWS::WAFv2::WebACL').flatMap(({ Properties }) =>
          [...JSON.stringify(Properties['Rules']).matchAll(/"Size":(\d+)/g)].map(
            ([, size]) => size,
          ),
        ),
      );
    expect(sizes(off)).toEqual(new Set(['8192']));
    expect(sizes(on)).toEqual(new Set(['16384']));
    expect(sizes(keys)).toEqual(new Set(['16384']));
  });

  it('lets the token function read an identity provider, and do nothing else with them', () => {
    expect(actions(statements(on, 'token', providers))).toEqual(new Set(['dynamodb:GetItem']));
    expect(statements(off, 'token', providers)).toEqual([]);
  });

  it('lets the token function record the use of an assertion with the client, and no more', () => {
    const attributes = (synthesis: Synthesis) =>
      statements(synthesis, 'token', clients).flatMap(({ Condition }) => {
        const lists = (Condition as Record<string, Record<string, readonly string[]>>)[
          'ForAllValues:StringEquals'
        ];
        return lists === undefined ? [] : [lists['dynamodb:Attributes']?.join()];
      });
    expect(new Set(attributes(off))).toEqual(new Set(['client_id,secrets']));
    const both = new Set(['client_id,secrets', 'client_id,last_used_on']);
    expect(new Set(attributes(on))).toEqual(both);
  });

  it('tells the token function what an assertion may name', () => {
    expect(variables(on, 'token').federatedClients).toEqual({
      identityProvidersTable: 'authorization-server-identity-providers',
      maxAge: 3600,
      ownProviders: true,
      tokenEndpoints: ['', 'slc.', 'dfw.', 'pit.'].map(
        (region) => `https://${region}auth.example.com/api/v1/oauth/token`,
      ),
    });
    expect(variables(on, 'discovery').federatedClients).toBe(true);
  });

  it('has the alarms of a deployment without it, so no assertion can cause one', () => {
    for (const type of ['AWS::CloudWatch::Alarm', 'AWS::Logs::MetricFilter']) {
      const described = (synthesis: Synthesis) =>
        resources(synthesis, type).map(({ Properties }) => {
          const { MetricName, FilterPattern, Metrics, Threshold } = Properties;
          return JSON.stringify([MetricName, FilterPattern, Metrics, Threshold]);
        });
      expect(described(on).length).toBeGreaterThan(0);
      expect(described(on).map(withoutVersions)).toEqual(described(off).map(withoutVersions));
      expect(described(on).join('\n')).not.toMatch(/assertion/i);
    }
  });

  it('has the variables of before without it', () => {
    for (const name of ['token', 'discovery']) {
      const { federatedClients: _, ...others } = variables(on, name);
      expect(variables(off, name)).toEqual(others);
    }
  });
});

describe('a deployment with clientKeys', () => {
  it('has the permissions of one without, as keys stand where secrets do', () => {
    const policies = (synthesis: Synthesis) =>
      resources(synthesis, 'AWS::IAM::Policy').map(({ Properties }) => JSON.stringify(Properties));
    expect(policies(off).length).toBeGreaterThan(0);
    expect(policies(keys)).toEqual(policies(off));
  });

  it('tells the token function what an assertion may be, and discovery what to say', () => {
    const { federatedClients: settings, ...token } = variables(keys, 'token');
    expect(settings).toMatchObject({
      providers: false,
      clientKeys: { algorithms: ['ES256'], only: true, maxAge: 120, tokenEndpointAudience: false },
    });
    expect(token).toEqual({ ...variables(off, 'token'), keysOnly: true });
    expect(variables(keys, 'discovery')).toEqual({
      ...variables(off, 'discovery'),
      clientKeys: ['ES256'],
      keysOnly: true,
    });
  });
});

describe('a deployment with clientImport and clientSecretPost', () => {
  it('answers at the path of before as at its own, with the same throttle and rules', () => {
    const [stage] = resources(moved, 'AWS::ApiGateway::Stage');
    const all = stage?.Properties['MethodSettings'] as readonly Record<string, string | number>[];
    const settings = all.map(({ ResourcePath: path, ...others }) => [path, others] as const);
    const of = (path: string) => settings.filter(([one]) => one === path).map(([, one]) => one);
    expect(of('/~1oauth2~1token')).toEqual(of('/~1api~1v1~1oauth~1token'));
    expect(of('/~1oauth2~1token')).toHaveLength(2);
    const [acl] = resources(moved, 'AWS::WAFv2::WebACL');
    const searched = JSON.stringify(acl?.Properties['Rules']).match(/"SearchString":"[^"]+"/g);
    expect(searched).toEqual(
      ['/api/v1/oauth/token', '/oauth2/token', '/health'].map((one) => `"SearchString":"${one}"`),
    );
    expect(JSON.stringify(off.templates)).not.toContain('oauth2');
  });

  it('differs from one without in no permission, and tells its functions only of the second', () => {
    for (const name of ['token', 'discovery'] as const) {
      expect(variables(moved, name)).toEqual({ ...variables(off, name), clientSecretPost: true });
    }
    const allowed = (synthesis: Synthesis) =>
      withoutVersions(JSON.stringify(resources(synthesis, 'AWS::IAM::Policy')));
    expect(allowed(moved)).toBe(allowed(off));
  });
});

describe('a deployment with dpop', () => {
  it('tells the token function which audiences have proofs, and discovery how they are signed', () => {
    const { dpop: settings, ...token } = variables(bound, 'token');
    expect(settings).toEqual({
      audiences: { [voice]: 'required', [messages]: 'allowed' },
      algorithms: ['ES256'],
      tokenEndpoints: ['', 'slc.', 'dfw.', 'pit.'].map(
        (region) => `https://${region}auth.example.com/api/v1/oauth/token`,
      ),
    });
    expect(token).toEqual(variables(off, 'token'));
    expect(variables(bound, 'discovery')).toEqual({
      ...variables(off, 'discovery'),
      proofs: ['ES256'],
    });
  });

  it('has the permissions of one without, and no proof in the log of the firewall', () => {
    const of = (synthesis: Synthesis, type: string) =>
      resources(synthesis, type).map(({ Properties }) => JSON.stringify(Properties));
    expect(of(bound, 'AWS::IAM::Policy')).toEqual(of(off, 'AWS::IAM::Policy'));
    const [logging] = resources(bound, 'AWS::WAFv2::LoggingConfiguration');
    expect(logging?.Properties['RedactedFields']).toEqual([
      { SingleHeader: { Name: 'authorization' } },
      { SingleHeader: { Name: 'dpop' } },
      { QueryString: {} },
    ]);
  });

  it('warns that an audience that requires proofs is only for APIs that check them', () => {
    const warnings = ({ app }: Synthesis) =>
      app.node
        .findChild('AuthorizationServer-slc')
        .node.metadata.filter(({ type }) => type === 'aws:cdk:warning')
        .map(({ data }) => String(data))
        .filter((text) => text.startsWith('dpop'));
    expect(warnings(off)).toEqual([]);
    const [text, ...more] = warnings(bound);
    expect(more).toEqual([]);
    expect(text).toContain(`dpop: received "required" for ${voice}; allowed`);
  });
});
