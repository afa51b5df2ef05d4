/**
 * @file A survey of one person: the items of an instrument are put one by one, by its skip logic, in the orders and wordings drawn for the seed.
 *
 * Nothing is paid: the answers stand in a note at the end. Several options are chosen one after the other, so that every closed answer is
 * one of a few listed moves. With `fresh` a person sees each item alone, and cannot answer to fit what it said before.
 */

import {
  type Ask,
  askAgain,
  choose,
  type Environment,
  type Json,
  knob,
  type Message,
  type Rng,
  readTask,
  retries,
  type Script,
  type Step,
  type TaskOf,
} from '../../core/index.ts';
import { talkOf } from '../together.ts';
import { codeOf, type Instrument, itemOrder, optionOrder, readInstrument, type SurveyItem, type SurveyWave } from './instrument.ts';

const knobs = {
  questionnaire: knob.data({
    otherwise: null,
    about: 'the instrument: {"name", "items": [{"id", "kind", "text", "options"}]}, and what is put in random order; docs/societies.md',
  }),
  fresh: knob.yesno({ otherwise: false, about: 'the person sees each item alone, without those before' }),
  told: knob.text({ otherwise: '', about: 'what the person is told before the first item, such as a treatment' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;

/** answered; refused by the person; broken where no form was kept; skipped where the item was not for this person. */
export type AnswerStatus = 'answered' | 'refused' | 'broken' | 'skipped';

export type SurveyAnswer = {
  readonly item: string;
  readonly status: AnswerStatus;
  /** Numbers of the options, as the instrument lists them; in the order of ranks for a ranking. */
  readonly codes: readonly number[];
  /** The words of an open answer. */
  readonly text: string;
  /** Numbers of all options in the order in which they were shown. */
  readonly shown: readonly number[];
  /** From 1, in the order of asking. */
  readonly place: number;
  /** The wave of a panel in which it was given. */
  readonly wave?: string;
};

type State = {
  readonly task: Task;
  readonly ballot: string;
  /** Are options turned round for this person? */
  readonly turned: boolean;
  readonly order: readonly number[];
  readonly shown: readonly (readonly number[])[];
  /** Options of the present item that were chosen so far. */
  readonly picked: readonly number[];
  readonly answers: readonly SurveyAnswer[];
  readonly misses: number;
  readonly over: boolean;
  /** Where the people are a panel: the present wave, the answers of those before, and messages since it began. */
  readonly panel?: { readonly wave: number; readonly past: readonly SurveyAnswer[]; readonly seen: number };
};

const seat = 'respondent';
const skip = '[skip]';
const done = '[done]';

/** What is asked where no questionnaire is given: one item of each kind. */
const neighbourhood: Json = {
  name: 'neighbourhood',
  items: [
    {
      id: 'years',
      kind: 'single',
      text: 'How long have you lived where you live now?',
      options: ['under a year', 'one to five years', 'longer'],
    },
    {
      id: 'trust',
      kind: 'scale',
      text: 'Most people around here can be trusted.',
      options: ['disagree strongly', 'disagree', 'neither', 'agree', 'agree strongly'],
    },
    {
      id: 'places',
      kind: 'multiple',
      text: 'Which of these do you use at least once a month?',
      options: ['a library', 'a park', 'a market'],
    },
    { id: 'needs', kind: 'rank', text: 'What does this neighbourhood need most?', options: ['quiet', 'shops', 'buses'], most: 2 },
    { id: 'move', kind: 'single', text: 'Do you want to move away?', options: ['yes', 'no'] },
    { id: 'why', kind: 'open', text: 'Why do you want to move away?', when: { move: 'yes' } },
  ],
};

export const survey: Environment<State, Task> = {
  id: 'survey@1',
  about: {
    summary:
      'A person answers the items of a questionnaire, one by one: one option, several, a scale, a ranking or their own words. Which items come follows from earlier answers, and their order, the order of options and the wording may be drawn for each person. Nothing is paid; the answers stand in a note, with what was shown in which order, for ludus survey to make tables of.',
    tasks: [
      {},
      { questionnaire: { ...(neighbourhood as object), shuffle: true, options: 'random' }, fresh: true },
      {
        questionnaire: {
          ballots: ['plain', 'loaded'],
          options: 'reversed',
          refusal: false,
          items: [
            {
              id: 'tax',
              kind: 'scale',
              versions: { plain: 'Raise the tax?', loaded: 'Raise the tax, as other towns do?' },
              options: ['no', 'perhaps', 'yes'],
            },
            { id: 'tax2', again: 'tax' },
          ],
        },
        told: 'The town council meets tomorrow.',
      },
    ],
    turns: 60,
  },
  knobs,
  task(input) {
    const task = readTask('survey', knobs, input);
    if (task.questionnaire !== null) readInstrument(task.questionnaire, 'survey: the questionnaire');
    return task;
  },
  seats: () => [seat],

  start(task, rng) {
    const instrument = instrumentOf(task);
    const turned = rng.int(2) === 1;
    const ballot = instrument.ballots.length === 0 ? '' : rng.pick(instrument.ballots);
    const order = itemOrder(instrument, rng);
    const shown = instrument.items.map((item) => optionOrder(item, instrument.options, turned, rng));
    const state: State = { task, ballot, turned, order, shown, picked: [], answers: [], misses: 0, over: false, ...panelOf(instrument) };
    const [first] = instrument.waves;
    const opening = [instrument.intro, task.told, first?.told ?? '', openingText].filter((text) => text !== '').join('\n');
    return put({ ...state, ...skipped(state) }, [{ to: [seat], text: opening }], rng);
  },

  step(state, actions, rng) {
    const item = itemAt(state);
    const action = actions[seat]!;
    if (item.kind === 'open') {
      const said = talkOf(action.text);
      return settle(state, said === '' || said.toLowerCase() === skip ? 'refused' : 'answered', said, rng);
    }
    const ask = askOf(state);
    const read = choose(action, ask.choices as readonly string[]);
    if (!read.ok) {
      const tried = askAgain(state, ask, read.problem, state.task.retries);
      // A person who sees only the latest message must see the item again.
      if (tried !== null) {
        const again = counted({ ...state, ...tried.state }, 1);
        const messages = tried.messages.map((message) => ({ ...message, text: `${message.text}\n${wording(state)}` }));
        return { ...tried, state: again, messages, asks: [askOf(again)] };
      }
      return settle(state, 'broken', '', rng);
    }
    if (read.move === skip) return settle(state, 'refused', '', rng);
    if (read.move === done) return settle(state, 'answered', '', rng);
    const shown = state.shown[placeOf(state)]!;
    const picked = [...state.picked, shown[Number(read.move.slice(1, -1)) - 1]!];
    const next: State = { ...state, picked, misses: 0 };
    return picked.length < picksOf(item) ? put(next, [], rng) : settle(next, 'answered', '', rng);
  },

  knows: (state) => state,

  scripts: {
    /** Answers by its dice: what chance alone looks like. */
    respondent: ({ ask, rng }) => ({ text: ask.choices === undefined ? 'I would rather say it in my own words.' : rng.pick(ask.choices) }),
    middle: picking((choices) => Math.ceil(choices / 2)),
    first: picking(() => 1),
    last: picking((choices) => choices),
    refuser: ({ ask }) => ({ text: ask.choices?.includes(skip) === true ? skip : (ask.choices?.[0] ?? '') }),
  },
};

const openingText = 'Here are some questions. Answer each as the person you are; there are no right answers.';

/** A script that picks one of the numbered options by how many there are. */
function picking(pick: (options: number) => number): Script {
  return ({ ask }) => {
    const numbered = ask.choices?.filter((choice) => choice !== skip && choice !== done) ?? [];
    return { text: numbered[pick(numbered.length) - 1] ?? 'Nothing to add.' };
  };
}

const read = new WeakMap<object, Instrument>();

/** Instruments are read once for each task object, which episodes of a run share. */
function instrumentOf({ questionnaire }: Task): Instrument {
  const given = (questionnaire ?? neighbourhood) as object;
  const found = read.get(given) ?? readInstrument(given as Json);
  read.set(given, found);
  return found;
}

function placeOf(state: State): number {
  return state.order[state.answers.length]!;
}

function itemAt(state: State): SurveyItem {
  return instrumentOf(state.task).items[placeOf(state)]!;
}

/** How many options are to be picked. */
function picksOf({ kind, most, options }: SurveyItem): number {
  if (kind === 'multiple') return most === 0 ? options.length : Math.min(most, options.length);
  return kind === 'rank' ? (most === 0 ? options.length : Math.min(most, options.length)) : 1;
}

/** The answers with those that stand in for the next items which are not for this person. */
function skipped(state: State): Pick<State, 'answers'> {
  const { items } = instrumentOf(state.task);
  const answers = [...state.answers];
  for (; answers.length < state.order.length; ) {
    const item = items[state.order[answers.length]!]!;
    if (isFor(item, items, [...answers, ...(state.panel?.past ?? [])])) break;
    answers.push({ item: item.id, status: 'skipped', codes: [], text: '', shown: [], place: answers.length + 1 });
  }
  return { answers };
}

function isFor({ when }: SurveyItem, items: readonly SurveyItem[], answers: readonly SurveyAnswer[]): boolean {
  return Object.entries(when).every(([id, wanted]) => {
    const asked = items.find((item) => item.id === id) as SurveyItem;
    const given = answers.find(({ item }) => item === id)?.codes ?? [];
    return ([wanted].flat() as readonly string[]).some((answer) => given.includes(codeOf(asked, answer) as number));
  });
}

/** Asks the next thing: the present item, one more option of it, or the first of the next wave. */
function put(state: State, before: readonly Message[], rng: Rng): Step<State> {
  if (state.answers.length === state.order.length) {
    const instrument = instrumentOf(state.task);
    if (state.panel !== undefined && state.panel.wave + 1 < instrument.waves.length) return nextWave(state, instrument, rng);
    return { state: { ...state, over: true }, messages: [...before, noteOf(state)], asks: [] };
  }
  const next = counted(state, before.length + 1);
  return { state: next, messages: [...before, { to: [seat], text: wording(next) }], asks: [askOf(next)] };
}

function panelOf({ waves }: Instrument): Pick<State, 'panel'> | null {
  return waves.length === 0 ? null : { panel: { wave: 0, past: [], seen: 0 } };
}

function counted(state: State, messages: number): State {
  return state.panel === undefined ? state : { ...state, panel: { ...state.panel, seen: state.panel.seen + messages } };
}

/** Answers with the wave in which they were given, where there are waves. */
function inWave({ task, panel, answers }: State): readonly SurveyAnswer[] {
  if (panel === undefined) return answers;
  const { name } = instrumentOf(task).waves[panel.wave] as SurveyWave;
  return answers.map((answer) => ({ ...answer, wave: name }));
}

/** The same person is asked again: ballot and direction of options stay, orders are drawn anew. */
function nextWave(state: State, instrument: Instrument, rng: Rng): Step<State> {
  const { panel, turned, answers } = state as State & Required<Pick<State, 'panel'>>;
  const wave = panel.wave + 1;
  const { told } = instrument.waves[wave]!;
  const next: State = {
    ...state,
    order: itemOrder(instrument, rng, wave),
    shown: instrument.items.map((item) => optionOrder(item, instrument.options, turned, rng)),
    answers: [],
    // The latest answer of an item comes first, so that items which depend on it find that one.
    panel: { wave, past: [...inWave(state), ...panel.past], seen: 0 },
  };
  const remembered = instrument.memory === 'answers' ? rememberedText(instrument, answers) : '';
  const opening = ['Some time has passed, and you are asked again.', remembered, told].filter((text) => text !== '').join('\n');
  return put({ ...next, ...skipped(next) }, [{ to: [seat], text: opening }], rng);
}

function rememberedText({ items }: Instrument, answers: readonly SurveyAnswer[]): string {
  const said = answers.flatMap(({ item: id, status, codes, text }) => {
    const item = items.find((one) => one.id === id) as SurveyItem;
    const words = item.kind === 'open' ? text : codes.map((code) => item.options[code - 1]).join(', ');
    return status === 'answered' && words !== '' ? [`“${item.text || Object.values(item.versions)[0]}”: ${words}.`] : [];
  });
  return said.length === 0 ? '' : `Last time you said: ${said.join(' ')}`;
}

function settle(state: State, status: AnswerStatus, text: string, rng: Rng): Step<State> {
  const item = itemAt(state);
  const answer: SurveyAnswer = {
    item: item.id,
    status,
    codes: status === 'answered' ? state.picked : [],
    text: item.kind === 'open' && status === 'answered' ? text : '',
    shown: state.shown[placeOf(state)]!,
    place: state.answers.length + 1,
  };
  const next: State = { ...state, picked: [], misses: 0, answers: [...state.answers, answer] };
  return put({ ...next, ...skipped(next) }, [], rng);
}

/** The moves of a closed item, by the places at which the options are shown. */
function movesOf(state: State): readonly string[] {
  const item = itemAt(state);
  const shown = state.shown[placeOf(state)]!;
  const left = shown.flatMap((code, i) => (state.picked.includes(code) ? [] : [`[${i + 1}]`]));
  return [
    ...left,
    ...(item.kind === 'multiple' ? [done] : []),
    ...(state.picked.length === 0 && instrumentOf(state.task).refusal ? [skip] : []),
  ];
}

function askOf(state: State): Ask {
  const ask: Ask = itemAt(state).kind === 'open' ? { seat } : { seat, choices: movesOf(state) };
  if (state.task.fresh) return { ...ask, window: 1 };
  const { panel } = state;
  // What is not remembered is not shown: the person sees the messages of the present wave.
  const forgets = panel !== undefined && panel.wave > 0 && instrumentOf(state.task).memory !== 'all';
  return forgets ? { ...ask, window: panel.seen } : ask;
}

const asking: Readonly<Record<SurveyItem['kind'], string>> = {
  single: 'Answer with one number in square brackets.',
  scale: 'Answer with one number in square brackets.',
  multiple: 'Choose one number in square brackets; you are asked again for more. [done] when there are no others.',
  rank: 'Choose the one that comes first for you, as a number in square brackets.',
  open: 'Answer in your own words, in a sentence or two.',
};

function wording(state: State): string {
  const item = itemAt(state);
  const { refusal } = instrumentOf(state.task);
  const shown = state.shown[placeOf(state)]!;
  const options = shown.flatMap((code, i) => (state.picked.includes(code) ? [] : [`[${i + 1}] ${item.options[code - 1]}`]));
  const chosen = state.picked.map((code) => item.options[code - 1]).join(', ');
  const how = item.kind === 'rank' && state.picked.length > 0 ? 'And which comes next? One number in square brackets.' : asking[item.kind];
  return [
    item.versions[state.ballot] ?? item.text,
    ...(chosen === '' ? [] : [`So far: ${chosen}.`]),
    ...options,
    ...(refusal && state.picked.length === 0 ? [`${skip} I would rather not say`] : []),
    how,
  ].join('\n');
}

function noteOf(state: State): Message {
  const { task, ballot, turned, panel } = state;
  const { name } = instrumentOf(task);
  const answers = panel === undefined ? state.answers : [...panel.past, ...inWave(state)];
  return { to: [], text: `answers to ${name}`, data: { survey: { name, ballot, turned, answers } } };
}
