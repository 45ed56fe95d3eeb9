/**
 * The first two steps of each page of docs/runbook, for a person who has only the notification.
 * `{deployment}` is the deployment's name, `{function}` the function that the alarm is about. The
 * commands run in the alarm's AWS region.
 */
export const firstSteps = {
  'api-errors':
    '1. aws logs tail /aws/apigateway/{deployment}/access --since 10m --filter-pattern \'{ $.status = "5*" }\' 2. If it began with a deployment, move the aliases of the function to the version before: aws lambda list-aliases, list-versions-by-function, update-alias --function-name {deployment}-token',
  'backup-copy-failed':
    '1. aws backup list-copy-jobs --by-state FAILED: StatusMessage has the reason. 2. Correct the policy of the vault in the other account; the next copy is tomorrow.',
  'backup-failed':
    '1. aws backup list-backup-jobs --by-state FAILED: StatusMessage has the reason. 2. Point-in-time recovery still works: aws dynamodb describe-continuous-backups --table-name {deployment}-clients',
  'certificate-expiry':
    '1. aws acm list-certificates, then describe-certificate: RenewalSummary names the record that is missing. 2. Create that CNAME record in the hosted zone of the domain.',
  'client-secret-expiry':
    "1. aws logs tail /aws/lambda/{deployment}-token --since 1d --filter-pattern '{ $.secret_expires_at = * }' 2. Tell the client's owner; the secret can be prolonged: authctl client-secret update CLIENT SECRET --expires-in 30d",
  'clock-differences':
    '1. aws logs tail /aws/lambda/{deployment}-token --since 10m --filter-pattern clock 2. Get other hosts: publish a new version of {deployment}-token and move the alias live to it.',
  'function-errors':
    "1. aws logs tail /aws/lambda/{deployment}-{function} --since 15m --filter-pattern '?ERROR ?timeout ?error' 2. If it began with a deployment, move the aliases of {deployment}-{function} to the version before; without an alias, deploy the release before.",
  'function-throttled':
    '1. aws lambda get-account-settings, and aws lambda get-function-concurrency --function-name {deployment}-{function}: which limit is reached? 2. Raise the limit in Service Quotas (Concurrent executions), or with aws lambda put-function-concurrency.',
  'gateway-throttled':
    '1. aws logs tail /aws/apigateway/{deployment}/access --since 10m --filter-pattern \'{ $.error_type = "THROTTLED" }\': one source_ip, or many? 2. One client: authctl client disable CLIENT_ID. Many clients: they recover by themselves.',
  'issuer-check-failed':
    '1. curl -v ISSUER/.well-known/openid-configuration: name, certificate or answer? 2. Compare the record of the name and its target with aws apigateway get-domain-names.',
  'jwks-empty':
    '1. authctl signing-key list: an empty table, or one that cannot be read? 2. aws logs tail /aws/lambda/{deployment}-jwks --since 10m: error_name says why. Never restore the table under its own name.',
  'kms-sign-quota':
    '1. aws logs tail /aws/lambda/{deployment}-token --since 10m --filter-pattern \'{ $.outcome = "issued" }\': which client_id has most lines? 2. Tell its owner to keep the token; request a higher quota in Service Quotas (KMS).',
  'mass-removals':
    '1. aws logs tail /aws/lambda/{deployment}-management --since 30m --filter-pattern \'{ $.outcome = "change" }\': actor and action. 2. If no one knows why: stop it with aws lambda put-function-concurrency --function-name {deployment}-management --reserved-concurrent-executions 0',
  'notices-missed':
    '1. aws logs tail /aws/lambda/{deployment}-notices --since 2d: error_message has the reason. 2. Run it again: aws lambda invoke --function-name {deployment}-notices --invocation-type Event out.json',
  'platform-authorizer':
    '1. aws logs tail of the log group of the authorizer function, --since 10m: outcome and error_message. 2. If it began with a deployment of the platform API, deploy the version before.',
  'portal-errors':
    '1. aws logs tail /aws/lambda/{deployment}-portal --since 15m --filter-pattern ERROR 2. Operators can use authctl; tokens are not affected.',
  'replication-lag':
    '1. Is the alarm signing-key-rotation-missed on in the other regions? Then this region is healthy. 2. If this region is cut off and a leaked secret was just revoked, take it out of service: it still accepts that secret.',
  'signing-key-canary-failed':
    '1. aws logs tail /aws/lambda/{deployment}-canary --since 15m: findings has region, problem and reason. 2. not_signed: see the error that reason names. absent: restart {deployment}-jwks with a new version behind its alias live.',
  'signing-key-created':
    '1. The event below has the caller (userIdentity) and errorCode, if it was refused. 2. A key with the tag authorization-server:deployment that the rotation did not make is an attack: authctl signing-key list, then withdraw KID --emergency.',
  'signing-key-deletion-scheduled':
    '1. As an administrator: aws kms cancel-key-deletion --key-id ARN, then aws kms enable-key --key-id ARN. 2. Find out how the caller (userIdentity) got past the key policy.',
  'signing-key-disabled':
    '1. authctl signing-key list --json: does the key sign? 2. A mistake: as an administrator, aws kms enable-key --key-id ARN. Otherwise leave it disabled, and treat the credentials of the caller (userIdentity) as stolen.',
  'signing-key-fallback':
    "1. aws logs tail /aws/lambda/{deployment}-token --since 10m --filter-pattern '{ $.unusable_reasons[0] = * }': the key and KMS's error. 2. DisabledException: as an administrator, aws kms enable-key --key-id ARN. AccessDeniedException: compare the key's policy and tags.",
  'signing-key-foreign-sign':
    '1. errorCode in the event: the call was refused, and no token was made. 2. Without errorCode, and a key of this service: authctl signing-key withdraw KID --emergency, then revoke the credentials of the caller (userIdentity).',
  'signing-key-grant-created':
    '1. As an administrator: aws kms list-grants --key-id ARN, then aws kms revoke-grant --key-id ARN --grant-id ID. 2. If the grantee signed: authctl signing-key withdraw KID --emergency',
  'signing-key-jwks-full':
    '1. aws logs tail /aws/lambda/{deployment}-key-rotation --since 15m: waits_for_room says which key leaves, and when. 2. Find out who disables keys: CloudTrail, DisableKey and ScheduleKeyDeletion.',
  'signing-key-overdue':
    '1. aws logs tail /aws/lambda/{deployment}-key-rotation --since 15m: refused names the key, the region and the reason. 2. authctl signing-key plan shows the step that waits.',
  'signing-key-policy-changed':
    '1. errorCode in the event: the call was refused. 2. Otherwise: aws kms get-key-policy --key-id ARN --policy-name default. If no one knows why it changed: authctl signing-key withdraw KID --emergency',
  'signing-key-refused':
    '1. aws logs tail /aws/lambda/{deployment}-canary --since 1h: faults says what is wrong with the key. 2. grants, Origin, MultiRegion or KeyManager: treat it as an attack. key policy after a change of the config: nothing to do.',
  'signing-key-removal-refused':
    '1. aws logs tail /aws/lambda/{deployment}-key-rotation --since 1h --filter-pattern withdraw_refused: actor and reason. 2. If the key is compromised: authctl signing-key withdraw KID --emergency',
  'signing-key-rotation-missed':
    '1. aws logs tail /aws/lambda/{deployment}-key-rotation --since 1h: error_message of reconcile_failed. No lines: is its rule of EventBridge enabled? 2. Nothing is broken for a day; authctl signing-key plan shows what is due.',
  'signing-key-untagged':
    '1. errorCode in the event: the call was refused. 2. Otherwise, with the break-glass role: aws kms tag-resource --key-id ARN --tags TagKey=authorization-server:deployment,TagValue={deployment}. Tokens are issued again within minutes.',
  'synthetic-check-failed':
    '1. aws lambda invoke --function-name {deployment}-synthetic-check /dev/stdout: step and reason. 2. token with 503: aws logs tail /aws/lambda/{deployment}-token --since 10m. No answer: curl -v the address of the region with /health.',
  'table-throttled':
    '1. aws dynamodb update-contributor-insights --table-name TABLE --contributor-insights-action ENABLE shows the item that is read most. 2. Tell the owner of that client to keep its token. Tables scale up within minutes.',
  'token-latency':
    '1. Compare AWS/Lambda Duration of {deployment}-token with SuccessfulRequestLatency of DynamoDB, and look at AWS Health. 2. Many cold starts mean a flood: see which client asks for a token for each call.',
  'token-refusals':
    "1. aws logs tail /aws/lambda/{deployment}-token --since 10m --filter-pattern '{ $.status = 400 || $.status = 401 }': reason and client_id. 2. All clients since a deployment: move the alias live of {deployment}-token to the version before. One client or address: a mistake of it.",
  'token-unavailable':
    "1. aws logs tail /aws/lambda/{deployment}-token --since 10m --filter-pattern '{ $.status = 503 }': error_name and error_message name the service, the key and the reason. 2. DisabledException: as an administrator, aws kms enable-key --key-id ARN. Throttling: wait, or raise the quota. It began with a deployment: go back.",
  'unverifiable-signatures':
    '1. authctl signing-key list --json, then aws kms get-public-key --key-id ARN: a stored key that differs was forged. 2. authctl signing-key rotate lets the next key sign.',
} as const satisfies Readonly<Record<string, string>>;

/** A page of docs/runbook. */
export type AlarmPage = keyof typeof firstSteps;
