/** @file A seeded fuzz over openings, frames and upstream streams. Every choice follows from a seed, so that what fails can be repeated. */

import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { TestServer } from '@ludus-agents/servers/internal/server.cases';
import { delta, ending } from '../fixtures/scripted-server.ts';
import { farewell, frame, hostOf, opening, raw } from './server.cases.ts';
import { type HostileProxy, pieces } from './upstream.cases.ts';

type Dice = ReturnType<typeof rng>;

const whole = (dice: Dice, below: number) => Math.floor(dice.next() * below);
const oneOf = <T>(dice: Dice, all: readonly T[]): T => all[whole(dice, all.length)]!;
const several = <T>(dice: Dice, most: number, make: () => T): T[] => Array.from({ length: whole(dice, most) }, make);
const bytes = (dice: Dice, most: number) => Buffer.from(several(dice, most, () => whole(dice, 256)));

/** Texts that are JSON, nearly JSON, and nothing like it. */
function randomText(dice: Dice): string {
  const atoms = [
    'null',
    '0',
    '-1',
    '1e999',
    '2000000000',
    '"x"',
    '"\\ud800"',
    '"\\u0000"',
    'true',
    '[]',
    '{}',
    '',
    '"__proto__"',
    '"reset"',
    '"step"',
  ];
  const value = (depth: number): string => {
    const kind = whole(dice, depth <= 0 ? 1 : 4);
    if (kind === 1) return `[${several(dice, 4, () => value(depth - 1)).join(',')}]`;
    if (kind === 2) return `{${several(dice, 4, () => `${oneOf(dice, keys)}:${value(depth - 1)}`).join(',')}}`;
    if (kind === 3) return `${oneOf(dice, ['[', '{"a":', '"'])}`.repeat(1 + whole(dice, 3000));
    return oneOf(dice, atoms);
  };
  const keys = [
    '"type"',
    '"data"',
    '"seed"',
    '"opponents"',
    '"task"',
    '"seat"',
    '"message"',
    '"choices"',
    '"delta"',
    '"index"',
    '"error"',
    '"usage"',
    '"tool_calls"',
  ];
  const result = oneOf(dice, [
    () => value(4),
    () => `{"type":${value(1)},"data":${value(3)}}`,
    () => `{"type":"reset","data":${value(3)}}`,
  ])();
  const cut = whole(dice, 8) === 0 ? whole(dice, result.length + 1) : result.length;
  return result.slice(0, cut);
}

/** One opening that is wrong somewhere, or not. */
export async function fuzzOpening({ url }: TestServer, seed: number): Promise<void> {
  const dice = rng(seed, 'opening');
  const parts = [
    '/',
    '//',
    '..',
    '%',
    '%2f',
    '%00',
    '?',
    '#',
    '[',
    ']',
    '@',
    ':',
    '\\',
    'ws',
    'openenv',
    'tic-tac-toe',
    'mcp',
    'token=',
    '\u00e9',
    '*',
  ];
  const path = several(dice, 9, () => oneOf(dice, parts)).join('') || '/';
  const values = ['', 'x', ',', '13', '99', 'websocket', hostOf(url), '127.0.0.1', '[', 'null', 'Bearer', 'Basic ====', 'a'.repeat(9000)];
  const names = [
    'host',
    'origin',
    'upgrade',
    'connection',
    'sec-websocket-key',
    'sec-websocket-version',
    'authorization',
    'cookie',
    'content-length',
  ];
  const changed = Object.fromEntries(several(dice, 3, () => [oneOf(dice, names), oneOf(dice, values)]));
  const text = opening(path, { host: hostOf(url), ...changed });
  const cut = whole(dice, 4) === 0 ? whole(dice, text.length) : text.length;
  await raw(url, Buffer.concat([Buffer.from(text.slice(0, cut), 'latin1'), bytes(dice, 40)]), true);
}

/** A few frames over one socket, then its end. */
export async function fuzzFrames({ url }: TestServer, seed: number): Promise<void> {
  const dice = rng(seed, 'frames');
  const path = oneOf(dice, ['/openenv/tic-tac-toe/ws', '/openenv/kuhn-poker/ws', '/openenv/tic-tac-toe/mcp', '/ws', '/mcp']);
  const results = several(dice, 6, () => {
    const payload = whole(dice, 4) === 0 ? bytes(dice, 200) : Buffer.from(randomText(dice));
    const odd = whole(dice, 5) === 0;
    return frame(payload, odd ? { opcode: whole(dice, 16), final: dice.next() < 0.5, masked: dice.next() < 0.9 } : {});
  });
  const head = Buffer.from(opening(path, { host: hostOf(url) }));
  await raw(url, Buffer.concat([head, ...results, farewell]), true);
}

/** An upstream stream in pieces that are cut anywhere. What the caller was told is for the test to look at. */
export async function fuzzStream(proxy: HostileProxy, seed: number): Promise<{ readonly status: number; readonly text: string }> {
  const dice = rng(seed, 'stream');
  const all = several(dice, 6, () =>
    oneOf(dice, [
      () => `data: ${randomText(dice)}\n\n`,
      () => delta('x'),
      () => ending,
      () => `${randomText(dice)}\n`,
      () => bytes(dice, 50).toString('latin1'),
    ])(),
  ).join('');
  const cuts = several(dice, 5, () => whole(dice, all.length + 1)).sort((a, b) => a - b);
  const messages = [0, ...cuts].map((from, i) => all.slice(from, cuts[i] ?? all.length)).filter((piece) => piece !== '');
  return proxy.call(pieces(messages, whole(dice, 6) === 0));
}
