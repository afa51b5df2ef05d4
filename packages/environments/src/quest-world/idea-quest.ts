/** @file Quests out of written ideas: the rules of quest-world on a world of your own sentences, proved to be winnable before it is played. */

import { type Environment, Fault, knob, readTask, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import type { QuestWorld } from './generate.ts';
import { findWalkthrough, readIdea, type Walkthrough } from './idea.ts';
import { ideas } from './ideas.ts';
import { type QuestState, questWorld, startQuest } from './quest-world.ts';

const knobs = {
  idea: knob.text({
    otherwise: '',
    about: 'a quest in your own sentences, instead of a built-in one; docs/reference/curricula.md has the forms',
  }),
  number: knob.whole({ from: 0, to: ideas.length, otherwise: 0, about: 'which of the built-in ideas; 0 draws one' }),
  split: knob.one({
    of: ['any', 'train', 'held-out'],
    otherwise: 'any',
    about: 'which of the built-in ideas may be drawn: every fourth is held out',
  }),
} as const;

type Task = TaskOf<typeof knobs>;

/** An idea that takes more is no small game. */
const mostCommands = 100;

const proved = new Map<string, { readonly world: QuestWorld; readonly way: Walkthrough }>();

/** The world of an idea with its shortest way, both found once. */
export function proveIdea(text: string): { readonly world: QuestWorld; readonly way: Walkthrough } {
  const before = proved.get(text);
  if (before !== undefined) return before;
  const world = readIdea(text);
  const match = { world, way: findWalkthrough(world) };
  const { length } = match.way.commands;
  if (length === 0 || length > mostCommands)
    throw new Fault('input', `An idea must take 1 to ${mostCommands} commands to win, but this one takes ${length}.`);
  if (proved.size >= 500) proved.clear();
  proved.set(text, match);
  return match;
}

export const ideaQuest: Environment<QuestState, Task> = {
  ...(questWorld as Omit<typeof questWorld, 'winnable' | 'documents' | 'draft'>),
  id: 'idea-quest@1',
  about: {
    summary:
      'A text adventure out of a written idea: plain sentences say which rooms and things there are, what is made from what, and what to reach. A search proves before play that it can be won, and by how few commands. Reaching the goal pays 1, each first subgoal 0.1, each step costs 0.01; four times the shortest way and ten steps more are allowed. Twelve ideas for one house are built in.',
    tasks: [
      {},
      { number: 8 },
      { split: 'held-out' },
      { idea: 'The barn is north of the yard. The egg is in the barn. Bring the egg to the yard.' },
    ],
    turns: 4 * mostCommands + 10,
    words: questWorld.about.words ?? [],
  },
  knobs,
  // Ideas are proved by a search when they are read.
  winnable: () => true,
  task(input) {
    const task = readTask('idea-quest', knobs, input);
    if (task.idea !== '') proveIdea(task.idea);
    return task;
  },
  seats: () => ['seeker'],
  start({ idea, number, split }, rng) {
    const samples = ideas.filter(({ heldOut }) => split === 'any' || heldOut === (split === 'held-out'));
    const text = idea !== '' ? idea : number > 0 ? ideas[number - 1].text : rng.pick(samples).text;
    const { world, way } = proveIdea(text);
    return startQuest(world, { length: way.commands.length, subgoals: way.subgoals });
  },
};
