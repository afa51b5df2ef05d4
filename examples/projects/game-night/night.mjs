/** A game night over MCP: this client starts the server, takes a seat at Kuhn poker through its tools, and plays three hands. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const server = spawn('npx', ['ludus', 'serve', 'mcp', '--stdio', 'kuhn-poker'], { stdio: ['pipe', 'pipe', 'inherit'] });
const replies = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
let id = 0;

async function call(method, params) {
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
  for (;;) {
    const { value, done } = await replies.next();
    if (done) throw new Error('The server has ended.');
    const reply = JSON.parse(value);
    if (reply.id === id) return reply.result ?? Promise.reject(new Error(reply.error.message));
  }
}
const tool = async (name, input) => (await call('tools/call', { name, arguments: input })).structuredContent;

await call('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'night', version: '1' } });
console.log(`Tools: ${(await call('tools/list', {})).tools.map(({ name }) => name).join(', ')}`);
for (const seed of [1, 2, 3]) {
  let hand = await tool('look', { seed, opponents: 'scripted:equilibrium' });
  while (!hand.done) hand = await tool('act', { message: hand.choices[0] });
  console.log(`Hand ${seed}: ${hand.return > 0 ? '+' : ''}${hand.return}`);
}
server.stdin.end();
