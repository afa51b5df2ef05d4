/**
 * @file A seeded fuzz over the files that a user writes or is given: plans, suites, agents, recipes, populations and bots that are wrong
 * somewhere. Whatever came, it is read, or refused in a sentence.
 */

import { samplePopulation } from '@ludus-agents/agents/internal/personas/population/sample';
import { readAgent } from '@ludus-agents/agents/internal/workspace/agents';
import { loadAgent } from '@ludus-agents/agents/internal/workspace/loaders';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { readSuite } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { isFault, type Json, type JsonObject, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { readRecipe } from '@ludus-agents/learning/internal/training/recipe-file';
import { expect } from 'vitest';

interface Spec {
  readonly sound: Json;
  /** Undefined where it is no such file. */
  read(value: Json): unknown;
}

const chat = await builtInEnvironment('chat');

/** One sound file of each kind, and what reads it. */
export const specs: Readonly<Record<string, Spec>> = {
  plan: {
    sound: {
      name: 'base',
      environments: ['tic-tac-toe', { environment: 'connect-four', tasks: [{}, { columns: 5 }] }],
      seeds: 3,
      casts: [{ X: 'random', '*': { name: 'Ada', kind: 'random' } }],
      swap: true,
      limits: { turns: 20 },
      budget: { money: 5, calls: 10 },
    },
    read: (value) => readPlan(value),
  },
  suite: {
    sound: {
      name: 'mine',
      about: 'Poker against random play, on both seats.',
      nulls: ['random'],
      seeds: 20,
      scenes: [
        {
          ...{ environment: 'kuhn-poker', seats: ['first', 'second'], others: { '*': 'random' }, tasks: [{ rounds: 4 }] },
          ...{ score: 'return', scale: [-8, 8], pass: 0, also: ['form'] },
        },
      ],
    },
    read: (value) => readSuite(value),
  },
  agent: {
    sound: { name: 'Eve', kind: 'llm', model: 'fake', tools: ['desk'], settings: { architecture: 'react', context: 'window' } },
    read: (value) => readAgent(value, 'The agent'),
  },
  recipe: {
    sound: {
      name: 'weaker',
      base: 'kuhn-tabular',
      method: 'weaker',
      loss: { kl: { weight: 0.4 } },
      training: { environment: 'kuhn-poker', games: 200 },
    },
    read: (value) => readRecipe(value, 'The recipe'),
  },
  population: {
    sound: {
      name: 'people',
      attributes: { gender: { female: 51, male: 49 }, mood: { patient: 60, hurried: 40 } },
      joints: [{ of: ['age', 'work'], table: { '18-40': { baker: 2, clerk: 5 }, '41-80': { baker: 3, clerk: 1 } } }],
      constraints: [{ never: { age: '18-40', work: 'baker', mood: 'hurried' } }],
      quotas: [{ where: { age: '18-40' }, share: 0.5 }],
      statements: ['{name} is a {work}.', '{name} is {mood} today.'],
    },
    read: (value) => samplePopulation(value, 3, 1),
  },
  bot: {
    sound: { file: './answers.mjs' },
    read: (value) =>
      loadAgent({ name: 'ours', kind: 'bot', settings: value as JsonObject }, 'character', chat, {
        cwd: '/nowhere',
        trust: Trust.commandLine,
      }),
  },
};

const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);
const atoms: readonly Json[] = [
  ...[null, true, 0, -1, 0.5, 1e308, 2 ** 53, '', ' ', 'x', '../..', '/etc/passwd', '{name}', '\u0000', '\ud800', 'constructor'],
  ...[[], {}, [[]], [null], { '': null }, 'x'.repeat(5000), Array.from({ length: 300 }, (_, i) => i), deep(400)],
  ...[JSON.parse('{"__proto__": {"polluted": 1}}') as Json, { constructor: { prototype: { polluted: 1 } } }, { toString: 1, length: -1 }],
];

/** The value with one place in it changed, left out, doubled or renamed. */
function bent(dice: Rng, value: Json): Json {
  if (value === null || typeof value !== 'object' || dice.int(4) === 0) return dice.pick(atoms);
  if (Array.isArray(value)) {
    if (value.length === 0 || dice.int(4) === 0) return [...value, dice.pick(atoms)];
    const at = dice.int(value.length);
    const rest = value.filter((_, i) => i !== at);
    return dice.int(4) === 0 ? rest : value.map((item, i) => (i === at ? bent(dice, item) : item));
  }
  const entries = Object.entries(value);
  const at = dice.int(entries.length + 1);
  if (at === entries.length)
    return Object.fromEntries([...entries, [dice.pick(['__proto__', 'extra', '', 'name', 'toString']), dice.pick(atoms)]]);
  const [name, fieldValue] = entries[at]!;
  const others = entries.filter((_, i) => i !== at);
  if (dice.int(6) === 0) return Object.fromEntries(others);
  if (dice.int(6) === 0) return Object.fromEntries([...others, [`${name}s`, fieldValue]]);
  return Object.fromEntries(entries.map(([key, old], i) => [key, i === at ? bent(dice, fieldValue) : old]));
}

/** Reads one spoilt file. What is thrown must be a fault with a sentence; true where it was read. */
export async function fuzzSpec(kind: string, seed: number): Promise<boolean> {
  const dice = rng(seed, 'spec', kind);
  const { sound, read } = specs[kind]!;
  let value = sound;
  for (let changes = 1 + dice.int(3); changes > 0; changes--) value = bent(dice, value);
  const whole = JSON.stringify(value);
  const text = dice.int(10) === 0 ? whole.slice(0, dice.int(whole.length)) : whole;
  try {
    // Where it is something else altogether, the loader says so.
    return (await read(jsonFrom(text, 'The file'))) !== undefined;
  } catch (thrown) {
    const where = `${kind} ${seed}: ${String(thrown)} from ${text.slice(0, 300)}`;
    expect(isFault(thrown), where).toBe(true);
    expect((thrown as Error).message.length, where).toBeGreaterThan(10);
    return false;
  } finally {
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }
}
