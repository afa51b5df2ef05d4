/** @file A task that texts decide, a player that reads them, and a model that follows a script: for tests of how engines work. */

import { cases } from '@ludus-agents/evaluation/internal/cases/environment';
import { type Agent, type AgentSpec, type Model, rng } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { createEpisodeTrials } from '../episode-trials.ts';
import type { TrialEnvironment } from '../evaluator.ts';

const animals = 'cat dog owl fox hen bee ant elk cow pig rat yak'.split(' ');

export const tasks = { propose: 12, select: 24, report: 12 };

export const start: AgentSpec = { name: 'crier', kind: 'crier', texts: { instruction: 'Repeat the word.', style: 'Be brief.' } };

/** How likely the player answers as expected: each of three texts counts. */
export function chanceOf({ texts = {} }: AgentSpec): number {
  const has = [
    /capitals/i.test(texts['instruction'] ?? ''),
    /loud/i.test(texts['style'] ?? ''),
    /Answer: [A-Z]+/.test(texts['demonstrations'] ?? ''),
  ];
  return 0.3 + 0.2 * has.filter(Boolean).length;
}

/** Plays the word in capitals as often as the texts say. */
function playerOf(spec: AgentSpec): Agent {
  return {
    name: spec.name,
    async act({ view, rng: dice }) {
      const word = view.seen.flatMap((seen) => (seen.kind === 'message' ? [seen.text] : []))[0] ?? '';
      return { action: { text: dice.next() < chanceOf(spec) ? word.toUpperCase() : word } };
    },
  };
}

export async function animalTrials(): Promise<TrialEnvironment> {
  const store = memoryStore();
  await store.putRun({ id: 'animals', plan: { environments: [], seeds: [], casts: [] }, episodes: 0 });
  return createEpisodeTrials({
    ...{ store, run: 'animals', environment: cases, seat: 'agent' },
    tasks: animals.map((word) => ({ id: word, input: word, expected: word.toUpperCase(), match: 'strict' })),
    agents: async (spec) => ({ agent: playerOf(spec) }),
  });
}

/** A model that answers by rule, and keeps what it was asked. */
export function scriptedWriter(answer: (prompt: string, dice: ReturnType<typeof rng>) => string): Model & { readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    id: 'scripted',
    prompts,
    async complete(prompt, { seed = 0 } = {}) {
      const { content } = prompt.messages[0]!;
      prompts.push(content);
      const usage = { promptTokens: 50, completionTokens: 20 };
      return { model: 'scripted', prompt, text: answer(content, rng(seed)), finish: 'stop', usage, cost: 0.001 };
    },
  };
}
