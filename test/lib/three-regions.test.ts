import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { tableName } from '../../contract/tables.ts';
import {
  evaluate,
  readConfigFile,
  resourcesOf,
  type Synthesis,
  settingsOf,
  synthesise,
} from './synthesise.ts';

const awsRegions = { slc: 'us-west-2', dfw: 'us-east-2', pit: 'us-east-1' } as const;
const regionIds = ['slc', 'dfw', 'pit'] as const;

let synthesis: Synthesis;
beforeAll(() => {
  synthesis = synthesise(readConfigFile('three-regions'));
});

function template(name: string): Template {
  const found = synthesis.templates[`AuthorizationServer-${name}`];
  if (found === undefined) throw new Error(`there is no stack AuthorizationServer-${name}`);
  return found;
}

function propertiesOf(name: string, type: string): readonly Record<string, unknown>[] {
  return Object.values(resourcesOf(template(name), type)).map(({ Properties }) => Properties);
}

describe('the stacks of three regions', () => {
  it('are one for the shared tables and one for each region', () => {
    expect(Object.keys(synthesis.templates)).toEqual([
      'AuthorizationServer-data',
      'AuthorizationServer-slc',
      'AuthorizationServer-dfw',
      'AuthorizationServer-pit',
    ]);
  });

  it('deploy the tables first, and nothing else before another', () => {
    const { stacks } = synthesis.app.synth();
    const order = stacks.map(({ stackName, dependencies }) => [
      stackName,
      dependencies.map(({ id }) => id).filter((id) => !id.endsWith('.assets')),
    ]);
    expect(new Map(order as [string, string[]][])).toEqual(
      new Map([
        ['AuthorizationServer-data', []],
        ...regionIds.map((id): [string, string[]] => [
          `AuthorizationServer-${id}`,
          ['AuthorizationServer-data'],
        ]),
      ]),
    );
  });

  it.each(['data', ...regionIds])('%s exports nothing and imports nothing', (name) => {
    const text = JSON.stringify(template(name).toJSON());
    expect(text).not.toContain('Fn::ImportValue');
    expect(text).not.toContain('"Export"');
    expect(text).not.toContain('Fn::GetStackOutput');
    expect(text).not.toContain('CrossRegionExport');
  });
});

describe('the shared tables', () => {
  it('are those of global scope; each region has an audit and last uses of its own', () => {
    const names = (stack: string) =>
      propertiesOf(stack, 'AWS::DynamoDB::GlobalTable').map(({ TableName }) => TableName);
    expect(names('data')).toEqual(
      (['clients', 'apiKeys', 'identityProviders', 'signingKeys', 'settings'] as const).map((key) =>
        tableName('authorization-server', key),
      ),
    );
    for (const id of regionIds) {
      expect(names(id)).toEqual([
        'authorization-server-audit',
        'authorization-server-api-key-uses',
      ]);
    }
  });

  it('are strongly consistent, without what such a table cannot have', () => {
    for (const table of propertiesOf('data', 'AWS::DynamoDB::GlobalTable')) {
      expect(table).toMatchObject({ MultiRegionConsistency: 'STRONG' });
      expect(table).not.toHaveProperty('TimeToLiveSpecification');
      expect(table).not.toHaveProperty('LocalSecondaryIndexes');
      expect(table).not.toHaveProperty('GlobalTableWitnesses');
    }
  });

  it('are protected and recoverable in every replica', () => {
    for (const table of propertiesOf('data', 'AWS::DynamoDB::GlobalTable')) {
      const replicas = table['Replicas'] as readonly Record<string, unknown>[];
      expect(new Set(replicas.map(({ Region }) => Region))).toEqual(
        new Set(Object.values(awsRegions)),
      );
      for (const replica of replicas) {
        expect(replica).toMatchObject({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        });
        // Encryption is DynamoDB's own, in every replica alike.
        expect(replica).not.toHaveProperty('SSESpecification');
      }
    }
  });

  it('outlive their stack, unless it never came to exist', () => {
    for (const table of Object.values(
      resourcesOf(template('data'), 'AWS::DynamoDB::GlobalTable'),
    )) {
      expect(table).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });

  it('have a witness if there are two regions', () => {
    const { pit: _, ...regions } = awsRegions;
    const two = synthesise({
      ...readConfigFile('three-regions'),
      regions: Object.fromEntries(
        Object.entries(regions).map(([id, awsRegion]) => [id, { awsRegion }]),
      ),
      witnessAwsRegion: 'us-east-1',
    });
    const data = two.templates['AuthorizationServer-data'] as Template;
    for (const { Properties } of Object.values(resourcesOf(data, 'AWS::DynamoDB::GlobalTable'))) {
      expect(Properties['GlobalTableWitnesses']).toEqual([{ Region: 'us-east-1' }]);
      expect(Properties['Replicas']).toHaveLength(2);
    }
  });
});

describe.each(regionIds)('the region %s', (id) => {
  const awsRegion = awsRegions[id];

  it('answers on its own name and on the shared one, with the same TLS policy', () => {
    const names = propertiesOf(id, 'AWS::ApiGateway::DomainName');
    expect(new Set(names.map(({ DomainName }) => DomainName))).toEqual(
      new Set([`${id}.auth.example.com`, 'auth.example.com']),
    );
    for (const name of names) {
      expect(name).toMatchObject({
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
        EndpointConfiguration: { Types: ['REGIONAL'] },
      });
    }
    expect(propertiesOf(id, 'AWS::ApiGateway::BasePathMapping')).toHaveLength(2);
  });

  it('closes the host of the API itself', () => {
    expect(propertiesOf(id, 'AWS::ApiGateway::RestApi')).toEqual([
      expect.objectContaining({
        DisableExecuteApiEndpoint: true,
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      }),
    ]);
    expect(JSON.stringify(template(id).toJSON()['Outputs'])).not.toContain('execute-api');
  });

  it('serves the RFC 8414 path', () => {
    expect(propertiesOf(id, 'AWS::ApiGateway::Resource')).toContainEqual(
      expect.objectContaining({ PathPart: 'oauth-authorization-server' }),
    );
  });

  it('proves its names by DNS', () => {
    expect(propertiesOf(id, 'AWS::CertificateManager::Certificate')).toEqual([
      expect.objectContaining({
        DomainName: 'auth.example.com',
        SubjectAlternativeNames: [`${id}.auth.example.com`],
        ValidationMethod: 'DNS',
      }),
    ]);
  });

  it('is reached by latency while it is healthy, and always by its own name', () => {
    const records = propertiesOf(id, 'AWS::Route53::RecordSet');
    const shared = records.find(({ Name }) => Name === 'auth.example.com.');
    const own = records.find(({ Name }) => Name === `${id}.auth.example.com.`);
    expect(shared).toMatchObject({
      Type: 'A',
      Region: awsRegion,
      SetIdentifier: id,
      HealthCheckId: { Ref: expect.stringMatching(/^DomainHealthCheck/) },
    });
    expect(own).toMatchObject({ Type: 'A' });
    expect(own).not.toHaveProperty('HealthCheckId');
    expect(records).toHaveLength(2);
    // An alias record takes the target's own time to live.
    for (const record of records) expect(record).not.toHaveProperty('TTL');
  });

  it('is checked if only a region that issues tokens answers', () => {
    expect(propertiesOf(id, 'AWS::Route53::HealthCheck')).toEqual([
      expect.objectContaining({
        HealthCheckConfig: expect.objectContaining({
          Type: 'HTTPS',
          FullyQualifiedDomainName: `${id}.auth.example.com`,
          ResourcePath: '/health',
          EnableSNI: true,
          // The fewest that Route 53 takes, on two continents.
          Regions: ['us-east-1', 'us-west-2', 'eu-west-1'],
          RequestInterval: 30,
          FailureThreshold: 3,
        }),
      }),
    ]);
  });

  it('tells the same issuer and every region, with tables of its own AWS region', () => {
    const functions = propertiesOf(id, 'AWS::Lambda::Function');
    const settings = (name: string) =>
      settingsOf(
        functions.find(({ FunctionName }) => FunctionName === `authorization-server-${name}`),
      );
    const discovery = settings('discovery');
    expect(discovery.issuer).toBe('https://auth.example.com');
    expect(discovery.regionalTokenEndpoints).toEqual(
      Object.fromEntries(
        regionIds.map((name) => [name, `https://${name}.auth.example.com/api/v1/oauth/token`]),
      ),
    );
    expect(settings('token').regionId).toBe(id);
    expect(settings('canary').regionalJwksUris).toEqual(
      Object.fromEntries(
        regionIds.map((name) => [name, `https://${name}.auth.example.com/.well-known/jwks.json`]),
      ),
    );
    const check = settings('synthetic-check');
    expect(check.tokenEndpoint).toBe(`https://${id}.auth.example.com/api/v1/oauth/token`);
    expect(check.jwksUri).toBe(`https://${id}.auth.example.com/.well-known/jwks.json`);
    const policies = JSON.stringify(evaluate(propertiesOf(id, 'AWS::IAM::Policy')));
    expect(policies).toContain(`"client_SyntheticCheck00000${id}"`);
    expect(policies).toContain(
      `arn:aws:dynamodb:${awsRegion}:111122223333:table/authorization-server-clients`,
    );
  });
});

describe('discovery', () => {
  it('gets the same environment in every region, so that every host serves the same bytes', () => {
    const environments = regionIds.map((id) =>
      JSON.stringify(
        propertiesOf(id, 'AWS::Lambda::Function').find(
          ({ FunctionName }) => FunctionName === 'authorization-server-discovery',
        )?.['Environment'],
      ),
    );
    expect(new Set(environments).size).toBe(1);
  });
});

describe('the web ACL', () => {
  it('limits the token path by source address, large bodies and known bad inputs', () => {
    const [acl] = propertiesOf('slc', 'AWS::WAFv2::WebACL');
    expect(acl).toMatchObject({
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Name: 'token-rate',
          Action: { Block: {} },
          Statement: {
            RateBasedStatement: {
              AggregateKeyType: 'IP',
              EvaluationWindowSec: 300,
              Limit: 2000,
              ScopeDownStatement: {
                ByteMatchStatement: {
                  FieldToMatch: { UriPath: {} },
                  // With any suffix, such as a slash that API Gateway may ignore.
                  PositionalConstraint: 'CONTAINS',
                  SearchString: '/api/v1/oauth/token',
                },
              },
            },
          },
        },
        {
          Name: 'body-size',
          Action: { Block: {} },
          Statement: {
            SizeConstraintStatement: {
              ComparisonOperator: 'GT',
              Size: 8192,
              FieldToMatch: { Body: { OversizeHandling: 'MATCH' } },
            },
          },
        },
        {
          Name: 'known-bad-inputs',
          OverrideAction: { None: {} },
          Statement: {
            ManagedRuleGroupStatement: {
              VendorName: 'AWS',
              Name: 'AWSManagedRulesKnownBadInputsRuleSet',
            },
          },
        },
        {
          Name: 'health-rate',
          Action: { Block: {} },
          Statement: {
            RateBasedStatement: {
              AggregateKeyType: 'IP',
              EvaluationWindowSec: 300,
              Limit: 100,
              ScopeDownStatement: {
                ByteMatchStatement: { PositionalConstraint: 'CONTAINS', SearchString: '/health' },
              },
            },
          },
        },
      ],
    });
  });

  it.each([
    ['block', { Block: {} }],
    ['count', { Count: {} }],
  ])('limits each credential at the token path if the config says so: %s', (action, expected) => {
    const config = readConfigFile('three-regions');
    const tokenRequestsPerCredential = { perMinute: 600, action };
    const { templates } = synthesise({
      ...config,
      webAcl: { tokenRequestsPerFiveMinutes: 2000, tokenRequestsPerCredential },
    });
    const [acl] = Object.values(
      resourcesOf(templates['AuthorizationServer-slc'] as Template, 'AWS::WAFv2::WebACL'),
    );
    expect(acl?.Properties['Rules'].at(-1)).toMatchObject({
      Name: 'credential-rate',
      Priority: 4,
      Action: expected,
      Statement: {
        RateBasedStatement: {
          AggregateKeyType: 'CUSTOM_KEYS',
          CustomKeys: [{ Header: { Name: 'authorization' } }],
          EvaluationWindowSec: 60,
          Limit: 600,
          ScopeDownStatement: { ByteMatchStatement: { SearchString: '/api/v1/oauth/token' } },
        },
      },
    });
  });

  it('samples no request and logs no credential', () => {
    expect(JSON.stringify(propertiesOf('slc', 'AWS::WAFv2::WebACL'))).not.toContain(
      '"SampledRequestsEnabled":true',
    );
    expect(propertiesOf('slc', 'AWS::WAFv2::LoggingConfiguration')).toEqual([
      expect.objectContaining({
        RedactedFields: [{ SingleHeader: { Name: 'authorization' } }, { QueryString: {} }],
      }),
    ]);
  });

  it('stands before the stage', () => {
    const [association] = evaluate(propertiesOf('slc', 'AWS::WAFv2::WebACLAssociation'));
    expect(association.ResourceArn).toMatch(
      /^arn:aws:apigateway:us-west-2::\/restapis\/\{ApiRestApi\w+\}\/stages\/\{\w+\}$/,
    );
  });
});

describe('the management function', () => {
  it.each(regionIds)('of %s may query the audits of the other regions, and no more', (id) => {
    const policies = Object.entries(resourcesOf(template(id), 'AWS::IAM::Policy'));
    const own = policies.filter(([name]) => name.startsWith('FunctionsManagement'));
    const statements = own.flatMap(([, { Properties }]) => {
      const document = Properties['PolicyDocument'] as {
        readonly Statement: readonly { readonly Action: unknown }[];
      };
      return document.Statement;
    });
    for (const [other, awsRegion] of Object.entries(awsRegions)) {
      const arn = `:dynamodb:${awsRegion}:",{"Ref":"AWS::AccountId"},":table/authorization-server-audit"`;
      const about = statements.filter((one) => JSON.stringify(one).includes(arn));
      const actions = about.map(({ Action }) => Action);
      expect(actions, other).toEqual(other === id ? [] : ['dynamodb:Query']);
    }
  });
});
