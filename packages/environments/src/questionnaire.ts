/**
 * @file An interview by questionnaire: an interviewer presents each item, and the subject answers on a scale. For personality, values, or
 * any keyed test.
 *
 * There is no reward: the answers are for scorers. Played with an agent's spec after an episode, it tests whether the agent's persona is
 * still apparent. `lived` tells the subject what its seat experienced until then, on a branch that the episode itself never sees. With
 * `fresh`, the subject sees each item alone, so that it cannot adapt to its earlier answers.
 */

import type { Ask, Json, JsonObject, Message, MoveOutcome, Script, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { audit, choose, defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { talkOf } from './together.ts';

export type QuestionnaireItem = { readonly text: string; readonly key: string; readonly facet: string; readonly reversed: boolean };

export type Questionnaire = { readonly name: string; readonly labels: readonly string[]; readonly items: readonly QuestionnaireItem[] };

const items: readonly (readonly [key: string, facet: string, text: string])[] = [
  ['-E', 'sociability', 'In company I leave the talking to others.'],
  ['+A', 'compassion', 'When somebody suffers, it touches me.'],
  ['-C', 'order', 'Where I live and work, things lie about.'],
  ['+N', 'anxiety', 'I lie awake over what could go wrong.'],
  ['+O', 'beauty', 'A painting or a piece of music can stop me in my tracks.'],
  ['+E', 'assertiveness', 'When a group needs a lead, I take it.'],
  ['-A', 'courtesy', 'I snap at people when they are in my way.'],
  ['-C', 'industry', 'I find reasons not to begin with what I should do.'],
  ['+N', 'gloom', 'Many of my days are grey.'],
  ['-O', 'curiosity', 'Long discussions of ideas tire me.'],
  ['+E', 'energy', 'I wake up eager to be doing something.'],
  ['+A', 'trust', 'Until I am shown otherwise, I take people to be good.'],
  ['+C', 'duty', 'If I have said that I will do it, it will be done.'],
  ['-N', 'temper', 'It takes a great deal to shake me.'],
  ['+O', 'invention', 'Odd new ideas come to me all the time.'],
  ['+E', 'sociability', 'I strike up conversations with strangers.'],
  ['-A', 'compassion', 'The troubles of others are not my concern.'],
  ['+C', 'order', 'I put each thing back where it belongs.'],
  ['-N', 'anxiety', 'Under strain I stay loose and easy.'],
  ['-O', 'beauty', 'Museums and poems are wasted on me.'],
  ['-E', 'assertiveness', 'I am glad when others decide for me.'],
  ['+A', 'courtesy', 'I mind my manners with everybody.'],
  ['+C', 'industry', 'Once I have started, I go on to the end.'],
  ['-N', 'gloom', 'By and large I like the person I am.'],
  ['+O', 'curiosity', 'I want to get to the bottom of how things work.'],
  ['-E', 'energy', 'I would rather sit still than be up and about.'],
  ['-A', 'trust', 'I reckon that most people are after something.'],
  ['-C', 'duty', 'Now and then I let people down.'],
  ['+N', 'temper', 'Small things can set me off.'],
  ['-O', 'invention', 'I stick to the ways I was taught.'],
];

/**
 * A questionnaire of thirty items on five traits, keyed like the short Big Five inventories used in research, in its own wording.
 *
 * Six items per trait, three of them reversed, and two per facet; items i and i + 15 belong to the same facet. Neither the wording nor any
 * norm is that of a published inventory: compare scores with each other, not with people's.
 */
export const fiveTraits: Questionnaire = {
  name: 'five-traits',
  labels: ['not at all true of me', 'hardly true of me', 'neither true nor untrue', 'mostly true of me', 'very true of me'],
  items: items.map(([key, facet, text]) => ({ text, key: key[1], facet, reversed: key.startsWith('-') })),
};

const parameters = {
  questionnaire: parameter.json({
    default: null,
    description:
      'a custom questionnaire, {"name", "labels", "items": [{"text", "key", "reversed"}]}, instead of thirty items on five traits',
  }),
  shuffle: parameter.boolean({ default: false, description: 'shuffle the items for each seed' }),
  fresh: parameter.boolean({ default: false, description: 'the subject sees each item separately, without earlier ones' }),
  lived: parameter.string({
    default: '',
    description: 'the subject’s experiences, shown only to it before the first item; not with fresh',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type State = TaskState<Interview, Task>;
type Interview = {
  /** The items in the order of presentation. */
  readonly order: readonly number[];
  /** The interviewer's text for the current item, if it has spoken. */
  readonly said: string | null;
  /** Answers so far, in the order of asking; null for a missing one. */
  readonly answers: readonly (number | null)[];
  readonly over: boolean;
};

const seats = ['interviewer', 'subject'] as const;

export const questionnaire = defineEnvironment({
  id: 'questionnaire@1',
  about: {
    unpaid: true,
    summary:
      'An interviewer asks the items of a questionnaire one by one, and the subject answers each on a scale, in character. The built-in questionnaire has thirty items on five personality traits, six per trait, half of them reversed. There is no reward. Answers are stored in a note, and scorers compare them with the persona. The interviewer’s wording is checked against the items.',
    tasks: [
      {},
      { shuffle: true, fresh: true },
      { questionnaire: { labels: ['no', 'yes'], items: [{ text: 'I like rain.', key: 'rain' }] } },
    ],
    turns: 30 * 6,
  },
  parameters,
  task(task) {
    if (task.questionnaire !== null) refuseUnlessSound(task.questionnaire);
    if (task.fresh && task.lived !== '')
      throw new Fault(
        'input',
        '"fresh" and "lived" cannot be combined: with a new conversation for each item, a person does not know earlier experiences. Remove one of them.',
      );
    return task;
  },
  seats: seats,

  start(task, rng) {
    const { items } = questionnaireOf(task);
    const places = items.map((_, i) => i);
    const state: Interview = { order: task.shuffle ? rng.shuffle(places) : places, said: null, answers: [], over: false };
    return { state, messages: [briefing(task, state.order), ...past(task), { to: ['subject'], text: subjectText }] };
  },

  turn: askOf,

  read(action, state, ask) {
    if (state.said !== null) return choose(action, ask.choices ?? []);
    const talk = talkOf(action.text);
    return talk === '' ? { ok: false, problem: 'Your message is empty; put the item.' } : { ok: true, move: talk };
  },

  play: (state, move) =>
    state.said === null ? put(state, move, []) : takeAnswer(state, Number(move.slice(1, -1)), `The answer is ${move.slice(1, -1)}.`),

  // If the interviewer forfeits, the item is presented anyway, so that the subject can still answer.
  forfeit: (state, _, text) =>
    state.said === null ? put(state, '', [{ to: seats, text }]) : takeAnswer(state, null, `${text} The item has no answer.`),

  knows({ said, answers, over, order, task }, seat) {
    const common = { said, answers, over };
    return seat === 'interviewer' ? { ...common, order } : { ...common, scale: questionnaireOf(task).labels };
  },

  scripts: {
    interviewer: ({ ask }) => ({ text: ask.choices?.[0] ?? '' }),
    /** Answers at random, as a baseline. */
    subject: ({ ask, rng }) => ({ text: rng.pick(ask.choices as readonly string[]) }),
    'yes-sayer': choosing((most) => most),
    'no-sayer': choosing(() => 1),
    middle: choosing((most) => Math.ceil(most / 2)),
  },
});

function past({ lived }: Task): readonly Message[] {
  // Old logs have no `lived` in their tasks.
  return lived ? [{ to: ['subject'], text: `This is what has happened to you until now.\n${lived}` }] : [];
}

const subjectText =
  'You are asked what you are like. Answer as the person you are, each time with exactly one number in square brackets: how true it is of you.';

function choosing(pick: (most: number) => number): Script {
  return ({ ask }) => ({ text: ask.choices?.[pick(ask.choices.length) - 1] ?? '' });
}

function questionnaireOf(task: Task): Questionnaire {
  if (task.questionnaire === null) return fiveTraits;
  const { name = 'own', labels, items } = task.questionnaire as Partial<Questionnaire> & Questionnaire;
  return { name, labels, items: items.map((item) => ({ ...item, facet: item.facet ?? item.key, reversed: item.reversed === true })) };
}

function refuseUnlessSound(json: Json): void {
  const { labels, items } = (typeof json === 'object' && json !== null ? json : {}) as JsonObject;
  const isText = (value: Json | undefined) => typeof value === 'string' && value.trim() !== '';
  const scaled = Array.isArray(labels) && labels.length >= 2 && labels.length <= 11 && labels.every(isText);
  const keyed =
    Array.isArray(items) &&
    items.length >= 1 &&
    items.length <= 30 &&
    items.every((item) => isText((item as JsonObject | null)?.['text']) && isText((item as JsonObject)['key']));
  if (!scaled || !keyed)
    throw new Fault(
      'input',
      `questionnaire: "questionnaire" must have 2 to 11 "labels" and 1 to 30 "items", each with a "text" and a "key", but got ${JSON.stringify(json).slice(0, 80)}.`,
    );
}

function itemAt(state: State): QuestionnaireItem {
  return questionnaireOf(state.task).items[state.order[state.answers.length]];
}

function briefing(task: Task, order: readonly number[]): Message {
  const { items } = questionnaireOf(task);
  return {
    to: ['interviewer'],
    text: [
      'You put these items to the subject, one each time you are asked, in this order. Say the item as it is written; the scale is added.',
      ...order.map((place, i) => `${i + 1}. ${items[place]?.text}`),
    ].join('\n'),
  };
}

function askOf(state: State): Ask {
  if (state.said === null) return { seat: 'interviewer', choices: [itemAt(state).text] };
  const choices = questionnaireOf(state.task).labels.map((_, i) => `[${i + 1}]`);
  return state.task.fresh ? { seat: 'subject', choices, window: 1 } : { seat: 'subject', choices };
}

function put(state: State, speech: string, before: readonly Message[]): MoveOutcome<State> {
  const item = itemAt(state);
  const questionText = speech === '' ? item.text : speech;
  const scale = questionnaireOf(state.task).labels.map((label, i) => `[${i + 1}] ${label}`);
  const message: Message = { to: ['subject'], from: 'interviewer', text: `${questionText}\n${scale.join('\n')}` };
  const checked = audit('interviewer', speech.includes(item.text), `item "${item.text}"`);
  return { state: { ...state, said: questionText }, messages: [...before, checked, message] };
}

function takeAnswer(state: State, answer: number | null, text: string): MoveOutcome<State> {
  const next: State = { ...state, said: null, answers: [...state.answers, answer] };
  if (next.answers.length < state.order.length) return { state: next, messages: text };
  return { state: { ...next, over: true }, messages: [{ to: seats, text }, noteOf(next)], over: true };
}

/** Returns a note with all answers in item order, and everything needed to score them. */
function noteOf({ task, order, answers }: State): Message {
  const { name, labels, items } = questionnaireOf(task);
  const rows = items.map(({ key, facet, reversed }, place) => ({ key, facet, reversed, answer: answers[order.indexOf(place)] ?? null }));
  return { to: [], text: `answers to ${name}`, data: { questionnaire: { name, most: labels.length, items: rows } } };
}
