/** @file Before and after a change: does an agent notice, and how soon is it as good as it was? */

import { type SceneInput, suite } from './suite.ts';

/** One change in the middle of an episode. */
function change(kind: string): SceneInput {
  return {
    name: `change of ${kind}`,
    environment: 'shift',
    tasks: [{ change: kind }],
    seats: ['chooser'],
    kinds: { scripted: 'scripted:adaptive' },
    score: 'adaptability',
    pass: 0.8,
    also: ['return', 'form'],
  };
}

export const adaptabilityCore = suite({
  name: 'adaptability-core',
  about:
    'Something changes halfway, mostly without notice: the customer, the reward, or the effect of a move. The score is the result after the change; also shown are the result before, the immediate loss, and how much of it was made good. Two pairs of scenes play the same world before and after a change between episodes.',
  nulls: ['random', 'scripted:stubborn'],
  scenes: [
    ...['population', 'goal', 'dynamics', 'none'].map(change),
    ...(['train', 'held-out'] as const).map(
      (split): SceneInput => ({
        name: split === 'train' ? 'users as known' : 'users not met before',
        environment: 'recommender',
        tasks: [{ world: 'clickbait', split }],
        seats: ['recommender'],
        kinds: { scripted: 'scripted:inferring', 'scripted:stubborn': 'scripted:greedy' },
        // Nobody is paid less than 0, and the best sixty items for any of these users bring 583.
        scale: [0, 585],
        pass: 200,
        also: ['form'],
      }),
    ),
    ...[1, 0.3333333333333333].map(
      (steady): SceneInput => ({
        name: steady === 1 ? 'firm ice' : 'slippery ice',
        environment: 'frozen-lake',
        tasks: [{ steady }],
        seats: ['walker'],
        kinds: { scripted: 'scripted:optimal', 'scripted:stubborn': 'scripted:shortest' },
        pass: 0.7,
        also: ['form'],
      }),
    ),
  ],
});
