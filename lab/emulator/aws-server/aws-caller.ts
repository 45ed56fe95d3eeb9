import { Agent } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { type HttpResponse, sendRequest } from '../http-exchange.ts';
import type { AccessKey } from './access-key.ts';
import { type AwsService, contentTypes } from './aws-error.ts';

/** A call of a service with the JSON protocol. */
interface JsonCall {
  /** AWS region that the signature names. */
  readonly region: string;
  /** Value of `X-Amz-Target`. */
  readonly target: string;
  readonly body: Buffer;
}

interface AwsCallerOptions {
  readonly service: AwsService;
  readonly endpoint: string;
  readonly accessKey: AccessKey;
}

export type AwsCaller = ReturnType<typeof createAwsCaller>;

/** Calls a service on this machine in its own protocol, without the SDK's retries. */
export function createAwsCaller({ service, endpoint, accessKey }: AwsCallerOptions) {
  const url = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const signer = new SignatureV4({
    service,
    // Each call names its own.
    region: '',
    credentials: accessKey,
    sha256: Hash.bind(null, 'sha256'),
  });
  const sign = async ({ region, target, body }: JsonCall) => {
    const { headers } = await signer.sign(
      {
        method: 'POST',
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: {},
        headers: { host: url.host, 'content-type': contentTypes[service], 'x-amz-target': target },
        body,
      },
      { signingRegion: region },
    );
    return headers;
  };
  return {
    call: async (call: JsonCall): Promise<HttpResponse> =>
      sendRequest(url, { method: 'POST', agent, headers: await sign(call) }, call.body),
    close: () => agent.destroy(),
  };
}
