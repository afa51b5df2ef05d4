/**
 * @file A patient expresses hidden symptoms in words; a therapist recognizes them, names the condition, and chooses a treatment. Both seats
 * speak freely and earn the same, so both can be trained together.
 *
 * After MentalArena (Li et al., 2024): symptom encoder and decoder. Encoding and decoding are measured over symptoms, not by vectors.
 */

import type { Action, Ask, Environment, Message, Script, Step, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, Fault, forfeitText, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { crisisLine } from '../support/cards.ts';
import { talkOf } from '../together.ts';
import { type ConsultTable, fittingConditions, readConsultTable, recognizes } from './cases.ts';

function therapist(decide: (outlook: TherapistOutlook) => string | null): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as TherapistOutlook | undefined;
    if (outlook?.heard === undefined) throw elsewhere('treats', ask);
    if (outlook.named !== null) return { text: `[treat ${outlook.treatments[outlook.named]}]` };
    const named =
      decide(outlook) ?? (outlook.heard.length > 0 && outlook.fitting.length === 0 ? rng.pick(Object.keys(outlook.treatments)) : null);
    return { text: named === null ? '[ask]' : `[diagnose ${named}]` };
  };
}

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script.`);
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Asks until exactly one condition fits. */
  differential: therapist(({ fitting }) => (fitting.length === 1 ? fitting[0] : null)),
  /** Names the first condition that fits the first symptom heard. */
  hasty: therapist(({ fitting, heard }) => (heard.length > 0 ? (fitting[0] ?? null) : null)),
  /** Names a condition before hearing anything. */
  deaf: therapist(({ treatments }) => Object.keys(treatments)[0]),
  /** Says the first symptom that it has not said yet. */
  patient: ({ ask }: Turn) => {
    const outlook = ask.data as PatientOutlook | undefined;
    if (outlook?.untold === undefined) throw elsewhere('is a patient', ask);
    return { text: outlook.untold[0] ?? 'That is all.' };
  },
  /** Also denies a symptom that it does not have, which sounds like having it. */
  denying: ({ ask, rng }: Turn) => {
    const outlook = ask.data as PatientOutlook | undefined;
    if (outlook?.untold === undefined) throw elsewhere('is a patient', ask);
    return { text: `${outlook.untold[0] ?? 'That is all.'} Not this: ${rng.pick(outlook.absent)}` };
  },
};

/** The built-in table of the consultation: four moods, fictional and simple. */
export const moods: ConsultTable = {
  symptoms: [
    { id: 'sleepless', says: 'I lie awake most nights.', cues: ['awake', 'sleepless', 'insomnia'] },
    { id: 'worry', says: 'I worry about everything that could go wrong.', cues: ['worry', 'worried'] },
    { id: 'avoidance', says: 'I stay at home to be safe.', cues: ['stay at home', 'avoid'] },
    { id: 'tears', says: 'I cry for no reason.', cues: ['cry', 'tears'] },
    { id: 'listless', says: 'Nothing is fun any more.', cues: ['fun', 'interest'] },
    { id: 'rage', says: 'I shout over trifles.', cues: ['shout', 'temper'] },
  ],
  conditions: [
    { id: 'anxiety', symptoms: ['worry', 'avoidance', 'sleepless'], treatment: 'exposure', profile: 'You had an accident last year.' },
    { id: 'low mood', symptoms: ['tears', 'listless', 'sleepless'], treatment: 'activation', profile: 'You moved away from your friends.' },
    { id: 'strain', symptoms: ['rage', 'sleepless', 'worry'], treatment: 'rest', profile: 'You work two jobs.' },
    { id: 'grief', symptoms: ['tears', 'listless', 'avoidance'], treatment: 'talking', profile: 'You lost somebody in spring.' },
  ],
};

const parameters = {
  table: parameter.json({ default: null, description: 'symptoms, and conditions with treatments (default: moods)' }),
  turns: parameter.integer({ min: 2, max: 40, default: 8, description: 'number of turns by the therapist' }),
  cost: parameter.number({ min: 0, max: 0.2, default: 0.02, description: 'cost of each turn of the therapist for both seats' }),
  decoder: parameter.boolean({
    default: false,
    description: 'compare the symptoms understood from the words with those of the patient, and tell both seats the differences',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = {
  readonly task: Task;
  readonly condition: number;
  /** Symptoms that the patient's words have conveyed. */
  readonly heard: readonly string[];
  /** Symptoms that the words conveyed although the patient does not have them. */
  readonly wrong: readonly string[];
  readonly isPatient: boolean;
  readonly named: string | null;
  readonly turn: number;
  readonly last: string;
  readonly over: boolean;
  readonly misses: number;
};

/** The data for programs in the asks. */
export type TherapistOutlook = {
  readonly heard: readonly string[];
  readonly fitting: readonly string[];
  readonly named: string | null;
  readonly treatments: Readonly<Record<string, string>>;
};
export type PatientOutlook = {
  readonly untold: readonly string[];
  /** Sentences for symptoms that the patient does not have. */
  readonly absent: readonly string[];
};

const seats = ['therapist', 'patient'] as const;
const tableOf = ({ table }: Task): ConsultTable => readConsultTable(table, moods);

export const consultation: Environment<State, Task> = {
  id: 'consultation@2',
  about: {
    summary:
      'A patient with a hidden condition describes its symptoms, and a therapist diagnoses and treats it (a simulation, not medical advice). Both earn a half for the right condition and a half for the right treatment, minus 0.02 per turn, so clear descriptions and good listening pay. Reports contain the share of symptoms that the words conveyed, the diagnosis, and the treatment. Content: symptoms, and conditions with treatments.',
    tasks: [{}, { turns: 3 }],
    turns: 8 * 2 * 5,
    words: ['ask', 'diagnose', 'treat'],
  },
  parameters,
  task(input) {
    const task = readTask('consultation', parameters, input);
    tableOf(task);
    return task;
  },
  seats: () => seats,
  start(task, dice) {
    const condition = dice.int(tableOf(task).conditions.length);
    const state: State = {
      ...{ task, condition, heard: [], wrong: [], isPatient: false, named: null, turn: 0, last: '', over: false, misses: 0 },
    };
    return { state, messages: [...rules(state), status(state)], asks: asksOf(state) };
  },
  step: (state, actions) => (state.isPatient ? patientSpeaks(state, actions['patient']) : therapistActs(state, actions['therapist'])),
  knows({ task, condition, heard, wrong, isPatient, named, turn, last, over }, seat) {
    const common = { task, heard, wrong, isPatient, turn, last, over, named };
    return seat === 'patient' || over ? { ...common, condition } : common;
  },
  scripts,
};

/** The symptoms that the therapist takes for real: all that the words conveyed, or, with a decoder, those that the patient has. */
const signsFor = ({ task, heard, wrong }: State): readonly string[] => (task.decoder ? heard : [...heard, ...wrong]);

function asksOf(state: State): readonly Ask[] {
  const { task, condition, heard, isPatient, named, over } = state;
  const table = tableOf(task);
  if (over) return [];
  if (isPatient) {
    const mine = table.conditions[condition].symptoms;
    const untold = table.symptoms.filter(({ id }) => mine.includes(id) && !heard.includes(id));
    const absent = table.symptoms.filter(({ id }) => !mine.includes(id)).map(({ says }) => says);
    const data: PatientOutlook = { untold: untold.map(({ says }) => says), absent: absent.length > 0 ? absent : ['Anything else.'] };
    return [{ seat: 'patient', choices: table.symptoms.map(({ says }) => says), data }];
  }
  const treatments = Object.fromEntries(table.conditions.map(({ id, treatment }) => [id, treatment]));
  const signs = signsFor(state);
  const data: TherapistOutlook = { heard: signs, fitting: fittingConditions(table, signs).map(({ id }) => id), named, treatments };
  const choices =
    named === null
      ? ['[ask]', ...table.conditions.map(({ id }) => `[diagnose ${id}]`)]
      : [...new Set(Object.values(treatments))].map((treatment) => `[treat ${treatment}]`);
  return [{ seat: 'therapist', choices, data: data }];
}

function refuseMove(state: State, problem: string, seat: (typeof seats)[number]): Step<State> {
  return askAgain(state, asksOf(state)[0], problem, state.task.retries) ?? finish(state, null, [{ to: seats, text: forfeitText(seat) }]);
}

function therapistActs(state: State, action: Action): Step<State> {
  const { task, turn, named } = state;
  const { conditions } = tableOf(task);
  const moves = [...action.text.matchAll(linear(/\[\s*(ask|diagnose|treat)\b\s*([^\]]*)\]/gi))];
  const speech = talkOf(action.text.replace(linear(/\[[^\]]*\]/g), ' '));
  if (moves.length > 1) return refuseMove(state, 'Make at most one move in square brackets.', 'therapist');
  const [, verb = speech === '' ? '' : 'ask', rest = ''] = (moves[0] ?? []) as readonly (string | undefined)[];
  const name = rest.trim().toLowerCase();
  const after: State = { ...state, turn: turn + 1, misses: 0 };
  if (named !== null) {
    const treatment = conditions.find((condition) => condition.treatment.toLowerCase() === name)?.treatment;
    if (verb.toLowerCase() !== 'treat' || treatment === undefined)
      return refuseMove(state, `Choose a treatment, like [treat ${conditions[0].treatment}].`, 'therapist');
    return finish(after, treatment, []);
  }
  if (verb.toLowerCase() === 'diagnose') {
    const condition = conditions.find(({ id }) => id.toLowerCase() === name);
    if (condition === undefined)
      return refuseMove(
        state,
        `"${name.slice(0, 60)}" is not a condition; there are ${conditions.map(({ id }) => id).join(', ')}.`,
        'therapist',
      );
    const next: State = { ...after, named: condition.id };
    return { state: next, messages: [{ to: ['therapist'], text: `You name ${condition.id}. Choose a treatment.` }], asks: asksOf(next) };
  }
  if (verb.toLowerCase() !== 'ask')
    return refuseMove(state, 'Ask something in words, or make a move like [ask] or [diagnose NAME].', 'therapist');
  if (after.turn >= task.turns) return finish(after, null, [{ to: seats, text: 'No turn is left.' }]);
  const text = speech === '' ? 'What else do you notice?' : speech;
  const next: State = { ...after, isPatient: true, last: text };
  return { state: next, messages: [{ to: ['patient'], from: 'therapist', text }], asks: asksOf(next) };
}

function patientSpeaks(state: State, action: Action): Step<State> {
  const { task, condition } = state;
  const { symptoms, conditions } = tableOf(task);
  const text = talkOf(action.text);
  if (text === '') return refuseMove(state, 'Say something.', 'patient');
  const statements = symptoms.filter((symptom) => recognizes(symptom, text)).map(({ id }) => id);
  const mine = conditions[condition].symptoms;
  const next: State = {
    ...state,
    isPatient: false,
    heard: [...new Set([...state.heard, ...statements.filter((id) => mine.includes(id))])],
    wrong: [...new Set([...state.wrong, ...statements.filter((id) => !mine.includes(id))])],
    last: text,
    misses: 0,
  };
  const slips = task.decoder ? statements.filter((id) => !mine.includes(id)) : [];
  const deviation: readonly Message[] = slips.length === 0 ? [] : [{ to: seats, text: `Conveyed, but not meant: ${slips.join(', ')}.` }];
  return { state: next, messages: [{ to: ['therapist'], from: 'patient', text }, ...deviation, status(next)], asks: asksOf(next) };
}

function finish(state: State, treatment: string | null, messages: readonly Message[]): Step<State> {
  const { task, condition, named, heard, wrong, turn } = state;
  const right = tableOf(task).conditions[condition];
  const [isNamed, isTreated] = [named === right.id, treatment === right.treatment];
  const reward = (isNamed ? 0.5 : 0) + (isTreated ? 0.5 : 0) - task.cost * turn;
  const stated = heard.length + wrong.length;
  const measures = {
    diagnosis: isNamed ? 1 : 0,
    treatment: isTreated ? 1 : 0,
    conveyed: stated === 0 ? 0 : (2 * heard.length) / (stated + right.symptoms.length),
    ...(task.decoder && { misheard: wrong.length }),
    turns: turn,
  };
  const end: Message = { to: seats, text: `It was ${right.id}, to be treated by ${right.treatment}.` };
  const over: State = { ...state, over: true, isPatient: false, misses: 0 };
  return {
    state: over,
    messages: [...messages, end, { to: [], text: 'consultation', data: { measures } }],
    asks: [],
    rewards: { therapist: reward, patient: reward },
  };
}

/** Returns what was heard so far, which is enough for a learner that sees only its latest message. */
function status(state: State): Message {
  const list = [...signsFor(state)].sort();
  return { to: ['therapist'], text: list.length === 0 ? 'Nothing was recognized yet.' : `Recognized so far: ${list.join(', ')}.` };
}

function rules({ task, condition }: State): readonly Message[] {
  const { symptoms, conditions } = tableOf(task);
  const mine = conditions[condition];
  const list = conditions.map(({ id, symptoms: signs, treatment }) => `- ${id}: ${signs.join(', ')}; treated by ${treatment}`);
  const ownItems = mine.symptoms.map((id) => `- ${symptoms.find((symptom) => symptom.id === id)!.says}`);
  return [
    {
      to: ['therapist'],
      text: `${crisisLine}\nYou are a therapist. Your patient has one of these conditions:\n${list.join('\n')}\nAsk in your own words (or [ask]), then name the condition like [diagnose ${conditions[0].id}] and choose a treatment like [treat ${conditions[0].treatment}]. You have ${task.turns} turns; each costs ${task.cost}. Both of you earn half for the condition and half for the treatment.`,
    },
    {
      to: ['patient'],
      text: `${crisisLine}\nYou are a patient. You do not know what you have. You notice:\n${ownItems.join('\n')}\n${mine.profile}\nAnswer the therapist in your own words, one or two symptoms at a time.`,
    },
  ];
}
