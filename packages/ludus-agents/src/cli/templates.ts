/** @file The text of a new environment: a game of sticks, small enough to read whole and complete enough to copy from. */

/** The environment itself. */
export function environmentTemplate(name: string, ending = 'ts'): string {
  const constant = camel(name);
  return `/** @file ${title(name)}: take sticks in turn; whoever takes the last one wins. */

import {
  type Action,
  type Ask,
  askAgain,
  choose,
  type Environment,
  forfeitText,
  knob,
  type Message,
  readTask,
  retries,
  type Seat,
  type Step,
  type TaskOf,
} from 'ludus-agents';

// A task's parameters: \`ludus play ./${name}.${ending} --task '{"sticks":21}'\`.
const knobs = {
  sticks: knob.whole({ from: 1, to: 30, otherwise: 10, about: 'sticks on the table at the start' }),
  most: knob.whole({ from: 1, to: 5, otherwise: 3, about: 'sticks that may be taken at once' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;

// Everything the rules need to go on, as plain JSON. Nothing else is kept between steps.
type State = { readonly left: number; readonly turn: number; readonly most: number; readonly retries: number; readonly misses: number };

const seats: readonly Seat[] = ['first', 'second'];

export const ${constant}: Environment<State, Task> = {
  id: '${name}@1',
  about: {
    summary: 'Two players take sticks from a heap in turn; whoever takes the last stick wins. Rewards are +1 and −1.',
    tasks: [{}, { sticks: 5, most: 2 }],
    // The most turns that any play can take: every stick alone, each after all its tries are used up.
    turns: 10 * 3,
    sum: 0,
    complete: true,
  },
  knobs,
  task: (input) => readTask('${name}', knobs, input),
  seats: () => seats,

  start(task) {
    const state: State = { left: task.sticks, turn: 0, most: task.most, retries: task.retries, misses: 0 };
    const text = [
      \`There are \${task.sticks} sticks. Take 1 to \${task.most} of them in turn; whoever takes the last one wins.\`,
      'Answer with exactly one move in square brackets, like [1].',
    ].join('\\n');
    return { state, messages: [{ to: seats, text }], asks: [askOf(state)] };
  },

  step(state, actions) {
    const ask = askOf(state);
    const read = choose(actions[ask.seat] as Action, ask.choices as readonly string[]);
    // Broken form costs a try; when none is left, the other seat wins.
    if (!read.ok) return askAgain(state, ask, read.problem, state.retries) ?? forfeit(state, ask.seat);
    const taken = Number(read.move.slice(1, -1));
    const next: State = { ...state, left: state.left - taken, turn: state.turn + 1, misses: 0 };
    const said: Message = { to: seats, text: \`\${ask.seat} takes \${taken}; \${next.left} left.\` };
    return next.left === 0 ? finish(next, ask.seat, [said]) : { state: next, messages: [said], asks: [askOf(next)] };
  },

  // What a seat may know of the state: here everything is on the table.
  knows: (state) => ({ left: state.left, turn: state.turn }),

  // Players without a model. One named after a seat would sit in for it when nobody else does.
  scripts: {
    // Leaving a multiple of (most + 1) wins. A script sees what its seat sees: the messages and the moves it may make.
    careful({ view, ask, rng }) {
      const choices = ask.choices as readonly string[];
      const last = view.seen.filter((item) => item.kind === 'message').at(-1)?.text ?? '';
      const left = Number(last.match(/(\\d+) (sticks|left)/)?.[1] ?? 0);
      const most = Number(view.seen[0]?.kind === 'message' ? view.seen[0].text.match(/1 to (\\d+)/)?.[1] : 1);
      const winning = \`[\${left % (most + 1)}]\`;
      return { text: choices.includes(winning) ? winning : rng.pick(choices) };
    },
  },
};

function askOf({ left, most, turn }: State): Ask {
  const choices = Array.from({ length: Math.min(left, most) }, (_, i) => \`[\${i + 1}]\`);
  return { seat: seats[turn % 2] as Seat, choices };
}

function other(seat: Seat): Seat {
  return seats[1 - seats.indexOf(seat)] as Seat;
}

function forfeit(state: State, seat: Seat): Step<State> {
  return finish(state, other(seat), [{ to: seats, text: forfeitText(seat) }]);
}

function finish(state: State, winner: Seat, messages: readonly Message[]): Step<State> {
  return {
    state,
    messages: [...messages, { to: seats, text: \`\${winner} wins.\` }],
    asks: [],
    rewards: { [winner]: 1, [other(winner)]: -1 },
  };
}
`;
}

/** Its test, for \`node --test\`. */
export function environmentTestTemplate(name: string, ending = 'ts'): string {
  const constant = camel(name);
  return `/** @file What ${title(name)} must keep. Run it with "node --test ${name}.test.${ending}". */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Agent, type EpisodeEvent, play, replay, scripted } from 'ludus-agents';
import { ${constant} } from './${name}.${ending}';

const careful = scripted('careful', (turn) => ${constant}.scripts?.['careful']?.(turn) ?? { text: '' });
const random = scripted('random', ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? []) }));

/** One episode from start to end. */
async function episode(first: Agent, second: Agent, seed: number): Promise<EpisodeEvent[]> {
  const events: EpisodeEvent[] = [];
  for await (const event of play(${constant}, { first, second }, { seed })) events.push(event);
  return events;
}

function returnsOf(events: readonly EpisodeEvent[]): Readonly<Record<string, number>> {
  const end = events.at(-1);
  assert.equal(end?.kind, 'end');
  return end?.kind === 'end' ? end.returns : {};
}

test('ten sticks are lost for nobody who leaves a multiple of four', async () => {
  for (let seed = 0; seed < 20; seed++) assert.deepEqual(returnsOf(await episode(careful, random, seed)), { first: 1, second: -1 });
});

test('broken form three times in a row forfeits', async () => {
  const silent = scripted('silent', () => ({ text: 'I would rather not.' }));
  assert.deepEqual(returnsOf(await episode(silent, random, 1)), { first: -1, second: 1 });
});

test('a log replays to the byte, and a changed one does not', async () => {
  const events = await episode(random, random, 7);
  assert.equal(replay(${constant}, events), null);
  const changed = events.map((event) => (event.kind === 'message' ? { ...event, text: \`\${event.text}!\` } : event));
  assert.notEqual(replay(${constant}, changed), null);
});
`;
}

export function camel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

export function title(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
