import { userInfo } from 'node:os';
import type { AccessKey } from './aws-server/access-key.ts';
import { AwsError, contentTypes, escapeXml, sendAnswer } from './aws-server/aws-error.ts';
import { createAwsServer, type VerifiedRequest } from './aws-server/aws-server.ts';
import { localApi } from './gateway/request-context.ts';
import type { AccessControl } from './iam/access-control.ts';
import { closeServer, listenOnLoopback, loopbackHost, type PortChoice } from './loopback-server.ts';

export interface StsOptions {
  /** Only requests that are signed with it are answered. */
  readonly accessKey: AccessKey;
  /** Finds other callers. By default there are none. */
  readonly accessControl?: AccessControl | undefined;
  /** Left out: a free one. */
  readonly port?: PortChoice;
}

export interface RunningSts {
  /** For `AWS_ENDPOINT_URL_STS`. */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** GetCallerIdentity needs some dozen bytes. */
const maxRequestBytes = 2048;

/** The run's access key belongs to anyone who started the run. IAM allows these characters. */
export function localUserArn(): string {
  const name = userInfo().username.replaceAll(/[^\w+=,.@-]/g, '-');
  return `arn:aws:iam::${localApi.accountId}:user/${name}`;
}

/** GetCallerIdentity needs no permission, and no policy can deny it. */
function answerIdentity({ body, accessKeyId }: VerifiedRequest, options: StsOptions): Buffer {
  const action = new URLSearchParams(body.toString()).get('Action');
  if (action !== 'GetCallerIdentity') {
    throw new AwsError('InvalidAction', `received ${action}; allowed: GetCallerIdentity`, 400);
  }
  const { accessControl } = options;
  const arn = accessControl?.principalArn(accessKeyId) ?? localUserArn();
  const result = `<Arn>${escapeXml(arn)}</Arn><UserId>AIDALOCAL</UserId><Account>${localApi.accountId}</Account>`;
  return Buffer.from(
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
  );
}

/** Starts a server with STS's GetCallerIdentity on loopback. */
export async function startSts(options: StsOptions): Promise<RunningSts> {
  const { accessKey, accessControl, port } = options;
  const server = createAwsServer({
    service: 'sts',
    accessKey,
    accessControl,
    maxRequestBytes,
    answer: (request, response) =>
      sendAnswer(response, {
        status: 200,
        headers: { 'content-type': contentTypes.sts },
        body: answerIdentity(request, options),
      }),
  });
  const taken = await listenOnLoopback(server, port ?? { port: 0 }, 'STS server');
  return { endpoint: `http://${loopbackHost}:${taken}`, close: () => closeServer(server) };
}
