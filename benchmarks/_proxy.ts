/** @file The two other ends of the proxy's benchmark, each its own process: a model's server, and the proxy in front of it. */

import '@ludus-agents/servers/internal/kinds';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { serve } from '@ludus-agents/servers/internal/app';
import { proxyRoutes } from '@ludus-agents/servers/internal/proxy/routes';
import { serverStore } from '@ludus-agents/store/internal/open-store';

const [role, address = '', store = ''] = process.argv.slice(2);
const tokens = 16;

if (role === 'server') model();
else await proxy();

/** Answers at once, whole or in pieces, with token ids and log-probabilities when it is asked for them. */
function model(): void {
  const piece = (i: number) => ({
    index: 0,
    token_ids: [i],
    logprobs: { content: [{ token: `w${i}`, logprob: -0.5, bytes: null, top_logprobs: [] }] },
  });
  const usage = { prompt_tokens: 12, completion_tokens: tokens };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (JSON.parse(text).stream !== true) {
      const content = Array.from({ length: tokens }, (_, i) => `w${i} `).join('');
      const logprobs = { content: Array.from({ length: tokens }, (_, i) => piece(i).logprobs.content[0]) };
      const choice = {
        index: 0,
        message: { role: 'assistant', content },
        finish_reason: 'stop',
        token_ids: [...Array(tokens).keys()],
        logprobs,
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', prompt_token_ids: [1, 2, 3], choices: [choice], usage }),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (choices: object[], more: object = {}) =>
      response.write(`data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'm', choices, ...more })}\n\n`);
    for (let i = 0; i < tokens; i++)
      say([{ ...piece(i), delta: { content: `w${i} ` }, finish_reason: null }], i === 0 ? { prompt_token_ids: [1, 2, 3] } : {});
    say([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    say([], { usage });
    response.end('data: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }));
}

async function proxy(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const retainedStore = await serverStore(store);
  const { routes } = proxyRoutes({ store: retainedStore, local: { cwd: '/nowhere' }, upstream: { url: address } });
  const { url } = await serve({ routes, noToken: true });
  process.on('message', () => {
    collect();
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    process.send?.({ rss, heapUsed, cpu: (user + system) / 1000 });
  });
  process.send?.({ url: `${url}/v1`, root: url });
}
