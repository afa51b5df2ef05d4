/** @file Tools inside of training: demonstrations that call them, rewards for form, tools and actions, and tables of the user's. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { EpisodeEvent, Learner, Model, ModelCall, Prompt } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { afterAll, describe, expect, it } from 'vitest';
import '../kinds.ts';
import type { EpisodeJudge } from '../rl/judging.ts';
import { turnsInLog } from '../rl/log-turns.ts';
import { samplesOf } from '../rl/samples.ts';
import { actionMatch, toolCount, toolSuccess, wellFormed } from '../rl/tool-rewards.ts';
import { type PromptView, viewPolicy } from './learner-view.ts';
import { modelReviewer } from './reviewer.ts';
import { demonstrationsOf } from './view-demonstrations.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ludus-tools-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const trust = Trust.commandLine;
const view: PromptView = { kind: 'window', tokens: 600, tools: ['calculator'], steps: 1 };

/** A language model that writes what it is given. */
function writing(answer: (last: string) => string): Learner {
  const complete = async (prompt: Prompt): Promise<ModelCall> => {
    const text = answer(String(prompt.messages.at(-1)!.content));
    const tokens = { promptTokenIds: [1], tokenIds: [2], logprobs: [-1] };
    return { model: 'writing', prompt, text, finish: 'stop', usage: { promptTokens: 1, completionTokens: 1 }, cost: 0, ...tokens };
  };
  return { id: 'writing', price: null, complete, rowFor: () => ({ tokens: [], mask: [] }) } as unknown as Learner;
}

async function played(answer: (last: string) => string): Promise<readonly EpisodeEvent[]> {
  const environment = await builtInEnvironment('products');
  const policy = viewPolicy(writing(answer), view, { environment, cwd, trust });
  return (await rollout(environment, { solver: policy }, { seeds: [1], task: { hard: 1, retries: 1 } }))[0]!;
}

async function paid(judge: EpisodeJudge, log: readonly EpisodeEvent[]): Promise<number> {
  const [sample] = samplesOf(log, ['solver'], { prompt: 0 });
  return ((await judge({ log, seat: 'solver', sample: sample! })) as readonly number[]).reduce((sum, value) => sum + value, 0);
}

const withTool = (call: string) => (last: string) => (/^Result/.test(last) ? `[${/(\d*)\s*$/.exec(last)![1] || 0}]` : call);

describe('tools in training', () => {
  it('pay for well-formed output, successful tool calls, and expert actions', async () => {
    const environment = await builtInEnvironment('products');
    const oracle = actionMatch(environment.scripts!['oracle']!);
    const right = await played((last) => withTool(`Tool: calculate {"sum": "${/(\d+ \* \d+)/.exec(last)?.[1]}"}`)(last));
    const broken = await played(withTool('Tool: calculate {"sum": "2 *"}'));
    const wordy = await played(() => 'I do not know.');
    // Of the two turns without a number the first is fined, and the second forfeits.
    expect(await Promise.all([right, broken, wordy].map((log) => paid(wellFormed, log)))).toEqual([1, 0, 0.5]);
    expect(await Promise.all([right, broken, wordy].map((log) => paid(toolSuccess, log)))).toEqual([1, 0, 0]);
    expect(await Promise.all([right, broken, wordy].map((log) => paid(toolCount, log)))).toEqual([1, 1, 0]);
    expect(await Promise.all([right, broken].map((log) => paid(oracle, log)))).toEqual([1, 0]);
  });

  it('show tool calls to a learner that plays through prompts', async () => {
    const environment = await builtInEnvironment('products');
    const ground = { environment, task: { hard: 1 } };
    const shownAnswers = await demonstrationsOf(view, ground, { games: 4, seed: 1, script: 'expert', cwd, trust });
    const [call, answer] = shownAnswers;
    const [, a, b] = /"sum": "(\d+) \* (\d+)"/.exec(call!.text)!;
    expect(shownAnswers).toHaveLength(8);
    expect(answer!.text).toBe(`[${Number(a) * Number(b)}]`);
    // Without tools the same script has to guess, and every answer is a move.
    const bare = await demonstrationsOf({ kind: 'window', tokens: 600 }, ground, { games: 4, seed: 1, script: 'expert', cwd, trust });
    expect(bare.every(({ text }) => /^\[\d+\]$/.test(text))).toBe(true);
  });

  it("ask questions about a user's table and query it", async () => {
    writeFileSync(join(cwd, 'sales.csv'), 'city,month,amount\noslo,may,3\noslo,may,4\noslo,june,5\nrome,may,6\n');
    const environment = await resolveEnvironment('questions:./sales.csv', cwd, trust);
    const tables: PromptView = { ...view, tools: ['table=./sales.csv'] };
    const shownAnswers = await demonstrationsOf(tables, { environment, task: {} }, { games: 12, seed: 1, script: 'expert', cwd, trust });
    const both = shownAnswers.findIndex(({ text }) => text.includes('city = oslo | where month = may | sum amount'));
    expect(shownAnswers[both + 1]!.text).toBe('[7]');
    const policy = viewPolicy(
      writing(() => '[7]'),
      { kind: 'window', tokens: 600 },
      { environment, cwd, trust },
    );
    const logs = await rollout(environment, { analyst: policy }, { seeds: [1, 2, 3, 4, 5, 6, 7, 8], task: {} });
    const right = logs.filter((log) => turnsInLog(log, ['analyst'])[0]!.reward === 1).length;
    expect(right).toBeLessThan(8);
    await expect(resolveEnvironment('questions:./missing.csv', cwd, trust)).rejects.toThrow(/cannot be read/);
    writeFileSync(join(cwd, 'texts.csv'), 'city,month\noslo,may\nrome,june\n');
    await expect(resolveEnvironment('questions:./texts.csv', cwd, trust)).rejects.toThrow(/a column of numbers/);
  });

  it('let a writer comment on moves outside the game', async () => {
    const prompts: Prompt[] = [];
    const model = {
      id: 'm',
      price: null,
      async complete(prompt: Prompt) {
        prompts.push(prompt);
        return { model: 'm', prompt, text: 'Thought: It was the shorter way.\nAction: [left]', finish: 'stop', usage: {}, cost: 0 };
      },
    } as unknown as Model;
    const [logged] = turnsInLog(await played(() => '[12]'), ['solver']);
    const [reply] = await modelReviewer(model).act([logged!.turn]);
    expect(reply!.action.text).toBe('It was the shorter way.');
    expect(String(prompts[0]!.messages[0]!.content)).toMatch(/make no move/);
  });
});
