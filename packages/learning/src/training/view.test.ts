/** @file What a learner sees: a window that forgets, a summary and a memo that it writes itself, and tools, with the tokens that are trained. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { Learner, ModelCall, Prompt, Sampling, Turn } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy, textOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { LearnerView, Recipe } from '../rl/recipe.ts';
import { grpo } from '../rl/recipes/group-relative.ts';
import { rowsOf, samplesOf } from '../rl/samples.ts';
import { answersTo, type PromptView, viewPolicy } from './learner-view.ts';
import recall from './recall.cases.ts';
import ticker from './ticker.cases.ts';
import { createTrainer } from './trainer.ts';

const cwd = process.cwd();
const place = { environment: recall, cwd, trust: Trust.commandLine };

function recipeOf(view: LearnerView, waits: number): Recipe {
  return {
    ...grpo,
    name: 'recall',
    view,
    baseline: { kind: 'group', key: [], center: 'mean', scale: 'none' },
    loss: { kind: 'policy-gradient', aggregation: 'sequence-mean-token-sum' },
    rollout: { kind: 'iid' },
    training: {
      environment: './packages/learning/src/training/recall.cases.ts',
      task: { waits, words: 3 },
      optimiser: 'adam',
      rate: { from: 0.5, to: 0.5 },
      games: 32 * 20,
      batch: 32,
    },
  };
}

/** The mean return of the last three of twenty updates. */
async function learned(view: LearnerView, waits: number): Promise<number> {
  const trainer = await createTrainer({ recipe: recipeOf(view, waits), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null });
  let sum = 0;
  for (const update of [18, 19, 20]) {
    await trainer.run(update);
    sum += (await trainer.measure()).returned! / 3;
  }
  return sum;
}

const letters = (text: string) => Array.from(text, (letter) => letter.codePointAt(0)!);

/** A language model that writes what it is given, a token a letter. */
function writing(answer: (prompt: Prompt, sampling: Sampling) => string): Learner {
  const text = ({ messages }: Prompt) => messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
  const complete = async (prompt: Prompt, sampling: Sampling): Promise<ModelCall> => {
    const speech = answer(prompt, sampling);
    const [read, written] = [letters(text(prompt)), letters(speech)];
    const usage = { promptTokens: read.length, completionTokens: written.length };
    const tokens = { promptTokenIds: read, tokenIds: written, logprobs: written.map(() => -1) };
    return { model: 'writing', prompt, text: speech, finish: 'stop', usage, cost: 0, ...tokens };
  };
  const rowFor = () => ({ tokens: [], mask: [] });
  return { id: 'writing', complete, rowFor } as unknown as Learner;
}

async function turnsOf(learner: Learner, view: PromptView, waits: number) {
  const policy = viewPolicy(learner, view, place);
  const [log] = await rollout(recall, { player: policy }, { seeds: [3], task: { waits } });
  return samplesOf(log!, ['player'], { prompt: 0 })[0]!.turns;
}

const asText = (tokens: ArrayLike<number>) => String.fromCodePoint(...Array.from(tokens));

describe('prompt view', () => {
  it('with a summary solves a memory task that a window of the same length cannot', async () => {
    expect(await learned({ kind: 'summary', tokens: 240, memo: 20 }, 3)).toBeGreaterThan(0.9);
    expect(await learned({ kind: 'window', tokens: 240 }, 3)).toBeLessThan(0.5);
  });

  it('with a memo solves it even if only the last turn is visible', async () => {
    expect(await learned({ kind: 'memo', tokens: 240, memo: 20 }, 0)).toBeGreaterThan(0.9);
  });

  it('with a memo trains the memo once as written and shows it as read', async () => {
    let written = 0;
    const learner = writing(() => `Memo: note ${written++}\nAction: [on]`);
    const turns = await turnsOf(learner, { kind: 'memo', tokens: 300, memo: 20 }, 8);
    const rows = rowsOf(
      turns,
      turns.map(() => 1),
    );
    rows.forEach((row, i) => {
      const trained = asText(Array.from(row.tokens).filter((_, t) => row.advantages![t] !== 0));
      expect(trained).toBe(`Memo: note ${i}\nAction: [on]`);
      const read = asText(turns[i]!.read);
      expect(read.includes(`note ${i - 1}`)).toBe(i > 0);
      expect(read.includes(`note ${i - 2}`)).toBe(false);
    });
    // Its prompts stay as long; those of a window grow.
    const sizes = turns.slice(3, -1).map(({ read }) => read.length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(3);
    const grown = (
      await turnsOf(
        writing(() => '[on]'),
        { kind: 'window', tokens: 3000 },
        8,
      )
    ).map(({ read }) => read.length);
    expect(grown.at(-1)! - grown[3]!).toBeGreaterThan(600);
  });

  it('with thoughts trains the thought before a move and hides it from other seats', async () => {
    const kuhn = await builtInEnvironment('kuhn-poker');
    const observations: string[] = [];
    const other = scriptedPolicy('other', ({ view, ask }) => {
      observations.push(textOf(view));
      return { text: ask.choices![0]! };
    });
    const play = async (thoughts: boolean) => {
      const learner = writing(() => 'Thought: I hold a 31337.\nAction: [bet]');
      const policy = viewPolicy(learner, { kind: 'window', tokens: 600, thoughts }, { trust: Trust.commandLine, environment: kuhn, cwd });
      const [log] = await rollout(kuhn, { first: policy, second: other }, { seeds: [1] });
      return log!;
    };
    const log = await play(true);
    expect(asText(samplesOf(log, ['first'], { prompt: 0 })[0]!.turns[0]!.written)).toBe('Thought: I hold a 31337.\nAction: [bet]');
    expect(log.flatMap((event) => (event.kind === 'action' && event.seat === 'first' ? [event.action.text] : []))).toEqual(['[bet]']);
    expect(observations.length).toBeGreaterThan(0);
    expect(observations.join()).not.toContain('31337');
    // What it imitates first has thoughts, too: things in sight, as memos are.
    const ask = { seat: 'first', choices: ['[bet]'] };
    const turn = { ask, view: { seat: 'first', seen: [{ kind: 'message', to: ['first'], text: 'You hold a 3.' }] } } as unknown as Turn;
    expect(answersTo(turn, { kind: 'window', tokens: 600, thoughts: true })).toEqual(['Thought: You hold a 3.\nAction: [bet]']);
    expect(answersTo(turn, { kind: 'window', tokens: 600 })).toEqual(['[bet]']);
    // Its prompt asks for a thought, and the one without does not.
    const asked = async (thoughts: boolean) =>
      asText(samplesOf(await play(thoughts), ['first'], { prompt: 0 })[0]!.turns[0]!.read).includes('Thought:');
    expect([await asked(true), await asked(false)]).toEqual([true, false]);
  });

  it('trains tool calls and answers, but never tool results', async () => {
    const learner = writing(({ messages }) => (messages.at(-1)!.content.includes('31337') ? '[on]' : 'Tool: ticker {}'));
    const view: PromptView = { kind: 'window', tokens: 600, tools: ['./packages/learning/src/training/ticker.cases.ts'], steps: 1 };
    const turns = await turnsOf(learner, view, 0);
    const [call, answer] = turns;
    expect([asText(call!.written), asText(answer!.written)]).toEqual(['Tool: ticker {}', '[on]']);
    expect(asText(answer!.read)).toContain((await ticker.call()).text);
    const trained = rowsOf(
      turns,
      turns.map(() => 1),
    ).map((row) => Array.from(row.advantages!).reduce((sum, value) => sum + value, 0));
    expect(trained).toEqual(turns.map(({ written }) => written.length));
    expect(turns.some(({ written }) => asText(written).includes('31337'))).toBe(false);
  });

  it('gives each call of a turn a separate, reproducible seed', async () => {
    const seeds: number[] = [];
    const learner = writing((_, { seed = -1 }) => {
      seeds.push(seed);
      return seeds.length % 2 === 1 ? 'Tool: ticker {}' : '[on]';
    });
    const view: PromptView = { kind: 'window', tokens: 600, tools: ['./packages/learning/src/training/ticker.cases.ts'], steps: 1 };
    await turnsOf(learner, view, 1);
    const first = seeds.splice(0);
    expect(new Set(first).size).toBe(first.length);
    await turnsOf(learner, view, 1);
    expect(seeds).toEqual(first);
  });

  it('rejects tools for a table, which cannot call them', () => {
    expect(() => viewPolicy(new Tabular(), { kind: 'window', tokens: 600, tools: ['sandbox'] }, place)).toThrow(
      /chooses among listed answers, so it cannot call tools/,
    );
  });

  it('rejects a warm-up by imitation for a table', async () => {
    const recipe = { ...recipeOf({ kind: 'memo', tokens: 240 }, 0) };
    const training = { ...recipe.training, warmUp: { games: 8, steps: 1, rate: 0.1 } };
    const trainer = createTrainer({ recipe: { ...recipe, training }, seed: 1 }, { trust: Trust.commandLine, cwd, folder: null });
    await expect(trainer).rejects.toMatchObject({ boundary: 'input' });
  });
});
