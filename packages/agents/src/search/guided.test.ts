/** @file Search by agents: what a judge, hindsight, the best of tries, a debate and reflections change; and trees as data. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import {
  type Agent,
  type EpisodeEvent,
  type Json,
  rng,
  type Seen,
  type Simulator,
  scripted,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { search as searchFormat } from '@ludus-agents/store/internal/exports/search';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { type SearchMind, searchAgent } from './agent.ts';
import { puct } from './guided.ts';
import { fittingReflections, withReflection } from './judge.ts';
import { readSearch, strategyNames } from './settings.ts';

const game = await builtInEnvironment('tic-tac-toe');
const load = createAgentLoader({ environment: builtInEnvironment });
const settingsOf = (input: Record<string, Json>) => readSearch({ name: 's', kind: 'search', settings: input });

interface Cast {
  readonly base?: Agent;
  readonly judge?: Agent;
}

async function episode(input: Record<string, Json>, cast: Cast = {}, seed = 1) {
  const X = searchAgent({ name: 's', environment: 'tic-tac-toe', settings: settingsOf(input), base: cast.base, judge: cast.judge });
  const log: EpisodeEvent[] = [];
  for await (const event of play(game, { X, O: await load('random', 'O', game) }, { seed })) log.push(event);
  expect(log.at(-1)).toMatchObject({ kind: 'end', reason: 'over' });
  expect(replay(game, log)).toBeNull();
  return {
    log,
    minds: log.flatMap((event) => (event.kind === 'action' && event.seat === 'X' ? [event.mind as unknown as SearchMind] : [])),
  };
}

const textsOf = ({ view }: Turn) => view.seen.flatMap((item: Seen) => (item.kind === 'message' ? [item.text] : []));
const lastMove = ({ view }: Turn) => view.seen.findLast((item) => item.kind === 'action')?.action.text ?? '';

describe('imagination', () => {
  /** A model that is wrong about the rules: it thinks that the corner 0 wins. */
  const dreamer = (asks: string[]) =>
    scripted('dreamer', (turn) => {
      const ask = textsOf(turn).at(-1)!;
      asks.push(ask);
      const wins = textsOf(turn).some((text) => text === 'You have won.');
      if (ask.startsWith('Imagine')) return { text: lastMove(turn) === '[0]' ? 'Next: You have won.' : 'Next: O takes a cell.' };
      return { text: ask.startsWith('What would') ? 'Then: [8]' : `Score: ${wins ? 10 : 1}` };
    });

  it('is by the model: it never uses the simulator, though there is one, and believes what it imagines', async () => {
    const asks: string[] = [];
    const agent = searchAgent({
      name: 's',
      environment: 'tic-tac-toe',
      settings: settingsOf({ strategy: 'webdreamer', width: 9, judgements: 1, depth: 2 }),
      base: undefined,
      judge: dreamer(asks),
    });
    const forbidden = new Proxy({} as Simulator, {
      get: () => {
        throw new Error('The simulator was used.');
      },
    });
    const observations: readonly Seen[] = [{ kind: 'message', to: ['X'], text: 'The board is empty.' }];
    const ask = { seat: 'X', choices: Array.from({ length: 9 }, (_, i) => `[${i}]`) };
    const reply = await agent.act({ view: { seat: 'X', seen: observations }, ask, rng: rng(1) }, new AbortController().signal, forbidden);
    const mind = reply.mind as unknown as SearchMind;
    expect(reply.action.text).toBe('[0]');
    expect(mind.imagined?.find(({ move }) => move === '[0]')?.next[0]).toBe('You have won.');
    expect(asks.filter((text) => text.startsWith('Imagine'))).toHaveLength(18);
    expect(mind.exact).toBe(false);
  });

  it('needs a model', async () => {
    const agent = searchAgent({ name: 's', environment: 'x', settings: settingsOf({ strategy: 'webdreamer' }), base: undefined });
    const turn = { view: { seat: 'X', seen: [] }, ask: { seat: 'X', choices: ['a'] }, rng: rng(1) };
    await expect(agent.act(turn, new AbortController().signal)).rejects.toMatchObject({ code: 'E_IMAGINATION_MISSING' });
  });
});

describe('a judge', () => {
  it('decides where only it has a part: the move that it likes is made', async () => {
    const judge = scripted('judge', (turn) => ({ text: `Score: ${lastMove(turn) === '[4]' ? 9 : 2}\nThe centre is strong.` }));
    const { minds } = await episode({ strategy: 'webdreamer', width: 9, simulations: 9, judgements: 2 }, { judge });
    expect(minds[0]!.moves).toHaveLength(9);
    const best = minds[0]!.moves.find(({ move }) => move === '[4]')!;
    expect([best.value, best.words]).toEqual([0.9, 'The centre is strong.']);
    expect(minds[0]!.moves.filter(({ value }) => value > 0.5)).toEqual([best]);
  });

  it('that says nothing that can be read counts as nothing', async () => {
    const { minds } = await episode({ strategy: 'webdreamer' }, { judge: scripted('judge', () => ({ text: 'Fine, I think.' })) });
    expect(minds[0]!.moves.every(({ value }) => value === 0)).toBe(true);
  });

  it('is outweighed by continuations where it has no part', async () => {
    const wrong = scripted('judge', () => ({ text: 'Score: 0' }));
    const { minds } = await episode({ strategy: 'guided', trust: 0, simulations: 30 }, { judge: wrong });
    expect(minds[0]!.moves.some(({ value }) => value > 0.4)).toBe(true);
  });
});

describe('hindsight', () => {
  /** Proposes its first choice again and again, unless it reads that it was tried. */
  const stubborn = scripted('stubborn', (turn) => {
    const tried = textsOf(turn).flatMap((text) => /Tried here: (\S+),/.exec(text)?.[1] ?? []);
    return { text: (turn.ask.choices ?? []).find((choice) => !tried.includes(choice)) ?? '' };
  });

  it('lets the base propose something else: without it only one move is ever tried', async () => {
    const tried = async (hindsight: boolean) => {
      const { minds } = await episode({ strategy: 'guided', simulations: 4, width: 4, hindsight }, { base: stubborn });
      return minds[0]!.moves.length;
    };
    expect([await tried(true), await tried(false)]).toEqual([4, 1]);
  });
});

describe('the end of a search', () => {
  it('is a debate between the two best, heard both ways round', async () => {
    const judge = scripted('judge', (turn) => {
      const requestedText = textsOf(turn).at(-1) ?? '';
      const choice = /Two moves are left: (\[\d\]).*? or (\[\d\])/.exec(requestedText);
      if (choice === null) return { text: `Score: ${lastMove(turn) === '[4]' ? 9 : lastMove(turn) === '[0]' ? 8 : 1}` };
      return { text: `Choice: ${choice[1] === '[0]' || choice[2] === '[0]' ? '[0]' : choice[1]}` };
    });
    const first = async (debate: number) =>
      (await episode({ strategy: 'webdreamer', width: 9, simulations: 9, judgements: 1, debate }, { judge })).log;
    const made = (log: readonly EpisodeEvent[]) => log.find((event) => event.kind === 'action')?.action.text;
    expect([made(await first(0)), made(await first(3))]).toEqual(['[4]', '[0]']);
  });

  it('takes the best or the mean of what came after a move', () => {
    expect(puct(0.6, { n: 5, all: 9, prior: 0.5, exploration: 1 })).toBeCloseTo(0.85);
    expect(puct(0.5, { n: 3, all: 9, prior: 0.3, exploration: 1 })).toBeCloseTo(0.725);
    expect(puct(0.2, { n: 1, all: 9, prior: 0.2, exploration: 1 })).toBeCloseTo(0.5);
  });
});

describe('reflections and sub-tasks', () => {
  it('remember a move that came to much less than was thought, and are told where it looks alike', () => {
    const reflections = withReflection([], { where: 'the red door is shut', move: 'push', value: 0.9 }, 0.2);
    expect(reflections).toHaveLength(1);
    expect(withReflection(reflections, { where: 'x', move: 'push', value: 0.4 }, 0.2)).toBe(reflections);
    expect(fittingReflections(reflections, 'the blue door is shut')).toHaveLength(1);
    expect(fittingReflections(reflections, 'a boat on wide water')).toEqual([]);
  });

  it('are in the log, and sub-tasks are written once', async () => {
    let requestCount = 0;
    const base = scripted('base', (turn) => {
      if (textsOf(turn).at(-1)?.startsWith('Before you begin') === true) requestCount++;
      return { text: turn.ask.choices?.[0] ?? 'Sub-task: take the centre\nSub-task: make a row' };
    });
    const { minds } = await episode(
      { strategy: 'webpilot', simulations: 2 },
      { base, judge: scripted('judge', () => ({ text: 'Score: 5' })) },
    );
    expect(requestCount).toBe(1);
    expect(minds.every(({ subtasks }) => subtasks?.length === 2)).toBe(true);
  });
});

describe('the structure of thoughts', () => {
  const like = (wanted: string) => scripted('judge', (turn) => ({ text: `Score: ${lastMove(turn) === wanted ? 9 : 2}` }));

  it('is one line in a chain, and branches in a tree', async () => {
    const moves = async (structure: string) =>
      (await episode({ strategy: 'guided', simulations: 3, width: 3, depth: 3, trust: 1, structure }, { judge: like('[4]') })).minds[0]!
        .moves;
    const chain = await moves('chain');
    expect([chain.length, chain[0]?.next?.length, chain[0]?.next?.[0]?.next?.length]).toEqual([1, 1, 1]);
    expect(await moves('tree')).toHaveLength(3);
  });

  it('judges equal positions once in a graph', async () => {
    // On a lake who goes left and down, or down and left, may stand in one place.
    let requestCount = 0;
    const judge = scripted('judge', () => {
      requestCount++;
      return { text: 'Score: 5' };
    });
    const lake = await builtInEnvironment('frozen-lake');
    const calls = async (structure: string) => {
      requestCount = 0;
      const settings = settingsOf({ strategy: 'guided', simulations: 24, width: 4, depth: 3, trust: 1, structure });
      const walker = searchAgent({ name: 's', environment: 'frozen-lake', settings, base: undefined, judge });
      for await (const event of play(lake, { [lake.seats(lake.task({}))[0]!]: walker }, { seed: 1, limits: { turns: 1 } }))
        if (event.kind === 'end') expect(event.reason).toBe('limit');
      return requestCount;
    };
    const [tree, graph] = [await calls('tree'), await calls('graph')];
    expect(graph).toBeLessThan(tree);
  });

  it('keeps the best of a small search at each step where it is nested', async () => {
    const found = async (structure: string) => {
      let count = 0;
      for (let seed = 0; seed < 12; seed++) {
        const { minds } = await episode({ strategy: 'guided', simulations: 1, trust: 1, structure }, { judge: like('[4]') }, seed);
        if (minds[0]!.moves[0]?.move === '[4]') count++;
      }
      return count;
    };
    const [tree, nested] = [await found('tree'), await found('nested')];
    expect(nested).toBeGreaterThan(tree);
  });

  it('is supervised by its outcome or by its process: a bad step that ends well counts in one of them only', async () => {
    const worth = async (supervision: string) => {
      // A first step is bad, what comes after it is good.
      const judge = scripted('judge', ({ view }) => ({
        text: `Score: ${view.seen.filter(({ kind }) => kind === 'action').length > 1 ? 10 : 0}`,
      }));
      const input = { strategy: 'guided', simulations: 2, depth: 2, trust: 1, structure: 'chain', backup: 'max', supervision };
      return (await episode(input, { judge })).minds[0]!.moves[0]?.value;
    };
    expect([await worth('outcome'), await worth('process')]).toEqual([1, 0.5]);
  });
});

it('every strategy that looks at the rules plays without a model', async () => {
  for (const strategy of strategyNames.filter((name) => name !== 'webdreamer'))
    await episode({ strategy, simulations: strategy === 'exact' ? 100_000 : 8 });
});

it('a search is data: pairs of one position, revisions from the error on, values of all that was kept', async () => {
  const { log } = await episode({ strategy: 'mcts', simulations: 300 });
  const record = {
    id: 'e1',
    run: null,
    environment: 'tic-tac-toe@1',
    task: {},
    seed: 1,
    cast: {},
    status: 'over',
    events: log.length,
    turns: 1,
    returns: null,
    order: 1,
  } as const;
  const start = log[0] as Extract<EpisodeEvent, { kind: 'start' }>;
  const input = { record, start, end: null, events: log, scores: [], seats: ['X'], split: 'train', task: 't' } as const;
  const tables = Object.fromEntries(searchFormat.open().map(({ name, rows }) => [name, [...rows(input, () => undefined)]]));
  const [pair, revision] = [tables['pairs']![0]!, tables['revisions']![0]!];
  expect(pair['score_chosen'] as number).toBeGreaterThan(pair['score_rejected'] as number);
  expect(JSON.stringify(pair['prompt'])).not.toContain('"assistant"');
  expect((revision['mask'] as number[]).at(-1)).toBe(1);
  expect((revision['mask'] as number[]).reduce((sum, value) => sum + value, 0)).toBe(1);
  // What was tried most after a move has at most as many visits as the move.
  const visits = new Map(
    tables['values']!.filter((row) => row['prompt'] !== undefined).map((row) => [
      JSON.stringify([row['prompt'], row['path']]),
      row['visits'] as number,
    ]),
  );
  for (const row of tables['values']!) {
    const path = row['path'] as readonly string[];
    if (path.length > 1)
      expect(visits.get(JSON.stringify([row['prompt'], path.slice(0, -1)]))!).toBeGreaterThanOrEqual(row['visits'] as number);
  }
  expect(tables['values']!.some((row) => (row['path'] as readonly string[]).length > 1)).toBe(true);
  const silent = [...searchFormat.open()[0]!.rows({ ...input, seats: ['O'] }, (why) => expect(why).toBe('no agent searched ahead'))];
  expect(silent).toEqual([]);
});
