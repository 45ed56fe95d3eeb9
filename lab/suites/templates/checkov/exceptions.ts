/** A check of checkov that does not apply to some resources, and why. */
export interface Exception {
  /** E.g. `CKV_AWS_59`. */
  readonly check: string;
  /** Each finds `<type>.<logical id>` of a resource. One that finds none fails the run. */
  readonly resources: readonly RegExp[];
  readonly reason: string;
}

const functions = [
  /^AWS::Lambda::Function\.Functions(?:Token|Discovery|Jwks|Management)Handler/,
  /^AWS::Lambda::Function\.Functions(?:Canary|DeploymentCheck|KeyRotation|Notices|SyntheticCheck)Handler/,
  /^AWS::Lambda::Function\.AuthorizerFunctionHandler/,
];
const portalFunction = /^AWS::Lambda::Function\.FunctionHandler/;
/** The functions of the example of a platform team's API: its own, and its identity provider's. */
const exampleFunction = /^AWS::Lambda::Function\.(?:WhoCalls|Documents)/;

/** Every finding that is right to stay. Anything else that checkov finds fails the run. */
export const exceptions: readonly Exception[] = [
  {
    check: 'CKV_AWS_26',
    resources: [/^AWS::SNS::Topic\.MonitoringAlarmTopic/],
    reason:
      'CloudWatch cannot publish to a topic that is encrypted with the AWS managed key. An alarm names a metric and a runbook page, and no secret.',
  },
  {
    check: 'CKV_AWS_59',
    resources: [
      /^AWS::ApiGateway::Method\.ApiRestApiapiv1oauthtoken/,
      /^AWS::ApiGateway::Method\.ApiRestApihealth/,
      /^AWS::ApiGateway::Method\.ApiRestApiwellknown(?:jwksjson|openidconfiguration)/,
      /^AWS::ApiGateway::Method\.ApiRestApiwellknownoauthauthorizationserver/,
      /^AWS::ApiGateway::Method\.ApiRestApi(?:proxy)?ANY/,
      /^AWS::ApiGateway::Method\.Provider(?:proxy)?ANY/,
    ],
    reason:
      'The token endpoint authenticates clients itself (RFC 6749), and the portal its people. The documents are public, and health says only whether tokens are issued.',
  },
  {
    check: 'CKV_AWS_65',
    resources: [/^AWS::ECS::Cluster\.Cluster/],
    reason:
      'The cluster of examples/ecs is there to be replaced by the one that a team has. Container Insights costs money for each task.',
  },
  {
    check: 'CKV_AWS_73',
    resources: [/^AWS::ApiGateway::Stage\.ApiRestApiDeploymentStagelive/],
    reason:
      'Tracing is a choice (tracing: "on"): no code adds a segment, and the logs have the times of every request, not of one in twenty.',
  },
  {
    check: 'CKV_AWS_76',
    resources: [/^AWS::ApiGateway::Stage\.(?:RestApi|Provider)DeploymentStageprod/],
    reason:
      'The API of a platform team, as small as it can be: its log needs the role of the account, which that team has.',
  },
  {
    check: 'CKV_AWS_115',
    resources: [...functions, exampleFunction],
    reason:
      'Reserved concurrency is configuration (reservedConcurrency), because a new account has ten in all. A schedule runs one instance of the others, and few operators ask management.',
  },
  {
    check: 'CKV_AWS_116',
    resources: [...functions, portalFunction, exampleFunction],
    reason:
      'Callers wait for the answer. Schedules run again after five minutes, and missed runs are an alarm. A custom resource answers CloudFormation.',
  },
  {
    check: 'CKV_AWS_117',
    resources: [...functions, portalFunction, exampleFunction],
    reason:
      'A function in a VPC needs endpoints or a NAT gateway to reach DynamoDB and KMS, which IAM guards. It has nothing to reach in a VPC.',
  },
  {
    check: 'CKV_AWS_120',
    resources: [
      /^AWS::ApiGateway::Stage\.ApiRestApiDeploymentStagelive/,
      /^AWS::ApiGateway::Stage\.(?:RestApi|Provider)DeploymentStageprod/,
    ],
    reason:
      'A response with a token must not be cached. Documents are cached by clients, and served from the memory of the functions.',
  },
  {
    check: 'CKV_AWS_149',
    resources: [/^AWS::SecretsManager::Secret\.SessionKeySecret/],
    reason:
      'Secrets Manager encrypts it with the key of AWS for secrets. Only the role of the portal may read it, and a key of its own would be one more thing that can fail.',
  },
  {
    check: 'CKV_AWS_158',
    resources: [
      /^AWS::Logs::LogGroup\.Functions\w+Logs/,
      /^AWS::Logs::LogGroup\.FunctionLogs/,
      /^AWS::Logs::LogGroup\.Api(?:Access|Execution)Log/,
      /^AWS::Logs::LogGroup\.WebAclLog/,
      /^AWS::Logs::LogGroup\.AuthorizerFunctionLogs/,
      /^AWS::Logs::LogGroup\.CheckLogs/,
    ],
    reason:
      'CloudWatch encrypts every log. No log has a credential (test/lambda/token/log-canaries.test.ts), and a key of its own would be one more thing that can fail.',
  },
  {
    check: 'CKV_AWS_165',
    resources: [/^AWS::DynamoDB::GlobalTable\.ApiKeyUsesTable/],
    reason:
      'Days that tell people what is in use. Nothing decides by them, and each use writes them again.',
  },
  {
    check: 'CKV_AWS_166',
    resources: [/^AWS::Backup::BackupVault\.BackupVault/],
    reason: 'AWS Backup encrypts the vault. The tables have only hashes of secrets.',
  },
  {
    check: 'CKV_AWS_173',
    resources: [...functions, portalFunction],
    reason:
      'Lambda encrypts the environment. No variable has a secret (test/lib/functions.test.ts).',
  },
];
