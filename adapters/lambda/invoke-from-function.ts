import { remember } from '../../core/bounded-map.ts';
import { maxSockets } from '../aws-client-options.ts';
import { callAws } from '../aws-errors.ts';
import { readServiceError } from '../aws-json/aws-json-client.ts';
import { type Connection, createConnection } from '../aws-json/connection.ts';
import { type Environment, resolveEndpoint } from '../aws-json/endpoint.ts';
import { functionCredentials } from '../credentials/environment-credentials.ts';
import { signHeaders } from '../sts/caller-proof.ts';
import { type InvokeFunction, type LambdaCaller, readInvocation } from './invocation.ts';
import { invocationProfile } from './invocation-profile.ts';

/**
 * Invokes functions as `createSdkCaller` does, from a function. The SDK's client of Lambda would be
 * a third of the portal's bundle (docs/adr/0029).
 *
 * @param environment the process's variables, by AWS's own names.
 * @param requestTimeout milliseconds for an answer.
 */
export function createFunctionCaller(
  environment: Environment,
  requestTimeout: number,
): LambdaCaller {
  const { url: endpoint, region } = resolveEndpoint('lambda', environment);
  const getCredentials = functionCredentials(environment);
  const credentials = async () => getCredentials();
  const times = { ...invocationProfile, requestTimeout, maxSockets };
  const connections = new Map<string, Connection>();

  const post = async (functionName: string, event: object) => {
    const path = `/2015-03-31/functions/${encodeURIComponent(functionName)}/invocations`;
    const url = new URL(path, endpoint);
    const connection = remember(connections, path, () => createConnection(url, times));
    const body = JSON.stringify(event);
    const request = { method: 'POST', headers: {}, body };
    const signed = await signHeaders(url, request, { service: 'lambda', region, credentials });
    const headers = { ...signed, 'content-length': String(Buffer.byteLength(body)) };
    const response = await connection.post(Object.entries(headers).flat(), body, {});
    if (response.status === 200) return response;
    throw readServiceError(response, false);
  };
  const invoke: InvokeFunction = async (functionName, event) => {
    const { headers, body } = await callAws('Lambda', `invoke ${functionName}`, () =>
      post(functionName, event),
    );
    const failed = headers['x-amz-function-error'] !== undefined;
    return readInvocation({ functionName, failed, payload: body });
  };
  return { invoke, credentials, region: async () => region };
}
