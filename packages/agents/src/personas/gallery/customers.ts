/** @file A population to sample from: customers of an internet provider, with correlated attributes. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';

/** A population of customers of a support desk. */
export const customers: Json = {
  name: 'Customer',
  attributes: {
    gender: { female: 50, male: 48, 'non-binary': 2 },
    residence: { 'a city': 55, 'a town': 30, 'a village': 15 },
    mood: { patient: 45, hurried: 35, angry: 20 },
    problem: { 'a slow line': 40, 'a wrong bill': 30, 'moving house': 20, 'a stolen account': 10 },
  },
  joints: [
    {
      of: ['age', 'employment'],
      table: {
        '18-29': { working: 13, studying: 8, 'looking for work': 2 },
        '30-49': { working: 28, studying: 1, 'looking for work': 3 },
        '50-66': { working: 18, retired: 3, 'looking for work': 2 },
        '67-90': { working: 2, retired: 20 },
      },
    },
    {
      of: ['age', 'channel'],
      table: {
        '18-29': { chat: 18, telephone: 5 },
        '30-49': { chat: 20, telephone: 12 },
        '50-66': { chat: 9, telephone: 14 },
        '67-90': { chat: 4, telephone: 18 },
      },
    },
  ],
  constraints: [{ never: { problem: 'a slow line', mood: 'patient', residence: 'a village' } }],
  traits: { O: { mean: 52, sd: 15 }, C: { mean: 55, sd: 15 }, E: { mean: 50, sd: 18 }, A: { mean: 56, sd: 16 }, N: { mean: 48, sd: 18 } },
  statements: ['{name} is calling about {problem}.', '{name} is {mood} today.', '{name} prefers the {channel}.'],
  base: {
    tags: ['customer'],
    goals: [{ text: 'Have the problem solved in this one conversation.', horizon: 'scene', visibility: 'public' }],
  },
};
