/** @file Chat: a character and a partner talk in turns, as long as they like. */

import type {
  Action,
  Environment,
  EpisodeEvent,
  Json,
  Message,
  Reply,
  Script,
  Seat,
  Step,
  TaskOf,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { Fault, parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

const parameters = {
  character: parameter.string({ default: 'the character', description: 'the character’s name' }),
  user: parameter.string({ default: 'the user', description: 'the name of the other side' }),
  scenario: parameter.string({ default: '', description: 'where they are, shown to both' }),
  greeting: parameter.string({ default: '', description: 'the character’s first words; without them the user begins' }),
  lines: parameter.json({
    default: [],
    description:
      'what the scripted character can say: a list of {"id", "cue", "says"}; the line whose words are nearest to a question is its answer',
  }),
  turns: parameter.integer({
    min: 1,
    max: 1000,
    default: 50,
    description: 'number of answers by the character before the conversation ends',
  }),
} as const;

/** A line of the scripted character, and the words that trigger it. */
export type Cue = { readonly id: string; readonly cue: string; readonly says: string };

type Task = Omit<TaskOf<typeof parameters>, 'lines'> & { readonly lines: readonly Cue[] };

type State = {
  readonly task: Task;
  readonly answers: number;
  /** The latest words and their speaker: all that a step reveals. */
  readonly said: string;
  readonly by: Seat;
  readonly over: boolean;
};

const seats = ['character', 'user'] as const;

/** The user's command to end the conversation. */
export const goodbye = '/quit';

/** Returns the event before which a conversation resumes if the user left it or it was cut off, or null if it has used up its turns. */
export function placeToGoOn(events: readonly EpisodeEvent[]): number | null {
  const last = events.findLastIndex((event) => event.kind === 'action' && event.seat === 'user');
  const lastAction = events[last];
  if (lastAction?.kind === 'action' && wordsOf(lastAction.action) === goodbye) return last;
  const end = events.at(-1);
  if (end?.kind !== 'end') return events.length;
  return end.reason === 'over' ? null : events.length - 1;
}

export const chat: Environment<State, Task> = {
  id: 'chat@1',
  about: {
    unpaid: true,
    summary:
      'A conversation between a character and a user, in free text and strict turns. It ends when the user writes /quit or when its turns are used up. There is no reward: use it to talk to a persona, for interviews, and to test whether a character stays in its role.',
    tasks: [
      {},
      {
        character: 'Ann Archer',
        scenario: 'A workshop on the market square.',
        greeting: 'Mind the step. What has stopped?',
        lines: [
          { id: 's1', cue: 'what work workshop', says: 'I mend clocks, and now and then a marriage.' },
          { id: 's2', cue: 'trust friend', says: 'My landlady, as far as the door.' },
        ],
        turns: 4,
      },
    ],
    // Each of 50 answers follows the user's words, and the user may write once more to leave.
    turns: 2 * 50 + 1,
  },
  parameters,

  task(input) {
    const task = readTask('chat', parameters, input);
    return { ...task, lines: readLines(task.lines) };
  },

  seats: () => seats,

  start(task) {
    const { character, user, scenario, greeting, lines } = task;
    const scene = scenario === '' ? '' : ` ${scenario}`;
    const messages: Message[] = [
      { to: ['character'], text: `You talk with ${user}.${scene}`, ...(lines.length === 0 ? {} : { data: { lines } }) },
      { to: ['user'], text: `You talk with ${character}.${scene} ${goodbye} ends it.` },
    ];
    if (greeting !== '') messages.push({ to: seats, from: 'character', text: greeting });
    return { state: { task, answers: 0, said: greeting, by: 'character', over: false }, messages, asks: [{ seat: 'user' }] };
  },

  step(state, actions) {
    const { task } = state;
    if (state.by === 'character') {
      const speech = wordsOf(actions['user']);
      if (speech === goodbye) return endChat({ ...state, said: speech, by: 'user' }, `${task.user} leaves.`);
      return passWords({ ...state, said: speech, by: 'user' });
    }
    const next: State = { ...state, said: wordsOf(actions['character']), by: 'character', answers: state.answers + 1 };
    const step = passWords(next);
    if (next.answers < task.turns) return step;
    const last = endChat(next, 'The conversation has used up its turns.');
    return { ...last, messages: [...step.messages, ...last.messages] };
  },

  knows({ task, answers, said, by, over }, seat) {
    const { lines, ...common } = task;
    return { task: seat === 'character' ? { ...common, lines } : common, answers, said, by, over };
  },

  scripts: { character: sayCue, user: curious },
};

/** Passes the words to the other seat, which is asked next. */
function passWords(state: State): Step<State> {
  const { by, said, task } = state;
  const other: Seat = by === 'user' ? 'character' : 'user';
  const name = by === 'user' ? task.user : task.character;
  const message: Message = said === '' ? { to: [other], text: `${name} says nothing.` } : { to: [other], from: by, text: said };
  return { state, messages: [message], asks: [{ seat: other }] };
}

function endChat(state: State, text: string): Step<State> {
  return { state: { ...state, over: true }, messages: [{ to: seats, text }], asks: [] };
}

const longest = 8000;

/** Returns the text of a speech. Further lines are indented, so that none can be mistaken for another speaker's. */
export function wordsOf({ text }: Action): string {
  const speech = text.trim();
  const cut = speech.length > longest ? `${speech.slice(0, longest).toWellFormed()}…` : speech;
  return cut.replace(linear(/\s*[\r\n\u2028\u2029]+[ \t]*/g), '\n  ');
}

export function readLines(input: Json): readonly Cue[] {
  const texts = (item: Json, ...names: readonly string[]) =>
    typeof item === 'object' && item !== null && names.every((name) => typeof (item as Record<string, Json>)[name] === 'string');
  if (!Array.isArray(input) || !input.every((item: Json) => texts(item, 'id', 'cue', 'says')))
    throw new Fault(
      'input',
      `chat: "lines" must be a list of {"id": "…", "cue": "…", "says": "…"}, but got ${JSON.stringify(input).slice(0, 80)}.`,
    );
  return input as readonly Cue[];
}

const fallbacks = [
  'Hm. Go on.',
  'Ask me something I know about.',
  'I would not say so much about that.',
  'And what makes you ask?',
] as const;

/** Says the line whose cue is most similar to the question, each only once. If none is similar, says something that fits anywhere. */
export function sayCue({ view }: Turn): Reply {
  let lines: readonly Cue[] = [];
  let requestedText = '';
  const ownItems: string[] = [];
  for (const item of view.seen) {
    if (item.kind === 'action') ownItems.push(item.action.text);
    else if (item.kind === 'message') {
      lines = (item.data as { lines?: readonly Cue[] } | undefined)?.lines ?? lines;
      if (item.from === 'user') requestedText = item.text;
    }
  }
  const plain = intentsIn(requestedText);
  const wanted = new Set([...termsIn(requestedText), ...plain]);
  let best: Cue | undefined;
  let most = 0;
  for (const line of lines) {
    // Lines for plain questions match by their cue only, not by names in their text: a question with a name asks for something else.
    const isForIntent = intents.some(([cue]) => line.cue.includes(cue));
    const terms = [...termsIn(isForIntent ? line.cue : `${line.cue} ${line.says}`), ...intentsIn(line.cue)];
    // A plain question counts twice: "What do you do for a living?" does not ask where somebody lives.
    const near = new Set(terms.filter((term) => wanted.has(term))).size + (plain.some((cue) => terms.includes(cue)) ? 1 : 0);
    // A line is said only once, unless the same words or a plain question ask for it again.
    if (near > most && (isForIntent || !ownItems.includes(line.says) || isRepeated(view, requestedText))) [best, most] = [line, near];
  }
  if (best === undefined) return { action: { text: fallbacks[ownItems.length % fallbacks.length] } };
  return { action: { text: best.says }, mind: { why: { statements: [best.id] } } };
}

/** Questions that consist of common words only, with the cue of their line. */
const intents: readonly (readonly [cue: string, asks: RegExp])[] = [
  [
    'whoareyou',
    /\bwho (?:are|r) (?:you|ya|u)\b|\b(?:what is|what's|whats|tell me) your name\b|\babout yourself\b|\bintroduce yourself\b|\bdo i call you\b/i,
  ],
  ['howold', /\bhow old (?:are|r) (?:you|u)\b|\byour age\b/i],
  ['whatdoyoudo', /\bwhat do you do\b|\b(?:your|a) (?:job|work|trade|living|occupation|profession)\b|\bwork as\b/i],
  ['wheredoyoulive', /\bwhere (?:do you live|are you from|do you come from|is your home)\b|\byour (?:home|hometown)\b/i],
];

function intentsIn(text: string): readonly string[] {
  return intents.flatMap(([cue, pattern]) => (linear(pattern).test(text) ? [cue] : []));
}

function isRepeated({ seen }: Turn['view'], question: string): boolean {
  return seen.filter((item) => item.kind === 'message' && item.from === 'user' && item.text === question).length > 1;
}

/** Three fictional conditions and five findings: they cover every rule and are still small enough for an exact solution. */
const small = new Set(
  'a an and are at be but by can do does for have how i in is it me my not of on or so that the this to was what who why with you your'.split(
    ' ',
  ),
);

/** Returns the content words of a text, without common endings. */
function termsIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !small.has(word)).map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|e?s|e)$/, '') : word));
}

const questions = [
  'Good evening. Who are you?',
  'What do you do all day?',
  'Whom do you trust?',
  'What do you want most?',
  'What would you rather not talk about?',
] as const;

/** Asks questions as to a stranger, says thanks, and leaves. */
export function curious({ view }: Turn): ReturnType<Script> {
  const requestedLength = view.seen.filter((item) => item.kind === 'action').length;
  return { text: questions[requestedLength] ?? (requestedLength === questions.length ? 'Thank you. Good night.' : goodbye) };
}
