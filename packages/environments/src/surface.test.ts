import type { EpisodeEvent, Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy, textOf, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { builtInEnvironment, environmentNames } from './built-in.ts';
import { conforms, randomPlay } from './surface.cases.ts';

function returnsOf(log: readonly EpisodeEvent[] | undefined): Json {
  const end = log?.at(-1);
  return end?.kind === 'end' ? end.returns : null;
}

describe('environment options', () => {
  it('do not change the environment when they are off', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const [on, off] = await Promise.all([randomPlay(environment, { legal: false, window: 0, disguise: 0 }), randomPlay(environment, {})]);
    expect(on).toEqual(off);
  });

  it('show the legal moves only to the asked seat', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const [log] = await randomPlay(environment, { legal: true });
    const lists = (log ?? []).filter((event) => event.kind === 'message' && event.text.startsWith('Legal moves:'));
    expect(lists.length).toBeGreaterThan(0);
    expect(lists[0]).toMatchObject({ to: ['first'], text: 'Legal moves: [check] [bet]' });
  });

  it('hide all but the latest messages behind a window', async () => {
    const environment = await builtInEnvironment('tic-tac-toe');
    const sizes: number[] = [];
    const counting = scriptedPolicy('counting', ({ view, ask, rng }) => {
      sizes.push(view.seen.filter((item) => item.kind === 'message').length);
      return { text: rng.pick(ask.choices as readonly string[]) };
    });
    await rollout(environment, { X: counting, O: counting }, { seeds: [1, 2, 3], task: { window: 2 } });
    expect(Math.max(...sizes)).toBe(2);
  });

  it('disguise the same game in other words and reject the original words', async () => {
    const environment = await builtInEnvironment('kuhn-poker');
    const words = environment.about.words ?? [];
    const [plain] = await randomPlay(environment, {}, [7]);
    const [masked] = await randomPlay(environment, { disguise: 5 }, [7]);
    expect(masked?.at(-1)).toMatchObject({ reason: 'over', returns: returnsOf(plain) });
    for (const seat of ['first', 'second']) {
      const text = textOf(viewOf(masked ?? [], seat));
      for (const word of words) expect(text).not.toMatch(new RegExp(`(?<![\\p{L}])${word}(?![\\p{L}])`, 'u'));
    }
    const stubborn = scriptedPolicy('stubborn', () => ({ text: '[check]' }));
    const [log] = await rollout(environment, { first: stubborn, second: stubborn }, { seeds: [7], task: { disguise: 5 } });
    expect(log?.at(-1)).toMatchObject({ reason: 'over', turns: 3, penalties: { first: 2 } });
  });

  it.each(environmentNames())('keep scripts of %s working in disguise', async (name) => {
    const environment = await builtInEnvironment(name);
    const scripts = Object.entries(environment.scripts ?? {});
    const seats = environment.seats(environment.task({}));
    const cast = (seat: Seat) => scripts.find(([script]) => script === seat)?.[1] ?? scripts[0]?.[1];
    if (seats.some((seat) => cast(seat) === undefined)) return;
    const policies = Object.fromEntries(
      seats.map((seat) => [seat, scriptedPolicy(seat, cast(seat) as NonNullable<ReturnType<typeof cast>>)]),
    );
    const results = [];
    // The first script of liar's dice solves the game, which takes seconds with six faces.
    const sizes: Readonly<Record<string, JsonObject>> = { 'liars-dice': { faces: 3 }, kitchen: { horizon: 80 } };
    const small = sizes[name] ?? {};
    for (const task of [small, { ...small, disguise: 11 }]) {
      const [log] = await rollout(environment, policies, { seeds: [3], task, limits: { turns: 200 } });
      results.push(returnsOf(log));
    }
    expect(results[1]).toEqual(results[0]);
  });

  // A third of all environments, without the kitchen, because the switches share one mechanism. The long test tries all.
  it.each(environmentNames().filter((name, i) => i % 3 === 0 && name !== 'kitchen'))('keep %s valid and replayable', (name) =>
    conforms(name, { episodes: 1, steps: 40, seeds: [1] }),
  );
});
