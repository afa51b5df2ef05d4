/** @file A reward model in the loop: it comes to pay what the rule would, is not used while it cannot be trusted, and falls on planted twins. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { lock } from '@ludus-agents/environments/internal/lock';
import type { RewardModelFile } from '@ludus-agents/evaluation/internal/scoring/reward-model/reward-model';
import { type EpisodeEvent, type JsonObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { Tabular } from '../learners/index.ts';
import type { RewardModelSettings } from '../rl/recipe.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import type { PlayedEpisode } from '../rl/rollouts.ts';
import { type EpisodeSample, samplesOf } from '../rl/samples.ts';
import { RewardGuide } from './reward-guide.ts';
import { train } from './train.ts';

const seat = 'opener';
const returned = (log: readonly EpisodeEvent[]) => {
  const end = log.at(-1);
  return end?.kind === 'end' ? (end.returns[seat] ?? 0) : 0;
};
const isOpen = async ({ log }: PlayedEpisode) => returned(log) >= 1;

async function playedAt(update: number): Promise<readonly PlayedEpisode[]> {
  const dice = rng(update, 'games');
  const seeds = Array.from({ length: 48 }, () => dice.int(2 ** 32));
  const logs = await rollout(lock, { [seat]: new Tabular().policy() }, { seeds, task: { dials: 2 } });
  return logs.flatMap((log, prompt) => samplesOf(log, [seat], { prompt }).map((sample) => ({ sample, log })));
}

function guideBy(
  rule: (played: PlayedEpisode) => Promise<boolean>,
  files: RewardModelFile[] = [],
  more: Partial<RewardModelSettings> = {},
) {
  const statements: string[] = [];
  const guide = new RewardGuide({
    ...{ settings: { rule: 'return>=1', labels: 0.25, updates: 2, ...more }, rule, name: 'mine', environment: lock.id, seat, seed: 1 },
    say: (sentence) => void statements.push(sentence),
    keep: (file) => void files.push(file),
  });
  return { guide, said: statements };
}

async function learnFor(guide: RewardGuide, updates: number) {
  const figures: Readonly<Record<string, number>>[] = [];
  for (let update = 0; update < updates; update++) {
    const played = await playedAt(update);
    figures.push((await guide.lessons({ update, done: 0, played, episodes: played.map(({ sample }) => sample) })).figures!);
  }
  return figures;
}

describe('reward model in training', () => {
  it('is trusted once its card allows it, then needs fewer labels and rejects planted twins', async () => {
    const files: RewardModelFile[] = [];
    const { guide, said } = guideBy(isOpen, files);
    const figures = await learnFor(guide, 12);
    expect(figures[0]).toMatchObject({ trusted: 0, labelled: 48 });
    expect(figures.at(-1)).toMatchObject({ trusted: 1 });
    expect(figures.at(-1)!['labelled']).toBeLessThan(30);
    expect(guide.card!.auc.interval[0]).toBeGreaterThan(0.7);
    expect(guide.card!.twins.refused).toBe(guide.card!.twins.n);
    expect(said.at(-1)).toMatch(/^Reward model after update 10, [AB]: /);
    expect(files.at(-1)).toMatchObject({ kind: 'ludus-reward-model', seat, card: guide.card });
    const played = await playedAt(99);
    const { episodes = [] } = await guide.lessons({ update: 13, done: 0, played, episodes: played.map(({ sample }) => sample) });
    expect(episodes.map((episode) => episode.returned)).toEqual(played.map(({ sample }) => sample.returned));
    // Planted twins: what the environment paid for is gone from the log, though the sample says that it was paid.
    const good = played.filter(({ sample }) => sample.returned >= 1);
    const twins = good.map(({ sample, log }) => ({
      sample,
      log: log.slice(
        0,
        log.findLastIndex(({ kind }) => kind === 'action'),
      ),
    }));
    const fallen = await guide.lessons({ update: 13, done: 0, played: twins, episodes: twins.map(({ sample }) => sample) });
    expect(good.length).toBeGreaterThan(0);
    expect(fallen.episodes!.map((episode) => episode.returned)).toEqual(good.map(() => 0));
  });

  it('gets a C for an unpredictable rule, which then provides all rewards', async () => {
    const coin = async ({ log }: PlayedEpisode) => log[0]?.kind === 'start' && rng(log[0].seed, 'coin').next() < 0.5;
    const { guide } = guideBy(coin);
    const figures = await learnFor(guide, 8);
    expect(guide.card!.grade).toBe('C');
    expect(figures.every(({ trusted, labelled }) => trusted === 0 && labelled === 48)).toBe(true);
  });

  it('pays steps by their gain in predicted success, with sums bounded per episode', async () => {
    const { guide } = guideBy(isOpen, [], { steps: 0.5 });
    const figures = await learnFor(guide, 12);
    expect(figures[0]!['steps paid']).toBe(0);
    expect(figures.at(-1)!['steps paid']).toBeGreaterThan(48);
    const played = await playedAt(99);
    const { episodes = [] } = await guide.lessons({ update: 13, done: 0, played, episodes: played.map(({ sample }) => sample) });
    const { good = [], bad = [] } = Object.groupBy(episodes, ({ returned }) => (returned >= 1 ? 'good' : 'bad'));
    const stepsOf = ({ turns, returned }: EpisodeSample) => turns.reduce((sum, { reward }) => sum + reward, -Math.max(0, returned));
    const mean = (list: readonly EpisodeSample[]) => list.reduce((sum, episode) => sum + stepsOf(episode), 0) / list.length;
    // A right letter makes a good end likelier, a wrong one less so; a step is never worth more than the whole way from 0 to 1.
    expect(mean(good)).toBeGreaterThan(0.1);
    expect(mean(bad)).toBeLessThan(0);
    expect(episodes.every((episode) => Math.abs(stepsOf(episode)) <= 0.5)).toBe(true);
  });

  it('respects its label budget, and as a control trains only on labeled episodes', async () => {
    const { guide } = guideBy(isOpen, [], { labels: 0.5, budget: 96 });
    const figures = await learnFor(guide, 12);
    expect(figures.reduce((sum, { labelled = 0 }) => sum + labelled, 0)).toBe(96);
    const { guide: control } = guideBy(isOpen, [], { labels: 0.5, budget: 30, pays: 'rule' });
    const played = await playedAt(0);
    const { episodes = [], figures: first } = await control.lessons({
      ...{ update: 0, done: 0, played },
      episodes: played.map(({ sample }) => sample),
    });
    expect(episodes.length).toBe(first!['labelled']);
    expect((await learnFor(control, 12)).some(({ trusted }) => trusted === 1)).toBe(false);
    const after = await control.lessons({ update: 13, done: 0, played, episodes: played.map(({ sample }) => sample) });
    expect(after.episodes).toEqual([]);
  });

  it('resumes from a checkpoint with the same lessons', async () => {
    const { guide } = guideBy(isOpen);
    await learnFor(guide, 9);
    const { guide: other } = guideBy(isOpen);
    other.read(JSON.parse(JSON.stringify(guide.write())) as JsonObject);
    const played = await playedAt(20);
    const batch = { update: 10, done: 0, played, episodes: played.map(({ sample }) => sample) };
    expect(JSON.stringify(await other.lessons(batch))).toBe(JSON.stringify(await guide.lessons(batch)));
    expect(other.card).toEqual(guide.card);
  });

  it('filters the lessons of a round and appears in the report', async () => {
    const recipe = builtInRecipe('ui-genie');
    const short = { ...recipe, training: { ...recipe.training, task: { dials: 2 }, games: 1280 } };
    const report = await train({ recipe: short, seed: 3 }, { trust: Trust.commandLine, cwd: '.', folder: null });
    expect(report!.rewardModel).toMatchObject({ grade: expect.stringMatching(/[AB]/) });
    expect(report!.gain!.interval![0]).toBeGreaterThan(0.25);
  });
});
