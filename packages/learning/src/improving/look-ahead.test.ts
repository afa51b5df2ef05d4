/**
 * @file CEL as a whole (arXiv 2509.25052): a model writes rules after each episode, an agent looks ahead by them, and a lake that was crossed by chance is
 * crossed every time. Without the rules, or without looking ahead, it stays as it was.
 */

import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { frozenLake } from '@ludus-agents/environments/internal/frozen-lake/frozen-lake';
import { type AgentSpec, type EpisodeEvent, type Lesson, type Prompt, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { expect, it } from 'vitest';
import { rulesWith } from '../prompts/proposers/rules.ts';

const task = { layout: 'SFF/FHF/FFG', steady: 1, steps: 60 };
const never = new AbortController().signal;
const cell = /row \d, column \d/;

/** Moves anywhere, expects nothing of what it does not know, and wants to be far down and right and out of holes. */
function walker(seed: number) {
  let turn = 0;
  return fakeModel({
    answers: ({ messages }: Prompt) => {
      const last = messages.at(-1)?.content ?? '';
      if (last.includes('what are you told next?')) return 'Next: who knows';
      if (!last.includes('How well does it go')) return rng(seed, turn++).pick(['[left]', '[down]', '[right]', '[up]']);
      const next = /<records>\n(.*)\n/.exec(last)?.[1] ?? '';
      const [, row = 0, column = 0] = /row (\d), column (\d)/.exec(next) ?? [];
      return `Score: ${/hole/.test(next) ? 0 : /reach/.test(next) ? 10 : cell.test(next) ? 2 + Number(row) + Number(column) : 1}`;
    },
  });
}

/** Writes what it saw as rules, of cells instead of whole lines. */
const inducer = fakeModel({
  answers: ({ messages }: Prompt) =>
    [...(messages[0]?.content ?? '').matchAll(/^When “(.*)”: (\S+) → “(.*)”$/gm)]
      .flatMap(([, situation = '', move = '', effect = '']) => {
        const after = /hole/.test(effect) ? 'hole' : (/reach\w*/.exec(effect)?.[0] ?? cell.exec(effect)?.[0] ?? '');
        return cell.test(situation) && after !== '' ? [`When “${cell.exec(situation)?.[0]}”: ${move} → “${after}”`] : [];
      })
      .join('\n'),
});

async function crossing(spec: AgentSpec, seed: number): Promise<{ readonly lesson: Lesson; readonly paid: number }> {
  const agent = await llmAgent({ spec, seat: 'walker', model: walker(seed), complete: true });
  const events: EpisodeEvent[] = [];
  for await (const event of play(frozenLake, { walker: agent }, { task, seed })) events.push(event);
  const end = events.at(-1);
  return {
    lesson: { episode: { id: `${seed}`, events }, seat: 'walker', scores: [] },
    paid: end?.kind === 'end' ? (end.returns['walker'] ?? 0) : 0,
  };
}

/** How many of twelve crossings succeed after this many walks by chance whose rules were written down. */
async function learned(architecture: string, episodes: number): Promise<number> {
  let spec: AgentSpec = { name: 'w', kind: 'llm', settings: { prompt: 'compact' }, texts: { 'playbook/00001': '' } };
  for (let seed = 0; seed < episodes; seed++) {
    const { lesson } = await crossing(spec, seed);
    const round = { rng: rng(seed), components: ['playbook/00001'], many: 1, edits: 40, tried: [], paid: () => {} };
    [spec = spec] = await rulesWith({ model: inducer }).improver(round).improve(spec, [lesson], never);
  }
  let won = 0;
  const tested = { ...spec, settings: { architecture, prompt: 'compact' } };
  for (let seed = 100; seed < 112; seed++) won += (await crossing(tested, seed)).paid;
  return won;
}

it('look-ahead turns chance success on a frozen lake into rules that always succeed', async () => {
  const frozen = await learned('look-ahead', 0);
  expect(frozen).toBeLessThan(6);
  expect(await learned('look-ahead', 40)).toBe(12);
  expect(await learned('plain', 40)).toBeLessThan(6);
});
