import { createVerifier } from '@authorization-server-aws/verifier';
import { createDynamoDbLookups } from '@authorization-server-aws/verifier/dynamodb-lookups';

/*
 * A platform API of `Request` and `Response`: a route handler of Next.js, which bun.ts and deno.ts
 * serve, too. The verifier is made once. `next build` makes it as well, without AWS_REGION.
 */
const verifier = createVerifier({
  issuer: process.env['ISSUER'] ?? 'https://auth.example.com',
  audience: process.env['AUDIENCE'] ?? 'https://api.example.com',
  ...createDynamoDbLookups({ tables: process.env['TABLES'] ?? 'authorization-server' }),
});

function protect(scope: string): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      const authorization = request.headers.get('authorization') ?? undefined;
      const caller = await verifier.verify({ authorization }, [scope]);
      return Response.json(caller);
    } catch (error) {
      const { status, headers, body } = verifier.toResponse(error);
      return new Response(body, { status, headers });
    }
  };
}

export const GET = protect('messaging:view');
export const POST = protect('messaging:manage');
