import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  credentialChain,
  packageCredentials,
  profileRegion,
} from '../../../adapters/credentials/credential-chain.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Answer, answer, startScriptedService } from '../aws-json/scripted-service.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

function write(name: string, content: string): string {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, content);
  return file;
}

async function start(script: readonly Answer[]) {
  const service = await startScriptedService(script);
  onTestFinished(() => service.close());
  return service;
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

/** AWS's package reads the process's own variables. */
function useEnvironment(variables: Readonly<Record<string, string>>) {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, variables);
  return credentialChain(variables);
}

/** A folder without profiles, so that the machine's own files play no part. */
function withoutProfiles() {
  const file = join(temporaryDirectory(), 'none');
  return { AWS_CONFIG_FILE: file, AWS_SHARED_CREDENTIALS_FILE: file };
}

/** Of the request for a session token, which version 1 does not know. */
const tokenLife = 'x-aws-ec2-metadata-token-ttl-seconds';

describe('credentials of a role, by the package of AWS', () => {
  it('come from STS for the token of a Kubernetes service account, before the agent of its node', async () => {
    const sts = await start([stsAnswer('A')]);
    const provide = useEnvironment({
      ...withoutProfiles(),
      AWS_REGION: 'us-west-2',
      AWS_ENDPOINT_URL_STS: sts.url,
      AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/messages-api',
      AWS_WEB_IDENTITY_TOKEN_FILE: write('token', 'header.payload.signature'),
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9',
    });
    expect(await provide()).toMatchObject({ accessKeyId: 'A', secretAccessKey: 's/+=' });
    await provide();
    expect(sts.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      expect.objectContaining({
        Action: 'AssumeRoleWithWebIdentity',
        RoleArn: 'arn:aws:iam::111122223333:role/messages-api',
        WebIdentityToken: 'header.payload.signature',
      }),
    ]);
  });

  it('come from an instance by version 2 of its metadata only', async () => {
    const found = {
      Code: 'Success',
      AccessKeyId: 'A',
      SecretAccessKey: 's',
      Token: 't',
      Expiration: inAnHour(),
    };
    const metadata = await start([text(200, 'session'), text(200, 'role'), answer(200, found)]);
    const instance = { ...withoutProfiles(), AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url };
    expect(await useEnvironment(instance)()).toMatchObject({ accessKeyId: 'A', sessionToken: 't' });
    const tokens = metadata.requests.map(({ headers }) => headers['x-aws-ec2-metadata-token']);
    expect(tokens).toEqual([undefined, 'session', 'session']);
    const old = await start([text(404, '')]);
    const provide = useEnvironment({ ...instance, AWS_EC2_METADATA_SERVICE_ENDPOINT: old.url });
    await expect(provide()).rejects.toThrow();
    expect(old.requests.every(({ headers }) => tokenLife in headers)).toBe(true);
  });
});

describe('credentials of a profile', () => {
  function useProfile(profile: string, credentials: string) {
    return useEnvironment({
      AWS_PROFILE: profile,
      AWS_ACCESS_KEY_ID: 'ENVIRONMENT',
      AWS_SHARED_CREDENTIALS_FILE: write('credentials', credentials),
      AWS_CONFIG_FILE: write('config', ''),
    });
  }

  it('come from the SDK, also if there are keys in the environment', async () => {
    const keys = '[dev]\naws_access_key_id = PROFILE\naws_secret_access_key = s\n';
    expect(await useProfile('dev', keys)()).toMatchObject({ accessKeyId: 'PROFILE' });
  });

  it('are an error while their source hangs, and are asked for again', async () => {
    const hanging = write('hanging', '');
    const json = '{"Version":1,"AccessKeyId":"LATE","SecretAccessKey":"s"}';
    const program = write('source.sh', `[ -e ${hanging} ] && exec sleep 60\necho '${json}'\n`);
    useProfile('slow', `[slow]\ncredential_process = sh ${program}\n`);
    const provide = packageCredentials({}, 300);
    // The cause makes it a failure of the service, which is answered 503, and no fault of the program.
    await expect(provide()).rejects.toMatchObject({
      message: 'the source of credentials does not answer',
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
