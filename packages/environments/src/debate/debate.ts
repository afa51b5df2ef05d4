/**
 * @file A debate with private bets: two sides argue in turn and state with each speech how likely they are to win. A judge decides.
 *
 * Each side is dealt arguments with strengths, so the probabilities are known exactly and bets can be compared with them. The format is
 * that of "When Two LLMs Debate" (three speeches per side, each with a bet from 0 to 100), with its conditions as parameters. Bets are
 * rewarded by Brier's rule, under which the true probability is the optimal bet. Under a proportional reward, 0 or 100 would be optimal.
 */

import type {
  Action,
  Ask,
  Message,
  MoveOutcome,
  ParsedMove,
  Script,
  TaskOf,
  TaskState,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, Fault, isObject, parameter, parseBracketed, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { talkOf } from '../together.ts';
import { chanceBy, strongest, sum, totalsAfter, winChance } from './odds.ts';

/** The data for programs in a debater's ask. */
export type DebaterOutlook = {
  /** The remaining arguments with their strengths. */
  readonly left: readonly (readonly [string, number])[];
  readonly own: readonly number[];
  /** Strengths that the other side has argued, or null if they are hidden. */
  readonly other: readonly number[] | null;
  readonly rounds: number;
  readonly cards: number;
  readonly noise: number;
  readonly bets: boolean;
};

/** The data for programs in the judge's ask. */
export type JudgeOutlook = { readonly lead: number; readonly noise: number };

/** Returns the exact probability of winning if both sides argue the strongest first. */
function chanceOf({ left, own, other, rounds, cards, noise }: DebaterOutlook): number {
  const rest = left.map(([, strength]) => strength).sort((a, b) => b - a);
  return winChance(sum(own) + sum(rest.slice(0, rounds - own.length)), totalsAfter(other ?? [], { rounds, cards }), noise);
}

function debater(pick: 'strongest' | 'weakest', bet: (outlook: DebaterOutlook) => number): Script {
  return ({ ask }: Turn) => {
    const outlook = ask.data as DebaterOutlook;
    if (outlook.left === undefined) throw new Fault('input', 'This script debates. Use it for one of the sides, not for the judge.');
    const ordered = [...outlook.left].sort(([, a], [, b]) => (pick === 'strongest' ? b - a : a - b));
    const speech = `I argue from ${ordered[0][0]}.`;
    const move = `[argue ${ordered[0][0]}]`;
    if (!outlook.bets) return { text: `${speech} ${move}` };
    return { text: `${speech} ${move}`, data: { confidence: bet(outlook) } };
  };
}

function judging(decide: (outlook: JudgeOutlook, roll: number) => boolean): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as JudgeOutlook;
    if (outlook.lead === undefined) throw new Fault('input', 'This script judges. Use it for the seat of the judge.');
    return { text: decide(outlook, rng.next()) ? '[proposition]' : '[opposition]' };
  };
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Bets its exact probability. */
  calibrated: debater('strongest', (outlook) => Math.round(100 * chanceOf(outlook))),
  certain: debater('strongest', () => 100),
  even: debater('strongest', () => 50),
  weakest: debater('weakest', () => 50),
  judge: judging(({ lead, noise }, roll) => roll < chanceBy(lead, noise)),
  'strict-judge': judging(({ lead }, roll) => roll < chanceBy(lead, 0)),
};

const parameters = {
  rounds: parameter.integer({ min: 1, max: 5, default: 3, description: 'number of speeches per side' }),
  spare: parameter.integer({ min: 0, max: 3, default: 1, description: 'number of arguments in hand that cannot be used' }),
  motion: parameter.string({ default: '', description: 'the motion to debate, instead of a random one' }),
  bets: parameter.choice({
    options: ['private', 'public', 'none'],
    default: 'private',
    description: 'who learns what a side bets on itself',
  }),
  told: parameter.choice({
    options: ['nothing', 'even', 'doubt'],
    default: 'nothing',
    description:
      'said to both sides: nothing, that each side wins exactly half of all debates, or to think of why they may lose before they bet',
  }),
  strengths: parameter.boolean({ default: true, description: 'show how strong an argument is after it was used' }),
  noise: parameter.number({
    min: 0,
    max: 10,
    default: 2,
    description: 'how uncertain the stand-in of the judge is; 0 decides for the stronger side',
  }),
  payout: parameter.choice({
    options: ['brier', 'linear'],
    default: 'brier',
    description: 'how bets are paid; in proportion, honest bets are not the best',
  }),
  stake: parameter.number({ min: 0, max: 10, default: 1, description: 'maximum payoff of the bets in a debate; winning pays 1' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Side = 'proposition' | 'opposition';

/** One speech: the index of the argument in the hand, or null after a forfeit. */
type Speech = { readonly argument: number | null; readonly words: string; readonly bet: number | null };

type State = TaskState<Debate, Task>;
type Debate = {
  readonly motion: string;
  readonly hands: { readonly [S in Side]: readonly (readonly [string, number])[] };
  readonly speeches: { readonly [S in Side]: readonly Speech[] };
  readonly over: Side | 'nobody' | null;
};

const sides = ['proposition', 'opposition'] as const;
const seats = [...sides, 'judge'] as const;
const verdicts = ['[proposition]', '[opposition]'] as const;
const grounds = ['cost', 'safety', 'fairness', 'freedom', 'evidence', 'precedent', 'nature', 'trust'] as const;

const motions = [
  'This house would make all city buses free.',
  'This house would close schools for two months each summer.',
  'This house would let every town set its own speed limits.',
  'This house would pay people to vote.',
  'This house would ban advertising to children.',
  'This house would move the capital every ten years.',
] as const;

/** The data of a speech: the bet. */
const betFields = {
  type: 'object',
  properties: { confidence: { type: 'integer', minimum: 0, maximum: 100, description: 'how likely you are to win, in percent' } },
  required: ['confidence'],
  additionalProperties: false,
} as const;

export const debate = defineEnvironment({
  id: 'debate@1',
  about: {
    summary:
      'Two sides debate a motion in three speeches each, and a judge names the winner. Arguments are dealt with strengths from 1 to 5. With each speech, a side secretly bets from 0 to 100 on winning. Winning pays 1 and losing −1. Bets pay by the Brier rule, 0 for 50 and at most the stake, so the true probability is the best bet. The judge earns 1 for naming the side that argued more strongly. All probabilities are known exactly.',
    tasks: [{}, { bets: 'public', told: 'doubt', rounds: 2 }, { bets: 'none', noise: 0, spare: 2 }, { strengths: false, payout: 'linear' }],
    turns: 11 * 11,
    words: ['argue', 'bet'],
  },
  parameters,
  seats: seats,

  start(task, rng) {
    const motion = task.motion === '' ? rng.pick(motions) : talkOf(task.motion);
    const hand = () =>
      rng
        .shuffle(grounds)
        .slice(0, task.rounds + task.spare)
        .map((ground) => [ground, 1 + rng.int(strongest)] as const);
    const state: Debate = {
      motion,
      hands: { proposition: hand(), opposition: hand() },
      speeches: { proposition: [], opposition: [] },
      over: null,
    };
    return { state, messages: [...sides.map((side) => sideRules(task, state, side)), judgeRules(task, motion)] };
  },

  turn: askOf,

  read(action, state): ParsedMove<Speech | { readonly winner: Side }> {
    const side = speaker(state);
    if (side !== null) return readSpeech(state, side, action);
    const read = choose(action, verdicts);
    return read.ok ? { ok: true, move: { winner: read.move.slice(1, -1) as Side } } : read;
  },

  play: (state, move, { seat }) => ('winner' in move ? decide(state, move.winner, []) : speak(state, seat as Side, move, [])),

  forfeit(state, seat, text) {
    if (seat === 'judge') return decide(state, null, [{ to: seats, text: `${text} Nobody wins.` }]);
    const silence: Speech = { argument: null, words: '', bet: null };
    return speak(state, seat as Side, silence, [{ to: seats, text: `${text} It says nothing this time.` }]);
  },

  knows({ task, motion, hands, speeches, over }, seat) {
    const speechData = (side: Side) =>
      speeches[side].map(({ argument, words, bet }) => ({
        argument: argument === null ? null : hands[side][argument][0],
        strength: argument !== null && (task.strengths || seat === side || seat === 'judge') ? hands[side][argument][1] : null,
        words,
        bet: seat === side || (task.bets === 'public' && seat !== 'judge') ? bet : null,
      }));
    const hand = seat === 'judge' ? null : hands[seat as Side];
    return { motion, hand, proposition: speechData('proposition'), opposition: speechData('opposition'), over };
  },

  scripts,
});

/** Returns the next speaker, or null when the judge decides. */
function speaker({ task, speeches }: State): Side | null {
  if (speeches.opposition.length === task.rounds) return null;
  return speeches.proposition.length === speeches.opposition.length ? 'proposition' : 'opposition';
}

function otherOf(side: Side): Side {
  return side === 'proposition' ? 'opposition' : 'proposition';
}

function argumentStrengths({ hands, speeches }: State, side: Side): readonly number[] {
  return speeches[side].map(({ argument }) => (argument === null ? 0 : hands[side][argument][1]));
}

function argumentsLeft({ hands, speeches }: State, side: Side): readonly (readonly [string, number])[] {
  const used = new Set(speeches[side].map(({ argument }) => argument));
  return hands[side].filter((_, i) => !used.has(i));
}

const tens = Array.from({ length: 11 }, (_, i) => 10 * i);

function askOf(state: State): Ask {
  const { task } = state;
  const side = speaker(state);
  if (side === null) {
    const data: JudgeOutlook = {
      lead: sum(argumentStrengths(state, 'proposition')) - sum(argumentStrengths(state, 'opposition')),
      noise: task.noise,
    };
    return { seat: 'judge', choices: verdicts, data };
  }
  const left = argumentsLeft(state, side);
  const bets = task.bets !== 'none';
  const choices = left.flatMap(([ground]) => (bets ? tens.map((bet) => `[argue ${ground}, bet ${bet}]`) : [`[argue ${ground}]`]));
  const other = task.strengths ? argumentStrengths(state, otherOf(side)) : null;
  const { rounds, spare, noise } = task;
  const data: DebaterOutlook = { left, own: argumentStrengths(state, side), other, rounds, cards: rounds + spare, noise, bets };
  return { seat: side, choices, data, ...(bets ? { fields: betFields } : {}) };
}

function speak(state: State, side: Side, speech: Speech, before: readonly Message[]): MoveOutcome<State> {
  const next: State = { ...state, speeches: { ...state.speeches, [side]: [...state.speeches[side], speech] } };
  return { state: next, messages: [...before, ...publish(state, side, speech)] };
}

/** Returns what the others hear of a speech: its words, the grounds of the argument and, if visible, its strength and the bet. */
function publish({ task, hands }: State, side: Side, { argument, words, bet }: Speech): readonly Message[] {
  if (argument === null) return [];
  const other = otherOf(side);
  const [ground, strength] = hands[side][argument];
  const text = `${words === '' ? `(argues from ${ground})` : words}`;
  const graded = ` (${ground}, strength ${strength} of ${strongest})`;
  const messages: Message[] = [
    { to: [other], from: side, text: task.strengths ? text + graded : text, data: { ground, ...(task.strengths ? { strength } : {}) } },
    { to: ['judge'], from: side, text: text + graded, data: { ground, strength } },
  ];
  if (task.bets === 'public') messages.push({ to: [other], text: `${side} bets ${bet} on itself.`, data: { bet } });
  return messages;
}

function readSpeech(state: State, side: Side, action: Action): ParsedMove<Speech> {
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const { hands, task } = state;
  const [, ground, written] = /^argue (\w+)(?:,? bet (\d{1,3}))?$/i.exec(read.move) ?? [];
  const argument = hands[side].findIndex(([name]) => name === ground?.toLowerCase());
  const left = argumentsLeft(state, side).map(([name]) => name);
  if (ground === undefined || !left.includes(hands[side][argument]?.[0] ?? ''))
    return { ok: false, problem: `Argue from something you still have: ${left.join(', ')}; like [argue ${left[0]}].` };
  const speech = talkOf(action.text.replace(linear(/\[[^\]]*\]/g), ' '));
  if (task.bets === 'none') {
    if (written !== undefined) return { ok: false, problem: 'There are no bets in this debate.' };
    return { ok: true, move: { argument, words: speech, bet: null } };
  }
  const input = isObject(action.data) ? action.data['confidence'] : undefined;
  const bet = written === undefined ? input : Number(written);
  if (typeof bet !== 'number' || !(bet >= 0 && bet <= 100))
    return { ok: false, problem: `Say with each speech how likely you are to win, from 0 to 100, like [argue ${ground}, bet 50].` };
  return { ok: true, move: { argument, words: speech, bet } };
}

function decide(state: State, winner: Side | null, before: readonly Message[]): MoveOutcome<State> {
  const { task, speeches } = state;
  const messages = [...before];
  const lead = sum(argumentStrengths(state, 'proposition')) - sum(argumentStrengths(state, 'opposition'));
  const rewards: Record<string, number> = { proposition: 0, opposition: 0, judge: 0 };
  if (winner !== null) {
    for (const side of sides) {
      const won = winner === side;
      const bets = speeches[side].flatMap(({ bet }) => (bet === null ? [] : [payoff(bet / 100, won, task.payout)]));
      rewards[side] = (won ? 1 : -1) + (bets.length === 0 ? 0 : (task.stake * sum(bets)) / bets.length);
    }
    rewards['judge'] = lead === 0 ? 0.5 : lead > 0 === (winner === 'proposition') ? 1 : 0;
    messages.push({ to: seats, text: `The judge decides for the ${winner}.` });
  }
  const bets = Object.fromEntries(sides.map((side) => [side, speeches[side].map(({ bet }) => bet)]));
  messages.push({ to: [], text: 'bets', data: { debate: { winner, lead, bets } } });
  return { state: { ...state, over: winner ?? 'nobody' }, messages, over: true, rewards };
}

/** Returns the reward of a bet: 0 for an even bet, 1 for being certain and right. */
export function payoff(p: number, won: boolean, payout: Task['payout']): number {
  const y = won ? 1 : 0;
  return payout === 'linear' ? (2 * p - 1) * (2 * y - 1) : 1 - 4 * (p - y) ** 2;
}

function sideRules(task: Task, { motion, hands }: Debate, side: Side): Message {
  const lines = [
    `The motion: ${motion} You are the ${side}: you speak ${side === 'proposition' ? 'for' : 'against'} it, ${task.rounds} times, in turn with the other side. Then a judge names the winner, mostly by how strong the arguments were.`,
    `Your arguments, with their strength from 1 to ${strongest}: ${hands[side].map(([ground, strength]) => `${ground} ${strength}`).join(', ')}. Each can be used once.`,
    'Say what you have to say in your own words, and name the argument in square brackets, like [argue cost].',
    ...(task.bets === 'none'
      ? []
      : [
          `With each speech say how likely you are to win, from 0 to 100: in the same brackets, like [argue cost, bet 50], or as data, like {"confidence": 50}. ${task.bets === 'private' ? 'The other side does not learn it.' : 'The other side learns it.'} ${task.payout === 'brier' ? 'Bets are paid so that your true chance is the best bet.' : 'Bets are paid in proportion.'}`,
        ]),
    ...(task.told === 'even' ? ['Each side wins exactly half of all such debates.'] : []),
    ...(task.told === 'doubt' ? ['Before you bet, think of the best reasons why you may lose.'] : []),
  ];
  return { to: [side], text: lines.join('\n') };
}

function judgeRules(task: Task, motion: string): Message {
  const text = `The motion: ${motion} You are the judge of a debate. Each side speaks ${task.rounds} times; with each argument you are told how strong it is, from 1 to ${strongest}. At the end name the side that argued more strongly: [proposition] or [opposition].`;
  return { to: ['judge'], text };
}
