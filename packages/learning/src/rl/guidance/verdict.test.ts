/** @file Verdicts on single steps: what is called wrong is unlearned, and own successes are recalled where a group fails. */

import { type EpisodeEvent, type Policy, scriptedPolicy, type TokenRow } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../../learners/index.ts';
import { locks } from '../locks.cases.ts';
import { turnsInLog } from '../log-turns.ts';
import type { Guidance } from '../recipe.ts';
import { samplesOf } from '../samples.ts';
import { ShunGuide, shunLoss } from './shun.ts';
import { TeacherGuide } from './teacher-guide.ts';
import { isRight } from './verdict.ts';

const task = { digits: 2, locks: 2 };
const seeds = Array.from({ length: 12 }, (_, i) => i);
const keyholder = scriptedPolicy('keyholder', locks.scripts!['keyholder']!);

function asBatch(logs: readonly (readonly EpisodeEvent[])[], promptOf: (game: number) => number = () => 0) {
  const played = logs.flatMap((log, game) =>
    samplesOf(log, ['opener'], { prompt: promptOf(game), game }).map((sample) => ({ sample, log })),
  );
  return { update: 0, done: 0, played, episodes: played.map(({ sample }) => sample) };
}

const wantedAt = (turn: Parameters<Policy['act']>[0][number]) => (locks.scripts!['keyholder']!(turn) as { text: string }).text;
const lockOf = (log: readonly EpisodeEvent[]) => JSON.stringify(log).match(/Lock (\d)/)![1];

describe('wrong steps', () => {
  it('have the reference loss of 0.2 times 0.313, 0.693, and 1.313 for ratios 1/e, 1, and e', () => {
    expect([-1, 0, 1].map((ratio) => Number((0.2 * shunLoss(ratio)).toFixed(4)))).toEqual([0.0627, 0.1386, 0.2627]);
  });

  it('are those a script would not take, or those a judge rejects', async () => {
    const [log] = await rollout(locks, { opener: new Tabular().policy() }, { seeds: [1], task });
    const says = (text: string) => ({
      environment: locks,
      writer: scriptedPolicy('judge', ({ view }) => ({ text: view.seen.at(-1)?.kind === 'message' ? text : '' })),
    });
    for (const logged of turnsInLog(log!, ['opener'])) {
      expect(await isRight({ environment: locks, writer: keyholder }, logged)).toBe(wantedAt(logged.turn) === logged.action.text);
      expect([await isRight(says('That was Wrong.'), logged), await isRight(says('right'), logged)]).toEqual([false, true]);
    }
  });

  it('become less likely than in the reference, without changing other steps', async () => {
    const table = new Tabular({ optimiser: 'sgd' });
    const logs = await rollout(locks, { opener: table.policy() }, { seeds, task });
    const guidance: Guidance = { kind: 'shun', teachers: [], share: 0.2 };
    const parts = { environment: locks, learner: table, policy: table.policy(), others: {}, guidance, teachers: [keyholder], seed: 1 };
    const { terms = [], figures } = await new ShunGuide(parts).lessons(asBatch(logs));
    const turns = logs.flatMap((log) => turnsInLog(log, ['opener']));
    const wrong = turns.filter(({ turn, action }) => wantedAt(turn) !== action.text);
    expect(figures).toEqual({ judged: turns.length, wrong: wrong.length });
    const key = ({ tokens }: TokenRow) => Array.from(tokens).join(' ');
    expect(terms.map(key)).toEqual(wrong.map(({ turn, action }) => key(table.rowOf(turn, action.text))));
    // Wrong moves of one state share what is taken from them: the right one has it then.
    const right = wrong.map(({ turn }) => table.rowOf(turn, wantedAt(turn)));
    const chances = async () => (await table.logprobs(right)).map((list) => Array.from(list).at(-1)!);
    const before = await chances();
    await table.forwardBackward(terms, 'cross_entropy');
    await table.optimStep({ rate: 5 });
    for (const [i, value] of (await chances()).entries()) expect(value).toBeGreaterThan(before[i]!);
    // The control: with a weight of 0, no judge is asked.
    const none = await new ShunGuide({ ...parts, guidance: { ...guidance, share: 0 } }).lessons(asBatch(logs));
    expect(none).toEqual({ figures: { judged: 0, wrong: 0 } });
  });
});

describe('recalled successes', () => {
  it('are shown only in failing groups with similar tasks, and are not in the training rows', async () => {
    const table = new Tabular();
    const guidance: Guidance = { kind: 'recall', teachers: [], share: 1, tries: 1, heed: 1 };
    const guide = new TeacherGuide({
      environment: locks,
      learner: table,
      policy: table.policy(),
      others: {},
      guidance,
      teachers: [],
      seed: 1,
    });
    const bad = scriptedPolicy('bad', (turn) => ({ text: wantedAt(turn) === 'a' ? 'b' : 'a' }));
    const failures = await rollout(locks, { opener: bad }, { seeds, task });
    const batch = asBatch(failures, (game) => game);
    expect((await guide.lessons(batch)).figures).toEqual({ failed: 12, helped: 0, guided: 0 });
    const [success] = await rollout(locks, { opener: keyholder }, { seeds: [seeds[0]!], task });
    const played = (await rollout(locks, { opener: keyholder }, { seeds: [seeds[0]!], task })).map((log) => ({
      log,
      sample: { ...batch.episodes[0]!, returned: 1 },
    }));
    await guide.lessons({ update: 1, done: 0, played, episodes: played.map(({ sample }) => sample) });
    const { episodes = [], figures } = await guide.lessons({ ...batch, update: 2 });
    const same = failures.map((log) => lockOf(log) === lockOf(success!));
    expect(same.filter((item) => item).length).toBeGreaterThan(0);
    expect(same.every((item) => item)).toBe(false);
    expect(figures).toMatchObject({ failed: 12, helped: same.filter((item) => item).length });
    expect(episodes.map(({ returned }) => returned > 0)).toEqual(same);
    // Every row is a view of the environment and one of its moves: those of the success, without a hint.
    const rows = new Set(
      turnsInLog(success!, ['opener']).map(({ turn, action }) => Array.from(table.rowOf(turn, action.text).tokens).join(' ')),
    );
    for (const [i, { turns }] of episodes.entries())
      if (same[i]) for (const { read, written } of turns) expect(rows.has([...read, ...written].join(' '))).toBe(true);
    // What is remembered is in the checkpoint.
    const again = new TeacherGuide({
      environment: locks,
      learner: table,
      policy: table.policy(),
      others: {},
      guidance,
      teachers: [],
      seed: 1,
    });
    again.read(JSON.parse(JSON.stringify(guide.write())));
    expect((await again.lessons({ ...batch, update: 2 })).figures).toEqual(figures);
  });
});
