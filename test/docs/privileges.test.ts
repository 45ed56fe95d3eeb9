import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { evaluateRequest, type PolicyDocument } from '../../lab/emulator/iam/evaluate-request.ts';
import { markdownFiles, readPage, root } from '../../lab/support/markdown.ts';
import { resourcesOf, settingsOf, singleRegion } from '../lib/synthesise.ts';

/*
 * What pages say about who may run a command of AWS, next to the policies that decide: that of the
 * signing keys, as the rotation gets it from the stack, and the service control policy.
 */

const account = '111122223333';
const all = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };

let keyPolicy: PolicyDocument;
let serviceControl: PolicyDocument;
beforeAll(() => {
  const rotation = Object.values(resourcesOf(singleRegion(), 'AWS::Lambda::Function')).find(
    ({ Properties }) => Properties['FunctionName'] === 'authorization-server-key-rotation',
  );
  const text = JSON.stringify(settingsOf(rotation?.Properties).keyPolicy);
  const named = text.replaceAll(/\{AWS::(\w+)\}/g, (_, name: string) =>
    name === 'AccountId' ? account : 'aws',
  );
  keyPolicy = JSON.parse(named) as PolicyDocument;
  const file = resolve(root, 'docs/service-control-policy.json');
  serviceControl = JSON.parse(readFileSync(file, 'utf8')) as PolicyDocument;
});

/** A command of AWS in a page, and the words around it. */
interface Command {
  readonly page: string;
  /** E.g. `kms:EnableKey`. */
  readonly action: string;
  readonly words: string;
}

/** The item, paragraph or table row of each command; of a block, also the paragraph before it. */
function commandsOf(page: string, text: string): readonly Command[] {
  const parts = text
    .replaceAll(/\n\n(?:<!--.*-->\n)?```/g, '\n```')
    .split(/\n\n|\n(?=\s*(?:- |\d+\. |\|))/);
  return parts.flatMap((words) =>
    [...words.matchAll(/\baws (kms|dynamodb|lambda) ([a-z]+(?:-[a-z\d]+)+)/g)].map(
      ([, service = '', operation = '']) => {
        const name = operation.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) =>
          letter.toUpperCase(),
        );
        return { page, action: `${service}:${name}`, words };
      },
    ),
  );
}

const resources: Readonly<Record<string, string>> = {
  kms: `arn:aws:kms:us-west-2:${account}:key/1234abcd-12ab-34cd-56ef-1234567890ab`,
  dynamodb: `arn:aws:dynamodb:us-west-2:${account}:table/authorization-server-signing-keys`,
  lambda: `arn:aws:lambda:us-west-2:${account}:function:authorization-server-token`,
};

/** Whether IAM lets an administrator of the account do it to what belongs to the service. */
async function mayAdministrator(action: string, withServiceControl: boolean): Promise<boolean> {
  const principal = `arn:aws:iam::${account}:role/administrator`;
  const service = action.split(':')[0] ?? '';
  const { result } = await evaluateRequest(
    {
      identity: [{ name: 'AdministratorAccess', document: all }],
      ...(service === 'kms' && { resource: { name: 'key', document: keyPolicy } }),
      ...(withServiceControl && { serviceControl: [{ name: 'ours', document: serviceControl }] }),
    },
    {
      principal,
      action,
      // It has no resource.
      resource: action === 'kms:ListKeys' ? '*' : (resources[service] ?? '*'),
      account,
      context: {
        'aws:PrincipalArn': principal,
        [`aws:RequestTag/${kmsKeyTags.deployment}`]: 'authorization-server',
        'kms:ScheduleKeyDeletionPendingWindowInDays': '30',
      },
    },
  );
  return result === 'Allowed';
}

const breakGlass = /break-glass/;

describe('a page that names a command of AWS', () => {
  const commands = markdownFiles().flatMap((page) => commandsOf(page, readPage(page)));

  it('asks for the break-glass role if the policy of a signing key denies it to others', async () => {
    const ofKeys = commands.filter(({ action }) => action.startsWith('kms:'));
    expect(ofKeys.length).toBeGreaterThan(15);
    const silent = await Promise.all(
      ofKeys.map(async ({ page, action, words }) => {
        const isDenied = !(await mayAdministrator(action, false));
        return isDenied && !breakGlass.test(words) ? [`${page}: ${action}`] : [];
      }),
    );
    expect(silent.flat()).toEqual([]);
  });

  it('lets no one wait for the break-glass role if an administrator may', async () => {
    const waiting = commands.filter(({ words }) => breakGlass.test(words));
    expect(waiting.length).toBeGreaterThan(2);
    const groups = Map.groupBy(waiting, ({ page, words }) => `${page}: ${words}`);
    const needless = await Promise.all(
      [...groups].map(async ([group, members]) => {
        const allowed = members.map(({ action }) => mayAdministrator(action, true));
        return (await Promise.all(allowed)).includes(false) ? [] : [group];
      }),
    );
    expect(needless.flat()).toEqual([]);
  });
});
