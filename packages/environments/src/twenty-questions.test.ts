import type { Action, EndEvent, EpisodeEvent, Json, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { auditsOf, rng, scriptedPolicy, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../test/fixtures/amount.ts';
import { fold, tables, truthOf } from './twenty-questions.table.ts';
import { twentyQuestions } from './twenty-questions.ts';

const scripts = twentyQuestions.scripts as Readonly<Record<string, Script>>;
const script = (name: string) => scriptedPolicy(name, scripts[name]!);
const dice = rng(0);
const begin = (input: Json) => twentyQuestions.start(twentyQuestions.task(input), dice);
const says = (text: string): Action => ({ text });
const endOf = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;

/** Makes one guesser's move, followed by the oracle's truthful answer if one is due. */
function ask(step: ReturnType<typeof begin>, text: string, answer?: string) {
  const requestedStep = twentyQuestions.step(step.state, { guesser: says(text) }, dice);
  if (requestedStep.asks[0]?.seat !== 'oracle') return requestedStep;
  const { hidden, open, task } = requestedStep.state;
  const truth = truthOf(tables[task.table], hidden, open?.attribute ?? -1);
  return twentyQuestions.step(requestedStep.state, { oracle: says(answer ?? `[${truth}]`) }, dice);
}

describe('twenty-questions table', () => {
  const { names, attributes, rows, questions, phrases } = tables.things;

  it('has 128 distinct things and 40 attributes', () => {
    expect([new Set(names).size, new Set(attributes).size]).toEqual([128, 40]);
    expect(new Set(rows).size).toBe(128);
    for (const row of rows) expect(row).toMatch(/^[01]{40}$/);
  });

  it('is consistent with common knowledge', () => {
    const holds = (name: string, id: string) => truthOf(tables.things, names.indexOf(name), attributes.indexOf(id));
    const animals = names.filter((name) => holds(name, 'animal') === 'yes');
    expect(animals.every((name) => holds(name, 'living') === 'yes' && holds(name, 'made') === 'no' && holds(name, 'plant') === 'no')).toBe(
      true,
    );
    for (const kind of ['mammal', 'bird', 'fur', 'tail', 'horns', 'meat-eater'])
      expect(names.filter((name) => holds(name, kind) === 'yes' && !animals.includes(name))).toEqual([]);
    expect(names.filter((name) => holds(name, 'mammal') === 'yes' && holds(name, 'flies') === 'yes')).toEqual(['bat']);
    expect(names.filter((name) => holds(name, 'wheels') === 'yes')).toEqual(['car', 'bicycle', 'train', 'airplane']);
    expect(names.filter((name) => holds(name, 'large') === 'yes' && holds(name, 'small') === 'yes')).toEqual([]);
    for (const id of attributes) expect(names.filter((name) => holds(name, id) === 'yes').length).toBeGreaterThan(2);
  });

  it('matches every attribute by id, question, and paraphrase', () => {
    attributes.forEach((id, i) => {
      for (const way of [id, questions[i]!, `  ${(questions[i]!).toUpperCase()} `]) expect(phrases.get(fold(way))).toBe(i);
    });
    expect(phrases.size).toBeGreaterThan(200);
    for (const [way, id] of [
      ['Is it alive?', 'living'],
      ['Does it have wings', 'flies'],
      ['is it edible', 'edible'],
      ['Is it bigger than a person?', 'large'],
      ['Do people ride it?', 'travel'],
      ['is it a vehicle?', 'travel'],
    ] as const)
      expect(attributes[phrases.get(fold(way)) ?? -1]).toBe(id);
    expect(phrases.get(fold('Was it invented in France?'))).toBeUndefined();
  });
});

describe('twenty-questions guessing', () => {
  it('takes optimal play exactly five questions and a guess for 32 numbers', async () => {
    for (let n = 0; n < 32; n++) {
      const task = { table: 'bits', thing: `number ${n}` };
      const [log] = (await rollout(
        twentyQuestions,
        { guesser: script('binary-search'), oracle: script('oracle') },
        { seeds: [0], task },
      )) as [EpisodeEvent[]];
      const moves = log.flatMap((event) => (event.kind === 'action' && event.seat === 'guesser' ? [event.action.text.slice(0, 4)] : []));
      expect(moves).toEqual(['[ask', '[ask', '[ask', '[ask', '[ask', '[gue']);
      expect(endOf(log).returns['guesser']).toBeCloseTo(1 - 0.02 * 6, 12);
    }
  });

  it('finds all 128 things by bisection in close to 8 turns on average', async () => {
    const turns: number[] = [];
    for (const thing of tables.things.names) {
      const [log] = (await rollout(
        twentyQuestions,
        { guesser: script('binary-search'), oracle: script('oracle') },
        { seeds: [0], task: { thing } },
      )) as [EpisodeEvent[]];
      const used = log.filter((event) => event.kind === 'action' && event.seat === 'guesser').length;
      expect(endOf(log).returns['guesser']).toBeCloseTo(1 - 0.02 * used, 12);
      expect(auditsOf(log)).toEqual({ oracle: { checked: used - 1, contradicted: 0 } });
      turns.push(used);
    }
    const mean = turns.reduce((sum, used) => sum + used) / 128;
    expect(mean).toBeGreaterThanOrEqual(8);
    expect(mean).toBeLessThan(8.3);
  });

  it('at random succeeds within t turns with probability t/N', async () => {
    const seeds = Array.from({ length: amount(300, 1000) }, (_, i) => i);
    const logs = await rollout(
      twentyQuestions,
      { guesser: script('random-guesser'), oracle: script('oracle') },
      { seeds, task: { turns: 20 } },
    );
    const p = 20 / 128;
    const count = logs.filter((log) => endOf(log).returns['guesser']! > 0).length / seeds.length;
    expect(Math.abs(count - p)).toBeLessThan(4 * Math.sqrt((p * (1 - p)) / seeds.length));
    for (const log of logs.slice(0, 50)) {
      const guesses = log.flatMap((event) => (event.kind === 'action' ? [event.action.text] : []));
      expect(new Set(guesses).size).toBe(guesses.length);
    }
  });

  it('ends or continues after a wrong guess as configured, and reveals the thing at the end', () => {
    const on = ask(begin({ thing: 'dog' }), '[guess a Cat]');
    expect([on.asks[0]?.seat, on.rewards]).toEqual(['guesser', undefined]);
    expect(ask(on, '[guess the dog]').rewards).toEqual({ guesser: 1 - 0.04 });
    const ended = ask(begin({ thing: 'dog', wrong: 'ends' }), '[guess cat]');
    expect([ended.asks, ended.rewards]).toEqual([[], { guesser: -0.02 }]);
    const last = ask(begin({ thing: 'dog', turns: 1 }), '[ask animal]');
    expect([last.asks, last.rewards, last.messages.at(-1)?.text]).toEqual([[], { guesser: -0.02 }, 'It was dog.']);
    expect(ask(begin({ thing: 'dog' }), '[guess unicorn]').state.left).toHaveLength(128);
  });

  it('with shaping pays bits for excluded things, 7 in total for one of 128', async () => {
    const task = { shaped: true, cost: 0 };
    for (const seed of [1, 2, 3]) {
      const [log] = (await rollout(
        twentyQuestions,
        { guesser: script('binary-search'), oracle: script('oracle') },
        { seeds: [seed], task },
      )) as [EpisodeEvent[]];
      expect(endOf(log).returns['guesser']).toBeCloseTo(7 + 1, 9);
    }
  });

  it('never adds consistent things and never excludes the hidden one', () => {
    for (let seed = 0; seed < 100; seed++) {
      const chance = rng(seed);
      let step = twentyQuestions.start(twentyQuestions.task({}), chance);
      while (step.asks.length > 0) {
        const before = step.state.left;
        step = ask(step, chance.pick(step.asks[0]?.choices as readonly string[]));
        expect(before.length).toBeGreaterThanOrEqual(step.state.left.length);
        expect(step.state.left).toContain(step.state.hidden);
      }
    }
  });
});

describe('twenty-questions asking', () => {
  it.each([
    ['[ask animal]', 'yes'],
    ['[ask Is it an animal?]', 'yes'],
    ['Is it alive?', 'yes'],
    ['[ask does it have wheels]', 'no'],
    ['[ask Was it at the court of Spain?]', 'unknown'],
    ['Hmm, tell me its name!', 'unknown'],
  ])('%s about a dog is answered %s and costs a turn', (text, answer) => {
    const step = ask(begin({ thing: 'dog' }), text);
    expect(step.messages.at(-1)).toMatchObject({ to: ['guesser'], from: 'oracle', text: `${answer}. 19 turns are left.` });
    expect(step.state.past).toHaveLength(1);
  });

  it.each(['', '   ', '[animal]', '[ask]', '[ask animal', '[ask animal] [guess dog]'])(
    'rejects "%s" without a cost, and forfeits after the third time',
    (text) => {
      let step = begin({});
      for (const wanted of [1, 1, undefined]) {
        step = twentyQuestions.step(step.state, { guesser: says(text) }, dice);
        expect(step.penalties?.['guesser']).toBe(wanted);
        expect(step.state.past).toHaveLength(0);
      }
      expect(step.asks).toEqual([]);
    },
  );
});

describe('oracle', () => {
  it('is audited against the table, and its wrong answers reach the guesser', async () => {
    const liar = scriptedPolicy('liar', () => says('[no]'));
    const [log] = (await rollout(
      twentyQuestions,
      { guesser: script('binary-search'), oracle: liar },
      { seeds: [3], task: { thing: 'cow', turns: 10 } },
    )) as [EpisodeEvent[]];
    const messageEvents = log.flatMap((event) => (event.kind === 'message' && event.from === 'oracle' ? [event] : []));
    expect(messageEvents.every((message) => message.text.startsWith('no.'))).toBe(true);
    const cow = tables.things.names.indexOf('cow');
    const wrong = messageEvents.filter((message) => {
      const id = (message.data as { attribute: string }).attribute;
      return truthOf(tables.things, cow, tables.things.attributes.indexOf(id)) === 'yes';
    }).length;
    expect(wrong).toBeGreaterThan(0);
    expect(auditsOf(log)).toEqual({ oracle: { checked: messageEvents.length, contradicted: wrong } });
    expect(viewOf(log, 'guesser').seen.some((item) => item.kind === 'message' && item.text.startsWith('audit'))).toBe(false);
  });

  it('may give two malformed answers, then counts as unknown with an announced forfeit', () => {
    let step = twentyQuestions.step(begin({}).state, { guesser: says('[ask animal]') }, dice);
    for (let i = 0; i < 2; i++) {
      step = twentyQuestions.step(step.state, { oracle: says('maybe') }, dice);
      expect([step.asks[0]?.seat, step.penalties]).toEqual(['oracle', { oracle: 1 }]);
    }
    step = twentyQuestions.step(step.state, { oracle: says('maybe') }, dice);
    expect(step.messages.map((message) => message.text.split(/[.:]/)[0])).toEqual(['oracle forfeits', 'audit', 'unknown']);
    expect(step.asks[0]?.seat).toBe('guesser');
  });

  it('does not change the consistent things when it contradicts itself', () => {
    let step = begin({ thing: 'dog', shaped: true });
    step = ask(step, '[ask animal]', '[yes]');
    const before = step.state.left;
    step = ask(step, '[ask made]', '[yes]');
    expect(step.state.left).toEqual(before);
    expect(step.rewards).toEqual({ guesser: 0 });
  });
});

describe('secrecy in twenty-questions', () => {
  it('shows identical views for things with identical answers', () => {
    const asked = ['[ask animal]', '[ask bird]', 'anything?', '[guess swan]'];
    const looks = ['dog', 'wolf', 'whale', 'bear'].map((thing) => {
      let step = begin({ thing });
      const messages = [...step.messages];
      const knows: Json[] = [twentyQuestions.knows?.(step.state, 'guesser') ?? null];
      for (const text of asked) {
        step = ask(step, text);
        messages.push(...step.messages);
        knows.push(twentyQuestions.knows?.(step.state, 'guesser') ?? null);
      }
      return JSON.stringify([
        viewOf(
          messages.map((message) => ({ kind: 'message' as const, ...message })),
          'guesser' as Seat,
        ),
        knows,
      ]);
    });
    expect(new Set(looks).size).toBe(1);
  });
});

describe('twenty-questions task', () => {
  it('rejects a thing that is not in the table', () => {
    expect(() => twentyQuestions.task({ thing: 'unicorn' })).toThrow(/"thing" must be one of the table "things"/);
    expect(() => twentyQuestions.task({ thing: 'dog', table: 'bits' })).toThrow(/such as "number 0"/);
  });
});
