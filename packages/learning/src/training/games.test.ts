/** @file Games about another environment: an adviser of a player that stays as it is, and a discussion that pays itself. */

import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { type EpisodeEvent, type Policy, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { TrainingProgress } from '../rl/advice-game.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { train } from './train.ts';

const cwd = process.cwd();
const seeds = Array.from({ length: 40 }, (_, i) => i);
const says = (text: string) => scriptedPolicy(text, () => ({ text }));
const endOf = (log: readonly EpisodeEvent[]) => log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;

async function play(name: string, cast: Readonly<Record<string, Policy>>, task = {}) {
  const environment = await resolveEnvironment(name, cwd, Trust.commandLine);
  const named = Object.fromEntries(Object.entries(environment.scripts ?? {}).map(([script, act]) => [script, scriptedPolicy(script, act)]));
  const seated = Object.fromEntries(Object.entries(cast).map(([seat, policy]) => [seat, named[policy.name] ?? policy]));
  const logs = await rollout(environment, seated, { seeds, task });
  for (const log of logs) expect(replay(environment, log)).toBeNull();
  return logs;
}

const gain = async (name: string, ...settings: readonly string[]) =>
  (await train({ recipe: override(builtInRecipe(name), settings), seed: 1 }, { trust: Trust.commandLine, cwd, folder: null }))!;

describe('advice environment', () => {
  it('shows advice only to the player, as its last message, and pays both alike', async () => {
    for (const log of await play('advice:lock', { adviser: says('[a]'), player: says('heeding') }, { dials: 2 })) {
      const hints = log.filter((event) => event.kind === 'message' && event.from === 'adviser');
      expect(hints.length).toBeGreaterThan(0);
      for (const hint of hints) expect(hint).toMatchObject({ to: ['player'], text: 'Hint: [a]' });
      expect(endOf(log).returns['adviser']).toBe(endOf(log).returns['player']);
    }
  });

  it('reports followed hints only to the adviser, and sends no message without a hint', async () => {
    const [log] = await play('advice:tic-tac-toe', { adviser: says('nonsense'), player: says('deaf'), O: says('deaf') });
    const progress = log!.filter((event) => event.kind === 'message' && event.text.startsWith('The player has followed 0 of'));
    expect(progress.length).toBeGreaterThan(0);
    for (const episodeEvent of progress) expect(episodeEvent).toMatchObject({ to: ['adviser'] });
    const silent = await play('advice:lock', { adviser: says('no hint'), player: says('deaf') });
    expect(silent.flat().some((event) => event.kind === 'message' && event.from === 'adviser')).toBe(false);
  });

  it('tells only the adviser how training goes, on request', async () => {
    const { training } = builtInRecipe('rl-adapter');
    const progress = new TrainingProgress();
    progress.add(0.5, 0.2);
    progress.add(0.1, 0.4);
    const recipe = { ...builtInRecipe('rl-adapter'), training: { ...training, task: { dials: 2, progress: true } } };
    const { task } = progress.withProgress(recipe).training;
    const [log] = await play('advice:lock', { adviser: says('[a]'), player: says('heeding') }, task as object);
    const text = 'Training is in its second third. The last games paid less than half of the most so far.';
    expect(log!.filter((event) => event.kind === 'message' && event.text.startsWith('Training is'))).toMatchObject([
      { to: ['adviser'], text },
    ]);
    expect(progress.withProgress(builtInRecipe('rl-adapter'))).toEqual(builtInRecipe('rl-adapter'));
    const restored = new TrainingProgress();
    restored.read(progress.write());
    expect(restored.withProgress(recipe)).toEqual(progress.withProgress(recipe));
    const { mechanism } = await gain('rl-adapter', 'training.games=256', 'training.task={"dials":2,"progress":true}');
    expect(mechanism?.counts).toMatchObject({ 'hints given': expect.any(Number), 'hints followed': expect.any(Number) });
    expect(mechanism!.counts['hints followed']).toBeLessThan(mechanism!.counts['hints given']!);
  });

  it('lets an uninformed player open locks after training the adviser, but not a deaf player', async () => {
    const few = ['training.games=3200', 'training.task={"dials":2}'];
    const { gain: taught } = await gain('rl-adapter', ...few);
    expect(taught!.interval[0]).toBeGreaterThan(0.3);
    const { gain: deaf } = await gain('rl-adapter', ...few, 'training.seats.player=deaf');
    expect(deaf!.interval[0]).toBeLessThan(0.05);
  });
});

describe('discussion environment', () => {
  it.each([
    ['1', 0, 1],
    ['2', 0.5, 0.5],
    ['I give it a 3.', 1, 0],
  ])('with a score of %s pays the answer %f and the criticism %f', async (score, solver, critic) => {
    const cast = { solver: says('[a]'), critic: says('The answer is sound.'), scorer: says(score) };
    for (const log of await play('discussion:lock', cast)) expect(endOf(log).returns).toEqual({ solver, critic, scorer: 0 });
  });

  it('penalizes an unreadable score and pays nothing', async () => {
    const [log] = await play('discussion:lock', { solver: says('[a]'), critic: says('no'), scorer: says('fine') });
    expect([endOf(log!).returns, endOf(log!).penalties]).toEqual([
      { solver: 0, critic: 0, scorer: 0 },
      { solver: 0, critic: 0, scorer: 1 },
    ]);
  });

  it('teaches the right answer with an informed scorer, but not with one that praises everything', async () => {
    // Answer and criticism share 1 whatever is said, so the critic is left to a script, and what is reported is what the solver is paid.
    const few = (scorer: string) => ['training.games=1280', `training.seats={"critic":"praising","scorer":"${scorer}"}`];
    const taught = await gain('comas', ...few('knowing'));
    expect(taught.gain!.before).toBeLessThan(0.4);
    expect(taught.gain!.interval[0]).toBeGreaterThan(0.4);
    const praised = await gain('comas', ...few('praising'));
    expect([praised.gain!.before, praised.gain!.after, praised.nothing]).toEqual([1, 1, expect.stringMatching(/paid the same/)]);
  });

  it('trains answerer and critic together with separate learners', async () => {
    const { tokens, gain: shared } = await gain('comas', 'training.games=128');
    expect([tokens, shared!.after]).toEqual([256, 0.5]);
  });
});
