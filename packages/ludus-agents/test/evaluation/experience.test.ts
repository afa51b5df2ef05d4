/** @file Experience: actions that worked, uses of objects, and unlabeled plans. Each helps, and the same amount of unrelated text does not. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { type Experience, experienceOf } from '@ludus-agents/agents/internal/mind/experience';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { DreamStep } from '@ludus-agents/environments/internal/dream/steps';
import { ablationArms } from '@ludus-agents/evaluation/internal/ablation-arms';
import { type AgentSpec, type AnyEnvironment, type EpisodeEvent, type Json, type Rng, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { commonRefusals, experienceFrom, groupWindows, hasWorked, plansIn } from '@ludus-agents/learning/internal/experience';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const quest = await builtInEnvironment('quest-world');

async function logOf(environment: AnyEnvironment, spec: AgentSpec | string, seed: number, load = createAgentLoader({})) {
  const log: EpisodeEvent[] = [];
  const seats = environment.seats(environment.task({}));
  const agents = Object.fromEntries(await Promise.all(seats.map(async (seat) => [seat, await load(spec, seat, environment)] as const)));
  for await (const event of play(environment, agents, { seed })) log.push(event);
  return log;
}

const paidIn = (log: readonly EpisodeEvent[]) => {
  const end = log.at(-1);
  return end?.kind === 'end' ? (Object.values(end.returns)[0] ?? 0) : 0;
};

/** A model without weights that does what was right before, where it is shown that, and anything else otherwise. */
const obedient = fakeModel({
  answers({ messages }, dice: Rng) {
    const now = String(messages.at(-1)?.content);
    const move = /much the same, (.+) was right/.exec(now)?.[1];
    return `Action: ${move ?? dice.pick(['go north', 'go east', 'go south', 'go west'])}`;
  },
});

describe('earlier right moves', () => {
  it('win a quest that was won before, unlike shuffled moves or none', async () => {
    const [seat = ''] = quest.seats(quest.task({}));
    const load = createAgentLoader({ model: async () => obedient });
    const seeds = [1, 2, 3, 4];
    const sums = { taught: 0, unrelated: 0, bare: 0 };
    for (const seed of seeds) {
      const script = Object.keys(quest.scripts ?? {})[0]!;
      const retained = [await logOf(quest, `scripted:${script}`, seed), await logOf(quest, 'random', seed)];
      const experience = experienceFrom(retained, seat);
      expect(experience.actions.length).toBeGreaterThan(0);
      const shuffled = rng(seed, 'moves').shuffle(experience.actions.map(({ move }) => move));
      const wrong = { ...experience, actions: experience.actions.map((action, i) => ({ ...action, move: shuffled[i]! })) };
      const specOf = (inputExperience: Experience | null): AgentSpec => ({
        name: 'Ann',
        kind: 'llm',
        model: 'fake',
        settings: inputExperience === null ? {} : { experience: { actions: inputExperience.actions } as unknown as Json },
      });
      sums.taught += paidIn(await logOf(quest, specOf(experience), seed, load));
      sums.unrelated += paidIn(await logOf(quest, specOf(wrong), seed, load));
      sums.bare += paidIn(await logOf(quest, specOf(null), seed, load));
    }
    expect(sums.taught).toBeGreaterThan(sums.bare + 1);
    expect(sums.taught).toBeGreaterThan(sums.unrelated + 1);
  });

  it('can be switched off separately by one command', () => {
    const experience = { actions: [{ at: 'a', move: '[b]' }], affordances: { lamp: ['take'] }, plans: [] };
    const arms = ablationArms({ name: 'Ann', kind: 'llm', settings: { experience } });
    expect(arms.map(({ name }) => name)).toEqual(['without experience actions', 'without experience affordances']);
  });
});

describe('recalled experience', () => {
  const experience: Experience = {
    actions: [{ at: 'A dark cellar.', move: '[light lamp]' }],
    affordances: { lamp: ['take', 'light'], door: ['open'] },
    plans: [{ name: 'bake', moves: ['[knead]', '[bake]'], leads: 'The bread is done.' }],
  };

  it('matches the words of the situation, and plans match the goal', async () => {
    const now = 'You are in a cellar. A lamp stands here.';
    const texts = (await experienceOf(experience, { now, goal: 'Make bread.' })).map(({ text }) => text);
    expect(texts).toEqual([
      'Where you were told much the same, [light lamp] was right.',
      'What has worked with what you see: lamp: take, light.',
      'What has led to "The bread is done." before: [knead], then [bake].',
    ]);
  });

  it('matches by meaning with an encoder, even without shared words', async () => {
    const encoder = {
      name: 'fake',
      embed: async (texts: readonly string[]) => texts.map((text) => (/bread|loaf/.test(text) ? [1, 0] : [0, 1])),
    };
    const wanted = { now: 'A meadow.', goal: 'Bring a loaf.' };
    expect(await experienceOf({ ...experience, actions: [] }, wanted)).toEqual([]);
    expect(await experienceOf({ ...experience, actions: [] }, wanted, encoder)).toMatchObject([{ id: 'x/plan' }]);
  });

  it('is empty if nothing matches', async () => {
    expect(await experienceOf(experience, { now: 'A meadow.', goal: 'Fly.' })).toEqual([]);
  });
});

describe('affordances', () => {
  /** A world of words alone, in which only two moves do something; each move costs a little. */
  const stuff: AnyEnvironment = {
    id: 'stuff@1',
    about: { summary: 'A box and a key.', tasks: [{}], turns: 40 },
    parameters: {},
    task: () => ({}),
    seats: () => ['player'],
    start: () => ({ state: 0, messages: [{ to: ['player'], text: 'A box and a key lie here.' }], asks: [{ seat: 'player' }] }),
    step(turn: number, actions) {
      const move = actions['player']!.text;
      const answers: Readonly<Record<string, string>> = { 'open box': 'The box opens. You cannot see its floor.', 'take key': 'Taken.' };
      const text =
        answers[move] ?? [`You cannot ${move}.`, `Nothing happens when you ${move}.`, `The keeper shrugs at ${move}.`][turn % 3]!;
      const messages = [{ to: ['player'], text }];
      return { state: turn + 1, messages, asks: turn === 29 ? [] : [{ seat: 'player' }], rewards: { player: -0.1 } };
    },
  };

  it('are the moves that worked, not rejections or mere costs', async () => {
    const tries = ['open', 'take', 'kick', 'sing', 'eat'].flatMap((verb) => ['box', 'key'].map((thing) => `${verb} ${thing}`));
    for (let seed = 0; seed < 10; seed++) {
      // Every move is tried three times, in any order.
      const moves = rng(seed, 'tries').shuffle([...tries, ...tries, ...tries]);
      const player = { name: 'p', act: async () => ({ action: { text: moves.pop()! } }) };
      const log: EpisodeEvent[] = [];
      for await (const event of play(stuff, { player }, { seed })) log.push(event);
      expect(moves).toEqual([]);
      expect(experienceFrom([log], 'player').affordances).toEqual({ box: ['open'], key: ['take'] });
    }
  });

  it('leave out a reply that moves of three verbs share, but not one that two share', () => {
    const replies = (verbs: readonly string[]) =>
      verbs.map((verb) => ({
        at: 'A box.',
        move: `${verb} box`,
        told: `The keeper shrugs at ${verb}.`,
        choices: null,
        reward: 0,
        over: false,
      }));
    expect(commonRefusals(replies(['kick', 'eat'])).size).toBe(0);
    expect([...commonRefusals(replies(['kick', 'eat', 'sing']))]).toEqual(['the keeper shrugs at _']);
  });

  it('contain no illegal answers', () => {
    const choices = ['take key', 'sing'];
    const step = { at: 'A key.', told: 'Your answer has no move.', choices, reward: -1, over: false };
    const worked = ['I think I will take the key.', 'take key'].map((move) => hasWorked({ ...step, move }, { choices }));
    expect(worked).toEqual([false, true]);
  });
});

describe('plans in unlabeled play', () => {
  const routines = ['fetch', 'bake', 'sweep', 'paint'].map((name) => [1, 2, 3, 4].map((i) => `[${name} ${i}]`));
  /** Twelve episodes of five routines each; one move in twenty is another one. */
  const playOf = (isShuffled: boolean) => {
    const dice = rng(7, 'play');
    const labels: number[] = [];
    const moves = Array.from({ length: 12 }, () =>
      Array.from({ length: 5 }, () => {
        const which = dice.int(4);
        labels.push(which);
        return routines[which]!.map((move) => (dice.next() < 0.05 ? `[stray ${dice.int(9)}]` : move));
      }).flat(),
    );
    const all = isShuffled ? dice.shuffle(moves.flat()) : moves.flat();
    const steps = all.map((move): DreamStep => ({ at: '', move, told: `${move} is done`, choices: null, reward: 0, over: false }));
    return { labels, episodes: moves.map((_, i) => steps.slice(20 * i, 20 * i + 20)) };
  };
  const rand = (isShuffled: boolean) => {
    const { labels, episodes } = playOf(isShuffled);
    const windows = episodes.flatMap((steps) => [0, 4, 8, 12, 16].map((from) => steps.slice(from, from + 4)));
    const groups = groupWindows(windows);
    return adjustedRand(
      labels,
      windows.map((window) => groups.findIndex((group) => group.windows.includes(window))),
    );
  };

  it('are found as they were planted, but not in shuffled play', () => {
    expect(rand(false)).toBeGreaterThan(0.8);
    expect(rand(true)).toBeLessThan(0.2);
  });

  it('are named and recalled by their results', async () => {
    const plans = plansIn(playOf(false).episodes);
    for (const [i, name] of ['fetch', 'bake', 'sweep', 'paint'].entries()) {
      const [recalled] = await experienceOf({ actions: [], affordances: {}, plans }, { now: '', goal: `I want ${name} 4 done.` });
      expect(recalled?.text).toContain(routines[i]!.join(', then '));
    }
  });

  it('end at an unusual message', () => {
    const step = (move: string, told: string): DreamStep => ({ at: '', move, told, choices: null, reward: 0, over: false });
    const routine = ['a', 'b', 'c', 'd'].map((move, i) => step(move, i === 3 ? 'The bell rings.' : 'Nothing.'));
    const episodes = Array.from({ length: 12 }, () => [
      ...['e', 'f', 'e', 'f', 'e', 'f', 'e', 'f'].map((move) => step(move, 'Nothing.')),
      ...routine,
    ]);
    expect(plansIn(episodes)).toEqual([{ name: 'a, b, c, d', moves: ['a', 'b', 'c', 'd'], leads: 'The bell rings.' }]);
  });

  it('are added to a custom agent by a command', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'ann.json'), JSON.stringify({ name: 'Ann', kind: 'llm', model: 'fake' }));
    expect((await ludus(cwd, ['play', 'lock', '--agents', 'random', '--seed', '1'])).code).toBe(0);
    const { out, err } = await ludus(cwd, ['improve', 'experience', 'lock', '--agent', './ann.json', '-o', 'taught.json']);
    expect(out, err).toMatch(/taught\.json: \d+ right moves?, \d+ things?, \d+ plans? from 1 episode\./);
    expect((await ludus(cwd, ['play', 'lock', '--agents', './taught.json', '--seed', '2'])).code).toBe(0);
    writeFileSync(join(cwd, 'r.json'), JSON.stringify({ name: 'r', kind: 'random' }));
    expect((await ludus(cwd, ['improve', 'experience', 'lock', '--agent', './r.json', '-o', 'x.json'])).err).toContain(
      'needs a language agent',
    );
  });
});

/** Hubert and Arabie (1985): 1 for equal groupings, about 0 by chance. */
function adjustedRand(a: readonly number[], b: readonly number[]): number {
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const count = (keys: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    return [...counts.values()].reduce((sum, n) => sum + pairs(n), 0);
  };
  const [both, left, right] = [count(a.map((value, i) => `${value} ${b[i]}`)), count(a.map(String)), count(b.map(String))];
  const expected = (left * right) / pairs(a.length);
  return (both - expected) / ((left + right) / 2 - expected);
}
