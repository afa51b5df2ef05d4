/**
 * @file A talk in three stages: explore until the important facts are told, name the feeling, then suggest what fits. Early advice costs
 * trust.
 *
 * The stages follow helping-skills theory, as used by DeepPsy-Agent (2025) and named by ESConv.
 */

import type { Action, Ask, Message, MoveOutcome, ParsedMove, Rng, Seat, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { audit, isObject, parseBracketed } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { talkOf } from '../together.ts';
import { crisisLine, type Feeling, feelings, plans, planWords, type SeekerFact, type SupportPlan } from './cards.ts';
import { detectMove, inversions, macroF1, type SupportMove, stageNames, stageOf, written } from './detect.ts';
import { seekersOf } from './seekers.ts';
import { bothSeats, type SupportTask, seeker, supporter } from './task.ts';

export type TalkState = TaskState<SupportTalk, SupportTask>;
export type SupportTalk = {
  readonly setting: 'support';
  readonly card: number;
  readonly feeling: Feeling;
  readonly plan: SupportPlan;
  readonly told: readonly SeekerFact[];
  /** 0 exploration, 1 insight, 2 action, 3 done. */
  readonly stage: number;
  readonly trust: number;
  /** For each turn of the supporter: the stage of its strategy, the true stage, and the stage that it stated. */
  readonly turns: readonly (readonly [strategy: number | null, stage: number, believed: number | null])[];
  /** The seeker's cue, or null on the supporter's turn. */
  readonly cue: string | null;
  /** The latest speech, for everyone. */
  readonly said: string;
  readonly over: boolean;
};

const choices = [...written.keys()];

/** Optional data of an answer: the stage that the supporter believes the talk to be in. */
const stageFields = (names: readonly string[]) => ({
  type: 'object',
  properties: { stage: { type: 'string', enum: names, description: 'the stage you take the talk to be in' } },
  required: ['stage'],
  additionalProperties: false,
});
const fieldsBy = { helping: stageFields(stageNames.helping), esconv: stageFields(stageNames.esconv) } as const;

export function startTalk(task: SupportTask, rng: Rng): MoveOutcome<SupportTalk> {
  const cards = seekersOf(task.seekers);
  const card = task.card === 'any' ? rng.int(cards.length) : cards.findIndex(({ id }) => id === task.card);
  const feeling = cards[card].feeling ?? (rng.pick(Object.keys(feelings)) as Feeling);
  const plan = cards[card].plan ?? (rng.pick(Object.keys(plans)) as SupportPlan);
  const state: SupportTalk = {
    ...{ setting: 'support', card, feeling, plan, told: [], stage: 0, trust: task.trust },
    ...{ turns: [], cue: cards[card].problem, said: '', over: false },
  };
  return { state, messages: [rules(task), seekerCard(state, task), cueMessage(state)] };
}

/** Parses an answer: free text of the seeker, or a strategy of the supporter. */
export function readTalk(action: Action, { cue }: SupportTalk): ParsedMove<string | SupportMove> {
  if (cue === null) return readMove(action);
  const text = talkOf(action.text);
  return text === '' ? { ok: false, problem: 'Say something.' } : { ok: true, move: text };
}

export function playTalk(state: TalkState, move: string | SupportMove, action: Action): MoveOutcome<TalkState> {
  return typeof move === 'string' ? speak(state, move) : support(state, move, action);
}

export function knowsTalk(state: TalkState, seat: Seat) {
  const { card, feeling, plan, told, stage, trust, turns, cue, said, over } = state;
  if (seat === seeker) return { card, feeling, plan, told, stage, trust, cue, said, over };
  return { said, over, turns: turns.map(([strategy, , believed]) => [strategy, believed]), waiting: cue !== null };
}

export function talkAsk({ task, cue, turns, said }: TalkState): Ask {
  if (cue !== null) return { seat: seeker, data: { cue } };
  return { seat: supporter, choices, fields: fieldsBy[task.stages], data: { said, turn: turns.length, stages: stageNames[task.stages] } };
}

function cueMessage({ cue }: Pick<TalkState, 'cue'>): Message {
  return { to: [seeker], text: `Say this in your own words: ${cue}`, data: { cue } };
}

/** Applies the seeker's speech. The seeker must not name its feeling before the supporter does. */
function speak(state: TalkState, speech: string): MoveOutcome<TalkState> {
  const { task, stage, feeling, turns } = state;
  const next: TalkState = { ...state, cue: null, said: speech };
  const messages = [
    audit(seeker, stage > 1 || !new RegExp(`\\b${feeling}\\b`, 'i').test(speech), `says: ${speech}`),
    { to: [supporter], from: seeker, text: speech },
  ];
  if (stage === 3 || state.trust === 0 || turns.length >= task.turns) return finishTalk(next, messages);
  return { state: next, messages };
}

function readMove(action: Action): ParsedMove<SupportMove> {
  const speech = action.text.trim();
  if (speech === '') return { ok: false, problem: 'Say something, with a strategy in square brackets or in plain words.' };
  if (!speech.includes('[')) return { ok: true, move: detectMove(speech) };
  const read = parseBracketed(action);
  if (!read.ok) return read;
  const move = written.get(`[${read.move.toLowerCase()}]`);
  return move === undefined
    ? { ok: false, problem: `[${read.move.slice(0, 60)}] is no strategy; like ${choices[0]}.` }
    : { ok: true, move };
}

function support(state: TalkState, move: SupportMove, action: Action): MoveOutcome<TalkState> {
  const { task, card, told, stage } = state;
  const names: readonly string[] = stageNames[task.stages];
  const believed = isObject(action.data) && typeof action.data['stage'] === 'string' ? names.indexOf(action.data['stage']) : -1;
  const { cue, trust, next } = reaction(state, move);
  const newTold = move.strategy === 'question' && !told.includes(move.fact) ? [...told, move.fact] : told;
  const speech = talkOf(action.text.replace(linear(/\[[^\]]*\]/g), ' '));
  const text = speech === '' ? wordsFor(move, seekersOf(task.seekers)[card].problem) : speech;
  const after: TalkState = {
    ...state,
    told: newTold,
    stage: next,
    trust: Math.max(0, Math.min(task.trust, state.trust + trust)),
    turns: [...state.turns, [stageOf[move.strategy], stage, believed < 0 ? null : believed]],
    cue,
    said: text,
  };
  const reward = (next > stage ? 1 / 3 : 0) - task.cost - (after.trust === 0 ? 0.5 : 0);
  return {
    state: after,
    messages: [{ to: [seeker], from: supporter, text }, cueMessage(after)],
    rewards: { [supporter]: reward },
  };
}

interface Reaction {
  readonly cue: string;
  readonly trust: number;
  readonly next: number;
}

/** Returns the effect of a move on the seeker, according to the seeker's card. */
function reaction({ task, card, feeling, plan, told, stage }: TalkState, move: SupportMove): Reaction {
  const { facts, needed, shows = feelings[feeling], hints = plans[plan] } = seekersOf(task.seekers)[card];
  const stay = (cue: string, trust = 0): Reaction => ({ cue, trust, next: stage });
  switch (move.strategy) {
    case 'question': {
      if (told.includes(move.fact)) return stay('As I said.');
      const open = needed.filter((fact) => fact !== move.fact && !told.includes(fact));
      const fact = facts[move.fact];
      if (stage === 0 && open.length === 0) return { cue: `${fact} ${shows}`, trust: 0, next: 1 };
      return stay(fact);
    }
    case 'reflect':
      if (stage === 0) return stay('Maybe. You hardly know what it is about.');
      if (stage === 1 && move.feeling === feeling) return { cue: `Yes, that is it. ${hints}`, trust: 1, next: 2 };
      return stage === 1 ? stay('No, that is not it.', -1) : stay('Yes, I know.');
    case 'suggest':
      if (stage === 0) return stay('You do not even know what happened.', -1);
      if (stage === 2 && move.plan === plan) return { cue: 'That is something I can do. Thank you.', trust: 1, next: 3 };
      return stay('That would not help me.', -1);
    case 'inform':
      return stage === 0 ? stay('I am not interested in other people now.', -1) : stay('I see.');
    case 'affirm':
    case 'restate':
      return stay('Yes.', 1);
    default:
      return stay('Hm.');
  }
}

function wordsFor(move: SupportMove, problem: string): string {
  switch (move.strategy) {
    case 'question':
      return {
        event: 'What happened?',
        since: 'Since when is it like this?',
        people: 'Who is there with you?',
        tried: 'What have you tried so far?',
      }[move.fact];
    case 'reflect':
      return `It sounds like ${move.feeling}.`;
    case 'suggest':
      return `Perhaps you could ${planWords[move.plan]}.`;
    case 'restate':
      return `So you say: ${problem}`;
    default:
      return {
        disclose: 'I went through something like it once.',
        affirm: 'It is brave of you to say so.',
        inform: 'Many people feel like this.',
        other: 'I am here.',
      }[move.strategy];
  }
}

export function finishTalk(state: TalkState, messages: readonly Message[]): MoveOutcome<TalkState> {
  const { task, stage, trust, turns } = state;
  const text = stage === 3 ? 'The talk has helped.' : trust === 0 ? 'The seeker leaves.' : 'The talk is over.';
  const believed = turns.flatMap(([, truth, reported]) => (reported === null ? [] : [[truth, reported] as const]));
  const f1 = macroF1(believed);
  const measures = { stages: stage / 3, left: trust === 0 ? 1 : 0, turns: turns.length, ...(f1 === null ? {} : { stageF1: f1 }) };
  const data = {
    ...(task.seekers === undefined ? {} : { measures }),
    support: {
      stages: stage,
      left: trust === 0,
      inversions: inversions(turns.map(([item]) => item)),
      turns: turns.length,
      f1,
    },
  };
  return {
    state: { ...state, cue: null, over: true },
    messages: [...messages, { to: bothSeats, text }, { to: [], text: 'support', data }],
    over: true,
  };
}

function rules(task: SupportTask): Message {
  const names = stageNames[task.stages].join(', then ');
  const text = `${crisisLine}\nSomebody seeks support, and you give it. Such talks go through stages: ${names}. Ask about what matters (event, since, people, tried), name the feeling you hear (${Object.keys(feelings).join(', ')}), then suggest what fits (${Object.entries(
    planWords,
  )
    .map(([name, text]) => `${name}: ${text}`)
    .join(
      '; ',
    )}). Advice that comes too early, and wrong guesses, cost trust; without any the seeker leaves. Each answer costs ${task.cost}, each stage pays a third.\nSpeak in your own words with one strategy in square brackets, like ${choices[0]}, [reflect fear], [suggest rest], [restate], [affirm], [disclose], [inform] or [other]; words without brackets are read for what they are. You may add the stage you take the talk to be in as data.`;
  return { to: [supporter], text };
}

function seekerCard({ card, feeling }: SupportTalk, task: SupportTask): Message {
  const { who, tag } = seekersOf(task.seekers)[card];
  return {
    to: [seeker],
    text: `${crisisLine}\nYou are ${who} and seek support (${tag}). You feel ${feeling}, but do not name it before the other side does. Each time you are told what to say; put it in your own words.`,
  };
}
