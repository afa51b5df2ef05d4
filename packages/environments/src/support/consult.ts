/** @file The support arena: a therapist asks, a patient chooses words for coded symptoms, and treatments are tried until one fits. */

import type { Ask, Message, MoveOutcome, Rng, Seat, TaskState } from '@ludus-agents/kernel/internal/core/index';
import {
  codes,
  drawSymptoms,
  expressions,
  fields,
  goodEnough,
  mostTreatments,
  type SymptomCard,
  statements,
  symptomF1,
  treatmentScore,
  treatments,
} from './arena.ts';
import { crisisLine } from './cards.ts';
import { bothSeats, type SupportTask, seeker, supporter } from './task.ts';

export type ConsultState = TaskState<Consult, SupportTask>;
export type Consult = {
  readonly setting: 'arena';
  readonly card: SymptomCard;
  /** The latest statement about each field, or −1. */
  readonly said: readonly number[];
  /** The field that the patient is asked about, or null. */
  readonly asked: number | null;
  readonly similarity: number;
  readonly treated: readonly (readonly [treatment: number, score: number])[];
  readonly stated: readonly number[];
  readonly turn: number;
  readonly over: boolean;
};

const questions = fields.map((field) => `[ask ${field}]`);
const asking = [...questions, ...statements.keys()];
const treating = treatments.map((name) => `[treat ${name}]`);
const saying = fields.map((field) => expressions[field].map((word) => `[say ${word}]`));

export function startConsult(task: SupportTask, rng: Rng): MoveOutcome<Consult> {
  const card = drawSymptoms(rng);
  const state: Consult = {
    ...{ setting: 'arena', card, said: [-1, -1, -1], asked: null, similarity: 0 },
    ...{ treated: [], stated: [], turn: 0, over: false },
  };
  const ownText = fields.map((field, i) => `${field} ${codes[field][card[i]]}`).join(', ');
  const therapist = `${crisisLine}\nYou are a therapist. Ask the patient about ${fields.join(', ')}: ${questions.join(' ')}. Then state what you take the symptoms to be, like ${[...statements.keys()][0]}; you are told how similar that is, and may go on asking. From ${goodEnough.similarity} on, try treatments: ${treating.join(' ')}; each is scored out of 10. Both of you are paid half the similarity and half the best score, less ${task.cost} for each of your answers.`;
  const patient = `${crisisLine}\nYou are a patient with these symptoms: ${ownText}. When you are asked, say one of the words you are given; the therapist must find out from them what you have.`;
  return {
    state,
    messages: [
      { to: [supporter], text: therapist },
      { to: [seeker], text: patient },
    ],
  };
}

export function playConsult(state: ConsultState, move: string): MoveOutcome<ConsultState> {
  return state.asked === null ? therapistMoves(state, move) : patientSpeaks(state, move);
}

export function knowsConsult({ card, said, asked, similarity, stated, treated, turn, over }: ConsultState, seat: Seat) {
  return { said, asked, similarity, stated, treated, turn, over, ...(seat === seeker ? { card } : {}) };
}

export function consultAsk({ card, asked, said, similarity, treated, turn }: ConsultState): Ask {
  if (asked !== null) return { seat: seeker, choices: saying[asked], data: { code: card[asked] } };
  const data = { said, treated, turn };
  return { seat: supporter, choices: similarity >= goodEnough.similarity ? treating : asking, data };
}

function patientSpeaks(state: ConsultState, move: string): MoveOutcome<ConsultState> {
  const { asked, said } = state;
  const word = saying[asked!].indexOf(move);
  const next: ConsultState = { ...state, said: said.map((value, i) => (i === asked ? word : value)), asked: null };
  const receivedText = fields.flatMap((field, i) => (next.said[i] < 0 ? [] : [`${field} ${expressions[field][next.said[i]]}`])).join(', ');
  return goOn(next, [{ to: [supporter], from: seeker, text: `Heard so far: ${receivedText}.` }]);
}

function therapistMoves(state: ConsultState, move: string): MoveOutcome<ConsultState> {
  const { card, treated } = state;
  const after: ConsultState = { ...state, turn: state.turn + 1 };
  const field = questions.indexOf(move);
  if (field >= 0) {
    const next: ConsultState = { ...after, asked: field };
    return { state: next, messages: [{ to: [seeker], from: supporter, text: `What of your ${fields[field]}?` }] };
  }
  const stated = statements.get(move);
  if (stated !== undefined) {
    const similarity = symptomF1(card, stated);
    const observedText = similarity >= goodEnough.similarity ? 'That is it; try treatments.' : 'Not quite: ask on.';
    return goOn({ ...after, similarity, stated }, [
      { to: bothSeats, text: `Similarity ${Math.round(100 * similarity) / 100}. ${observedText}` },
    ]);
  }
  const treatment = treating.indexOf(move);
  const score = treatmentScore(card, treatment);
  const next: ConsultState = { ...after, treated: [...treated, [treatment, score]] };
  const message: Message = { to: bothSeats, text: `${treatments[treatment]} is scored ${score} of 10.` };
  return score >= goodEnough.treatment || next.treated.length >= mostTreatments ? finishConsult(next, [message]) : goOn(next, [message]);
}

/** Asks the next question, unless the therapist's answers are used up. */
function goOn(state: ConsultState, messages: readonly Message[]): MoveOutcome<ConsultState> {
  return state.turn >= state.task.turns ? finishConsult(state, messages) : { state, messages };
}

export function finishConsult(state: ConsultState, messages: readonly Message[]): MoveOutcome<ConsultState> {
  const { task, similarity, treated, turn } = state;
  const best = Math.max(0, ...treated.map(([, score]) => score));
  const payment = 0.5 * similarity + 0.05 * best - task.cost * turn;
  const note: Message = { to: [], text: 'arena', data: { arena: { similarity, best, turns: turn } } };
  return {
    state: { ...state, asked: null, over: true },
    messages: [...messages, note],
    over: true,
    rewards: { [supporter]: payment, [seeker]: payment },
  };
}
