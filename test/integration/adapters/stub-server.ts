import {
  type Answer as Act,
  answer,
  hangUp,
  type SeenRequest,
  startScriptedService,
  stayMute,
} from '../aws-json/scripted-service.ts';

/** One call of the AWS JSON protocol, as it arrived. */
export interface Call extends SeenRequest {
  readonly operation: string;
  readonly input: Record<string, unknown>;
}

/**
 * What a stub does with a call: answers, closes the connection without a word, never answers, or
 * stops in the middle of an answer.
 */
export type Answer =
  | { readonly status: number; readonly body: object }
  | 'reset'
  | 'silence'
  | 'half';

export interface StubServer {
  readonly endpoint: string;
  readonly calls: readonly Call[];
  close(): Promise<void>;
}

export const failure = (status: number, type: string): Answer => ({
  status,
  body: { __type: type, message: 'told to' },
});

const CONTENT_TYPE = { 'Content-Type': 'application/x-amz-json-1.0' };

const stopHalfway: Act = (response) => {
  response.writeHead(200, { ...CONTENT_TYPE, 'Content-Length': '1000' }).write('{"Item":');
};

function actOf(told: Answer): Act {
  if (told === 'silence') return stayMute;
  if (told === 'reset') return hangUp;
  if (told === 'half') return stopHalfway;
  return answer(told.status, told.body, CONTENT_TYPE);
}

/** A server in a service's place that does as it is told, and notes what it was asked. */
export async function startStub(
  decide: (call: Call, count: number) => Answer | Promise<Answer>,
): Promise<StubServer> {
  const calls: Call[] = [];
  const service = await startScriptedService(async (request) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const call = { ...request, operation, input: JSON.parse(request.body) };
    calls.push(call);
    return actOf(await decide(call, calls.length));
  });
  return { endpoint: service.url, calls, close: () => service.close() };
}
