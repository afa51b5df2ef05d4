/**
 * @file Clinic: a consultation with a hidden case. Ask, examine, test, refer, diagnose; every look has a cost.
 *
 * The same rules serve a support center, with faults instead of conditions. All tables are toys, and none is medical advice.
 */

import type { Ask, Message, MoveOutcome, ParsedMove, Rng, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { audit, defineEnvironment, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { talkOf } from '../together.ts';
import { care, pays } from './bayes.ts';
import { briefing, cardText, later } from './briefing.ts';
import { experts } from './doctors.ts';
import { type ClinicOrder, choicesOf, orderOf } from './orders.ts';
import type { ClinicTable } from './table.ts';
import { tableNamed, tables } from './tables.ts';
import { type ClinicCard, type ClinicQuestion, claims, helper } from './talk.ts';

const parameters = {
  table: parameter.choice({
    options: ['general', 'support', 'small', 'mini'],
    default: 'general',
    description: 'which conditions and findings there are',
  }),
  turns: parameter.integer({
    min: 1,
    max: 100,
    default: 25,
    description: 'maximum number of turns by the expert until the consultation ends without a diagnosis',
  }),
  handbook: parameter.boolean({ default: false, description: 'tell the expert all probabilities of the table' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/**
 * `present[f]` and `readings[f]` are the truth about finding f; `covered` has a bit for each finding that was looked for, `shown` for each
 * result.
 */
type State = TaskState<Case, Task>;
type Case = {
  readonly condition: number;
  readonly present: readonly boolean[];
  readonly readings: readonly number[];
  readonly card: ClinicCard | null;
  readonly covered: number;
  readonly shown: number;
  /** Pending results, with the turn at which they arrive. */
  readonly pending: readonly { readonly finding: number; readonly due: number }[];
  /** The question to the helper seat: a finding, −1 for talk, −2 for the opening. Null when the expert is asked. */
  readonly asked: number | null;
  readonly turns: number;
  readonly referred: boolean;
  readonly said: string;
  readonly over: boolean;
};

export const clinic = defineEnvironment({
  id: 'clinic@1',
  about: {
    summary:
      'A medical consultation with a hidden condition from a toy table (not medical advice). The expert asks, examines, tests, and then refers or diagnoses. A correct diagnosis pays 1, a list of up to three that contains it 0.5. Tests and turns cost, a missed urgent referral costs 0.5, and required questions pay up to 0.1. The patient is a seat, played truthfully by a script or by any agent whose answers are then audited. Other tables make it a support center, or a game that is solved exactly.',
    tasks: [{}, { table: 'support' }, { table: 'small' }, { table: 'mini' }],
    // Before each of 25 turns the expert may make two invalid moves. The helper may answer after each turn, and once at the opening.
    turns: 25 * 4 + 4,
    words: Object.values(tables).flatMap(({ conditions }) => conditions.map(({ id }) => id)),
  },
  parameters,
  seats: ({ table }) => tableNamed(table).seats,

  start(task, rng) {
    const table = tableNamed(task.table);
    const state = drawCase(table, rng);
    const [expert, other] = table.seats;
    const messages: Message[] = [{ to: [expert], text: briefing(table, task), data: { table: table.name, turns: task.turns } }];
    if (other === undefined || state.card === null) return { state, messages };
    messages.push({ to: [other], text: `${cardText(table, state.card)}\nYou are asked: what can I do for you?` });
    return { state: { ...state, asked: -2 }, messages };
  },

  turn(state) {
    const table = tableNamed(state.task.table);
    return state.asked === null ? askExpert(table, state) : askHelper(table, state, state.asked);
  },

  read(action, state): ParsedMove<ClinicOrder | string> {
    return state.asked === null ? orderOf(tableNamed(state.task.table), action) : { ok: true, move: action.text };
  },

  play(state, move) {
    const table = tableNamed(state.task.table);
    return typeof move === 'string' ? passAnswer(table, state, move) : carryOut(table, state, move);
  },

  forfeit(state, _, text) {
    const table = tableNamed(state.task.table);
    return closeCase(table, state, { messages: [{ to: table.seats, text }], reward: 0 });
  },

  knows(state, seat) {
    const table = tableNamed(state.task.table);
    const { turns, asked, said, over, referred } = state;
    if (seat !== table.seats[0]) return { card: state.card, turns, asked, said, over };
    const results = table.findings.map((_, f) => ((state.shown & (1 << f)) === 0 ? null : [state.present[f], state.readings[f]]));
    return { results, covered: state.covered, turns, asked, said, referred, over: over ? state.condition : null };
  },

  scripts: { ...experts(tableNamed), patient: helper(tableNamed), caller: helper(tableNamed) },
});

/** Draws the case first and then the person, so that the person's traits reveal nothing about the case. */
function drawCase(table: ClinicTable, rng: Rng): Case {
  const condition = rng.weighted(table.conditions.map(({ prior }) => prior));
  const present = table.findings.map(({ chances }) => {
    const chance = chances[condition];
    return rng.weighted([1 - chance, chance]) === 1;
  });
  const readings = table.findings.map(({ reading }, f) => {
    if (reading === undefined) return 0;
    const [from, to] = present[f] ? reading.present : reading.absent;
    const fine = Number.isInteger(from) && Number.isInteger(to) ? 1 : 10;
    return (Math.round(from * fine) + rng.int(Math.round((to - from) * fine) + 1)) / fine;
  });
  let card: ClinicCard | null = null;
  if (table.seats.length > 1) {
    const facts: Record<string, boolean> = {};
    table.findings.forEach(({ id, kind }, f) => {
      if (kind === 'ask') facts[id] = present[f];
    });
    const [talkative, learned] = [rng.int(2) === 1, rng.int(2) === 1];
    card = { table: table.name, facts, talkative, learned, concern: rng.pick(table.concerns), mentions: rng.pick(Object.keys(facts)) };
  }
  return {
    condition,
    present,
    readings,
    card,
    covered: 0,
    shown: 0,
    pending: [],
    asked: null,
    turns: 0,
    referred: false,
    said: '',
    over: false,
  };
}

function carryOut(table: ClinicTable, before: State, order: ClinicOrder): MoveOutcome<State> {
  const { turn, refer } = table.charges;
  const [expert, other] = table.seats;
  const state: State = { ...before, turns: before.turns + 1, said: '' };
  if (order.kind === 'diagnose') {
    const hit = order.conditions.includes(state.condition);
    const reward = (hit ? (order.conditions.length === 1 ? pays.right : pays.listed) : 0) - turn;
    return closeCase(table, state, { messages: [], reward });
  }
  if (order.kind === 'refer') {
    const text = state.referred ? 'The case is referred already.' : 'You refer the case as urgent.';
    return went(table, { ...state, referred: true }, { messages: [{ to: [expert], text }], reward: -turn - refer });
  }
  if (order.kind === 'advise') {
    const to = other === undefined ? [] : [other];
    return went(table, { ...state, said: order.words }, { messages: [{ to, from: expert, text: order.words }], reward: -turn });
  }
  const { kind, finding, words } = order;
  const { cost = 0, delay = 0 } = table.findings[finding] ?? {};
  const covered = finding < 0 ? state.covered : state.covered | (1 << finding);
  if (kind !== 'ask') {
    const pending = [...state.pending, { finding, due: state.turns + delay }];
    const messages: Message[] =
      delay === 0 ? [] : [{ to: [expert], text: `${table.findings[finding]?.id}: the result comes ${later(delay)}.` }];
    return went(table, { ...state, covered, pending }, { messages, reward: -turn - cost });
  }
  const question: Message = { to: [other as Seat], from: expert, text: words };
  const next: State = { ...state, covered, asked: finding, said: words };
  return { state: next, messages: [question], rewards: { [expert]: -turn - cost } };
}

interface Account {
  readonly messages: readonly Message[];
  readonly reward: number;
}

/** Finishes the expert's turn: due results arrive, and the expert is asked again unless its turns are used up. */
function went(table: ClinicTable, before: State, { messages, reward }: Account): MoveOutcome<State> {
  const expert = table.seats[0];
  const due = before.pending.filter((item) => item.due <= before.turns);
  let state = before;
  let all = messages;
  if (due.length > 0) {
    const shownCount = due.reduce((bits, { finding }) => bits | (1 << finding), before.shown);
    state = { ...before, pending: before.pending.filter((item) => item.due > before.turns), shown: shownCount };
    all = [...messages, ...due.map(({ finding }) => resultOf(table, state, finding))];
  }
  if (state.turns >= state.task.turns) return closeCase(table, state, { messages: all, reward });
  const rest = { state, messages: all };
  return reward === 0 ? rest : { ...rest, rewards: { [expert]: reward } };
}

/** Passes the helper's answer to the expert, with a note that says whether it is true. */
function passAnswer(table: ClinicTable, before: State, text: string): MoveOutcome<State> {
  const [expert, other] = table.seats as readonly [Seat, Seat];
  const speech = talkOf(text) || '…';
  const messages: Message[] = [{ to: [expert], from: other, text: speech }];
  for (const [finding, present] of claims(table, speech, before.asked ?? -1))
    messages.push(
      audit(
        other,
        present === before.present[finding],
        `${table.findings[finding]?.id} is ${before.present[finding] ? 'present' : 'absent'}`,
      ),
    );
  return went(table, { ...before, asked: null, said: speech }, { messages, reward: 0 });
}

/** Ends the case: scores the must-ask items, charges a missed red flag, and reveals the truth. */
function closeCase(table: ClinicTable, before: State, { messages, reward }: Account): MoveOutcome<State> {
  const [expert] = table.seats;
  const state: State = { ...before, over: true };
  const missed = !state.referred && table.findings.some(({ flag }, f) => flag && state.present[f]);
  const total = reward + pays.careful * care(table, state.covered) - (missed ? table.charges.missed : 0);
  const truth = `It was ${table.conditions[state.condition]?.id}.${missed ? ' There was a red flag, and the case was not referred.' : ''}`;
  return { state, messages: [...messages, { to: [expert], text: truth }], over: true, rewards: { [expert]: total } };
}

function resultOf(table: ClinicTable, state: State, f: number): Message {
  const { id, kind, reading } = table.findings[f];
  const present = state.present[f];
  const [yes, no] = kind === 'test' ? ['positive', 'negative'] : reading === undefined ? ['present', 'absent'] : ['abnormal', 'normal'];
  const text = `${id}: ${reading === undefined ? '' : `${state.readings[f]} ${reading.unit}, `}${present ? yes : no}.`;
  return { to: [table.seats[0]], text, data: { result: id, present } };
}

function askExpert(table: ClinicTable, { covered, referred }: State): Ask {
  const written = choicesOf(table);
  const choices: string[] = [];
  for (let f = 0; f < table.findings.length; f++) if ((covered & (1 << f)) === 0) choices.push(written.looks[f]);
  choices.push(...written.diagnoses);
  if (!referred) choices.push('[refer urgent]');
  return { seat: table.seats[0], choices };
}

function askHelper(table: ClinicTable, { card }: State, requestCount: number): Ask {
  const data: ClinicQuestion = { card: card as ClinicCard, opening: requestCount === -2, about: table.findings[requestCount]?.id ?? null };
  return { seat: table.seats[1]!, choices: helperChoices, data };
}

const helperChoices = ['Yes.', 'No.', 'I am not sure.'];
