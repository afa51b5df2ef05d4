/** @file Anything can pay: scorers with personas and right answers, checklists by turn, rubrics by a model, programs; one that never scores ends the run. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type AnyEnvironment, isFault } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import { type EpisodeJudge, judgeSamples } from '../rl/judging.ts';
import type { Recipe } from '../rl/recipe.ts';
import { override } from '../rl/recipe-overrides.ts';
import { cm2 } from '../rl/recipes/turn-level.ts';
import { channelJudges } from './channel-judges.ts';
import { train } from './train.ts';

const seat = 'guide';
const cwd = mkdtempSync(join(tmpdir(), 'ludus-pay-'));
const choices = ['The door is red.', 'The door is blue.', 'Ask Ann.'];

/** Two answers in a row; the environment itself pays nothing. */
const talk = `
const choices = ${JSON.stringify(choices)};
export default {
  id: 'talk@1', about: { summary: 'Two answers.', tasks: [{}], turns: 2, complete: true }, parameters: {},
  task: () => ({}), seats: () => ['${seat}'],
  start: () => ({ state: 0, messages: [{ to: ['${seat}'], text: 'Which color is the door?' }], asks: [{ seat: '${seat}', choices }] }),
  step: (state) => state === 0
    ? { state: 1, messages: [{ to: ['${seat}'], text: 'Go on.' }], asks: [{ seat: '${seat}', choices }] }
    : { state: 2, messages: [], asks: [], rewards: { '${seat}': 0 } },
};`;
writeFileSync(join(cwd, 'talk.mjs'), talk);

const log = (answers: readonly string[]) =>
  [
    { kind: 'start', environment: 'talk@1', task: {}, seed: 1, seats: [seat], cast: { [seat]: 'x' } },
    ...answers.flatMap((text) => [
      { kind: 'turn', asks: [{ seat, choices }] },
      { kind: 'action', seat, action: { text } },
    ]),
    { kind: 'end', reason: 'over', returns: { [seat]: 0 }, penalties: {}, turns: answers.length },
  ] as never;
const sampleOf = (answers: readonly string[]) =>
  ({ seat, turns: answers.map((_, i) => ({ at: 2 * i + 2, read: [], written: [], logprobs: [], reward: 0, penalty: 0 })) }) as never;

async function judgeFor(channel: object): Promise<EpisodeJudge> {
  const rewards = { pay: { weight: 1, ...channel } };
  const game = { learner: new Tabular(), ground: { environment: {} as AnyEnvironment, mine: [seat] } as never };
  return (await channelJudges({ rewards } as unknown as Recipe, cwd, Trust.commandLine, game))['pay']!;
}
const paidFor = async (channel: object, answers: readonly string[], personas = {}) =>
  (await judgeFor(channel))({ log: log(answers), seat, sample: sampleOf(answers), personas });

const red = { checklist: [{ says: 'red' }, { says: 'Ann' }] };

function runOf(change: Partial<Recipe>): Promise<unknown> {
  const moved = override(cm2, ['training.environment=./talk.mjs']);
  const recipe = { ...moved, ...change, training: { ...moved.training, games: 384, batch: 64 } } as Recipe;
  return train({ recipe, seed: 1 }, { cwd, trust: Trust.commandLine, folder: null });
}

describe('reward sources', () => {
  it('pay each checklist item to the first turn that satisfies it, from the recipe or a file', async () => {
    writeFileSync(join(cwd, 'items.json'), JSON.stringify(red.checklist));
    for (const source of [{ by: 'checklist', reference: red }, { by: './items.json' }]) {
      expect(await paidFor(source, [choices[0]!, choices[2]!])).toEqual([0.5, 0.5]);
      expect(await paidFor(source, [choices[1]!, choices[0]!])).toEqual([0, 0.5]);
      expect(await paidFor(source, [choices[0]!, choices[0]!])).toEqual([0.5, 0]);
    }
  });

  it('receive the persona of the seat, and report a missing score without one', async () => {
    const personas = { [seat]: { name: 'Ann', statements: ['The door is red.'] } };
    expect(await paidFor({ by: 'apc' }, [choices[0]!], personas)).toEqual([expect.any(Number)]);
    expect(await paidFor({ by: 'apc' }, [choices[0]!])).toMatchObject({ missing: expect.stringContaining('training.personas') });
  });

  it('can be a program, a scorer, or a model with a rubric and a trust card', async () => {
    writeFileSync(join(cwd, 'judge.mjs'), `export default ({ sample, reference }) => sample.turns.map(() => reference.worth);`);
    expect(await paidFor({ by: './judge.mjs', reference: { worth: 3 } }, choices)).toEqual([3, 3, 3]);
    writeFileSync(join(cwd, 'silent.mjs'), 'export default () => null;');
    const played = [{ sample: sampleOf(choices), log: log(choices) }];
    await expect(judgeSamples(played, { pay: await judgeFor({ by: './silent.mjs' }) })).rejects.toThrow(/list of rewards.+null/);
    const rule = `{ name: 'last', version: 1, unit: 'seat', find: () => ({ value: 0.25 }) }`;
    writeFileSync(join(cwd, 'rule.mjs'), `export default ${rule};`);
    expect(await paidFor({ by: './rule.mjs' }, choices)).toEqual([0, 0, 0.25]);
    await expect(judgeFor({ by: 'judge=coser,fake:honest' })).rejects.toThrow(/trust card/);
    expect(typeof (await judgeFor({ by: 'judge=coser,fake:honest', card: 'none' }))).toBe('function');
  });

  it('reject a rubric without a model and a checklist without items before playing', async () => {
    writeFileSync(join(cwd, 'rubric.json'), JSON.stringify({ name: 'x', form: 'checklist', axes: [] }));
    await expect(judgeFor({ by: './rubric.json' })).rejects.toThrow(/judge=\.\/rubric\.json,MODEL/);
    await expect(judgeFor({ by: 'checklist' })).rejects.toThrow(/items/);
    await expect(judgeFor({ by: './absent.json' })).rejects.toThrow(/does not exist/);
  });

  it('train by a checklist, and fail the run if nothing was ever scored', async () => {
    const report = (await runOf({ assignment: { kind: 'checklist', by: 'checklist', reference: red } })) as {
      readonly channels: Readonly<Record<string, number>>;
      readonly nothing: string | null;
    };
    expect(report.channels['judge']).toBeGreaterThan(0.6);
    // The environment paid every game the same; the checklist did not.
    expect(report.nothing).toBeNull();
    const silent = runOf({ assignment: { kind: 'checklist', by: 'apc' } });
    await expect(silent).rejects.toSatisfy(
      (thrown) => isFault(thrown) && thrown.boundary === 'scorer' && /scored none of 256/.test(thrown.message),
    );
  });

  it('that replace the return and only pay 0 fail the run', async () => {
    const reference = { checklist: [{ says: 'zebra' }] };
    await expect(runOf({ assignment: { kind: 'checklist', by: 'checklist', reference } })).rejects.toSatisfy(
      (thrown) => isFault(thrown) && thrown.boundary === 'scorer' && /paid 0/.test(thrown.message),
    );
  });
});
