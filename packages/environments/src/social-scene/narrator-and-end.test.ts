import type { EndEvent, EpisodeEvent, Json, JsonObject, MessageEvent, Script } from '@ludus-agents/kernel/internal/core/index';
import { auditsOf, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { applyEffect, commandsOf } from './narrator.ts';
import { type Character, readScene } from './scene.ts';
import { scenes } from './scenes.ts';
import { go, messagesTo, names, openScene, perform, scripts } from './social-scene.cases.ts';
import { socialScene } from './social-scene.ts';

const end = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;

describe('narrator', () => {
  const task = { scene: 'dinner', narrator: true, order: 'narrator' };
  const telling = (text: string) => go(go(openScene(task), { carl: '[gesture "yawns"]' }), { narrator: text });

  it('describes effects, moves people, passes time, picks speakers, and ends the scene', () => {
    expect(messagesTo(telling('[effect carl "looks tired"]'), 'dora')).toEqual(['carl looks tired.']);
    expect(telling('[effect emil "gets the bill"]').state.holders['bill']).toBe('emil');
    expect(telling('[effect carl "loses the wallet"]').state.holders['wallet']).toBe('table');
    expect(telling('[move dora bar]').state.places['dora']).toBe('bar');
    expect(telling('[time +15] [time +5]').state.clock).toBe(20);
    expect(telling('[pick emil]').asks.map(({ seat }) => seat)).toEqual(['emil']);
    expect(telling('[none]').asks.map(({ seat }) => seat)).toEqual(['dora']);
    const over = telling('[end the lights go out]');
    expect(over.asks).toEqual([]);
    expect(messagesTo(over, 'carl').at(-1)).toContain('the lights go out');
  });

  it('is checked for leaked secrets and inconsistent holdings', async () => {
    const auditOf = (text: string) =>
      telling(text).messages.flatMap(({ to, data }) => (to.length === 0 ? [((data as JsonObject)['audit'] as JsonObject)['holds']] : []));
    const secret = openScene(task).state.scene.characters[1]?.marks[0] as string;
    expect(auditOf('[effect carl "looks tired"]')).toEqual([true]);
    expect(auditOf('[effect carl "loses the wallet"]')).toEqual([true]);
    expect(auditOf('[effect dora "loses the wallet"]')).toEqual([false]);
    expect(auditOf('[effect carl "gets the wallet"]')).toEqual([false]);
    expect(auditOf(`[effect carl "has heard of ${secret}"]`)).toEqual([false]);
    expect(auditOf('[time +5]')).toEqual([]);
    const counts = { checked: 0, contradicted: 0 };
    for (const scene of Object.keys(scenes))
      for (const log of await perform({ scene, narrator: true }, scripts['character']!, [1, 2, 3, 4, 5])) {
        const { checked = 0, contradicted = 0 } = auditsOf(log)['narrator'] ?? {};
        counts.checked += checked;
        counts.contradicted += contradicted;
      }
    expect(counts.checked).toBeGreaterThan(5);
    expect(counts.contradicted).toBe(0);
  });

  it('applies all commands of an answer or none', () => {
    const { scene, present } = openScene(task).state;
    for (const text of [
      '[time +5] [move dora moon]',
      '[effect king "bows"]',
      'time passes',
      '[time 5]',
      '[pick]',
      '[time +5',
      '[effect carl bows]',
    ])
      expect(commandsOf({ text }, scene, present).ok, text).toBe(false);
    const step = telling('[time +5] [move dora moon]');
    expect(step.penalties).toEqual({ narrator: 1 });
    expect(step.state.clock).toBe(0);
    expect(step.asks.map(({ seat }) => seat)).toEqual(['narrator']);
  });

  it('cannot take an object held by another character', () => {
    const situation = openScene(task).state;
    expect(applyEffect(situation, 'dora', 'loses the wallet').holders['wallet']).toBe('carl');
    expect(applyEffect(situation, 'dora', 'gets the moon')).toBe(situation);
  });

  it('follows its rule table as a script and closes the scene in time', async () => {
    const [log] = await perform(task, () => ({ text: '[speak "More wine, anyone?"]' }), [1]);
    const episodeEvents = (log as readonly EpisodeEvent[]).filter((event) => event.kind === 'action' && event.seat === 'narrator');
    expect(episodeEvents.length).toBeGreaterThan(5);
    for (const event of episodeEvents) expect(JSON.stringify(event)).toMatch(/glances at the empty bottle/);
  });
});

describe('end of a scene', () => {
  const reason = (log: readonly EpisodeEvent[]) => {
    const note = log.find((event) => event.kind === 'message' && event.text === 'results') as MessageEvent;
    const { reason: why, turns } = note.data as { reason: string; turns: number };
    return [why, turns];
  };

  it('comes after 20 turns, three stale turns, too few characters, or when all goals are reached', async () => {
    const of = async (script: Script) => reason((await perform({}, script, [1]))[0]!);
    expect(await of(() => ({ text: '[gesture "hums"]' }))).toEqual(['the time is up', 20]);
    expect(await of(scripts['silent']!)).toEqual(['nothing more happens', 3]);
    expect(await of(() => ({ text: '[leave]' }))).toEqual(['fewer than two are left', 1]);
    expect((await of(scripts['character']!))[0]).toBe('every goal is reached');
  });

  it('pays each character the share of its conditions met, with a note for scorers', async () => {
    const [log] = await perform({}, scripts['silent']!, [1]);
    // Ada: the book is with Ben, but there is no promise. Ben: he has the book and did not promise a new one, but Ada gave no word.
    expect(end(log as readonly EpisodeEvent[]).returns).toEqual({ ada: 1 / 2, ben: 2 / 3 });
    const note = (log as readonly EpisodeEvent[]).find((event) => event.kind === 'message' && event.text === 'results') as MessageEvent;
    expect(note.to).toEqual([]);
    expect((note.data as JsonObject)['results']).toEqual({
      ada: { goal: 1 / 2, leaked: false, left: false, words: {} },
      ben: { goal: 2 / 3, leaked: false, left: false, words: {} },
    });
  });

  it('pays for a deal only within both limits', () => {
    const task = { scene: 'market-stall', order: 'simultaneous' };
    const first = openScene(task);
    const limit = (i: number) => (first.state.scene.characters[i]!.conditions[0] as { limit: number }).limit;
    const paid = (price: number) => {
      const words = { omar: `[speak "I agree to a price of ${price} coins."]`, lina: `[speak "I agree to a price of ${price} coins."]` };
      const step = go(go(go(go(first, words), {}), {}), {});
      return [step.rewards?.['omar'], step.rewards?.['lina']];
    };
    expect(paid(limit(0))).toEqual([1, limit(0) <= limit(1) ? 1 / 2 : 0]);
    expect(paid(limit(0) - 1)[0]).toBe(0);
    expect(paid(limit(1) + 1)[1]).toBe(0);
  });
});

describe('social-scene play', () => {
  const seeds = Array.from({ length: 30 }, (_, i) => i);
  const mean = async (task: JsonObject, script: Script) => {
    const logs = await perform(task, script, seeds);
    const totals = logs.map((log) => Object.values(end(log).returns).reduce((sum, value) => sum + value, 0));
    return totals.reduce((sum, value) => sum + value, 0) / totals.length;
  };

  it('scores goal-directed characters above silent ones, and leaky ones below', async () => {
    for (const scene of names) {
      const silent = await mean({ scene }, scripts['silent']!);
      expect(await mean({ scene }, scripts['character']!), scene).toBeGreaterThan(silent + 0.2);
      expect(await mean({ scene }, scripts['leaky']!), scene).toBeLessThanOrEqual(silent - 2 + 1e-9);
    }
  });

  it('has an agreeable script that grants every request', async () => {
    const policies = {
      ada: scriptedPolicy('character', scripts['character']!),
      ben: scriptedPolicy('agreeable', scripts['agreeable']!),
    };
    for (const log of await rollout(socialScene, policies, { seeds: [1, 2] })) expect(end(log).returns['ada']).toBe(1);
  });

  it('accepts a custom scene and rejects an unplayable one', async () => {
    const script = scenes['borrowed-book']!;
    const [episodeEvents] = await perform({ script: script as Json }, scripts['character']!, [1]);
    const [built] = await perform({}, scripts['character']!, [1]);
    expect(end(episodeEvents as readonly EpisodeEvent[])).toEqual(end(built as readonly EpisodeEvent[]));
    const [ada, ben] = script.characters as [Character, Character];
    const wrong: readonly Json[] = [
      'a play',
      { ...script, characters: [ada] },
      { ...script, characters: [ada, ada] },
      { ...script, characters: [ada, { ...ben, place: 'moon' }] },
      { ...script, characters: [ada, { ...ben, conditions: [{ kind: 'holds', who: 'ben', object: 'moon' }] }] },
      { ...script, characters: [ada, { ...ben, seat: 'narrator' }] },
      { ...script, terms: [] },
    ];
    for (const item of wrong) expect(() => readScene(item), JSON.stringify(item).slice(0, 60)).toThrow(/social-scene: /);
    expect(() => socialScene.task({ order: 'narrator' })).toThrow(/needs a narrator/);
  });

  it('reproduces the recorded run', async () => {
    const [log] = await perform({}, scripts['character']!, [1]);
    const lines = (log as readonly EpisodeEvent[]).flatMap((event) => {
      if (event.kind === 'action') return [`${event.seat}: ${event.action.text}`];
      return event.kind === 'message' && event.from === undefined && event.to.length > 1 ? [event.text] : [];
    });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "ada: [speak "ben, will you promise to return the book on sunday?"]
      ben: [speak "I promise to return the book on sunday."]
      ada: [none]
      ben: [speak "ada, will you promise to wait until sunday?"]
      ada: [speak "I promise to wait until sunday."]
      The scene ends: every goal is reached."
    `);
    expect(end(log as readonly EpisodeEvent[]).returns).toEqual({ ada: 1, ben: 1 });
  });
});
