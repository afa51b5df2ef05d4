/** @file Characters with goals and secrets, and bargains: does an agent get what it wants without giving itself away? */

import { type SceneInput, suite } from './suite.ts';

function scene(name: string, seats: readonly string[]): SceneInput {
  return {
    name,
    environment: 'social-scene',
    tasks: [{ scene: name }],
    seats,
    others: { '*': 'scripted:character' },
    // The goal pays from 0 to 1, and giving the secret away costs 1.
    scale: [-1, 1],
    pass: 1,
    kinds: { passive: 'scripted:silent', agreeable: 'scripted:agreeable' },
    also: ['scene', 'form', 'repetition'],
  };
}

export const socialCore = suite({
  name: 'social-core',
  about:
    'Scenes in which characters have goals, secrets and things to promise, and bargains over items or a price. Half the scale in a scene is a secret kept and nothing reached; the null agents say nothing, or agree to everything.',
  seeds: 8,
  nulls: ['random', 'passive', 'agreeable'],
  scenes: [
    scene('borrowed-book', ['ada', 'ben']),
    scene('market-stall', ['omar', 'lina']),
    scene('dinner', ['carl', 'dora', 'emil']),
    scene('shop-dispute', ['faye', 'gil', 'hugo']),
    {
      name: 'sharing out',
      environment: 'bargain',
      seats: ['first', 'second'],
      others: { '*': 'scripted:conceder' },
      scale: [0, 10],
      pass: 5,
      kinds: { passive: 'scripted:walker', agreeable: 'scripted:accepter' },
      also: ['negotiation', 'form'],
    },
    {
      name: 'haggling',
      environment: 'bargain',
      tasks: [{ mode: 'haggle' }],
      seats: ['seller', 'buyer'],
      others: { '*': 'scripted:conceder' },
      scale: [-100, 100],
      pass: 1,
      kinds: { passive: 'scripted:walker', agreeable: 'scripted:accepter' },
      also: ['negotiation', 'form'],
    },
  ],
});
