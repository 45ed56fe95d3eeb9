import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { maxFormBytes } from '../../contract/limits.ts';
import { healthPath, tokenPath } from '../../contract/routes.ts';

export interface WebAclProps {
  readonly deploymentName: string;
  readonly stage: Stage;
  /** Requests to the token path in five minutes from one source address. */
  readonly tokenRequestsPerFiveMinutes: number;
  /** The same to /health. */
  readonly healthRequestsPerFiveMinutes: number;
}

type Rule = CfnWebACL.RuleProperty;
type Statement = CfnWebACL.StatementProperty;

/** What WAF counts; it keeps no sample of requests, which would hold their headers. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

/** Refuses floods and malformed requests before they reach a function. */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, props: WebAclProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      name: props.deploymentName,
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(`${props.deploymentName}-web-acl`),
      rules: [
        addressRate('token-rate', 0, tokenPath, props.tokenRequestsPerFiveMinutes),
        bodySize,
        knownBadInputs,
        addressRate('health-rate', 3, healthPath, props.healthRequestsPerFiveMinutes),
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      webAclArn: acl.attrArn,
      resourceArn: props.stage.stageArn,
    });
    this.addLog(acl, props.deploymentName);
  }

  private addLog(acl: CfnWebACL, deploymentName: string): void {
    const logGroup = new LogGroup(this, 'Log', {
      // WAF writes only to groups with this prefix.
      logGroupName: `aws-waf-logs-${deploymentName}`,
      // Longer than a year, so that an intrusion found late can still be read up.
      retention: RetentionDays.THIRTEEN_MONTHS,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // WAF wants the ARN without the ":*" that the log group's own attribute ends in.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: `log-group:${logGroup.logGroupName}`,
        }),
      ],
      redactedFields: [{ singleHeader: { Name: 'authorization' } }, { queryString: {} }],
    });
  }
}

/**
 * The path as WAF sees it: the stage comes first without a domain, and is absent with one. What
 * follows, e.g. a slash, does not matter: the function gets what API Gateway takes for the route.
 */
function onPath(path: string): Statement {
  return {
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      searchString: path,
      positionalConstraint: 'CONTAINS',
      // API Gateway finds the route in the decoded path, so `toke%6E` must count as well.
      textTransformations: [
        { priority: 0, type: 'URL_DECODE' },
        { priority: 1, type: 'NORMALIZE_PATH' },
      ],
    },
  };
}

/** Blocks a source address that sends more than a number of requests to a path in five minutes. */
function addressRate(name: string, priority: number, path: string, limit: number): Rule {
  return {
    name,
    priority,
    action: { block: {} },
    visibilityConfig: visibility(name),
    statement: {
      rateBasedStatement: {
        aggregateKeyType: 'IP',
        evaluationWindowSec: 300,
        limit,
        scopeDownStatement: onPath(path),
      },
    },
  };
}

/** The function refuses such a form too, but only after API Gateway has taken all of it. */
const bodySize: Rule = {
  name: 'body-size',
  priority: 1,
  action: { block: {} },
  visibilityConfig: visibility('body-size'),
  statement: {
    sizeConstraintStatement: {
      // A body longer than WAF inspects is longer than the limit.
      fieldToMatch: { body: { oversizeHandling: 'MATCH' } },
      comparisonOperator: 'GT',
      size: maxFormBytes,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  },
};

const knownBadInputs: Rule = {
  name: 'known-bad-inputs',
  priority: 2,
  overrideAction: { none: {} },
  visibilityConfig: visibility('known-bad-inputs'),
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name: 'AWSManagedRulesKnownBadInputsRuleSet',
    },
  },
};
