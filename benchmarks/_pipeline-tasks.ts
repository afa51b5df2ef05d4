/** @file The tasks of the known pipelines, as rows: what the environment does, and what a bounded member says in each module. */

import type { PipelineTrial, TrialState } from './_pipeline-trials.ts';

const sides = ['[left]', '[right]'] as const;
const other = (move: string) => (move === sides[0] ? sides[1] : sides[0]);
const numbers = Array.from({ length: 8 }, (_, i) => `[${i + 1}]`);
const listIn = (line: string) => line.split(' ').filter((item) => item !== '');
/** The numbers from 1 to 8 that what was seen leaves. */
const fitting = (line: string, observation: string) => {
  const [, tried = '0', word] = /(\d) is too (small|great)/.exec(observation) ?? [];
  const all = listIn(line).map(Number);
  return all.filter((value) => word === undefined || (word === 'small' ? value > Number(tried) : value < Number(tried))).join(' ');
};
const allNumbers = '1 2 3 4 5 6 7 8';
/** What slow search says: each way with what it costs and how good it is. */
/** A chain of three steps, each of which must be made in its place. */
const chain = ['[wood]', '[plank]', '[table]'] as const;
const walk = (state: TrialState, move: string, needed: readonly string[]): TrialState => {
  const at = Number(state['at']) + (move === needed[Number(state['at'])] ? 1 : 0);
  const text = at === Number(state['at']) ? `${move} does nothing here.` : `${move} is done.`;
  return { ...state, at, told: text, ...(at === needed.length ? { over: true, paid: 1 } : {}) };
};

export const pipelineTrials: readonly PipelineTrial[] = [
  {
    pipeline: 'cradle',
    module: 'reflect',
    about: 'a lever that does nothing is pulled again unless it was noted that it did not work',
    moves: sides,
    turns: 3,
    begin: (dice) => ({ told: 'two levers.', right: dice.pick(sides) }),
    step: (state, move) =>
      move === state['right'] ? { ...state, told: 'it opens.', over: true, paid: 1 } : { ...state, told: `${move} does nothing.` },
    says: {
      reflect: ({ told }) => (told.includes('does nothing') ? 'Worked: no' : 'Worked: yes'),
      remember: ({ line, dice }) => `Summary: ${line('Worked') === 'no' ? other(line('Summary')) : line('Summary') || dice.pick(sides)}`,
      act: ({ line }) => line('Summary'),
    },
  },
  {
    pipeline: 'pangu',
    module: 'think',
    about: 'steps that must be made in their order are known from a plan that is kept',
    moves: chain,
    turns: 4,
    begin: () => ({ told: 'a table is wanted: wood, then plank, then table.', at: 0 }),
    step: (state, move) => walk(state, move, chain),
    says: {
      plan: ({ line, told }) =>
        line('Plan') === ''
          ? `Plan: ${chain.join(' ')}`
          : `Plan: ${listIn(line('Plan'))
              .slice(told.includes('is done') ? 1 : 0)
              .join(' ')}`,
      act: ({ line }) => listIn(line('Plan'))[0] ?? 'Nothing.',
    },
  },
  {
    pipeline: 'poact',
    module: 'policy',
    about: 'a sum needs code and a way needs a plan; without the choice neither is done',
    moves: numbers,
    turns: 1,
    begin: (dice) => {
      const [a, b] = [1 + dice.int(4), 1 + dice.int(4)];
      return { told: dice.pick([`a sum: ${a} + ${b}`, `a way: from ${a} go ${b} further`]), answer: a + b };
    },
    step: (state, move) => ({ ...state, told: 'it is over.', over: true, paid: move === `[${state['answer']}]` ? 1 : 0 }),
    says: {
      policy: ({ told }) => `Policy: ${told.startsWith('a sum') ? 'code' : 'plan'}`,
      code: ({ told }) => (told.startsWith('a sum') ? `Found: ${sumIn(told)}` : 'Found: 1'),
      plan: ({ told }) => (told.startsWith('a way') ? `Found: ${sumIn(told)}` : 'Found: 1'),
      act: ({ line }) => (line('Found') === '' ? 'Nothing.' : `[${line('Found')}]`),
    },
  },
  {
    pipeline: 'gitm',
    module: 'replan',
    about: 'a recipe that fails is replaced; without it the same sub-goal is tried again',
    moves: ['[oak]', '[pine]', '[table]'],
    turns: 4,
    begin: (dice) => ({ told: 'a table needs oak or pine.', at: 0, wood: dice.pick(['[oak]', '[pine]']) }),
    step: (state, move) => walk(state, move, [String(state['wood']), '[table]']),
    says: {
      decompose: ({ line, told }) =>
        `Goals: ${
          line('Goals') === ''
            ? '[oak] [table]'
            : listIn(line('Goals'))
                .slice(told.includes('is done') ? 1 : 0)
                .join(' ')
        }`,
      feedback: ({ told }) => `Failed: ${told.includes('does nothing') ? 'yes' : 'no'}`,
      replan: ({ line }) => `Goals: ${line('Goals').replace('[oak]', '[pine]')}`,
      act: ({ line }) => listIn(line('Goals'))[0] ?? 'Nothing.',
    },
  },
  {
    pipeline: 'hla',
    module: 'slow',
    about: 'three steps to one side pay; what lures to the other side changes every turn, and an intention holds against it',
    moves: sides,
    turns: 4,
    begin: (dice) => ({ told: `a light on the ${dice.pick(['left', 'right'])}.`, at: 0, odds: dice.int(2 ** 20) }),
    step(state, move) {
      const at = Number(state['at']) + (move === sides[0] ? 1 : -1);
      const odds = Math.floor(Number(state['odds']) / 2);
      return {
        ...state,
        at,
        odds,
        told: `a light on the ${odds % 2 === 0 ? 'left' : 'right'}.`,
        ...(Math.abs(at) === 3 ? { over: true, paid: 1 } : {}),
      };
    },
    says: {
      slow: ({ told }) => `Intent: ${told.includes('left') ? sides[0] : sides[1]}`,
      fast: ({ line, told }) => `Next: ${line('Intent') || (told.includes('left') ? sides[0] : sides[1])}`,
      act: ({ line }) => line('Next'),
    },
  },
  {
    pipeline: 'idea',
    module: 'induce',
    about: 'hypotheses that what was seen contradicts are dropped, so that each test halves them',
    moves: numbers,
    turns: 4,
    begin: (dice) => ({ told: 'a number from 1 to 8 is hidden.', answer: 1 + dice.int(8) }),
    step(state, move) {
      const tried = Number(move.slice(1, -1));
      if (tried === state['answer']) return { ...state, told: 'that is it.', over: true, paid: 1 };
      return { ...state, told: `${tried} is too ${tried < Number(state['answer']) ? 'small' : 'great'}.` };
    },
    says: {
      induce: ({ line, told }) => `Hypotheses: ${fitting(line('Hypotheses') || allNumbers, told)}`,
      abduce: ({ line }) => `Hypotheses: ${line('Hypotheses') || allNumbers}`,
      deduce: ({ line }) => `Test: ${listIn(line('Hypotheses')).at(Math.floor((listIn(line('Hypotheses')).length - 1) / 2)) ?? 1}`,
      act: ({ line }) => `[${line('Test')}]`,
    },
  },
  {
    pipeline: 'predict-first',
    module: 'plan',
    about: 'once predictions have come true, they are used to look two moves ahead',
    moves: sides,
    turns: 4,
    begin: (dice) => ({ told: 'the first room.', at: 0, way: dice.pick(sides) }),
    step: (state, move) =>
      state['at'] === 1
        ? { ...state, told: 'it is over.', over: true, paid: move === state['way'] ? 1 : 0 }
        : { ...state, at: 1, told: `the second room, a draught from the ${state['way'] === sides[0] ? 'left' : 'right'}.` },
    says: {
      predict: ({ told }) => (told.includes('first') ? 'Expect: the second room, a draught' : 'Expect: it is over'),
      plan: ({ told }) => `Way: ${told.includes('left') ? sides[0] : sides[1]}`,
      act: ({ line }) => line('Way') || 'Nothing.',
    },
  },
  {
    pipeline: 'proagent',
    module: 'correct',
    about: 'a partner changes what it does; the belief follows after one prediction that did not come true',
    moves: sides,
    turns: 8,
    begin: (dice) => {
      const first = dice.pick(sides);
      return { told: `your partner takes ${first}`, first, at: 0, paid: 0 };
    },
    step(state, move) {
      const at = Number(state['at']) + 1;
      const takes = at < 4 ? String(state['first']) : other(String(state['first']));
      return { ...state, at, paid: (state.paid ?? 0) + (move === other(takes) ? 1 / 8 : 0), told: `your partner takes ${takes}` };
    },
    says: {
      correct: ({ told }) => `Intention: ${sides.find((side) => told.includes(side))}`,
      believe: ({ told }) => `Intention: ${sides.find((side) => told.includes(side))}`,
      predict: ({ line }) => `Expect: ${line('Intention')}`,
      act: ({ line }) => other(line('Intention')),
    },
  },
  {
    pipeline: 'curious',
    module: 'explore',
    about: 'what was seen before is left for what was not',
    moves: sides,
    turns: 4,
    begin: (dice) => ({ told: 'the hall.', way: dice.pick(sides) }),
    step: (state, move) =>
      move === state['way'] ? { ...state, told: 'the garden.', over: true, paid: 1 } : { ...state, told: 'the hall.' },
    says: {
      explore: ({ asked, last }) => `Way: ${asked.includes('You have seen this before') ? other(last) : sides[0]}`,
      act: ({ line }) => line('Way') || sides[0],
    },
  },
];

function sumIn(observation: string): number {
  return (observation.match(/\d/g) ?? []).map(Number).reduce((sum, value) => sum + value, 0);
}
