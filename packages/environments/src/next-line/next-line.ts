/** @file One line of a dialogue: given what was said so far, the character says the next line. The basic task of role-play benchmarks. */

import type { Environment, Json, Message, Reply, TaskOf, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';

const parameters = {
  character: parameter.string({ default: 'the character', description: 'who speaks next' }),
  background: parameter.string({ default: '', description: 'where they are, and what has happened' }),
  motivation: parameter.string({ default: '', description: 'the character’s goal here, shown only to it' }),
  history: parameter.json({ default: [], description: 'the conversation so far: a list of {"speaker", "text"}' }),
  axis: parameter.string({ default: '', description: 'what the next line tests; pairwise judges compare by it' }),
  source: parameter.string({ default: '', description: 'the line of the source model here; for comparisons only' }),
  watch: parameter.boolean({
    default: false,
    description:
      'the character may also stay silent, with [watch]; paid is 1 where it speaks when the source does, and is silent when it is',
  }),
} as const;

/** A line of the dialogue so far. */
export type NextLineSpeech = { readonly speaker: string; readonly text: string };

type Task = Omit<TaskOf<typeof parameters>, 'history'> & { readonly history: readonly NextLineSpeech[] };
type State = { readonly task: Task; readonly said: string | null };

export const nextLine: Environment<State, Task> = {
  id: 'next-line@1',
  about: {
    summary:
      'A character says the next line of a fixed dialogue. There is no reward, except for speaking at the right time if silence is allowed. Use it to compare players of a role after the same dialogue, by rules or by a judge that sees two lines at a time.',
    tasks: [
      {},
      {
        character: 'Ann Archer',
        background: 'A workshop on the market square.',
        motivation: 'Ann wants to close early.',
        history: [
          { speaker: 'a customer', text: 'Is my clock ready?' },
          { speaker: 'Ann Archer', text: 'Which one is yours?' },
          { speaker: 'a customer', text: 'The one that stopped.' },
        ],
        axis: 'conversation',
        source: 'They all did, my friend.',
      },
    ],
    turns: 1,
  },
  parameters,
  task(input) {
    const task = readTask('next-line', parameters, input);
    return { ...task, history: readHistory(task.history) };
  },
  seats: () => ['character'],
  start: (task) => ({ state: { task, said: null }, messages: [opening(task)], asks: [{ seat: 'character' }] }),
  step(state, actions) {
    const spokenText = (actions['character']?.text ?? '').trim().slice(0, 8000);
    const silent = isSilent(spokenText);
    const message: Message = { to: ['character'], text: silent ? `${state.task.character} says nothing.` : 'The line is said.' };
    const rewards = { character: silent === isSilent(state.task.source) ? 1 : 0 };
    return { state: { ...state, said: spokenText }, messages: [message], asks: [], ...(state.task.watch ? { rewards } : {}) };
  },
  knows: ({ task: { character, background, motivation, history }, said }) => ({ character, background, motivation, history, said }),
  scripts: {
    character: taking,
    echo: ({ view }) => ({
      text: view.seen
        .flatMap((item) => (item.kind === 'message' ? [item.text] : []))
        .join(' ')
        .slice(-200),
    }),
    watch: () => ({ text: '[watch]' }),
  },
};

/** Returns whether a text says nothing: it is empty, or the sign for watching on. */
export function isSilent(text: string): boolean {
  return /^\s*(?:\[watch\]\s*)*$/i.test(text);
}

function opening({ character, background, motivation, history, watch }: Task): Message {
  const lines = history.map(({ speaker, text }) => `${speaker}: ${text}`);
  const parts = [
    background,
    motivation === '' ? '' : `What you want here: ${motivation}`,
    lines.length === 0 ? 'Nobody has spoken yet.' : `What was said:\n${lines.join('\n')}`,
    watch
      ? `Is it for ${character} to speak now? If so, say the next line of ${character}, and nothing else. If ${character} only watches here, answer [watch].`
      : `Say the next line of ${character}, and nothing else.`,
  ];
  return { to: ['character'], text: parts.filter((part) => part !== '').join('\n\n') };
}

function readHistory(input: Json): readonly NextLineSpeech[] {
  const sound = (item: Json) => {
    const { speaker, text } = (typeof item === 'object' && item !== null ? item : {}) as Partial<NextLineSpeech>;
    return typeof speaker === 'string' && typeof text === 'string';
  };
  if (!Array.isArray(input) || !input.every(sound))
    throw new Fault(
      'input',
      `next-line: "history" must be a list of {"speaker": "…", "text": "…"}, but got ${JSON.stringify(input).slice(0, 80)}.`,
    );
  return input;
}

/** Answers the last message with a polite, generic question. */
function taking({ view }: Turn): Reply {
  const last = view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).join('\n');
  const line = linear(/\n([^\n]+)\n\nSay the next line/).exec(last)?.[1] ?? '';
  return {
    action: { text: line === '' ? 'Good evening.' : `You say “${line.replace(/^[^:]*: /, '').slice(0, 80)}”. How do you mean that?` },
  };
}
