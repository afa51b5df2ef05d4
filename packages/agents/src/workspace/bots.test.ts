/** @file Bots in a user's files, and their permissions if stored data names them. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { AgentSpec } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { createAgentServices } from './agent-services.ts';
import { readSpec } from './agents.ts';
import { changeConsent, checkSpec, wantsOf } from './consent.ts';
import { Trust } from './trust.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ludus-bots-'));
  vi.stubEnv('LUDUS_HOME', join(cwd, 'home'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cwd, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const seat = async (input: AgentSpec | string, source: Trust = Trust.commandLine) =>
  createAgentLoader(createAgentServices(cwd, source))(input, 'character', await builtInEnvironment('chat'));

/** What a bot says to words of the user. */
async function say(input: AgentSpec | string, text: string): Promise<string> {
  const agent = await seat(input);
  const observations = [{ kind: 'message' as const, to: ['character'], from: 'user', text }];
  const stop = new AbortController();
  const { action } = await agent.act(
    { view: { seat: 'character', seen: observations }, ask: { seat: 'character' }, rng: null as never },
    stop.signal,
  );
  stop.abort();
  return action.text;
}

describe('bot file', () => {
  it('can export a default function, a generator, or a named function', async () => {
    write('bot.mjs', 'export default (message, { session }) => "default " + message;');
    write('shop.mjs', 'export const bot = (message) => "named " + message; export const other = () => 1;');
    write('pieces.mjs', 'export default async function* (message) { yield "pieces "; yield message; }');
    write('plain.mjs', 'export const answer = (message) => "plain " + message;');
    write('slip.mjs', 'export const bott = (message) => "slip " + message;');
    expect(await say('./bot.mjs', 'a')).toBe('default a');
    expect(await say('./shop.mjs#bot', 'a')).toBe('named a');
    expect(await say('./pieces.mjs', 'a')).toBe('pieces a');
    expect(await say('bot:./plain.mjs#answer', 'a')).toBe('plain a');
    await expect(seat('./plain.mjs')).rejects.toMatchObject({ code: 'E_UNKNOWN_EXPORT' });
    await expect(say('bot:./shop.mjs#none', 'a')).rejects.toMatchObject({ code: 'E_UNKNOWN_EXPORT', details: { accepted: ['none'] } });
    // The only function of a file may be a slip, too.
    const slip = { accepted: ['bot', 'default'], exports: ['bott'] };
    await expect(say('bot:./slip.mjs', 'a')).rejects.toMatchObject({ code: 'E_UNKNOWN_EXPORT', details: slip });
    // As data, so that plans, logs and workers know it.
    expect(await readSpec('./bot.mjs', cwd, Trust.commandLine)).toEqual({ name: './bot.mjs', kind: 'bot:./bot.mjs#default' });
  });

  it('can export a class, with one instance per conversation, or an object with a reply method', async () => {
    write('counter.mjs', 'export default class Counter { said = 0; async reply(message) { return message + " " + ++this.said; } }');
    write('object.mjs', 'export const bot = { reply: (message) => "object " + message };');
    write('silent.mjs', 'export default class Silent {}');
    expect([await say('bot:./counter.mjs', 'a'), await say('bot:./counter.mjs', 'b')]).toEqual(['a 1', 'b 1']);
    expect(await say('bot:./object.mjs', 'a')).toBe('object a');
    await expect(say('bot:./silent.mjs', 'a')).rejects.toThrow('The class default of ./silent.mjs has no method "reply"');
  });

  it('can be a JSON document, which is validated when read', async () => {
    write('hm.mjs', 'export default () => "Hm.";');
    write('bot.json', JSON.stringify({ name: 'shop', kind: 'bot', settings: { file: './hm.mjs' } }));
    write('bad.json', JSON.stringify({ name: 'shop', kind: 'bot', settings: { fil: './hm.mjs' } }));
    expect(await say('./bot.json', 'a')).toBe('Hm.');
    expect(await readSpec('./bot.json', cwd, Trust.commandLine)).toMatchObject({ name: 'shop', kind: 'bot' });
    mkdirSync(join(cwd, 'bots'));
    write('bots/oh.mjs', 'export default () => "Oh.";');
    write('bots/bot.json', JSON.stringify({ name: 'other', kind: 'bot', settings: { file: './oh.mjs' } }));
    expect(await say(await readSpec('./bots/bot.json', cwd, Trust.commandLine), 'a')).toBe('Oh.');
    expect(await readSpec('a2a:http://localhost:1/x', cwd, Trust.commandLine)).toMatchObject({ kind: 'a2a:http://localhost:1/x' });
    expect(await readSpec('cmd:node ./bot.js', cwd, Trust.commandLine)).toMatchObject({ kind: 'cmd:node ./bot.js' });
    await expect(seat('./bad.json')).rejects.toThrow('has no setting "fil". Did you mean "file"');
  });
});

describe('bot from an untrusted source', () => {
  const place = () => ({ cwd, env: process.env });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a header names a variable.
  const headers = { authorization: 'Bearer ${OPENAI_API_KEY}' };

  it('lists the addresses, commands, files, and variables it needs', () => {
    const wants = (spec: Partial<AgentSpec> | string) => wantsOf(spec as AgentSpec).map(({ kind, what }) => `${kind} ${what}`);
    expect(wants('bot:http://h:1/a')).toEqual(['address http://h:1']);
    expect(wants('a2a:http://h:1/a')).toEqual(['address http://h:1']);
    expect(wants('bot:openai:http://h:1/v1#m')).toEqual(['address http://h:1']);
    expect(wants('cmd:rm -rf "a b"')).toEqual(['command rm -rf "a b"']);
    expect(wants('bot:cmd:sh x.sh')).toEqual(['command sh x.sh']);
    expect(wants('bot:./bot.ts#x')).toEqual(['file ./bot.ts']);
    const settings = { url: 'http://h:1', headers, open: { url: 'http://o:2/x' }, close: { url: 'http://h:1/y' } };
    expect(wants({ name: 'x', kind: 'bot', settings })).toEqual(['address http://h:1', 'address http://o:2', 'variable OPENAI_API_KEY']);
    expect(wants({ name: 'x', kind: 'bot', settings: { command: ['sh'], env: ['AWS_KEY'] } })).toEqual(['command sh', 'variable AWS_KEY']);
  });

  it("runs no command and reads no variable without the user's permission", async () => {
    const command: AgentSpec = { name: 'x', kind: 'bot', settings: { command: ['node', 'a b.js'] } };
    const keyed: AgentSpec = { name: 'x', kind: 'bot', settings: { url: 'http://h:1', headers } };
    for (const source of [Trust.storedData, Trust.request] as const) {
      await expect(seat(command, source)).rejects.toThrow(
        `wants to run node "a b.js". If you trust it, run "ludus config allow 'cmd:node "a b.js"'"`,
      );
      await expect(seat('cmd:node x.js', source)).rejects.toThrow('wants to run');
      await expect(seat(keyed, source)).rejects.toThrow(
        source === Trust.storedData ? 'wants to call http://h:1' : 'given the variable OPENAI_API_KEY',
      );
    }
    await expect(seat('a2a:http://h:1', Trust.storedData)).rejects.toThrow('wants to call http://h:1');
    await expect(seat('a2a:http://h:1', Trust.request)).resolves.toBeDefined();
    await expect(seat(command)).resolves.toBeDefined();
    changeConsent('cmd:node "a b.js"', 'add', place());
    changeConsent('http://h:1', 'add', place());
    changeConsent('env:OPENAI_API_KEY', 'add', place());
    for (const source of [Trust.storedData, Trust.request] as const)
      for (const spec of [command, keyed]) expect(() => checkSpec(spec, source, place())).not.toThrow();
    // Another command is another consent.
    await expect(seat('cmd:node a b.js', Trust.storedData)).rejects.toThrow('wants to run');
    changeConsent('cmd:node "a b.js"', 'remove', place());
    await expect(seat(command, Trust.storedData)).rejects.toThrow('wants to run');
  });

  it('loads no function from stored data', async () => {
    write('bot.mjs', 'export default () => "Hm.";');
    await expect(seat('bot:./bot.mjs', Trust.storedData)).rejects.toThrow('wants to read ./bot.mjs');
    await expect(seat('./bot.mjs', Trust.storedData)).rejects.toThrow('stored data loads no files');
  });
});
