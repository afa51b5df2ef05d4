/**
 * @file Quests from written ideas: the rules of quest-world on a world described by the user's sentences. The world is proved winnable
 * before it is played.
 */

import { type Environment, Fault, parameter, readTask, type TaskOf } from '@ludus-agents/kernel/internal/core/index';
import type { QuestWorld } from './generate.ts';
import { findWalkthrough, readIdea, type Walkthrough } from './idea.ts';
import { type QuestState, questWorld, startQuest } from './quest-world.ts';

/** The house that all ideas share, so that knowledge from one idea helps in another. */
const house = `The kitchen is north of the hall. The study is west of the hall. The garden is east of the hall. The cellar is south of the hall.
You begin in the hall.
A cupboard stands in the kitchen. A drawer stands in the study. A chest stands in the cellar.
The kettle is in the kitchen. The bread is in the kitchen. The jam is in the cupboard.
The paper is in the study. The stamp is in the drawer.
The pot is in the garden. The seed is in the chest. The candle is in the cellar.`;

const goals = [
  ['Tea for the garden', 'The leaf is in the cupboard. The tea is made from the kettle and the leaf. Bring the tea to the garden.'],
  ['A letter', 'The letter is made from the paper and the stamp. Bring the letter to the hall.'],
  ['A plant', 'The plant is made from the pot and the seed. Make the plant.'],
  ['Breakfast in the study', 'The breakfast is made from the bread and the jam. Bring the breakfast to the study.'],
  ['Light for the study', 'Bring the candle to the study.'],
  ['Jam for the cellar', 'Bring the jam to the cellar.'],
  ['A card', 'The card is made from the paper and the candle. Make the card.'],
  ['Seeds for a neighbour', 'Mara is in the garden and gives the rose for the seed. Bring the rose to the hall.'],
  ['A picnic', 'The picnic is made from the bread and the kettle. Bring the picnic to the garden.'],
  ['A plant for the study', 'The plant is made from the pot and the seed. Bring the plant to the study.'],
  [
    'A letter that is paid for',
    'Mara is in the hall and gives the coin for the jam. The letter is made from the paper and the coin. Make the letter.',
  ],
  ['Breakfast in the garden', 'The breakfast is made from the bread and the jam. Bring the breakfast to the garden.'],
] as const;

/** Every fourth idea is held out. */
export const ideas: readonly { readonly text: string; readonly heldOut: boolean }[] = goals.map(([title, goal], i) => ({
  text: `# ${title}\n${house}\n${goal}`,
  heldOut: i % 4 === 3,
}));

const parameters = {
  idea: parameter.string({
    default: '',
    description: 'a quest in your own sentences, instead of a built-in one; docs/reference/curricula.md has the forms',
  }),
  number: parameter.integer({ min: 0, max: ideas.length, default: 0, description: 'which of the built-in ideas; 0 draws one' }),
  split: parameter.choice({
    options: ['any', 'train', 'held-out'],
    default: 'any',
    description: 'which of the built-in ideas may be drawn: every fourth is held out',
  }),
} as const;

type Task = TaskOf<typeof parameters>;

/** Maximum commands of a winning plan; longer ideas are not small games. */
const mostCommands = 100;

const proved = new Map<string, { readonly world: QuestWorld; readonly way: Walkthrough }>();

/** Returns the world of an idea with its shortest winning plan. Results are cached. */
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
      'A text adventure generated from a written idea: plain sentences list the rooms and items, the recipes, and the goal. Before play, a search proves that it can be won, and finds the shortest solution. The goal pays 1, each first subgoal 0.1, and each step costs 0.01; the limit is four times the shortest solution plus ten steps. Twelve ideas for one house are built in.',
    tasks: [
      {},
      { number: 8 },
      { split: 'held-out' },
      { idea: 'The barn is north of the yard. The egg is in the barn. Bring the egg to the yard.' },
    ],
    turns: 4 * mostCommands + 10,
    words: questWorld.about.words ?? [],
  },
  parameters,
  // Ideas are proved winnable by a search when they are parsed.
  winnable: () => true,
  task(input) {
    const task = readTask('idea-quest', parameters, input);
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
