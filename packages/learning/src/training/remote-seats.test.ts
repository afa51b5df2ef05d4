/** @file A training whose other seat and whose judge are programs of the user's own, asked over HTTP: answers come later, and some never. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { train } from './train.ts';

const cwd = mkdtempSync(join(tmpdir(), 'remote-seats-'));
let server: Server;
/** What the programs do at a request: the rival answers a move, the judge gives marks. */
let rival: (requestCount: number) => string | null;
let judge: ((moves: readonly string[]) => readonly number[]) | null;
let asked = 0;
let marked: boolean[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    const answer = request.url === '/rival' ? rival(asked++) : (judge?.((JSON.parse(body) as { moves: readonly string[] }).moves) ?? null);
    response.statusCode = answer === null ? 503 : 200;
    response.end(answer === null ? 'Come back later.' : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ask = `async (path, body) => {
    const response = await fetch('http://127.0.0.1:${(server.address() as AddressInfo).port}' + path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error('It answered ' + response.status + ': ' + (await response.text()));
    return response.json();
  }`;
  writeFileSync(
    join(cwd, 'rival.mjs'),
    `const ask = ${ask};
    export default { name: 'rival', act: async ({ ask: { choices } }) => ({ action: { text: choices[choices.length - 1 - (await ask('/rival', {})).length % 2] } }) };`,
  );
  writeFileSync(
    join(cwd, 'judge.mjs'),
    `const ask = ${ask};
    export default async ({ log, seat, sample }) => {
      const moves = log.filter((event) => event.kind === 'action' && event.seat === seat).map((event) => event.action.text);
      return (await ask('/judge', { moves })).slice(0, sample.turns.length);
    };`,
  );
});

beforeEach(() => {
  asked = 0;
  marked = [];
  rival = () => 'same';
  // It likes a first move that the game itself does not pay for.
  judge = (moves) => {
    marked.push(moves[0] === '[bet]');
    return moves.map((move, i) => Number(i === 0 && move === '[bet]'));
  };
});

afterAll(() => {
  server.close();
  rmSync(cwd, { recursive: true });
});

const training = (games: number) => {
  const base = builtInRecipe('best-response');
  return {
    ...base,
    rewards: { environment: { weight: 0 }, judge: { weight: 1, by: './judge.mjs' } },
    training: { ...base.training, opponents: 'self', seats: { first: 'learner', second: './rival.mjs' }, games },
  };
};

const liked = (subset: readonly boolean[]) => subset.filter(Boolean).length / subset.length;

describe('seat and judge over HTTP', () => {
  it("take part in training, which learns the judge's scores", async () => {
    const games = amount(1152, 1536);
    const report = await train({ recipe: training(games), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null });
    expect(report?.nothing).toBeNull();
    expect(asked).toBeGreaterThanOrEqual(games);
    expect(liked(marked.slice(-128)) - liked(marked.slice(0, 128))).toBeGreaterThan(0.15);
  });

  it('may fail occasionally: failed games are skipped and others continue', async () => {
    rival = (number) => (number % 10 === 3 ? null : 'same');
    const report = await train({ recipe: training(256), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null });
    expect(report?.nothing).toBeNull();
    // A game that failed is not judged.
    expect(marked.length).toBeGreaterThan(128);
    expect(marked.length).toBeLessThan(256);
  });

  it('are named in the error if they always fail', async () => {
    rival = () => null;
    await expect(train({ recipe: training(256), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null })).rejects.toThrow(
      'games failed: the agent on the seat "second" failed: It answered 503: Come back later.',
    );
    rival = () => 'same';
    judge = null;
    await expect(train({ recipe: training(256), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null })).rejects.toThrow(
      'The judge "judge" failed: It answered 503: Come back later.',
    );
  });
});
