/** @file Recipes for environments whose actions are numbers: a Gaussian policy by the same loop. */

import type { Recipe } from '../recipe.ts';
import { usual } from './parts.ts';

/** A controller learned by trying voltages: the cost from each step on, compared with other tries at the same references and step. */
export const motorGaussian: Recipe = {
  ...usual,
  name: 'motor-gaussian',
  method: 'PPO’s clipping with a Gaussian policy, compared by step',
  source: 'Williams (1992), Simple statistical gradient-following algorithms; PPO (arXiv 1707.06347)',
  differs:
    'No critic: steps are compared with the same step of other episodes on the same references. The mean is linear in current, speed and reference.',
  assignment: { kind: 'return-to-go', discount: 0.9 },
  baseline: { kind: 'group', key: ['prompt', 'seat', 'turn'], center: 'mean', scale: 'none' },
  loss: { kind: 'clipped', clip: [0.2, 0.2], aggregation: 'token-mean', epochs: 4 },
  rollout: { kind: 'group', size: 8 },
  training: {
    environment: 'motor',
    optimiser: 'adam',
    rate: { from: 0.1, to: 0.03 },
    games: 2560,
    batch: 32,
    learner: 'gaussian',
  },
};

/** A pilot learned by trying rotor speeds: it starts up to 0.8 m from its place in each direction, and at first falls over immediately. */
export const dronesGaussian: Recipe = {
  ...motorGaussian,
  name: 'drones-gaussian',
  differs:
    'No critic: steps are compared with the same step of other flights from the same place. The mean is linear in place, velocity, tilt and turning.',
  assignment: { kind: 'return-to-go', discount: 0.95 },
  rollout: { kind: 'group', size: 16 },
  training: { ...motorGaussian.training, environment: 'drones', task: { seconds: 2, spread: 0.8, rate: 24 }, games: 6400, batch: 64 },
};
