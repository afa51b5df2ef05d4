/** @file Bots that are processes: lines of JSON and of text, one for each conversation or one for all, and what becomes of them. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type EpisodeEvent, Fault, type JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { fork } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { until } from '../../../../test/fixtures/until.ts';
import { botServices, callsIn, converse, seatBot, talker, textsIn } from './bot.cases.ts';
import { formatCommand, splitCommand } from './command-words.ts';
import { closeBots } from './open-bots.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ludus-bots-'));

/** Writes a program that answers lines, and gives its command. */
function program(name: string, answer: string): string[] {
  const file = join(cwd, `${name}.mjs`);
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline';
import { appendFileSync } from 'node:fs';
const note = (what) => appendFileSync(${JSON.stringify(join(cwd, `${name}.log`))}, what + '\\n');
note('begin ' + process.pid);
let turn = 0;
for await (const line of createInterface({ input: process.stdin })) { ${answer} }
note('end ' + process.pid);
`,
  );
  return [process.execPath, file];
}

const notes = (name: string) =>
  readFileSync(join(cwd, `${name}.log`), 'utf8')
    .trim()
    .split('\n');
const pids = (name: string) => notes(name).flatMap((line) => (line.startsWith('begin') ? [Number(line.slice(6))] : []));
const services = (env: Readonly<Record<string, string>> = {}) =>
  botServices({ cwd, env: (name) => env[name] ?? (name === 'PATH' ? process.env['PATH'] : undefined) });
const bot = (settings: JsonObject) => ({ name: 'counter', kind: 'bot', settings });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function faultIn(log: readonly EpisodeEvent[]) {
  const last = log.at(-1);
  return last?.kind === 'end' ? last.fault : undefined;
}

describe('process bot', () => {
  it('answers JSON lines from one process per conversation, which ends with it', async () => {
    const command = program(
      'json',
      `const { message, session } = JSON.parse(line); console.log(JSON.stringify({ reply: ++turn + ' ' + message }));`,
    );
    const agent = await seatBot(bot({ command }), services());
    expect(textsIn(await converse(agent, 'a', 'b'))).toEqual(['1 a', '2 b']);
    expect(textsIn(await converse(agent, 'c'))).toEqual(['1 c']);
    expect(new Set(pids('json')).size).toBe(2);
    await until(() => pids('json').every((pid) => !isAlive(pid)));
  });

  it('answers plain-text lines if configured, and JSON lines by default', async () => {
    const command = program('text', `console.log('<' + line + '>');`);
    const agent = await seatBot(`cmd:${formatCommand(command)}`, services());
    // Without "lines" it is spoken to in JSON.
    expect(textsIn(await converse(await seatBot(bot({ command, lines: 'text' }), services()), 'one\ntwo'))).toEqual(['<one two>']);
    expect(faultIn(await converse(agent, 'x'))?.message).toContain('must answer with a line of JSON');
  });

  it('shares one process between sessions when configured and signals the end of each session', async () => {
    const command = program(
      'shared',
      `const { id, message, session, end } = JSON.parse(line); if (end) note('over ' + session); else console.log(JSON.stringify({ id, reply: session }));`,
    );
    const agent = await seatBot(bot({ command, shared: true }), services());
    const [episodeEvents, two] = await Promise.all([converse(agent, 'a', 'b'), converse(agent, 'c')]);
    const [first, again] = textsIn(episodeEvents as EpisodeEvent[]);
    expect(first).toBe(again);
    expect(textsIn(two as EpisodeEvent[])[0]).not.toBe(first);
    await until(() => notes('shared').filter((line) => line.startsWith('over')).length === 2);
    const [pid = 0] = pids('shared');
    expect(pids('shared')).toHaveLength(1);
    expect(isAlive(pid)).toBe(true);
    await closeBots();
    await until(() => !isAlive(pid));
  });

  it('sees only the environment variables listed in its settings', async () => {
    const command = program('env', `console.log(JSON.stringify({ reply: [process.env.SHOP, process.env.OPENAI_API_KEY].join() }));`);
    const env = { SHOP: 'yes', OPENAI_API_KEY: 'sk-secret' };
    expect(textsIn(await converse(await seatBot(bot({ command, env: ['SHOP'] }), services(env)), 'x'))).toEqual(['yes,']);
  });

  it('reports a readable error without affecting other processes', async () => {
    const fault = async (settings: JsonObject) => faultIn(await converse(await seatBot(bot(settings), services()), 'x'));
    expect(await fault({ command: program('dies', `console.error('no database'); process.exit(3);`) })).toEqual({
      boundary: 'agent',
      seat: 'character',
      message: 'The bot counter ended with code 3 before it answered: no database.',
    });
    const thrown = await fault({ command: program('throws', `throw new TypeError('no shop is open');`) });
    expect(thrown?.message).toBe('The bot counter ended with code 1 before it answered: TypeError: no shop is open.');
    expect((await fault({ command: ['no-such-program-here'] }))?.message).toBe(
      'The bot counter could not be run: program "no-such-program-here" not found; check its name, or use its full path.',
    );
    expect((await fault({ command: program('error', `console.log('{"error": "closed today"}');`) }))?.message).toContain('closed today');
    expect((await fault({ command: program('odd', `console.log('{"x": 1}');`) }))?.message).toContain('has no "reply"');
    expect((await fault({ command: program('long', `process.stdout.write('x'.repeat(2 ** 21));`) }))?.message).toContain(
      'a line of more than',
    );
  });

  it('replays the conversation when an episode is forked and logs whether its answers match', async () => {
    const command = program('fork', `console.log(JSON.stringify({ reply: ++turn + ' ' + JSON.parse(line).message }));`);
    const agent = await seatBot(bot({ command }), services());
    const log = await converse(agent, 'a', 'b');
    const at = log.findIndex((event) => event.kind === 'action' && event.action.text === 'b');
    const chat = await builtInEnvironment('chat');
    const branch = await Array.fromAsync(fork(chat, log, at, { character: agent, user: talker('a', 'other') }));
    expect(textsIn(branch)).toEqual(['1 a', '2 other']);
    const replayed = callsIn(branch).find(({ notes: statements }) => statements?.some((item) => item.includes('fresh session')));
    expect(replayed).toMatchObject({ text: '1 a', notes: [expect.stringContaining('answered the same')] });
    const random = program('random', `console.log(JSON.stringify({ reply: String(process.pid) }));`);
    const other = await seatBot(bot({ command: random }), services());
    const first = await converse(other, 'a', 'b');
    const split = first.findIndex((event) => event.kind === 'action' && event.action.text === 'b');
    const second = await Array.fromAsync(fork(chat, first, split, { character: other, user: talker('a', 'other') }));
    expect(callsIn(second).flatMap(({ notes: statements }) => statements ?? [])).toEqual([expect.stringContaining('answered differently')]);
  });

  it('parses formatted commands back to the same arguments', () => {
    for (const words of [['node', 'bot.js'], ['/a b/c', '--x="y"', 'z\\w', ''], ['x']])
      expect(splitCommand(formatCommand(words))).toEqual(words);
    expect(() => splitCommand('  ')).toThrow(Fault);
  });
});
