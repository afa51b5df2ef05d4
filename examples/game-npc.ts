/**
 * @file A character for a game engine: a WebSocket on which a game says things to a character and gets words as they are written, then one typed
 * action. Where the model is late, the rules in the character's document answer in time. `node examples/game-npc.ts openai/gpt-5-mini` serves on.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Agent, createModel, type Json, loadAgent, loadEnvironment, type Model, rng } from 'ludus-agents';
import { parsePersona } from 'ludus-agents/personas';
import { WebSocket, WebSocketServer } from 'ws';

const persona = parsePersona(JSON.parse(readFileSync(new URL('./ferryman.json', import.meta.url), 'utf8')) as Json);

/** What the engine can play. GET /schema gives it, so that a client can make types of it. */
const schema = {
  type: 'object',
  properties: { say: { type: 'string' }, gesture: { enum: ['none', 'nod', 'shrug', 'turn-away'] } },
  required: ['say', 'gesture'],
  additionalProperties: false,
} as const;

type Turn = Parameters<Agent['act']>[0];

interface NpcAction {
  readonly say: string;
  readonly gesture: (typeof schema.properties.gesture.enum)[number];
}

/** The action in a reply; null where it does not fit the schema. */
function actionIn(text: string): NpcAction | null {
  try {
    const { say, gesture } = JSON.parse(text) as Partial<NpcAction>;
    const known = schema.properties.gesture.enum.find((item) => item === gesture);
    return typeof say === 'string' && known !== undefined ? { say, gesture: known } : null;
  } catch {
    return null;
  }
}

/** What is spoken in an unfinished reply. */
const spokenIn = (text: string) => /"say"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(text)?.[1] ?? '';

async function startNpc(model: Model, budget: number) {
  const environment = await loadEnvironment('chat');
  const byRules = await loadAgent({ name: persona.name, kind: 'authored', persona: persona as Json }, 'character', environment);
  const card = [`You are ${persona.name}.`, ...persona.statements.map(({ text }) => text)].join('\n');
  const http = createServer((request, response) => {
    response.writeHead(request.url === '/schema' ? 200 : 404, { 'content-type': 'application/json' });
    response.end(request.url === '/schema' ? JSON.stringify(schema) : '{}');
  });
  const sockets = new WebSocketServer({ server: http, maxPayload: 64 * 1024 });
  sockets.on('connection', (socket) => {
    const observations: Turn['view']['seen'][number][] = [];
    let mind: Json | undefined;
    let turns = Promise.resolve();
    const send = (message: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message));

    async function answer(text: string): Promise<void> {
      observations.push({ kind: 'message', to: ['character'], from: 'user', text });
      const began = performance.now();
      // The rules hear everything, so that mood and relations move whoever speaks.
      const ruled = await byRules.act(
        {
          view: { seat: 'character', seen: observations },
          ask: { seat: 'character' },
          rng: rng(0, observations.length),
          ...(mind === undefined ? {} : { mind }),
        },
        AbortSignal.timeout(1000),
      );
      mind = ruled.mind;
      const action = await inTime(text);
      const npcAction = action ?? { say: ruled.action.text, gesture: 'none' as const };
      observations.push({ kind: 'action', action: { text: npcAction.say } });
      send({ type: 'action', action: npcAction, by: action === null ? 'rules' : 'model', ms: Math.round(performance.now() - began) });
    }

    /** The model's action within the budget; what comes later is dropped. */
    async function inTime(text: string): Promise<NpcAction | null> {
      const late = AbortSignal.timeout(budget);
      const messages = [
        { role: 'system' as const, content: `${card}\nAnswer with one JSON object: {"say": "…", "gesture": "none|nod|shrug|turn-away"}` },
        { role: 'user' as const, content: text },
      ];
      let [written, sentCount] = ['', 0];
      try {
        const { text: whole } = await model.complete({ messages }, { schema, maxTokens: 200 }, late, (piece) => {
          written += piece;
          const spoken = spokenIn(written);
          if (!late.aborted && spoken.length > sentCount) send({ type: 'text', delta: spoken.slice(sentCount) });
          sentCount = spoken.length;
        });
        return late.aborted ? null : actionIn(whole);
      } catch {
        return null;
      }
    }

    socket.on('message', (data) => {
      let text: unknown;
      try {
        text = (JSON.parse(String(data)) as { text?: Json }).text;
      } catch {
        text = undefined;
      }
      if (typeof text !== 'string' || text.trim() === '') return void send({ type: 'error', error: 'Send {"type": "say", "text": "…"}.' });
      const words = text;
      turns = turns.then(() => answer(words)).catch((thrown: unknown) => void send({ type: 'error', error: String(thrown) }));
    });
    socket.on('error', () => socket.terminate());
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    schema: `http://127.0.0.1:${port}/schema`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

/** What a game does: say something, show words as they come, play the action. */
async function say(url: string, text: string): Promise<{ readonly heard: string; readonly by: string; readonly action: NpcAction }> {
  const socket = new WebSocket(url);
  let receivedText = '';
  try {
    return await new Promise((resolve, reject) => {
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('The character has left.')));
      socket.on('open', () => socket.send(JSON.stringify({ type: 'say', text })));
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.type === 'text') receivedText += message.delta;
        else if (message.type === 'action') resolve({ heard: receivedText, by: message.by, action: message.action });
        else reject(new Error(message.error));
      });
    });
  } finally {
    socket.terminate();
  }
}

const named = process.argv[2];
const prompt = await startNpc(
  await createModel(named ?? 'fake/{"say":"Two coppers, and mind the step.","gesture":"nod"}'),
  named === undefined ? 600_000 : 1500,
);
if (named !== undefined) console.log(`${persona.name} is at ${prompt.url}; what it can do is at ${prompt.schema}.`);
else {
  console.log('schema', Object.keys(((await (await fetch(prompt.schema)).json()) as typeof schema).properties));
  console.log('prompt', await say(prompt.url, 'Take me across, please.'));
  // A model that never answers: the rules do, within the budget.
  const never: Model = {
    id: 'never',
    complete: (_prompt, _sampling, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  const late = await startNpc(never, 20);
  console.log('late  ', await say(late.url, 'Take me across, you old fool!'));
  await Promise.all([prompt.close(), late.close()]);
}
