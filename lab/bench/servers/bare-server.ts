import { sign } from 'node:crypto';
import { createLocalKey } from './local-key.ts';
import { serve } from './server-process.ts';

// What any server costs that reads a body, signs, and answers as much as a token response is.

const { privateKey } = createLocalKey();
/** As long as the signing input of a token, and its response, of the usual size. */
const signingInput = Buffer.alloc(560, 'x');
const answer = JSON.stringify({ access_token: 'x'.repeat(900), token_type: 'Bearer' });

await serve((request, response) => {
  request.resume();
  request.on('end', () => {
    sign('sha256', signingInput, privateKey);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
  });
});
