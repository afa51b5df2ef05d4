import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import type { Action, AnyEnvironment, Ask, Environment, Json, Message, Script, Seat, Step, TaskOf } from '../core/index.ts';
import { askAgain, choose, Fault, forfeitText, readTask, retries, rng } from '../core/index.ts';
import { type CheckOptions, check as checkFully, playthrough, rules } from './check.ts';

/** Fewer episodes than usual show the faults of a game of three moves; `npm run test:long` plays all of them. */
const check = (environment: AnyEnvironment, options: CheckOptions = {}) =>
  checkFully(environment, { episodes: amount(50, 200), steps: amount(1500, 8000), ...options });

// A tiny correct world: two seats hold a hidden die each and take letters in turn; the higher die wins.

const parameters = { retries } as const;
type Task = TaskOf<typeof parameters>;
type State = {
  readonly dice: readonly number[];
  readonly taken: string;
  readonly shown: readonly number[];
  readonly misses: number;
  readonly retries: number;
};

const seats = ['left', 'right'] as const;
const asksOf = ({ taken }: State): readonly Ask[] => [
  {
    seat: seats[taken.length % 2]!,
    choices: ['a', 'b', 'c', 'd'].filter((letter) => !taken.includes(letter)).map((letter) => `[${letter}]`),
  },
];

const draft: Environment<State, Task> = {
  id: 'draft@1',
  about: { summary: 'Two seats take letters; the higher hidden die wins.', tasks: [{}, { retries: 0 }], turns: 9, sum: 0, complete: true },
  parameters,
  task: (input) => readTask('draft', parameters, input),
  seats: () => seats,
  start(task, dice) {
    const state: State = { dice: [dice.int(3), dice.int(3)], taken: '', shown: [], misses: 0, retries: task.retries };
    const messages = seats.map((seat, i): Message => ({ to: [seat], text: `Your die shows ${state.dice[i]}.` }));
    return { state, messages, asks: asksOf(state) };
  },
  step(state, actions) {
    const ask = asksOf(state)[0]!;
    const read = choose(actions[ask.seat]!, ask.choices as readonly string[]);
    if (!read.ok)
      return askAgain(state, ask, read.problem, state.retries) ?? pay(state, forfeitText(ask.seat), ask.seat === 'left' ? -1 : 1);
    const next: State = { ...state, taken: state.taken + read.move[1], misses: 0 };
    if (next.taken.length === 3) return pay({ ...next, shown: state.dice }, `The dice show ${state.dice.join(' and ')}.`);
    return { state: next, messages: [{ to: seats, text: `${ask.seat} takes ${read.move}.` }], asks: asksOf(next) };
  },
  knows: ({ dice, taken, shown }, seat) => ({ die: dice[seats.indexOf(seat as 'left')]!, taken, shown }),
  scripts: {
    left: ({ ask }) => ({ text: ask.choices?.[0] ?? '' }),
    last: ({ ask }) => ({ action: { text: ask.choices?.at(-1) ?? '' }, mind: { calm: true } }),
    choosy({ ask }) {
      if (ask.seat !== 'right') throw new Fault('input', 'This script plays the right seat only.');
      return { text: ask.choices?.[1] ?? '' };
    },
  },
};

function pay(state: State, text: string, amount = Math.sign(state.dice[0]! - state.dice[1]!)): Step<State> {
  return { state, messages: [{ to: seats, text }], asks: [], rewards: { left: amount, right: 0 - amount } };
}

/** The world with some of it replaced. */
const faulty = (changes: Partial<Environment<State, Task>>): AnyEnvironment => ({ ...draft, ...changes });

/** The world with every step changed after the rules made it. */
const twisted = (twist: (step: Step<State>) => unknown): AnyEnvironment =>
  faulty({
    start: (task, dice) => twist(draft.start(task, dice)) as Step<State>,
    step: (state, actions, dice) => twist(draft.step(state, actions, dice)) as Step<State>,
  });

const unreadable = (state: State, actions: Readonly<Record<Seat, Action>>): Ask | null => {
  const ask = asksOf(state)[0]!;
  return choose(actions[ask.seat]!, ask.choices as readonly string[]).ok ? null : ask;
};

/** Answers that cannot be read become the first choice. */
const substituted = (state: State, actions: Readonly<Record<Seat, Action>>): Readonly<Record<Seat, Action>> => {
  const ask = unreadable(state, actions);
  return ask === null ? actions : { [ask.seat]: { text: ask.choices?.[0] ?? '' } };
};

let counter = 0;
const sidetable = new WeakMap<object, number>();

const planted: readonly (readonly [rule: string, fault: string, world: AnyEnvironment])[] = [
  ['K1', 'an id without a version', faulty({ id: 'draft' })],
  ['K1', 'an id in capitals', faulty({ id: 'Draft@1' })],
  ['K2', 'a task of its own that it refuses', faulty({ about: { ...draft.about, tasks: [{ retries: 99 }] } })],
  ['K2', 'no seats', faulty({ seats: () => [] })],
  ['K2', 'a seat that stands twice', faulty({ seats: () => ['left', 'left'] })],
  [
    'K2',
    'a task that changes when it is read again',
    faulty({ task: (input) => ({ retries: 2, n: ((input as { n?: number }).n ?? 0) + 1 }) as Task }),
  ],
  ['K3', 'any task accepted', faulty({ task: () => ({ retries: 2 }) })],
  ['K3', 'nonsense refused with a stumble', faulty({ task: stumble })],
  [
    'K3',
    'a parameter out of range accepted',
    faulty({ task: (input) => readTask('draft', { retries: { ...retries, max: 99 } }, input) as Task }),
  ],
  ['K4', 'a date in the state', twisted((step) => ({ ...step, state: { ...step.state, when: new Date(0) } }))],
  ['K4', 'a map in the state', twisted((step) => ({ ...step, state: { ...step.state, table: new Map() } }))],
  ['K4', 'undefined in the state', twisted((step) => ({ ...step, state: { ...step.state, gone: undefined } }))],
  ['K4', 'a function in a message', twisted((step) => ({ ...step, messages: [{ to: ['left'], text: 'hi', data: () => 1 }] }))],
  [
    'K5',
    'a step that changes its state in place',
    faulty({
      step(state, actions, dice) {
        (state as { misses: number }).misses = 0;
        return draft.step(state, actions, dice);
      },
    }),
  ],
  [
    'K5',
    'a step that pushes onto a list of its state',
    faulty({
      step(state, actions, dice) {
        (state.dice as number[]).push(0);
        return draft.step(state, actions, dice);
      },
    }),
  ],
  ['K6', 'a message to an unknown seat', twisted((step) => ({ ...step, messages: [...step.messages, { to: ['middle'], text: 'psst' }] }))],
  ['K6', 'a message from an unknown seat', twisted((step) => ({ ...step, messages: [{ to: ['left'], from: 'middle', text: 'psst' }] }))],
  ['K6', 'an unknown seat asked', twisted((step) => ({ ...step, asks: step.asks.map(() => ({ seat: 'middle' })) }))],
  ['K6', 'an unknown seat paid', twisted((step) => ({ ...step, ...(step.rewards ? { rewards: { left: 0, middle: 0 } } : {}) }))],
  ['K6', 'a seat asked twice', twisted((step) => ({ ...step, asks: [...step.asks, ...step.asks] }))],
  [
    'K7',
    'a reward that is not a number',
    twisted((step) => ({ ...step, ...(step.rewards ? { rewards: { left: Number.NaN, right: 0 } } : {}) })),
  ],
  ['K7', 'an infinite penalty', twisted((step) => ({ ...step, penalties: { left: Infinity } }))],
  ['K7', 'a penalty below 0, which would pay for broken form', twisted((step) => ({ ...step, penalties: { left: -1 } }))],
  ['K8', 'an empty list of choices', twisted((step) => ({ ...step, asks: step.asks.map((ask) => ({ ...ask, choices: [] })) }))],
  [
    'K8',
    'a choice that stands twice',
    twisted((step) => ({ ...step, asks: step.asks.map((ask) => ({ ...ask, choices: ['[a]', '[a]'] })) })),
  ],
  [
    'K9',
    'rules that throw on an odd answer',
    faulty({
      step(state, actions, dice) {
        if (Object.values(actions).some((action) => action.text === '')) throw new Error('never thought of that');
        return draft.step(state, actions, dice);
      },
    }),
  ],
  ['K9', 'no step at all', faulty({ step: () => null as unknown as Step<State> })],
  [
    'K10',
    'an episode that never ends',
    twisted((step) => (step.asks.length > 0 ? step : { ...step, ...draft.start({ retries: 2 }, rng(0)) })),
  ],
  ['K10', 'more turns than it says', faulty({ about: { ...draft.about, turns: 2 } })],
  ['K11', 'dice of its own', faulty({ start: (task) => draft.start(task, rng(Math.floor(Math.random() * 2 ** 32))) })],
  ['K11', 'a generator in the module', faulty({ start: (task) => draft.start(task, rng(counter++)) })],
  [
    'K12',
    'state in the module, fresh at every start',
    faulty({
      start(task, dice) {
        counter = 0;
        return draft.start(task, dice);
      },
      step: (state, actions, dice) => ({ ...draft.step(state, actions, dice), messages: [{ to: [], text: `step ${counter++}` }] }),
    }),
  ],
  [
    'K13',
    'state beside the state, found by identity',
    faulty({
      start(task, dice) {
        const step = draft.start(task, dice);
        sidetable.set(step.state, 0);
        return step;
      },
      step(state, actions, dice) {
        const step = draft.step(state, actions, dice);
        sidetable.set(step.state, (sidetable.get(state) as number) + 1);
        return { ...step, messages: [...step.messages, { to: [], text: `step ${sidetable.get(step.state)}` }] };
      },
    }),
  ],
  [
    'K14',
    'a look that leaves a trace',
    faulty({
      start(task, dice) {
        counter = 0;
        return draft.start(task, dice);
      },
      knows: (state) => ({ ...state, looked: counter++ }) as unknown as Json,
    }),
  ],
  ['K15', 'a payoff that does not add up', twisted((step) => ({ ...step, ...(step.rewards ? { rewards: { left: 1, right: 0 } } : {}) }))],
  [
    'K16',
    'a listed choice that is refused',
    twisted((step) => ({ ...step, asks: step.asks.map((ask) => ({ ...ask, choices: [...(ask.choices ?? []), '[e]'] })) })),
  ],
  [
    'K17',
    'a move put in for an answer that is none',
    faulty({ step: (state, actions, dice) => draft.step(state, substituted(state, actions), dice) }),
  ],
  [
    'K17',
    'a move put in, with a penalty',
    faulty({
      step(state, actions, dice) {
        const ask = unreadable(state, actions);
        return { ...draft.step(state, substituted(state, actions), dice), ...(ask ? { penalties: { [ask.seat]: 1 } } : {}) };
      },
    }),
  ],
  ['K17', 'the first of two moves taken', faulty({ step: (state, actions, dice) => draft.step(state, firstMove(actions), dice) })],
  [
    'K17',
    'a refusal that rolls the dice again',
    faulty({
      step(state, actions, dice) {
        const step = draft.step(state, actions, dice);
        return step.penalties === undefined ? step : { ...step, state: { ...step.state, dice: [dice.int(3), 7] } };
      },
    }),
  ],
  [
    'K18',
    'an accepted choice that is not listed',
    twisted((step) => ({ ...step, asks: step.asks.map((ask) => ({ ...ask, choices: ask.choices?.slice(0, -1) })) })),
  ],
  [
    'K19',
    'a secret told to the wrong seat',
    twisted((step) => ({ ...step, messages: step.messages.map((message) => ({ ...message, to: seats })) })),
  ],
  [
    'K19',
    'a secret in the data of a message',
    twisted((step) => ({ ...step, messages: [...step.messages, { to: ['left'], text: '', data: step.state.dice }] })),
  ],
  [
    'K19',
    'a secret in the order of the choices',
    twisted((step) => ({
      ...step,
      asks: step.asks.map((ask) => ({ ...ask, choices: step.state.dice[1] === 0 ? ask.choices?.toReversed() : ask.choices })),
    })),
  ],
  ['K19', 'several seats and no word of what they know', withoutKnows()],
  ['K20', 'a stand-in that breaks form', faulty({ scripts: { right: () => ({ text: 'hm' }) } })],
  ['K20', 'a script that throws', faulty({ scripts: { wild: () => firstOf([]) } })],
  [
    'K22',
    'an imagine that calls dice that do not exist',
    faulty({ imagine: (_state, _seat, dice) => (dice as unknown as { intt(n: number): State }).intt(3) }),
  ],
  ['K22', 'an imagine that returns nothing', faulty({ imagine: () => undefined as unknown as State })],
  [
    'K22',
    'an imagine that changes what the seat knows',
    faulty({ imagine: (state) => ({ ...state, dice: state.dice.map((die) => (die + 1) % 3) }) }),
  ],
  ['K22', 'an imagine that hands over what is hidden', faulty({ imagine: (state) => state })],
];

/** Draws the die that the seat does not see. */
const imagine: NonNullable<Environment<State, Task>['imagine']> = (state, seat, dice) => ({
  ...state,
  dice: state.dice.map((die, i) => (seats[i] === seat || state.shown.length > 0 ? die : dice.int(3))),
});

function stumble(input: Json): Task {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new TypeError('not an object');
  return readTask('draft', parameters, input);
}

function firstMove(actions: Readonly<Record<Seat, Action>>): Readonly<Record<Seat, Action>> {
  return Object.fromEntries(Object.entries(actions).map(([seat, { text }]) => [seat, { text: text.match(/\[[a-d]\]/)?.[0] ?? text }]));
}

function withoutKnows(): AnyEnvironment {
  const { knows: _, ...rest } = draft;
  return rest;
}

function firstOf(actions: readonly Action[]): Action {
  if (actions[0] === undefined) throw new TypeError('nothing to choose from');
  return actions[0];
}

describe('[K] the conformance kit', () => {
  it('finds no problems in a correct environment', async () => {
    expect(await check(draft, { golden: await playthrough(draft) })).toEqual([]);
    expect(await check(faulty({ imagine }))).toEqual([]);
  });

  it.each(planted)('[%s] finds %s', async (rule, _fault, environment) => {
    const problems = await check(environment, { episodes: 60 });
    expect(problems[0]?.rule).toBe(rule);
    expect(problems[0]?.message).toMatch(/\S/);
  });

  it('suggests a fix for a leak to a seat and for a script that rejects its own answer', async () => {
    const [leak] = await check(twisted((step) => ({ ...step, messages: step.messages.map((message) => ({ ...message, to: seats })) })));
    expect(leak?.message).toMatch(/elsewhere\. Add the difference to knows\(state, seat\), or do not show it to this seat\.$/);
    const strict: Script = ({ view }) => {
      if (view.seen.some((item) => item.kind === 'action' && item.action.text !== '[a]')) throw new TypeError('that was no move');
      return { text: '[a]' };
    };
    // Seats that are given no choices are played by their scripts.
    const talk: AnyEnvironment = faulty({
      start: (task, dice) => ({ ...draft.start(task, dice), asks: [{ seat: 'left' }] }),
      step: (state) => ({
        state: { ...state, taken: `${state.taken}a` },
        messages: [],
        asks: state.taken.length < 4 ? [{ seat: 'left' }] : [],
      }),
      scripts: { left: strict },
    });
    const failure = (await check(talk, { episodes: 60 })).find(({ rule }) => rule === 'K9');
    expect(failure?.message).toMatch(/fails: that was no move\. The script of that name must answer in every situation/);
  });

  it('[K21] reports the line at which a golden playthrough differs', async () => {
    const golden = (await playthrough(draft)).replace('left takes [a]', 'left takes [z]');
    const problems = await check(draft, { golden, episodes: 10 });
    expect(problems.map(({ rule }) => rule)).toEqual(['K21']);
    expect(problems[0]?.message).toMatch(/^Line \d+ should be ".*left takes \[z\]\.", but is ".*left takes \[a\]\."\.$/);
  });

  it('has a planted fault and a description for every rule', () => {
    expect([...new Set([...planted.map(([rule]) => rule), 'K21'])].toSorted()).toEqual(rules.map(({ id }) => id).toSorted());
    for (const { says } of rules) expect(says).toMatch(/^[A-Z`].*\.$/);
  });

  it('stays within its step budget while covering every task', async () => {
    let steps = 0;
    const counted = faulty({
      about: { ...draft.about, tasks: Array.from({ length: 5 }, () => ({})) },
      start(task, dice) {
        steps++;
        return draft.start(task, dice);
      },
    });
    expect(await check(counted, { steps: 1 })).toEqual([]);
    expect(steps).toBeGreaterThan(10);
    expect(steps).toBeLessThan(200);
  });

  it('groups repeated problems with a count and the first task and seed, reproducibly', async () => {
    const environment = twisted((step) => ({ ...step, ...(step.rewards ? { rewards: { left: 1, right: 0 } } : {}) }));
    const [once, twice] = [await check(environment, { episodes: 40 }), await check(environment, { episodes: 40 })];
    expect(once).toEqual(twice);
    expect(once).toHaveLength(1);
    expect(once[0]).toMatchObject({ task: {}, seed: 1 });
    expect(once[0]?.times).toBeGreaterThan(20);
  });
});
