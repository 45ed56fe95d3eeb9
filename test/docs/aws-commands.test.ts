import { describe, expect, it } from 'vitest';
import { codeBlocks, isShell, markdownFiles, readPage } from '../../lab/support/markdown.ts';

/**
 * The commands of the AWS CLI that the documentation has, each with the options that it refuses
 * to go without, as the service models of the CLI say. No account is at hand to run them.
 */
const requiredOptions: Readonly<Record<string, readonly string[]>> = {
  'acm describe-certificate': ['--certificate-arn'],
  'acm list-certificates': [],
  'acm request-certificate': ['--domain-name'],
  'apigateway create-base-path-mapping': ['--domain-name', '--rest-api-id'],
  'apigateway get-base-path-mappings': ['--domain-name'],
  'apigateway update-domain-name': ['--domain-name'],
  'backup describe-backup-job': ['--backup-job-id'],
  'backup list-backup-jobs': [],
  'backup list-copy-jobs': [],
  'backup start-backup-job': ['--backup-vault-name', '--resource-arn', '--iam-role-arn'],
  'backup list-recovery-points-by-backup-vault': ['--backup-vault-name'],
  'backup start-restore-job': ['--recovery-point-arn', '--metadata'],
  'cloudtrail lookup-events': [],
  'cognito-idp describe-resource-server': ['--user-pool-id', '--identifier'],
  'cognito-idp list-resource-servers': ['--user-pool-id', '--max-results'],
  'cognito-idp describe-user-pool-client': ['--user-pool-id', '--client-id'],
  'cognito-idp list-user-pool-clients': ['--user-pool-id'],
  'backup start-copy-job': [
    '--recovery-point-arn',
    '--source-backup-vault-name',
    '--destination-backup-vault-arn',
    '--iam-role-arn',
  ],
  'backup update-global-settings': [],
  'backup update-region-settings': [],
  'cloudformation delete-stack': ['--stack-name'],
  'cloudformation describe-stack-events': ['--stack-name'],
  'cloudformation update-termination-protection': ['--stack-name'],
  'cloudformation wait': ['--stack-name'],
  'cloudwatch set-alarm-state': ['--alarm-name', '--state-value', '--state-reason'],
  'deploy list-deployments': [],
  'deploy stop-deployment': ['--deployment-id'],
  'dynamodb delete-item': ['--table-name', '--key'],
  'dynamodb delete-table': ['--table-name'],
  'dynamodb describe-table': ['--table-name'],
  'dynamodb list-backups': [],
  'dynamodb restore-table-from-backup': ['--target-table-name', '--backup-arn'],
  'dynamodb update-continuous-backups': ['--table-name', '--point-in-time-recovery-specification'],
  'dynamodb restore-table-to-point-in-time': ['--target-table-name'],
  'dynamodb put-item': ['--table-name', '--item'],
  'dynamodb scan': ['--table-name'],
  'dynamodb update-item': ['--table-name', '--key'],
  'dynamodb update-table': ['--table-name'],
  'dynamodb wait': ['--table-name'],
  'eks describe-cluster': ['--name'],
  'iam create-policy': ['--policy-name', '--policy-document'],
  'iam delete-role-policy': ['--role-name', '--policy-name'],
  'iam enable-outbound-web-identity-federation': [],
  'iam delete-policy': ['--policy-arn'],
  'iam delete-policy-version': ['--policy-arn', '--version-id'],
  'iam detach-group-policy': ['--group-name', '--policy-arn'],
  'iam detach-role-policy': ['--role-name', '--policy-arn'],
  'iam detach-user-policy': ['--user-name', '--policy-arn'],
  'iam list-entities-for-policy': ['--policy-arn'],
  'iam get-account-summary': [],
  'iam list-policies': [],
  'iam list-policy-versions': ['--policy-arn'],
  'iam list-roles': [],
  'iam put-role-policy': ['--role-name', '--policy-name', '--policy-document'],
  'iam get-outbound-web-identity-federation-info': [],
  'kms cancel-key-deletion': ['--key-id'],
  'kms describe-key': ['--key-id'],
  'kms enable-key': ['--key-id'],
  'kms get-key-policy': ['--key-id'],
  'kms get-public-key': ['--key-id'],
  'kms list-grants': ['--key-id'],
  'kms list-keys': [],
  'kms put-key-policy': ['--key-id', '--policy'],
  'kms revoke-grant': ['--key-id', '--grant-id'],
  'kms schedule-key-deletion': ['--key-id'],
  'kms tag-resource': ['--key-id', '--tags'],
  'kms sign': ['--key-id', '--message', '--signing-algorithm'],
  'sts get-caller-identity': [],
  'lambda delete-function': ['--function-name'],
  'lambda delete-function-concurrency': ['--function-name'],
  'lambda delete-provisioned-concurrency-config': ['--function-name', '--qualifier'],
  'lambda get-function-configuration': ['--function-name'],
  'lambda get-alias': ['--function-name', '--name'],
  'lambda invoke': ['--function-name'],
  'lambda list-aliases': ['--function-name'],
  'lambda list-versions-by-function': ['--function-name'],
  'lambda publish-version': ['--function-name'],
  'lambda put-function-concurrency': ['--function-name', '--reserved-concurrent-executions'],
  'lambda put-provisioned-concurrency-config': [
    '--function-name',
    '--qualifier',
    '--provisioned-concurrent-executions',
  ],
  'lambda update-alias': ['--function-name', '--name'],
  'lambda update-function-configuration': ['--function-name'],
  'lambda wait': ['--function-name'],
  'logs describe-log-groups': [],
  'logs filter-log-events': [],
  'logs get-query-results': ['--query-id'],
  'logs put-subscription-filter': [
    '--log-group-name',
    '--filter-name',
    '--filter-pattern',
    '--destination-arn',
  ],
  'logs start-query': ['--log-group-name', '--start-time', '--end-time', '--query-string'],
  'ce get-cost-and-usage': ['--time-period', '--granularity', '--metrics'],
  'secretsmanager create-secret': ['--name'],
  'secretsmanager put-secret-value': ['--secret-id'],
  'sts get-web-identity-token': ['--audience', '--signing-algorithm'],
  'route53 list-resource-record-sets': ['--hosted-zone-id'],
};

interface AwsCommand {
  readonly page: string;
  readonly name: string;
  readonly text: string;
}

const pattern = /\baws ([a-z0-9-]+) ([a-z0-9-]+)([^;&|`]*)/g;

/** Commands of shell blocks, and those in running text that have an option. */
function awsCommands(page: string): readonly AwsCommand[] {
  const text = readPage(page);
  const blocks = codeBlocks(text).filter(isShell);
  const scripts = blocks.map(({ lines }) => lines.join('\n').replaceAll('\\\n', ' '));
  const inline = [...text.matchAll(/`(aws [^`]+ --[^`]+)`/g)].map(([, code = '']) => code);
  const lines = [...scripts.flatMap((script) => script.split('\n')), ...inline];
  return lines.flatMap((line) =>
    [...line.matchAll(pattern)].map(([command = '', service, operation]) => ({
      page,
      name: `${service} ${operation}`,
      text: command,
    })),
  );
}

const commands = markdownFiles().flatMap(awsCommands);

describe('the commands of the AWS CLI in the documentation', () => {
  it('are found', () => {
    expect(commands.length).toBeGreaterThan(30);
  });

  it.each(commands.map((command) => [command.page, command.text, command] as const))(
    '%s: %s has what it needs',
    (_page, _text, { name, text }) => {
      const required = requiredOptions[name];
      expect(required, `${name} is not in the list of this test`).toBeDefined();
      // Names, so that --function-name is not taken for --function-names.
      const given = text.split(/[\s=]+/).filter((word) => word.startsWith('--'));
      expect((required ?? []).filter((option) => !given.includes(option))).toEqual([]);
    },
  );
});
