import { type HttpResponse, requestOnce } from '../../../adapters/aws-json/connection.ts';
import {
  type Environment,
  resolveEndpoint,
  type Service,
} from '../../../adapters/aws-json/endpoint.ts';
import { type CallerCredentials, signHeaders } from '../../../adapters/sts/caller-proof.ts';

/** One request to an AWS service, in the service's own protocol. */
interface ServiceRequest {
  readonly service: keyof typeof endpointVariables;
  readonly region: string;
  /** With the query. The default is `/`. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent by POST. Without it, the request is a GET. */
  readonly body?: string;
}

/**
 * Signs and sends one request, once.
 *
 * @throws {Error} of the credentials, of node:net or node:http, or AwsTimeoutError.
 */
export type CallService = (request: ServiceRequest) => Promise<HttpResponse>;

/** Milliseconds. A person waits, and several calls run at once. */
const timeout = 5000;

/** Names of the variables with an endpoint that differ from the names of the hosts. */
const endpointVariables = {
  logs: 'AWS_ENDPOINT_URL_CLOUDWATCH_LOGS',
  ce: 'AWS_ENDPOINT_URL_COST_EXPLORER',
  lambda: 'AWS_ENDPOINT_URL_LAMBDA',
} as const satisfies Partial<Record<Service, string>>;

/**
 * Calls of services for which `authctl` has no client of the SDK: each would be larger than all of
 * this.
 *
 * @param environment the process's variables, by AWS's own names.
 */
export function createCallService(
  credentials: CallerCredentials,
  environment: Environment,
): CallService {
  return async ({ service, region, path = '/', headers = {}, body }) => {
    const endpoint = resolveEndpoint(service, {
      ...environment,
      AWS_ENDPOINT_URL: environment[endpointVariables[service]] ?? environment['AWS_ENDPOINT_URL'],
      AWS_REGION: region,
    });
    const url = new URL(path, endpoint.url);
    const method = body === undefined ? 'GET' : 'POST';
    const scope = { service, region: endpoint.region, credentials };
    const signed = await signHeaders(url, { method, headers, body }, scope);
    return requestOnce(url, { method, headers: signed, body, timeout });
  };
}

const codeElement = /<Code>([\w.]{1,100})<\/Code>/;
const codeMember = /"__type"\s*:\s*"(?:[^"#]*#)?([\w.]{1,100})"/;

/** The body of a success. @throws {Error} with AWS's name of the error for any other response. */
export function bodyOf({ status, headers, body }: HttpResponse): string {
  if (status === 200) return body;
  const named = headers['x-amzn-errortype']?.toString().split(':')[0];
  const code = named ?? codeMember.exec(body)?.[1] ?? codeElement.exec(body)?.[1];
  throw new Error(code ?? `status ${status}`);
}

/** A request of the protocol with one JSON document each way. */
export function jsonRequest(
  place: Pick<ServiceRequest, 'service' | 'region'>,
  target: string,
  input: object,
): ServiceRequest {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
  return { ...place, headers, body: JSON.stringify(input) };
}
