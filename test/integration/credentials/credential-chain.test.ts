import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  credentialChain,
  profileCredentials,
  profileRegion,
} from '../../../adapters/credentials/credential-chain.ts';
import { type Answer, answer, startScriptedService } from '../aws-json/scripted-service.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function write(name: string, content: string): string {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  return file;
}

async function start(script: readonly Answer[]) {
  const service = await startScriptedService(script);
  onTestFinished(() => service.close());
  return service;
}

/** A home folder without profiles, so that the machine's own files play no part. */
function emptyHome() {
  return { HOME: temporaryFolder() };
}

function text(status: number, body: string): Answer {
  return (response) => response.writeHead(status).end(body);
}

function stsAnswer(id: string): Answer {
  return text(
    200,
    `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><Credentials>
        <AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s/+=</SecretAccessKey>
        <SessionToken>t</SessionToken><Expiration>${inAnHour()}</Expiration>
      </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`,
  );
}

describe('credentials of a Kubernetes service account (IRSA)', () => {
  async function irsa(script: readonly Answer[]) {
    const sts = await start(script);
    const provide = credentialChain({
      ...emptyHome(),
      AWS_REGION: 'us-west-2',
      AWS_ENDPOINT_URL_STS: sts.url,
      AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/messages-api',
      AWS_WEB_IDENTITY_TOKEN_FILE: write('token', 'header.payload.signature\n'),
      // Set on every node of EKS: the pod's own role comes first.
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9',
    });
    return { sts, provide };
  }

  it('come from STS for the token of the file, once', async () => {
    const { sts, provide } = await irsa([stsAnswer('A')]);
    expect(await provide()).toMatchObject({
      accessKeyId: 'A',
      secretAccessKey: 's/+=',
      sessionToken: 't',
    });
    await provide();
    expect(sts.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      {
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: 'arn:aws:iam::111122223333:role/messages-api',
        RoleSessionName: 'authorization-server-verifier',
        WebIdentityToken: 'header.payload.signature',
      },
    ]);
  });

  it('are refused with the role and the code of STS, never with what STS wrote', async () => {
    const { provide } = await irsa([
      text(403, '<Error><Code>AccessDenied</Code><Message>secret.token.text</Message></Error>'),
    ]);
    const error = await Promise.resolve(provide()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: 'STS refuses the role arn:aws:iam::111122223333:role/messages-api: AccessDenied',
      $metadata: { httpStatusCode: 403 },
    });
  });

  it('are refused if STS answers with something else', async () => {
    const { provide } = await irsa([text(200, '<html>maintenance</html>')]);
    await expect(provide()).rejects.toThrow('STS answered without AccessKeyId');
  });
});

describe('credentials of an instance', () => {
  const token: Answer = text(200, 'session-token');
  const role: Answer = text(200, 'messages-api\n');
  const credentials = (): Answer =>
    answer(200, {
      Code: 'Success',
      AccessKeyId: 'A',
      SecretAccessKey: 's',
      Token: 't',
      Expiration: inAnHour(),
    });

  async function instance(script: readonly Answer[]) {
    const metadata = await start(script);
    const provide = credentialChain({
      ...emptyHome(),
      AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url,
    });
    return { metadata, provide };
  }

  it('come by version 2 of the metadata service: each read carries the session token', async () => {
    const { metadata, provide } = await instance([token, role, credentials()]);
    expect(await provide()).toMatchObject({ accessKeyId: 'A', sessionToken: 't' });
    const seen = metadata.requests.map(({ headers }) => [
      headers['x-aws-ec2-metadata-token-ttl-seconds'],
      headers['x-aws-ec2-metadata-token'],
    ]);
    expect(seen).toEqual([
      ['60', undefined],
      [undefined, 'session-token'],
      [undefined, 'session-token'],
    ]);
  });

  it.each([
    ['has no role', [token, text(404, '')], /metadata service answered 404/],
    ['answers no JSON', [token, role, text(200, 'x')], /answered without credentials/],
    ['answers an error', [token, role, answer(200, { Code: 'Failed' })], /without credentials/],
  ] as const)('are refused if the service %s', async (_, script, message) => {
    const { provide } = await instance(script);
    await expect(provide()).rejects.toThrow(message);
  });

  it('are not asked for if the environment forbids it', () => {
    const provide = credentialChain({ ...emptyHome(), AWS_EC2_METADATA_DISABLED: 'true' });
    expect(provide).toThrow('there are none');
  });
});

describe('credentials of a profile', () => {
  /** The SDK reads the process's own variables. */
  function useProfile(profile: string, credentials: string) {
    const variables = {
      AWS_PROFILE: profile,
      AWS_SHARED_CREDENTIALS_FILE: write('credentials', credentials),
      AWS_CONFIG_FILE: write('config', ''),
    };
    const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
    onTestFinished(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    Object.assign(process.env, variables);
  }

  it('come from the SDK, also if there are keys in the environment', async () => {
    useProfile('dev', '[dev]\naws_access_key_id = PROFILE\naws_secret_access_key = s\n');
    const provide = credentialChain({ ...process.env, AWS_ACCESS_KEY_ID: 'ENVIRONMENT' });
    expect(await provide()).toMatchObject({ accessKeyId: 'PROFILE' });
  });

  it('are an error while their source hangs, and are asked for again', async () => {
    const hanging = write('hanging', '');
    const json = '{"Version":1,"AccessKeyId":"LATE","SecretAccessKey":"s"}';
    const program = write('source.sh', `[ -e ${hanging} ] && exec sleep 60\necho '${json}'\n`);
    useProfile('slow', `[slow]\ncredential_process = sh ${program}\n`);
    const provide = profileCredentials(300);
    // The cause makes it a failure of the service, which is answered 503, and no fault of the program.
    await expect(provide()).rejects.toMatchObject({
      message: 'the source of the profile does not answer',
      cause: { name: 'TimeoutError' },
    });
    rmSync(hanging);
    const found = async () => (await provide()).accessKeyId;
    await expect.poll(() => found().catch(String)).toBe('LATE');
  });

  it('have the region of their section', () => {
    const file = write(
      'config',
      '[default]\nregion=eu-west-1\n[profile dev]\noutput = json\nregion = us-west-2\n',
    );
    expect(profileRegion({ AWS_CONFIG_FILE: file })).toBe('eu-west-1');
    expect(profileRegion({ AWS_CONFIG_FILE: file, AWS_PROFILE: 'dev' })).toBe('us-west-2');
    expect(profileRegion({ AWS_CONFIG_FILE: file, AWS_PROFILE: 'other' })).toBeUndefined();
    expect(profileRegion({ AWS_CONFIG_FILE: `${file}-missing` })).toBeUndefined();
  });
});
