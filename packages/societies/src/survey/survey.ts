/**
 * @file A survey of one person: the items of an instrument are presented one by one by its skip logic, in the orders and wordings drawn for
 * the seed.
 *
 * There is no reward: the answers are in a note at the end. Multiple options are chosen one by one, so that every closed answer consists of
 * listed moves. With `fresh`, a person sees each item alone and cannot adapt to earlier answers.
 */

import type { Intervention } from '@ludus-agents/environments/internal/interventions';
import { dueInterventions, interventionMessages, readInterventions } from '@ludus-agents/environments/internal/interventions';
import { talkOf } from '@ludus-agents/environments/internal/together';
import type { Environment, Message, Rng, Script, Step } from '@ludus-agents/kernel/internal/core/index';
import { askAgain, choose, readTask } from '@ludus-agents/kernel/internal/core/index';
import { codeOf, type Instrument, itemOrder, optionOrder, readInstrument, type SurveyItem, type SurveyWave } from './instrument.ts';
import type { AnswerStatus, SurveyAnswer, SurveyState, SurveyTask } from './sitting.ts';
import {
  askOf,
  done,
  instrumentOf,
  itemAt,
  laterParameters,
  neighbourhood,
  parameters,
  picksOf,
  placeOf,
  seat,
  skip,
  wording,
} from './sitting.ts';

export const survey: Environment<SurveyState, SurveyTask> = {
  id: 'survey@1',
  about: {
    unpaid: true,
    summary:
      'A person answers the items of a questionnaire one by one: one option, several options, a scale, a ranking, or free text. Earlier answers decide which items follow. The order of items and options and the wording can vary randomly between people. There is no reward. Answers are stored in a note with the order of presentation, and ludus survey makes tables from them.',
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
      {
        questionnaire: {
          memory: 'answers',
          items: [
            { id: 'trust', kind: 'scale', text: 'Can the council be trusted?', options: ['no', 'perhaps', 'yes'] },
            { id: 'move', text: 'Will you move away?', options: ['yes', 'no'] },
          ],
          waves: [{ name: 'spring' }, { name: 'autumn', told: 'The bridge was closed in summer.' }],
        },
        interventions: [{ name: 'rents', when: { answers: { move: 'yes' } }, tell: 'Rents have fallen.' }],
      },
    ],
    turns: 60,
    listed: true,
  },
  parameters: { ...parameters, ...laterParameters },
  task(input) {
    const { interventions, ...task } = readTask('survey', { ...parameters, ...laterParameters }, input);
    const { items } = readInstrument(task.questionnaire ?? neighbourhood, 'survey: the questionnaire');
    const names = { seats: [seat], measures: ['answers', 'refusals'], items: items.map(({ id }) => id) };
    const planned = readInterventions(interventions, 'survey', names);
    return planned.length === 0 ? task : { ...task, interventions: planned };
  },
  seats: () => [seat],

  start(task, rng) {
    const instrument = instrumentOf(task);
    const turned = rng.int(2) === 1;
    const ballot = instrument.ballots.length === 0 ? '' : rng.pick(instrument.ballots);
    const order = itemOrder(instrument, rng);
    const visible = instrument.items.map((item) => optionOrder(item, instrument.options, turned, rng));
    const state: SurveyState = {
      task,
      ballot,
      turned,
      order,
      shown: visible,
      picked: [],
      answers: [],
      misses: 0,
      over: false,
      ...panelOf(instrument),
    };
    const [first] = instrument.waves;
    const opening = [instrument.intro, task.told, first?.told ?? '', openingText].filter((text) => text !== '').join('\n');
    return put({ ...state, ...skipItems(state) }, [{ to: [seat], text: opening }], rng);
  },

  step(state, actions, rng) {
    const item = itemAt(state);
    const action = actions[seat];
    if (item.kind === 'open') {
      const talk = talkOf(action.text);
      return settle(state, talk === '' || talk.toLowerCase() === skip ? 'refused' : 'answered', talk, rng);
    }
    const ask = askOf(state);
    const read = choose(action, ask.choices as readonly string[]);
    if (!read.ok) {
      const tried = askAgain(state, ask, read.problem, state.task.retries);
      // A person who sees only the latest message must see the item again.
      if (tried !== null) {
        const again = countMessages({ ...state, ...tried.state }, 1);
        const messages = tried.messages.map((message) => ({ ...message, text: `${message.text}\n${wording(state)}` }));
        return { ...tried, state: again, messages, asks: [askOf(again)] };
      }
      return settle(state, 'broken', '', rng);
    }
    if (read.move === skip) return settle(state, 'refused', '', rng);
    if (read.move === done) return settle(state, 'answered', '', rng);
    const visible = state.shown[placeOf(state)];
    const picked = [...state.picked, visible[Number(read.move.slice(1, -1)) - 1]];
    const next: SurveyState = { ...state, picked, misses: 0 };
    return picked.length < picksOf(item) ? put(next, [], rng) : settle(next, 'answered', '', rng);
  },

  knows: (state) => state,

  scripts: {
    /** Answers at random, as a baseline. */
    respondent: ({ ask, rng }) => ({ text: ask.choices === undefined ? 'I would rather say it in my own words.' : rng.pick(ask.choices) }),
    middle: picking((choices) => Math.ceil(choices / 2)),
    first: picking(() => 1),
    last: picking((choices) => choices),
    refuser: ({ ask }) => ({ text: ask.choices?.includes(skip) === true ? skip : (ask.choices?.[0] ?? '') }),
  },
};

const openingText = 'Here are some questions. Answer each as the person you are; there are no right answers.';

/** Returns a script that picks one of the numbered options, given their number. */
function picking(pick: (options: number) => number): Script {
  return ({ ask }) => {
    const numbered = ask.choices?.filter((choice) => choice !== skip && choice !== done) ?? [];
    return { text: numbered[pick(numbered.length) - 1] ?? 'Nothing to add.' };
  };
}

/** Adds skipped answers for the next items that do not apply to the person. */
function skipItems(state: SurveyState): Pick<SurveyState, 'answers'> {
  const { items } = instrumentOf(state.task);
  const answers = [...state.answers];
  for (; answers.length < state.order.length; ) {
    const item = items[state.order[answers.length]];
    if (isFor(item, items, [...answers, ...(state.panel?.past ?? [])])) break;
    answers.push({ item: item.id, status: 'skipped', codes: [], text: '', shown: [], place: answers.length + 1 });
  }
  return { answers };
}

function isFor({ when }: SurveyItem, items: readonly SurveyItem[], answers: readonly SurveyAnswer[]): boolean {
  return Object.entries(when).every(([id, wanted]) => {
    const surveyItem = items.find((item) => item.id === id) as SurveyItem;
    const inputCodes = answers.find(({ item }) => item === id)?.codes ?? [];
    return ([wanted].flat() as readonly string[]).some((answer) => inputCodes.includes(codeOf(surveyItem, answer) as number));
  });
}

/** Asks the current item, one more option of it, or the first item of the next wave. */
function put(state: SurveyState, before: readonly Message[], rng: Rng): Step<SurveyState> {
  if (state.answers.length === state.order.length) {
    const instrument = instrumentOf(state.task);
    if (state.panel !== undefined && state.panel.wave + 1 < instrument.waves.length) return nextWave(state, instrument, rng);
    return { state: { ...state, over: true }, messages: [...before, noteOf(state)], asks: [] };
  }
  const { told, happened, notes } = intervene(state);
  const next = countMessages({ ...state, ...happened }, before.length + 1);
  // Other texts are combined with the item, because a person may see only that message.
  const text = [...told, wording(next)].join('\n');
  return { state: next, messages: [...before, { to: [seat], text }, ...notes], asks: [askOf(next)] };
}

/** Triggers interventions before the next item, based on the answers so far. */
function intervene(state: SurveyState): {
  readonly told: readonly string[];
  readonly happened: Pick<SurveyState, 'happened'> | null;
  readonly notes: readonly Message[];
} {
  const { task, answers, picked, panel } = state;
  if (task.interventions === undefined || picked.length > 0) return { told: [], happened: null, notes: [] };
  const { items } = instrumentOf(task);
  const all = [...answers, ...(panel?.past ?? [])];
  const step = all.length + 1;
  const { due, history } = dueInterventions(task.interventions as readonly Intervention[], state.happened ?? {}, {
    step,
    said: answers.slice(-1).map(({ text }) => text),
    measures: {
      answers: all.filter(({ status }) => status === 'answered').length,
      refusals: all.filter(({ status }) => status === 'refused').length,
    },
    hasAnswer: (id, answer) => {
      const item = items.find((surveyItem) => surveyItem.id === id);
      const code = item === undefined ? null : codeOf(item, answer);
      return code !== null && (all.find((surveyAnswer) => surveyAnswer.item === id)?.codes ?? []).includes(code);
    },
  });
  const notes = interventionMessages(due, [seat], step).filter(({ to }) => to.length === 0);
  return { told: due.map(({ tell }) => tell), happened: { happened: history }, notes };
}

function panelOf({ waves }: Instrument): Pick<SurveyState, 'panel'> | null {
  return waves.length === 0 ? null : { panel: { wave: 0, past: [], seen: 0 } };
}

function countMessages(state: SurveyState, messages: number): SurveyState {
  return state.panel === undefined ? state : { ...state, panel: { ...state.panel, seen: state.panel.seen + messages } };
}

/** Adds the wave to answers, if there are waves. */
function inWave({ task, panel, answers }: SurveyState): readonly SurveyAnswer[] {
  if (panel === undefined) return answers;
  const { name } = instrumentOf(task).waves[panel.wave] as SurveyWave;
  return answers.map((answer) => ({ ...answer, wave: name }));
}

/** The same person is asked again: ballot and direction of options stay, orders are drawn again. */
function nextWave(state: SurveyState, instrument: Instrument, rng: Rng): Step<SurveyState> {
  const { panel, turned, answers } = state as SurveyState & Required<Pick<SurveyState, 'panel'>>;
  const wave = panel.wave + 1;
  const { told } = instrument.waves[wave];
  const next: SurveyState = {
    ...state,
    order: itemOrder(instrument, rng, wave),
    shown: instrument.items.map((item) => optionOrder(item, instrument.options, turned, rng)),
    answers: [],
    // The latest answer of an item comes first, so that items which depend on it find that one.
    panel: { wave, past: [...inWave(state), ...panel.past], seen: 0 },
  };
  const remembered = instrument.memory === 'answers' ? rememberedText(instrument, answers) : '';
  const opening = ['Some time has passed, and you are asked again.', remembered, told].filter((text) => text !== '').join('\n');
  return put({ ...next, ...skipItems(next) }, [{ to: [seat], text: opening }], rng);
}

function rememberedText({ items }: Instrument, answers: readonly SurveyAnswer[]): string {
  const statements = answers.flatMap(({ item: id, status, codes, text }) => {
    const item = items.find((surveyItem) => surveyItem.id === id) as SurveyItem;
    const answerText = item.kind === 'open' ? text : codes.map((code) => item.options[code - 1]).join(', ');
    return status === 'answered' && answerText !== '' ? [`“${item.text || Object.values(item.versions)[0]}”: ${answerText}.`] : [];
  });
  return statements.length === 0 ? '' : `Last time you said: ${statements.join(' ')}`;
}

function settle(state: SurveyState, status: AnswerStatus, text: string, rng: Rng): Step<SurveyState> {
  const item = itemAt(state);
  const answer: SurveyAnswer = {
    item: item.id,
    status,
    codes: status === 'answered' ? state.picked : [],
    text: item.kind === 'open' && status === 'answered' ? text : '',
    shown: state.shown[placeOf(state)],
    place: state.answers.length + 1,
  };
  const next: SurveyState = { ...state, picked: [], misses: 0, answers: [...state.answers, answer] };
  return put({ ...next, ...skipItems(next) }, [], rng);
}

function noteOf(state: SurveyState): Message {
  const { task, ballot, turned, panel } = state;
  const { name } = instrumentOf(task);
  const answers = panel === undefined ? state.answers : [...panel.past, ...inWave(state)];
  return { to: [], text: `answers to ${name}`, data: { survey: { name, ballot, turned, answers } } };
}
