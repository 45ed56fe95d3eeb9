import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { maxPortalFormBytes } from '../../contract/bounds.ts';
import { healthPath } from '../../contract/routes.ts';

/** A rule of a web ACL. */
type Rule = CfnWebACL.RuleProperty;
type Statement = CfnWebACL.StatementProperty;

interface WebAclProps {
  /** Of the web ACL and its log. */
  readonly name: string;
  readonly stage: Stage;
  readonly rules: readonly Rule[];
  /** Headers that the log does not have. */
  readonly redactedHeaders: readonly string[];
}

interface ServiceRates {
  /** The paths of token requests. */
  readonly tokenPaths: readonly string[];
  /** Requests to the token path in five minutes from one source address. */
  readonly tokenRequestsPerFiveMinutes: number;
  /** The same to /health. */
  readonly healthRequestsPerFiveMinutes: number;
  /** Token requests a minute with one `Authorization` header. */
  readonly tokenRequestsPerCredential?:
    | { readonly perMinute: number; readonly action: 'count' | 'block' }
    | undefined;
}

/** WAF's metrics. It keeps no samples of requests, because they contain headers. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

/** A rule that blocks. */
function makeRule(name: string, priority: number, statement: Statement): Rule {
  const visibilityConfig = visibility(name);
  return { name, priority, action: { block: {} }, visibilityConfig, statement };
}

/** Requests that pass are in the access log of the API, for a third of the price. */
const onlyStopped = {
  DefaultBehavior: 'DROP',
  Filters: [
    {
      Behavior: 'KEEP',
      Requirement: 'MEETS_ANY',
      Conditions: ['BLOCK', 'COUNT', 'CAPTCHA', 'CHALLENGE', 'EXCLUDED_AS_COUNT'].map((Action) => ({
        ActionCondition: { Action },
      })),
    },
  ],
};

/** Refuses floods and malformed requests before they reach a function. */
export function addWebAcl(scope: Construct, props: WebAclProps): void {
  const { name, stage, rules, redactedHeaders } = props;
  const acl = new CfnWebACL(scope, 'Acl', {
    name,
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    visibilityConfig: visibility(`${name}-web-acl`),
    rules: [...rules],
  });
  const webAclArn = acl.attrArn;
  new CfnWebACLAssociation(scope, 'Association', { webAclArn, resourceArn: stage.stageArn });
  const logGroup = new LogGroup(scope, 'Log', {
    // WAF writes only to groups with this prefix.
    logGroupName: `aws-waf-logs-${name}`,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  // WAF needs the ARN without the ":*" at the end of the log group's attribute.
  const resource = `log-group:${logGroup.logGroupName}`;
  new CfnLoggingConfiguration(scope, 'Logging', {
    resourceArn: webAclArn,
    logDestinationConfigs: [Stack.of(scope).formatArn({ service: 'logs', resource })],
    redactedFields: [
      ...redactedHeaders.map((Name) => ({ singleHeader: { Name } })),
      { queryString: {} },
    ],
    loggingFilter: onlyStopped,
  });
}

/**
 * The path as WAF sees it. Without a domain it begins with the stage. A suffix such as a slash does
 * not matter: the function gets every request that API Gateway matches to the route.
 */
function onPaths(paths: readonly string[]): Statement {
  const statements = paths.map((path) => ({
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      searchString: path,
      positionalConstraint: 'CONTAINS',
      // API Gateway matches the decoded path, so `toke%6E` must also count.
      textTransformations: [
        { priority: 0, type: 'URL_DECODE' },
        { priority: 1, type: 'NORMALIZE_PATH' },
      ],
    },
  }));
  const [only] = statements;
  return only !== undefined && statements.length === 1 ? only : { orStatement: { statements } };
}

/**
 * Blocks a source address that sends more than a number of requests in five minutes.
 *
 * @param paths of the requests that count; all if left out.
 */
function addressRate(
  name: string,
  priority: number,
  limit: number,
  paths?: readonly string[],
): Rule {
  return makeRule(name, priority, {
    rateBasedStatement: {
      aggregateKeyType: 'IP',
      evaluationWindowSec: 300,
      limit,
      ...(paths === undefined ? {} : { scopeDownStatement: onPaths(paths) }),
    },
  });
}

/**
 * Throttles the requests of one client to the token path. With HTTP Basic, the header is the same
 * in each of its requests. A request without the header does not count.
 */
function credentialRate(
  { perMinute, action }: NonNullable<ServiceRates['tokenRequestsPerCredential']>,
  tokenPaths: readonly string[],
): Rule {
  const textTransformations = [{ priority: 0, type: 'NONE' }];
  const rateBasedStatement = {
    aggregateKeyType: 'CUSTOM_KEYS',
    customKeys: [{ header: { name: 'authorization', textTransformations } }],
    evaluationWindowSec: 60,
    limit: perMinute,
    scopeDownStatement: onPaths(tokenPaths),
  };
  return { ...makeRule('credential-rate', 4, { rateBasedStatement }), action: { [action]: {} } };
}

/** The function also refuses such a form, but only after API Gateway has received all of it. */
const bodySize = (bytes: number): Rule =>
  makeRule('body-size', 1, {
    sizeConstraintStatement: {
      // A body that is longer than WAF inspects also exceeds the limit.
      fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
      comparisonOperator: 'GT',
      size: bytes,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  });

const knownBadInputs: Rule = {
  name: 'known-bad-inputs',
  priority: 2,
  overrideAction: { none: {} },
  visibilityConfig: visibility('known-bad-inputs'),
  statement: {
    managedRuleGroupStatement: { vendorName: 'AWS', name: 'AWSManagedRulesKnownBadInputsRuleSet' },
  },
};

/**
 * The rules of the service's API.
 *
 * @param formBytes of the largest form that the token function reads.
 */
export function serviceRules(rates: ServiceRates, formBytes: number): readonly Rule[] {
  return [
    addressRate('token-rate', 0, rates.tokenRequestsPerFiveMinutes, rates.tokenPaths),
    bodySize(formBytes),
    knownBadInputs,
    addressRate('health-rate', 3, rates.healthRequestsPerFiveMinutes, [healthPath]),
    ...(rates.tokenRequestsPerCredential === undefined
      ? []
      : [credentialRate(rates.tokenRequestsPerCredential, rates.tokenPaths)]),
  ];
}

/** The rules of the portal's API. */
export function portalRules(requestsPerFiveMinutes: number): readonly Rule[] {
  return [
    addressRate('portal-rate', 0, requestsPerFiveMinutes),
    bodySize(maxPortalFormBytes),
    knownBadInputs,
  ];
}
