/**
 * @file OpenEnv's own Python client against our server, and our client against its own server.
 *
 * Needs a checkout of OpenEnv, named by LUDUS_OPENENV, and a Python with its packages, named by LUDUS_PYTHON. Nothing of it is kept here;
 * the exchanges that were recorded with it are checked everywhere (packages/servers/src/openenv, packages/agents/src/openenv).
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Agent, type EpisodeEvent, type Json, type JsonObject, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { closeTestServers, startTestServer } from '@ludus-agents/servers/internal/server.cases';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

const checkout = process.env['LUDUS_OPENENV'] ?? '';
const python = process.env['LUDUS_PYTHON'] ?? '/usr/bin/python3';
const env = { ...process.env, PYTHONPATH: [join(checkout, 'src'), process.env['PYTHONPATH'] ?? ''].join(delimiter) };

/** Why this cannot run here, or null. */
function missing(): string | null {
  if (checkout === '') return 'LUDUS_OPENENV names no checkout of OpenEnv';
  if (!existsSync(join(checkout, 'src', 'openenv'))) return `there is no OpenEnv at ${checkout}`;
  try {
    execFileSync(python, ['-c', 'import openenv.core, uvicorn, fastmcp'], { env, stdio: 'pipe' });
    return null;
  } catch (thrown) {
    return `${python} cannot load OpenEnv: ${String((thrown as { stderr?: Buffer }).stderr)
      .trim()
      .split('\n')
      .at(-1)}`;
  }
}

const reason = missing();
if (reason !== null) console.log(`Skipped: OpenEnv's own client and server: ${reason}.`);

async function logOf(environment: string, agents: Record<string, Agent>, seed: number, task: Json = {}): Promise<readonly EpisodeEvent[]> {
  const events: EpisodeEvent[] = [];
  for await (const event of play(await builtInEnvironment(environment), agents, { seed, task })) events.push(event);
  return events;
}

interface Played {
  readonly transport: string;
  readonly environment: string;
  readonly seed: number;
  readonly episode: string;
  readonly actions: readonly string[];
  readonly rewards: readonly number[];
}

describe.skipIf(reason !== null)('the OpenEnv Python client', () => {
  afterEach(closeTestServers);

  it('plays episodes of five environments over both transports as in this process, 32 at once', async () => {
    const house = await startTestServer();
    const environments = ['kuhn-poker', 'tic-tac-toe', 'leduc', 'dilemma', 'codebreaker'];
    const child = spawn(python, [join(import.meta.dirname, 'openenv', 'official_client.py')], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(`${JSON.stringify({ url: house.url, worlds: environments, seeds: [0, 1, 2, 3], sessions: 32 })}\n`);
    const { episodes, most, sync, validation } = JSON.parse(await text(child.stdout)) as {
      episodes: readonly Played[];
      most: number;
      sync: Json;
      validation: JsonObject;
    };
    expect(most).toBe(32);
    expect(sync).toEqual({ done: false, tools: ['act'] });
    expect(validation['skipped'] ?? validation).toMatchObject(
      validation['skipped'] === undefined ? { passed: true, mode: 'simulation' } : {},
    );
    expect(episodes).toHaveLength(environments.length * 4 * 2);
    for (const { environment, seed, episode, actions, rewards } of episodes) {
      const rules = await builtInEnvironment(environment);
      const seats = rules.seats(rules.task({}));
      const seat = seats.find((seat) => !Object.hasOwn(rules.scripts ?? {}, seat)) as string;
      const agents: Record<string, Agent> = {};
      for (const other of seats)
        agents[other] = await createAgent(Object.hasOwn(rules.scripts ?? {}, other) ? `scripted:${other}` : 'random', other, rules);
      let next = 0;
      agents[seat] = scripted('openenv', () => ({ text: actions[next++]! }));
      const expected = await logOf(environment, agents, seed);
      expect(await house.log(episode), `${environment} ${seed}`).toEqual(expected);
      const end = expected.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
      expect(rewards.reduce((sum, value) => sum + value, 0)).toBeCloseTo(end.returns[seat]!, 9);
    }
  });
});

const training = `
import inspect, json, sys
from ludus_trl import environment
Episode = environment(sys.argv[1], task={"rounds": 3}, opponents="scripted:bold")
episode, moves = Episode(), []
opening = episode.reset(prompt=[], seed=5, answer=None)
signature = str(inspect.signature(episode.act))
while True:
    try:
        episode.act(message="[hm]") if not moves else None
        moves.append("[bet]" if len(moves) % 2 == 0 else "[call]")
        told = episode.act(message=moves[-1])
    except ValueError as error:
        print(json.dumps({"opening": opening, "signature": signature, "doc": Episode.act.__doc__, "reward": episode.get_reward(), "told": told, "error": str(error)}))
        break
`;

describe.skipIf(reason !== null)('the file for TRL', () => {
  afterEach(closeTestServers);

  it('turns the tools into typed methods, plays an episode, and sums its rewards', async () => {
    const house = await startTestServer();
    const folder = join(import.meta.dirname, '..', 'deploy', 'openenv');
    const path = { ...env, PYTHONPATH: [folder, env.PYTHONPATH].join(delimiter) };
    const child = spawn(python, ['-c', training, `${house.ws}/openenv/kuhn-poker`], { env: path, stdio: ['ignore', 'pipe', 'inherit'] });
    const observation = JSON.parse(await text(child.stdout)) as Record<string, string>;
    expect(observation['opening']).toContain('Your card is');
    expect(observation['signature']).toBe('(message: str) -> str');
    expect(observation['doc']).toContain('Args:\n    message: your answer');
    expect(observation['told']).toContain('The episode is over.');
    expect(observation['error']).toBe('The episode is over.');
    await house.episodeHost.ledger.settle();
    const [played] = await house.store.episodes({ status: 'over' });
    expect(played?.cast).toEqual({ first: 'openenv', second: 'scripted:bold' });
    expect(played?.returns?.['first']).toBe(observation['reward']);
  });
});

describe.skipIf(reason !== null)('the OpenEnv Python server', () => {
  let server: ChildProcess;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    server = spawn(python, [join(import.meta.dirname, 'openenv', 'official_server.py'), `${port}`], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise((resolve) => server.stdout?.once('data', resolve));
  });
  afterAll(() => {
    server.kill();
  });

  async function relayed(path: string, player: Agent, task: JsonObject = {}): Promise<readonly EpisodeEvent[]> {
    const relay = await builtInEnvironment('relay');
    const world = await createAgent(`openenv:ws://127.0.0.1:${port}/${path}`, 'world', relay);
    const events = await logOf('relay', { world, player }, 11, task);
    expect(replay(relay, events)).toBeNull();
    return events;
  }

  it('is an environment with a seed, hints, and reported errors', async () => {
    let [low, high, last] = [1, 16, 0];
    const searching = scripted('searching', ({ view }) => {
      const hint = view.seen.findLast((item) => item.kind === 'message')?.text;
      if (view.seen.length === 1) return { text: 'I do not know.' };
      if (last === 0) last = -5;
      else {
        if (hint === 'higher') low = last + 1;
        if (hint === 'lower') high = last - 1;
        last = Math.floor((low + high) / 2);
      }
      return { text: `My guess: {"guess": ${last}}` };
    });
    const events = await relayed('guess', searching, { world: { most: 16 } });
    const observations = events.flatMap((event) => (event.kind === 'message' && event.to.includes('player') ? [event.text] : []));
    expect(observations[0]).toContain('"guess"');
    expect(observations[0]).toContain('from 1 to 16');
    expect(observations[1]).toBe('Answer with one JSON object.');
    expect(observations[2]).toContain('below 1 there is nothing');
    expect(observations.at(-1)).toBe('Right.');
    const end = events.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
    expect(end.reason).toBe('over');
    expect(end.returns['player']).toBeCloseTo(1 - 0.1 * (observations.length - 4), 9);
    expect(end.penalties['player']).toBe(2);
    [low, high, last] = [1, 16, 0];
    expect(await relayed('guess', searching, { world: { most: 16 } })).toEqual(events);
  });

  it('serves text environments and tool environments', async () => {
    const relay = await builtInEnvironment('relay');
    const board = await relayed('tic-tac-toe', await createAgent('random', 'player', relay));
    expect(board.at(-1)).toMatchObject({ reason: 'over' });
    let requestCount = 0;
    const calling = scripted('calling', () => ({ text: JSON.stringify({ tool: 'add', arguments: { a: requestCount++, b: 40 } }) }));
    const sums = await relayed('tools', calling, { turns: 3 });
    const observations = sums.flatMap((event) => (event.kind === 'message' && event.to.includes('player') ? [event.text] : []));
    expect(observations[0]).toContain('add(a, b)');
    expect(observations.slice(1)).toEqual(['40', '41', 'The world has used up its turns.']);
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
