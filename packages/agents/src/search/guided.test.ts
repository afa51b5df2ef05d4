/** @file Search by agents: the effect of a judge, hindsight, the best of several tries, a debate, and reflections; and trees as data. */

import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Agent, EpisodeEvent, Json, Prompt, Seen, Simulator, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { search as searchFormat } from '@ludus-agents/store/internal/exports/search';
import { describe, expect, it } from 'vitest';
import { createAgentLoader } from '../kinds.ts';
import { fakeModel } from '../models/fake.ts';
import { type SearchMind, searchAgent } from './agent.ts';
import { choiceIn, isDoneIn, itemsIn, scoreIn } from './answers.ts';
import { fittingReflections } from './reflections.ts';
import { readSearch, strategyNames } from './settings.ts';
import { puct } from './tree.ts';

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

describe('imagined search', () => {
  /** A model that is wrong about the rules: it thinks that the corner 0 wins. */
  const dreamer = (asks: string[]) =>
    scripted('dreamer', (turn) => {
      const ask = textsOf(turn).at(-1)!;
      asks.push(ask);
      const wins = textsOf(turn).some((text) => text === 'You have won.');
      if (ask.startsWith('Imagine')) return { text: lastMove(turn) === '[0]' ? 'Next: You have won.' : 'Next: O takes a cell.' };
      return { text: ask.startsWith('What would') ? 'Then: [8]' : `Score: ${wins ? 10 : 1}` };
    });

  it('uses the model instead of an available simulator', async () => {
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

  it('scores the moves without imagining futures when imagination is off', async () => {
    const asks: string[] = [];
    const settings = { strategy: 'webdreamer', width: 9, judgements: 2, imagine: false };
    const { minds } = await episode(settings, { judge: dreamer(asks) });
    expect(minds[0]!.moves).toHaveLength(9);
    expect(minds[0]!.acted).toEqual({ judged: 18 });
    expect(asks.some((text) => text.startsWith('Imagine'))).toBe(false);
  });

  it('requires a model', async () => {
    const agent = searchAgent({ name: 's', environment: 'x', settings: settingsOf({ strategy: 'webdreamer' }), base: undefined });
    const turn = { view: { seat: 'X', seen: [] }, ask: { seat: 'X', choices: ['a'] }, rng: rng(1) };
    await expect(agent.act(turn, new AbortController().signal)).rejects.toMatchObject({ code: 'E_IMAGINATION_MISSING' });
  });
});

describe('search judge', () => {
  it('decides the move when it is the only source of values', async () => {
    const judge = scripted('judge', (turn) => ({ text: `Score: ${lastMove(turn) === '[4]' ? 9 : 2}\nThe centre is strong.` }));
    const { minds } = await episode({ strategy: 'webdreamer', width: 9, simulations: 9, judgements: 2 }, { judge });
    expect(minds[0]!.moves).toHaveLength(9);
    const best = minds[0]!.moves.find(({ move }) => move === '[4]')!;
    expect([best.value, best.words]).toEqual([0.9, 'The centre is strong.']);
    expect(minds[0]!.moves.filter(({ value }) => value > 0.5)).toEqual([best]);
  });

  it('leaves a value unknown when its answer has no number, and counts the answer', async () => {
    const judge = scripted('judge', () => ({ text: 'Fine, I think.' }));
    const { minds } = await episode({ strategy: 'webdreamer', judgements: 2 }, { judge });
    expect(minds[0]!.moves.every(({ value }) => value === 0.5)).toBe(true);
    expect(minds[0]!.acted).toMatchObject({ unreadableScores: 6 });
    expect(minds[0]!.acted).not.toHaveProperty('judged');
  });

  it('is outweighed by rollouts when its trust is 0', async () => {
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

  it('lets the base propose alternatives, where it otherwise repeats one move', async () => {
    const tried = async (hindsight: boolean) => {
      const { minds } = await episode({ strategy: 'guided', simulations: 4, width: 4, hindsight }, { base: stubborn });
      return minds[0]!.moves.length;
    };
    expect([await tried(true), await tried(false)]).toEqual([4, 1]);
  });

  it('spends the remaining attempts deeper when the base repeats its first move', async () => {
    const { minds } = await episode({ strategy: 'guided', simulations: 4, width: 4, hindsight: false }, { base: stubborn });
    expect(minds[0]!.moves[0]!.next).toHaveLength(1);
  });
});

describe('answers in prose', () => {
  it.each([
    ['Score: 7. It is close.', 0.7],
    ['**Score:** 7/10', 0.7],
    ['I would give this about a 6 out of 10, because 3 parts are missing.', 0.6],
    ['8', 0.8],
    ['It goes well.', null],
  ])('have the score in %j', (text, value) => expect(scoreIn(text)).toBe(value));

  it.each([
    ['Choice: take the rope', 'take the rope'],
    ['Weighing this up, I would go with "take the rope".', 'take the rope'],
    ['One could go up. But I take the rope', 'take the rope'],
    ['Either go up or take the rope.', undefined],
  ])('have the choice in %j', (text, move) => expect(choiceIn(text, ['go up', 'take the rope'])).toBe(move));

  it.each([
    ['Sub-task: get oil\n**Sub-task 2:** light the lamp', ['get oil', 'light the lamp']],
    ['Sure! My plan:\n1. **Get oil** first\n2) light the lamp', ['Get oil first', 'light the lamp']],
    ['I would just begin.', []],
  ])('have the sub-tasks in %j', (text, items) => expect(itemsIn(text, 'sub-?task')).toEqual(items));

  it.each([
    ['Done: yes', true],
    ['Reflection: no oil here.\nDone: no', false],
    ['Yes, I have it.', true],
    ['Not yet; yes would be wrong.', false],
  ])('tell in %j whether a sub-task is done', (text, isDone) => expect(isDoneIn(text)).toBe(isDone));

  it('are read from language models that propose, plan, and judge', async () => {
    const answers = ({ messages }: Prompt) => {
      const ask = messages.at(-1)!.content;
      if (ask.includes('Before you begin')) return 'My plan:\n1. Take the centre';
      if (ask.includes('Done: yes')) return 'Yes, that is done, and it was easy.';
      if (ask.includes('Score: …')) return 'Thought: it looks fine.\nScore: 6';
      const moves = [...(/Your moves: (.+)/.exec(ask)?.[1] ?? '').matchAll(/\[(\d)\]/g)].map((match) => match[1]);
      return `My move is ${moves.at(-1)}.`;
    };
    const models = createAgentLoader({ environment: builtInEnvironment, model: async () => fakeModel({ answers }) });
    const settings = { strategy: 'webpilot', simulations: 2, base: 'llm:x', judge: 'llm:x' };
    const X = await models({ name: 's', kind: 'search', settings }, 'X', game);
    const log: EpisodeEvent[] = [];
    for await (const event of play(game, { X, O: await load('random', 'O', game) }, { seed: 1 })) log.push(event);
    const last = log.findLast((event) => event.kind === 'action' && event.seat === 'X') as unknown as { readonly mind: SearchMind };
    const { acted, plan } = last.mind;
    expect(plan?.done).toEqual(['Take the centre']);
    expect(acted).toMatchObject({ planned: 1, completed: 1, reflected: 1 });
    expect(acted!['judged']).toBeGreaterThan(1);
    expect(Object.keys(acted!).filter((name) => name.startsWith('unreadable'))).toEqual([]);
  });
});

describe('final choice of a search', () => {
  it('can be a debate with advocates in rotating order, whose judge overrides the values', async () => {
    const asks: string[] = [];
    const judge = scripted('judge', (turn) => {
      const requestedText = textsOf(turn).at(-1) ?? '';
      if (requestedText.startsWith('These moves are left')) asks.push(requestedText);
      if (requestedText.includes('Argue for [0]')) return { text: 'The corner cannot be lost.' };
      if (requestedText.includes('Argue for')) return { text: 'No reason.' };
      // It chooses by the arguments alone.
      if (requestedText.includes('"Choice: MOVE"'))
        return { text: `Choice: ${requestedText.includes('For [0]: The corner cannot be lost.') ? '[0]' : '[4]'}` };
      return { text: `Score: ${lastMove(turn) === '[4]' ? 9 : lastMove(turn) === '[0]' ? 8 : 1}` };
    });
    const settings = { strategy: 'webdreamer', width: 9, judgements: 1 };
    const first = async (debate: number) => (await episode({ ...settings, debate }, { judge })).log;
    const moveIn = (log: readonly EpisodeEvent[]) => log.find((event) => event.kind === 'action')?.action.text;
    expect(moveIn(await first(0))).toBe('[4]');
    expect(asks).toEqual([]);
    const log = await first(2);
    expect(moveIn(log)).toBe('[0]');
    const [opening, reply] = [asks[0]!, asks[1]!];
    expect(opening).toContain('Argue for [4]');
    expect(reply).toContain('Others said: For [4]: No reason.');
    const second = asks.findIndex((text, i) => i > 0 && !text.includes('Others said') && text.includes('Argue for'));
    expect(asks[second]).not.toContain('Argue for [4]');
    const action = log.find((event) => event.kind === 'action') as unknown as unknown as { readonly mind: SearchMind };
    expect(action.mind.acted).toMatchObject({ debated: 2, overturned: 1 });
  });

  it('combines the mean value, prior, and visit counts by PUCT', () => {
    expect(puct(0.6, { n: 5, all: 9, prior: 0.5, exploration: 1 })).toBeCloseTo(0.85);
    expect(puct(0.5, { n: 3, all: 9, prior: 0.3, exploration: 1 })).toBeCloseTo(0.725);
    expect(puct(0.2, { n: 1, all: 9, prior: 0.2, exploration: 1 })).toBeCloseTo(0.5);
  });
});

describe('debated position value', () => {
  it('is scored after one argument for and one against', async () => {
    const asks: string[] = [];
    const judge = scripted('judge', (turn) => {
      const ask = textsOf(turn).at(-1) ?? '';
      asks.push(ask);
      if (ask.includes('why that is good')) return { text: 'It opens a row.' };
      if (ask.includes('why it is bad')) return { text: 'It loses the centre.' };
      return { text: ask.includes('Against: It loses the centre.') ? 'Score: 3' : 'Score: 9' };
    });
    const { minds } = await episode({ strategy: 'guided', trust: 1, simulations: 2, judging: 'debate' }, { judge });
    expect(minds[0]!.moves[0]!.value).toBe(0.3);
    expect(asks.slice(0, 3).map((ask) => /good|bad|Score/.exec(ask)?.[0])).toEqual(['good', 'bad', 'Score']);
    expect(minds[0]!.acted).toMatchObject({ debatedValues: 2, judged: 2 });
    const plain = await episode({ strategy: 'guided', trust: 1, simulations: 2 }, { judge });
    expect(plain.minds[0]!.moves[0]!.value).toBe(0.9);
  });
});

describe('search reflections', () => {
  /** Overrates whatever it has not tried, sees the truth afterwards, and writes what it learned. */
  const judge = scripted('judge', (turn) => {
    const ask = textsOf(turn).at(-1) ?? '';
    if (ask.includes('write one line "Lesson')) return { text: 'Lesson: keep to the middle.' };
    return { text: ask.startsWith('Suppose') ? 'Score: 9' : 'Score: 1' };
  });

  it('are written after a disappointing move and shown to the base in similar situations', async () => {
    const lessons: string[] = [];
    const base = scripted('base', (turn) => {
      lessons.push(...textsOf(turn).filter((text) => text.startsWith('Earlier lesson')));
      return { text: turn.ask.choices?.[0] ?? '' };
    });
    const { minds } = await episode({ strategy: 'r-mcts', judging: 'score', simulations: 2, depth: 1 }, { base, judge });
    const last = minds.at(-1)!;
    expect(last.reflections?.[0]?.text).toContain('keep to the middle.');
    expect(last.acted?.['reflected']).toBeGreaterThan(0);
    expect(last.acted?.['recalled']).toBeGreaterThan(0);
    expect(lessons[0]).toContain('keep to the middle.');
    const off = await episode({ strategy: 'r-mcts', judging: 'score', reflections: false, simulations: 2, depth: 1 }, { base, judge });
    expect(off.minds.at(-1)!.acted?.['reflected']).toBeUndefined();
  });

  it('last across episodes, including one about the final move of a lost episode', async () => {
    const first = { kind: 'search/1', made: { where: 'You are X.', move: '[8]', value: 0.9 }, reflections: [] };
    const agent = (lasting: boolean) =>
      searchAgent({
        ...{ name: 's', environment: 'tic-tac-toe', base: undefined, judge },
        settings: settingsOf({ strategy: 'r-mcts', judging: 'score', simulations: 1, lasting }),
        earlier: () => Promise.resolve({ mind: first as Json, paths: [{ steps: [], paid: 0 }] }),
      });
    const mindOf = async (lasting: boolean) => {
      for await (const event of play(game, { X: agent(lasting), O: await load('random', 'O', game) }, { seed: 1 }))
        if (event.kind === 'action') return event.mind as unknown as SearchMind;
      return undefined;
    };
    expect((await mindOf(true))?.reflections).toEqual([{ where: 'You are X.', text: 'Earlier lesson, after [8]: keep to the middle.' }]);
    expect((await mindOf(false))?.reflections).toBeUndefined();
  });

  it('are shown only in situations with shared words', async () => {
    const reflections = [{ where: 'the red door is shut', text: 'Push harder.' }];
    expect(await fittingReflections(reflections, 'the blue door is shut')).toEqual(['Push harder.']);
    expect(await fittingReflections(reflections, 'a boat on wide water')).toEqual([]);
  });

  it('are matched by meaning when an encoder is available', async () => {
    const reflections = [
      { where: 'the gate is closed', text: 'Push harder.' },
      { where: 'a boat on wide water', text: 'Row.' },
    ];
    // Doors point one way and boats another; unrelated sentences of this encoder have a similarity of .6.
    const vectors: Readonly<Record<string, readonly number[]>> = { gate: [1, 0.1], door: [1, 0], boat: [0.75, 0.66] };
    const encoder = {
      name: 'two-dimensional',
      embed: async (texts: readonly string[]) => texts.map((text) => vectors[/gate|door|boat/.exec(text)![0]]!),
      calibration: async () => [0.6, 1] as const,
    };
    expect(await fittingReflections(reflections, 'that door does not open', encoder)).toEqual(['Push harder.']);
    expect(await fittingReflections(reflections, 'that door does not open')).toEqual([]);
  });
});

describe('sub-tasks', () => {
  const base = scripted('base', (turn) => {
    const ask = textsOf(turn).at(-1) ?? '';
    if (ask.startsWith('Before you begin')) return { text: 'Sub-task: take the centre\nSub-task: make a row' };
    if (ask.startsWith('Done:')) return { text: 'Sub-task: block O' };
    return { text: turn.ask.choices?.[0] ?? '' };
  });

  it('are pursued one at a time, and the plan is refined after each', async () => {
    const aims: string[] = [];
    const judge = scripted('judge', (turn) => {
      const ask = textsOf(turn).at(-1) ?? '';
      const aim = /with this sub-task: (.+)\?/.exec(ask)?.[1];
      if (aim !== undefined) aims.push(aim);
      return {
        text: ask.startsWith('You work on this sub-task: take') ? 'Done: yes\nReflection: the centre is mine' : 'Done: no\nScore: 5',
      };
    });
    const { minds } = await episode({ strategy: 'webpilot', simulations: 2 }, { base, judge });
    expect(minds[0]!.plan).toMatchObject({ left: ['take the centre', 'make a row'], done: [] });
    expect(minds[1]!.plan).toMatchObject({ left: ['block O'], done: ['take the centre'], reflection: 'the centre is mine' });
    expect(new Set(aims)).toEqual(new Set(['take the centre', 'block O']));
    expect(minds[1]!.acted).toMatchObject({ planned: 1, completed: 1, refined: 1 });
    const fixed = await episode({ strategy: 'webpilot', simulations: 2, refine: false }, { base, judge });
    expect(fixed.minds[1]!.plan?.left).toEqual(['make a row']);
    expect(fixed.minds[1]!.acted?.['refined']).toBeUndefined();
  });
});

describe('best-first search', () => {
  it('extends the likeliest line for its length and asks the base once per position', async () => {
    let requestCount = 0;
    const policy: Agent = {
      name: 'policy',
      act: ({ ask }) => {
        requestCount++;
        const choices = ask.choices ?? [];
        const chances = Object.fromEntries(choices.map((choice, i) => [choice, i === choices.length - 1 ? 0.9 : 0.1 / choices.length]));
        return { action: { text: choices[0]! }, chances };
      },
    };
    const { minds } = await episode({ strategy: 'best-first', simulations: 6, width: 2 }, { base: policy });
    const likeliest = minds[0]!.moves[0]!;
    expect(likeliest.move).toBe('[8]');
    // The unlikely second move is in the tree, and is not extended.
    expect(likeliest.next?.length).toBe(2);
    expect(minds[0]!.moves[1]?.next).toBeUndefined();
    expect(requestCount).toBe(minds.reduce((sum, { acted }) => Math.max(sum, acted?.['proposed'] ?? 0), 0));
  });
});

describe('reasoning steps', () => {
  /** Adds digits one by one, and errs in its second step unless it is told that this step was tried. */
  const thinker = scripted('thinker', (turn) => {
    const steps =
      /Your steps so far:\n([\s\S]*)/.exec(textsOf(turn).find((text) => text.startsWith('Your steps')) ?? '')?.[1]?.split('\n') ?? [];
    const isRetry = textsOf(turn).some((text) => text.startsWith('Tried here already'));
    if (steps.length === 0) return { text: 'Step: 2 + 3 = 5' };
    if (steps.length === 1) return { text: isRetry ? 'Step: 5 + 4 = 9' : 'Step: 5 + 4 = 8' };
    return { text: `Answer: ${steps[1]!.split('= ')[1]}` };
  });
  const checker = scripted('checker', (turn) => ({
    text: textsOf(turn).some((text) => text.includes('5 + 4 = 8')) ? 'Score: 1' : 'Score: 9',
  }));
  const answerWith = async (settings: Record<string, Json>) => {
    const agent = searchAgent({
      ...{ name: 's', environment: 'sums', base: thinker, judge: checker },
      settings: settingsOf({ strategy: 'reasoning', hindsight: true, width: 2, ...settings }),
    });
    const view = { seat: 'A', seen: [{ kind: 'message', to: ['A'], text: 'What is 2 + 3 + 4?' }] as readonly Seen[] };
    return agent.act({ view, ask: { seat: 'A' }, rng: rng(1) }, new AbortController().signal);
  };

  it('work without rules or listed moves, as a judged tree or as counted chains', async () => {
    const tree = await answerWith({ structure: 'tree', simulations: 12 });
    expect(tree.action.text).toBe('9');
    const chain = await answerWith({ structure: 'chain', simulations: 6 });
    expect(chain.action.text).toBe('8');
    expect((chain.mind as unknown as SearchMind).answers).toEqual({ 8: 2 });
  });

  it('end in an answer when the budget is spent, and require a base', async () => {
    const cut = await answerWith({ simulations: 1 });
    expect((cut.mind as unknown as SearchMind).acted).toMatchObject({ steps: 1, cutShort: 1 });
    const agent = searchAgent({ name: 's', environment: 'x', settings: settingsOf({ strategy: 'reasoning' }), base: undefined });
    const turn = { view: { seat: 'X', seen: [] }, ask: { seat: 'X' }, rng: rng(1) };
    await expect(agent.act(turn, new AbortController().signal)).rejects.toMatchObject({ code: 'E_BASE_MISSING' });
  });
});

it('lists the mechanisms that are idle without a judge and a base', async () => {
  const { minds } = await episode({ strategy: 'swe-search', simulations: 2 });
  expect(minds[0]!.idle).toHaveLength(4);
});

describe('thought structure', () => {
  const like = (wanted: string) => scripted('judge', (turn) => ({ text: `Score: ${lastMove(turn) === wanted ? 9 : 2}` }));

  it('is a line in a chain and branches in a tree', async () => {
    const moves = async (structure: string) =>
      (await episode({ strategy: 'guided', simulations: 3, width: 3, depth: 3, trust: 1, structure }, { judge: like('[4]') })).minds[0]!
        .moves;
    const chain = await moves('chain');
    expect([chain.length, chain[0]?.next?.length, chain[0]?.next?.[0]?.next?.length]).toEqual([1, 1, 1]);
    expect(await moves('tree')).toHaveLength(3);
  });

  it('evaluates equal positions once in a graph', async () => {
    // On a lake who goes left and down, or down and left, may be in one place.
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

  it('finds the best move more often when nested', async () => {
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

  it('is supervised by outcome or by process', async () => {
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

it('every strategy with a simulator plays without a model', async () => {
  for (const strategy of strategyNames.filter((name) => name !== 'webdreamer' && name !== 'reasoning'))
    await episode({ strategy, simulations: strategy === 'exact' ? 100_000 : 8 });
});

it('search logs convert to preference pairs, revisions, and values', async () => {
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
