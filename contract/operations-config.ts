import * as v from 'valibot';
import { defaultKmsSignQuota } from './bounds.ts';
import { configObject, count, distinct, matching, reservation } from './config-values.ts';
import { canBeRole, reservedRoleHelp } from './identity-center.ts';
import { portalReachSchema, reachDefaultSchema, reachSchema, stackReachSchema } from './reach.ts';

/** API Gateway's own quota for an account is that of `gatewayQuota` until it is raised. */
const throttle = configObject({ rateLimit: count, burstLimit: count });

const roleArn = v.pipe(
  matching(
    /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/*-]{1,512}$/,
    'allowed: the ARN of an IAM role, e.g. "arn:aws:iam::111122223333:role/break-glass"',
  ),
  v.check(
    canBeRole,
    `allowed: the ARN of an IAM role, e.g. "arn:aws:iam::111122223333:role/break-glass", or ${reservedRoleHelp}`,
  ),
);

const policyArn = matching(
  /^arn:aws[a-z-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]{1,512}$/,
  'allowed: the ARN of a managed policy, e.g. "arn:aws:iam::111122223333:policy/boundary"',
);

const vaultArn = matching(
  /^arn:aws[a-z-]*:backup:[a-z0-9-]+:\d{12}:backup-vault:[\w-]{2,50}$/,
  'allowed: the ARN of a backup vault',
);

const email = v.pipe(v.string(), v.email('allowed: an email address'));

const emails = v.pipe(
  v.array(email, 'expected a list, e.g. ["ops@example.com"]'),
  v.check((all) => new Set(all).size === all.length, 'allowed: each address once'),
);

const accountId = matching(/^\d{12}$/, 'allowed: the id of an AWS account, 12 digits');

/** Each is some 40 bytes of the 20 KB of policy that DynamoDB takes for a table. */
const maxReaderAccounts = 200;

const tableReadersSchema = v.pipe(
  configObject({
    accounts: v.optional(
      v.pipe(
        v.array(accountId),
        v.minLength(1, 'allowed: one account or more'),
        v.maxLength(
          maxReaderAccounts,
          `allowed: at most ${maxReaderAccounts} accounts; organizationId names all of an organization`,
        ),
        v.check((all) => new Set(all).size === all.length, 'allowed: each account once'),
      ),
    ),
    organizationId: v.optional(
      matching(/^o-[a-z0-9]{10,32}$/, 'allowed: the id of an organization, e.g. "o-a1b2c3d4e5"'),
    ),
    /**
     * With several regions: the first part of the names of the tables that get the policies. They
     * must exist in all regions. CloudFormation cannot create a replica and give it a policy in one
     * update.
     */
    tables: v.optional(v.string()),
  }),
  v.check(
    ({ accounts, organizationId }) => accounts !== undefined || organizationId !== undefined,
    'allowed: accounts, organizationId or both',
  ),
);

/** Who may read the tables from another account. */
export type TableReaders = Readonly<v.InferOutput<typeof tableReadersSchema>>;

const tagText = (maximum: number) =>
  v.pipe(
    v.string(),
    v.regex(/^[\w .:/=+@-]+$/, 'allowed: letters, digits, spaces and _.:/=+-@'),
    v.maxLength(maximum, `allowed: at most ${maximum} characters`),
  );

const tagName = v.pipe(
  tagText(128),
  v.check((name) => !/^aws:/i.test(name), 'allowed: a name that does not begin with "aws:"'),
);

/** The first is the default. */
const fairShareModes = ['enforce', 'count', 'off'] as const;

/** Requests that a rate rule of WAF lets pass. */
export const addressRate = v.pipe(
  count,
  v.minValue(10, 'allowed: 10 or more'),
  v.maxValue(2_000_000_000, 'allowed: at most 2,000,000,000'),
);

/**
 * What CloudWatch Logs accepts, from a month on: an intrusion is rarely found sooner.
 * https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html,
 * November 2026.
 */
const retentionDays = [
  30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;

/** Keys of the deployment config about running the service, each with a default. */
export const operationsEntries = {
  /**
   * API Gateway has one role for logs in an account and AWS region, for all APIs: `create` sets
   * it, `existing` leaves the one that another stack has set. Left out, it is `create`, with a warning
   * of synthesis.
   */
  apiGatewayLogRole: v.optional(v.picklist(['create', 'existing'])),
  /** The only principal that may change the policy of a signing key; the account's root user if left out. */
  breakGlassRoleArn: v.optional(roleArn),
  /** The most that any role of the stacks may do, regardless of its own policies. */
  permissionsBoundaryArn: v.optional(policyArn),
  /**
   * Concurrent executions kept for a function, which gets no more, so that a flood on one leaves the
   * others alone. Unset by default: a new account has 10 in all.
   */
  reservedConcurrency: v.optional(
    configObject({
      token: v.optional(count),
      discovery: v.optional(count),
      jwks: v.optional(count),
      /** 60 with `management.stackReach`, and in the portal's region, for each of whose pages it runs. */
      management: v.optional(reservation),
    }),
    {},
  ),
  /** The token function's size; docs/performance.md and docs/cost.md say what it changes. */
  tokenFunction: v.optional(
    configObject({
      /**
       * Megabytes. 1,769 MB give one full vCPU; with less memory, a request takes proportionally
       * longer.
       */
      memory: v.optional(
        v.pipe(
          count,
          v.minValue(256, 'allowed: 256 MB or more'),
          v.maxValue(10_240, "allowed: at most 10,240 MB, which is Lambda's limit"),
        ),
        1769,
      ),
      /** Instances that are always started in each region, so no request waits for a start. */
      provisionedConcurrency: v.optional(count),
    }),
    {},
  ),
  /** A web ACL in front of the API. None by default, because it has a monthly price. */
  webAcl: v.optional(
    configObject({
      /** Requests to the token path in five minutes from one source address. WAF takes 10 or more. */
      tokenRequestsPerFiveMinutes: addressRate,
      /**
       * The same of /health. A checker of Route 53 asks ten times in five minutes for each health
       * check; the rest is room for checks and monitors of others.
       */
      healthRequestsPerFiveMinutes: v.optional(addressRate, 100),
      /** Token requests with one `Authorization` header. None are throttled by default. */
      tokenRequestsPerCredential: v.optional(
        configObject({
          perMinute: addressRate,
          action: v.optional(v.picklist(['count', 'block'], 'allowed: count or block'), 'block'),
        }),
      ),
    }),
  ),
  /** What one client may take of the token path, in each instance of the token function. */
  fairShare: v.optional(
    configObject({
      /** Whether a client that asks for too much gets 429, is only named in the log, or neither. */
      mode: v.optional(
        v.picklist(fairShareModes, `allowed: ${fairShareModes.join(', ')}`),
        fairShareModes[0],
      ),
      /**
       * New tokens a minute of one client. An instance serves 600 requests a minute at most; a client
       * that keeps its tokens and has 200 processes gets as many when all start at once.
       */
      signsPerMinute: v.optional(v.pipe(count, v.minValue(10, 'allowed: 10 or more')), 240),
    }),
    {},
  ),
  /**
   * Requests a second that API Gateway allows all APIs of the account and AWS region; if left out, the
   * least of AWS's defaults in the regions.
   */
  apiGatewayQuota: v.optional(count),
  /** Asymmetric KMS calls a second of the account and AWS region; KMS's default if left out. */
  kmsSignQuota: v.optional(count, defaultKmsSignQuota),
  /**
   * Requests a second, and at once, that API Gateway lets through to each of these paths in each
   * region. If left out, the token path has 80 % of `kmsSignQuota`, and twice the quota if executions
   * are reserved for it and `fairShare` is enforced; documents have 20 % of `apiGatewayQuota`, or 2,000.
   */
  throttles: v.optional(
    configObject({ token: v.optional(throttle), documents: v.optional(throttle) }),
    {},
  ),
  /** Days that CloudWatch keeps each log; longer than a year by default, for a late investigation. */
  logRetentionDays: v.optional(v.picklist(retentionDays), 400),
  /**
   * Whether X-Ray traces requests and runs. Off by default: traces have API Gateway and Lambda, whose
   * times the logs have for every request, and are a third of the price of a token.
   */
  tracing: v.optional(v.picklist(['on', 'off']), 'off'),
  /** Whether the deployment has a dashboard of CloudWatch, which has a monthly price. */
  dashboard: v.optional(v.picklist(['on', 'off']), 'off'),
  /**
   * Which reports of Lambda the logs of the token, discovery and JWKS functions have: `failures`
   * leaves out what is written about each request that succeeds.
   */
  functionReports: v.optional(v.picklist(['all', 'failures']), 'all'),
  /** Addresses that receive alarms. Each must confirm its subscription. */
  alarmEmails: v.optional(emails, []),
  /**
   * Whether CloudFormation refuses to delete the stacks. Left out: if the config has a domain or
   * addresses for alarms, as a deployment has that others depend on.
   */
  terminationProtection: v.optional(v.boolean()),
  /**
   * Whether new code first gets a tenth of the requests for a while, and rolls back when an alarm
   * fires.
   */
  gradualDeployment: v.optional(v.boolean(), false),
  /**
   * Daily backups in addition to point-in-time recovery. The lock of the vault keeps each for its
   * time.
   */
  backup: v.optional(
    configObject({
      /** A week at least, to notice that a backup is needed; 400 days are past a year. */
      retentionDays: v.pipe(
        count,
        v.minValue(7, 'allowed: 7 days or more'),
        v.maxValue(400, 'allowed: at most 400 days'),
      ),
      /** A vault of another account that gets a copy of each backup. */
      copyToVaultArn: v.optional(vaultArn),
    }),
  ),
  /**
   * AWS accounts whose platform APIs read clients, API keys and identity providers, one item at a
   * time by its key. None by default: only this account.
   */
  tableReaders: v.optional(tableReadersSchema),
  /** The management function. */
  management: v.optional(
    configObject({
      /**
       * The reach of AWS accounts, roles and users. An identity of another account without an entry may
       * do nothing, and one of the deployment's own account what `default` says.
       */
      reach: v.optional(v.array(reachSchema), []),
      /** Required next to entries: a restricted person chooses which of its identities signs. */
      default: reachDefaultSchema,
      /** The reach of the alias `portal`, which may name any person. */
      portalReach: v.optional(portalReachSchema),
      /** Stacks that may declare clients. None by default. */
      stackReach: v.optional(distinct(stackReachSchema, 100)),
    }),
    {},
  ),
  /** Tags of every resource, e.g. a cost centre. */
  tags: v.optional(v.record(tagName, tagText(256)), {}),
} as const;
