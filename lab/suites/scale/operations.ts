import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { bindFunction } from '../../../adapters/bind-management.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { openJsonDynamoDb } from '../../../adapters/dynamodb/clients/json-documents.ts';
import { FunctionClient } from '../../../adapters/management-function.ts';
import { openManagementTables } from '../../../adapters/management-tables.ts';
import { clientCommands } from '../../../cli/commands/client.ts';
import { tableCommands } from '../../../cli/commands/table.ts';
import { openTableContext } from '../../../cli/open-table-context.ts';
import { openTables } from '../../../cli/open-tables.ts';
import { Output } from '../../../cli/output.ts';
import threeRegions from '../../../config/three-regions.json' with { type: 'json' };
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { parseManagementRequest } from '../../../contract/management/request.ts';
import type { ManagementAlias } from '../../../contract/management/roles.ts';
import { apiKeyUseTableName } from '../../../contract/tables.ts';
import { answerManagementRequest } from '../../../core/management/requests/answer-request.ts';
import { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { answerParent } from '../../support/child-script.ts';
import { stepLimit } from '../../support/hang-limit.ts';
import * as generated from './generated-tables.ts';

/*
 * The product over the wire server, in a process of its own: management as its function runs it, the
 * commands of authctl, and the look-ups of a platform API.
 */

// A busy machine is not the product: what is long here is judged by its CPU time.
for (const profile of Object.values(callProfiles)) {
  Object.assign(profile, { connectionTimeout: stepLimit, requestTimeout: stepLimit });
}
const { smallest, largest, issuer } = generated;
const size = Number(process.env['SCALE_SIZE']);
const endpoint = process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '';
const config = parseDeploymentConfig({
  ...threeRegions,
  regions: { slc: threeRegions.regions.slc },
  management: { portalReach: { administrators: true } },
});
const createContext = openManagementTables({
  config,
  open: openJsonDynamoDb(process.env, 'request'),
});

async function ask(alias: ManagementAlias, text: string): Promise<unknown> {
  const request = parseManagementRequest(text);
  if (request === undefined) throw new Error(`no request: ${text}`);
  const arn = 'arn:aws:sts::111122223333:assumed-role/operator/ada';
  const caller = { alias, account: '111122223333', arn };
  return JSON.parse(JSON.stringify(await answerManagementRequest(createContext, caller, request)));
}

const wait = async () => nextTurn();
const staff = bindFunction(new FunctionClient({ ask, alias: 'administrator', wait }));
const portal = bindFunction(new FunctionClient({ ask, alias: 'portal', wait }));
const customer = (group: string) =>
  portal.forCaller({
    actor: async () => 'https://login.example.com#ada',
    role: 'manager',
    trunkGroups: [group],
  });
const createFor = async ({ group }: { readonly group: string }) => {
  const input = { name: 'new', serviceTrunkGroup: group, scopes: ['messaging:view'] };
  await customer(group).createClient(input);
};

/** A command of authctl, without a process of its own. What it prints is counted. */
async function runCommand(
  commands: typeof clientCommands,
  name: string,
  args: readonly string[],
  options: object,
): Promise<{ readonly hadPrinted: boolean; readonly printed: number }> {
  let [printed, hadPrinted] = [0, false];
  const stdout = { write: (text: string) => (printed += text.length) > 0 };
  const output = new Output({ stdout, stderr: { write: () => true }, env: {} } as never, {
    json: true,
  });
  const aws = { region: 'us-west-2', endpointDynamoDb: endpoint };
  const deployment = { config, aws, through: 'tables' } as never;
  const cli = {
    output,
    management: staff,
    options: {},
    now: () => Math.floor(Date.now() / 1000),
    deployment: () => ({ config }),
    tables: async () => openTables(deployment),
    tableContext: async () => ({
      ...openTableContext(deployment, {} as never),
      actor: async () => 'arn:aws:sts::111122223333:assumed-role/operator/ada',
    }),
    confirm: async () => {
      hadPrinted = printed > 0;
    },
    answerNo: () => undefined,
  };
  const command = commands.commands.find((one) => one.name === name);
  await command?.run(cli as never, args as never, options as never);
  return { printed, hadPrinted };
}

/** Calls of two processes with keys of which a few are used often: 1 / rank. */
async function useKeys(calls: number): Promise<string> {
  const apiKeyUsesTable = apiKeyUseTableName(config.name);
  const processes = [0, 1].map(() =>
    createDynamoDbLookups({ tables: config.name, apiKeyUsesTable }),
  );
  const now = Math.floor(Date.now() / 1000);
  const used = new Set<string>();
  for (let call = 0; call < calls; call++) {
    const key = generated.keyId(Math.floor(size ** Math.random()) - 1);
    used.add(key);
    processes[call % 2]?.apiKeys.recordUse?.({ keyId: key, valueId: key }, now);
    // A use is left out while 16 are being recorded.
    await sleep(1);
  }
  await sleep(1000);
  for (const one of processes) one.close();
  return String(used.size);
}

/** What is done, and a remark about it. */
const operations: Readonly<Record<string, () => Promise<string | void>>> = {
  findClient: async () => {
    await staff.findClient(generated.clientId(Math.floor(size / 2)));
  },
  'a customer lists its clients': async () => {
    await customer(smallest.group).listClients();
  },
  'a customer creates a client': () => createFor(smallest),
  'the largest customer creates a client': () => createFor(largest),
  'a customer reads a page of the audit': async () => {
    const page = await customer(smallest.group).listAudit({ day: generated.dayOf(1) });
    return `${page.items.length} changes`;
  },
  'staff finds a secret by its id': async () => {
    const page = await staff.listClients({ text: generated.secretId(size - 1) });
    if (page.items.length !== 1) throw new Error('it was not found');
  },
  'tokens of a provider, 2,000': async () => {
    const lookups = createDynamoDbLookups({ tables: config.name });
    for (let token = 0; token < 2000; token++) {
      await lookups.providers.identityProviders.findIdentityProvider(issuer);
    }
    lookups.close();
  },
  'calls with API keys, 10,000': () => useKeys(10_000),
  'authctl client list --json': async () => {
    const { printed } = await runCommand(clientCommands, 'list', [], {});
    return `${printed} characters`;
  },
  'authctl table restore clients': async () => {
    const { hadPrinted } = await runCommand(tableCommands, 'restore', ['clients'], {
      from: `${config.name}-few-clients`,
      restorePoint: generated.restorePoint,
    });
    return hadPrinted ? 'reported before' : 'reported after';
  },
};

/** What one operation took of this process. */
export interface Taken {
  readonly cpuMs: number;
  /** Megabytes above those before, at most. */
  readonly heapMb: number;
  /** What failed, or a remark. */
  readonly failure: string | undefined;
  readonly remark: string;
}

async function measure(name: string): Promise<Taken> {
  // A young generation that is full says nothing: what is held is.
  const heldMb = () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = heldMb();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, heldMb());
  }, 1000);
  const cpu = process.cpuUsage();
  let [failure, remark]: [string | undefined, string] = [undefined, ''];
  try {
    remark = (await operations[name]?.()) || '';
  } catch (error) {
    failure = String(error).slice(0, 200);
  }
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(watch);
  const cpuMs = Math.round((user + system) / 1000);
  return { cpuMs, heapMb: Math.round(most - before), failure, remark };
}

answerParent({}, measure);
