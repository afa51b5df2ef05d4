import type { Action, EndEvent, EpisodeEvent, Json, Script, Seat } from '@ludus-agents/kernel/internal/core/index';
import { auditsOf, hash, rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { dress } from '../surface.ts';
import { obey } from './commands.ts';
import { generate, heldBy, type QuestWorld } from './generate.ts';
import { questWorld } from './quest-world.ts';
import { solve } from './solve.ts';
import { type Actor, type QuestSituation, sensible } from './view.ts';

const hard = { rooms: 12, loops: 3, doors: 3, containers: 4, depth: 3, traders: 2, clutter: 4 };
const most = { rooms: 20, loops: 8, doors: 4, containers: 6, depth: 4, traders: 2, clutter: 8, coop: true };

const worldOf = (input: Json, seed: number): QuestWorld => generate(questWorld.task(input), rng(seed, 'start'));
const fresh = (world: QuestWorld): QuestSituation => ({ at: world.starts, places: world.places, opened: 0, unlocked: 0 });
const won = (world: QuestWorld, { places, at }: QuestSituation) =>
  places[world.goal.item] === heldBy && (world.goal.room < 0 || at[0] === world.goal.room);
const end = (log: readonly EpisodeEvent[]) => log.at(-1) as EndEvent;

/** Answers with the shortest plan, which it was handed: for tests only, since no seat could know it. */
function oracle(input: Json, seed: number): Record<Seat, ReturnType<typeof scriptedPolicy>> {
  const { plans } = solve(worldOf(input, seed));
  const seats = questWorld.seats(questWorld.task(input));
  return Object.fromEntries(
    seats.map((seat, i) => {
      let next = 0;
      return [seat, scriptedPolicy('oracle', () => ({ text: plans[i]?.[next++] as string }))];
    }),
  );
}

/** The length of the shortest plan by trying everything that can be done, without any of the solver's arguments. */
function bruteForce(world: QuestWorld, idle: readonly number[] = []): number | null {
  let front: QuestSituation[] = [fresh(world)];
  const visited = new Set<string>();
  for (let length = 0; front.length > 0; length++) {
    const next: QuestSituation[] = [];
    for (const situation of front) {
      const mark = JSON.stringify(situation);
      if (visited.has(mark)) continue;
      visited.add(mark);
      if (won(world, situation)) return length;
      let reached = [situation];
      world.starts.forEach((_, seat) => {
        if (idle.includes(seat)) return;
        reached = reached.flatMap((questSituation) => {
          const actor: Actor = { world, situation: questSituation, seat };
          const moved = sensible(actor).map((command) => obey(actor, command).situation);
          return world.starts.length > 1 ? [questSituation, ...moved] : moved;
        });
      });
      next.push(...reached);
    }
    front = next;
  }
  return null;
}

async function replayed(input: Json, seeds: number): Promise<void> {
  for (let seed = 0; seed < seeds; seed++) {
    const { length, subgoals } = solve(worldOf(input, seed));
    const [log] = await rollout(questWorld, oracle(input, seed), { seeds: [seed], task: input });
    const { turns, returns, reason } = end(log as readonly EpisodeEvent[]);
    expect({ seed, turns, reason }).toEqual({ seed, turns: length, reason: 'over' });
    for (const payment of Object.values(returns)) expect(payment).toBeCloseTo(1 - 0.01 * length + 0.1 * subgoals.length, 9);
  }
}

describe('quest worlds', () => {
  it('can all be won with a plan of the stored optimal length', () => replayed({}, amount(250, 1000)));
  it('can be won when cooperative, hard, or of maximum size', async () => {
    await replayed({ coop: true }, amount(60, 200));
    await replayed(hard, amount(20, 60));
    await replayed(most, 5);
  });

  it('are the same on every platform', () => {
    const hashes = [0, 1, 999].map((seed) => hash(worldOf({}, seed)).slice(0, 16));
    expect([...hashes, hash(worldOf({ coop: true }, 0)).slice(0, 16), hash(worldOf(hard, 0)).slice(0, 16)]).toEqual([
      '60d13f623087917e',
      '90ec50c0ce7239d4',
      'bd2f22939b5807f6',
      '021987bb85992379',
      'da2bc59e530116bc',
    ]);
  });

  it('have stored optima that match brute force', () => {
    const tiny = { rooms: 3, loops: 1, doors: 1, containers: 1, depth: 1, traders: 0, clutter: 0 };
    for (let seed = 0; seed < 25; seed++) {
      const world = worldOf(tiny, seed);
      expect(bruteForce(world), `seed ${seed}`).toBe(solve(world).length);
    }
    const trade = { rooms: 4, loops: 1, doors: 1, containers: 0, depth: 0, traders: 1, clutter: 0 };
    for (let seed = 0; seed < 25; seed++) {
      const world = worldOf(trade, seed);
      expect(bruteForce(world), `trade, seed ${seed}`).toBe(solve(world).length);
    }
  });

  it('in cooperation have brute-force optima and cannot be won by one seat alone', () => {
    const tiny = { rooms: 3, loops: 0, doors: 0, containers: 1, depth: 0, traders: 0, clutter: 0, coop: true };
    for (let seed = 0; seed < 20; seed++) {
      const world = worldOf(tiny, seed);
      expect(bruteForce(world), `seed ${seed}`).toBe(solve(world).length);
      expect(bruteForce(world, [0])).toBeNull();
      expect(bruteForce(world, [1])).toBeNull();
    }
    // Here the maker has something to do while it waits.
    const busy = { rooms: 2, loops: 0, doors: 0, containers: 0, depth: 1, traders: 0, clutter: 0, coop: true };
    for (let seed = 0; seed < 20; seed++) {
      const world = worldOf(busy, seed);
      expect(bruteForce(world), `busy, seed ${seed}`).toBe(solve(world).length);
    }
  });

  it('are connected and reversible, with distinct names', () => {
    for (let seed = 0; seed < 100; seed++) {
      const world = worldOf(hard, seed);
      const names = [...world.rooms, ...world.items, ...world.containers.map(({ name }) => name), ...world.traders.map(({ name }) => name)];
      expect(new Set(names).size).toBe(names.length);
      world.exits.forEach((exits, room) => {
        exits.forEach((next, direction) => {
          if (next >= 0) expect(world.exits[next]?.[(direction + 2) % 4]).toBe(room);
        });
      });
      expect(world.doors.length).toBe(hard.doors);
      expect(world.recipes.length).toBe(hard.depth);
    }
  });
});

describe('quest commands', () => {
  /** Every command that the words of a world can form. */
  function universe({ items, containers, doors, traders }: QuestWorld): string[] {
    const boxes = containers.map(({ name }) => name);
    return [
      ...['north', 'east', 'south', 'west'].map((way) => `go ${way}`),
      ...items.flatMap((item) => [`drop ${item}`, `craft ${item}`, `examine ${item}`, `take ${item}`]),
      ...items.flatMap((item) => boxes.map((box) => `take ${item} from ${box}`)),
      ...items.flatMap((item) => [...traders.map(({ name }) => name), 'tube', 'nobody'].map((who) => `give ${item} to ${who}`)),
      ...boxes.flatMap((box) => [`open ${box}`, `examine ${box}`]),
      ...doors.flatMap(({ name }) => [`unlock ${name}`, ...items.map((item) => `unlock ${name} with ${item}`)]),
      'look',
      'inventory',
    ];
  }

  it('in the choices are exactly those that change something', () => {
    for (const input of [{}, { coop: true }, hard]) {
      const world = worldOf(input, 5);
      const dice = rng(1, 'walk');
      let situation = fresh(world);
      for (let i = 0; i < 60; i++) {
        const seat = dice.int(world.starts.length);
        const actor: Actor = { world, situation, seat };
        const choices = sensible(actor);
        const changing = universe(world).filter((command) => obey(actor, command).situation !== situation);
        // "take x" is understood for "take x from c" as well.
        const full = changing.filter(
          (command) => choices.includes(command) || !choices.some((choice) => choice.startsWith(`${command} from `)),
        );
        expect([...full].sort()).toEqual([...choices].sort());
        situation = obey(actor, dice.pick(choices)).situation;
      }
    }
  });

  const start = () => questWorld.start(questWorld.task({}), rng(0, 'start'));
  const answering = (text: string) => questWorld.step(start().state, { seeker: { text } }, rng(0));

  it('are read with or without brackets and articles, in any case', () => {
    const { asks } = start();
    const choice = asks[0]?.choices?.find((choice) => choice.startsWith('go ')) as string;
    const plain = answering(choice);
    expect(answering(`I think I will [ ${choice.toUpperCase()} ] now.`)).toEqual(plain);
    expect(answering(`  ${choice} `)).toEqual(plain);
    expect(plain.penalties).toBeUndefined();
    const world = worldOf({}, 0);
    const things: QuestSituation = { ...fresh(world), places: world.items.map(() => world.starts[0]!) };
    const actor = { world, situation: things, seat: 0 };
    expect(obey(actor, `take the ${world.items[0]}`)).toEqual(obey(actor, `take ${world.items[0]}`));
  });

  it('that are unknown or ambiguous cost a step and a penalty without effect', () => {
    for (const text of [
      'dance wildly',
      '[go north] [go south]',
      'go north\ngo south',
      '',
      '[go north',
      'I would like to go north',
      'constructor x',
    ]) {
      const step = answering(text);
      const before = start().state;
      expect(step.penalties, text).toEqual({ seeker: 1 });
      expect(step.rewards).toEqual({ seeker: -0.01 });
      expect(step.state).toEqual({ ...before, steps: 1 });
    }
  });

  it('that are impossible cost a step without a penalty or effect', () => {
    for (const text of [
      'go up',
      'take moon',
      'open sky',
      'unlock pink door with pink key',
      'craft gold',
      'give gold to king',
      'drop gold',
      'examine moon',
    ]) {
      const step = answering(text);
      expect(step.penalties, text).toBeUndefined();
      expect(step.state).toEqual({ ...start().state, steps: 1 });
    }
  });

  it('print the recorded text of a walk through one world', () => {
    const world = worldOf({}, 3);
    let situation = fresh(world);
    const lines = solve(world).plans[0]!.map((command) => {
      const outcome = obey({ world, situation, seat: 0 }, command);
      situation = outcome.situation;
      return `> ${command}\n${outcome.text}`;
    });
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "> take yellow key
      You take the yellow key.
      > go north
      You are in the courtyard. Exits: north, east (yellow door, locked), south, west.
      > unlock yellow door with yellow key
      You unlock the yellow door.
      > go north
      You are in the kitchen. Exits: south. On the floor: needle, hook.
      > take needle
      You take the needle.
      > go south
      You are in the courtyard. Exits: north, east, south, west.
      > go east
      You are in the archive. Exits: west. On the floor: compass. A basket, closed.
      > take compass
      You take the compass.
      > go west
      You are in the courtyard. Exits: north, east, south, west.
      > go south
      You are in the workshop. Exits: north, east. ines is here and trades: a needle for a teapot.
      > give needle to ines
      ines takes the needle and gives you the teapot.
      > craft catapult
      You craft the catapult.
      > go north
      You are in the courtyard. Exits: north, east, south, west.
      > go north
      You are in the kitchen. Exits: south. On the floor: hook."
    `);
  });
});

describe('quest play', () => {
  it('ends after four times the optimum plus ten steps', async () => {
    const idle = scriptedPolicy('idle', () => ({ text: 'look' }));
    for (const log of await rollout(questWorld, { seeker: idle }, { seeds: [0, 1, 2] })) {
      const seed = (log[0] as { seed: number }).seed;
      const { length } = solve(worldOf({}, seed));
      expect(end(log).turns).toBe(4 * length + 10);
      expect(end(log).returns['seeker']).toBeCloseTo(-0.01 * (4 * length + 10), 9);
    }
  });

  it('pays a subgoal only the first time', () => {
    const task = questWorld.task({ goal: 'carry', depth: 0, traders: 0, doors: 0, rooms: 4, containers: 0 });
    const seed = Array.from({ length: 50 }, (_, i) => i).find((value) =>
      solve(generate(task, rng(value, 'start')))
        .plans[0]?.at(-1)
        ?.startsWith('go'),
    );
    let step = questWorld.start(task, rng(seed as number, 'start'));
    const { world } = step.state;
    const plan = solve(world).plans[0]!;
    const item = world.items[world.goal.item];
    const paid: number[] = [];
    const taking = plan.indexOf(`take ${item}`);
    for (const text of [...plan.slice(0, taking + 1), `drop ${item}`, `take ${item}`]) {
      step = questWorld.step(step.state, { seeker: { text } }, rng(0));
      paid.push(step.rewards?.['seeker'] as number);
    }
    expect(paid).toEqual(paid.map((_, i) => (i === taking ? -0.01 + 0.1 : -0.01)));
  });

  it('sends radio messages only to the other seat', () => {
    const task = questWorld.task({ coop: true });
    const first = questWorld.start(task, rng(0, 'start'));
    const statement: Record<Seat, Action> = { maker: { text: 'Hello there! [look]' }, finder: { text: 'look' } };
    const { messages } = questWorld.step(first.state, statement, rng(0));
    expect(messages.filter(({ from }) => from !== undefined)).toEqual([{ to: ['finder'], from: 'maker', text: 'Hello there!' }]);
  });

  it('hides the goal and the recipes from the finder', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { state, messages } = questWorld.start(questWorld.task({ coop: true, depth: 2 }), rng(seed, 'start'));
      const text = JSON.stringify(messages.filter(({ to }) => to.includes('finder')));
      for (const { makes } of state.world.recipes) expect(text).not.toContain(state.world.items[makes]);
    }
  });

  it('ranks bfs above explorer above random, and bfs almost always wins', async () => {
    const seeds = Array.from({ length: amount(8, 60) }, (_, i) => i);
    for (const task of [{}, { coop: true }, hard]) {
      const means: Record<string, number> = {};
      for (const [name, script] of Object.entries(questWorld.scripts ?? {})) {
        const policy = scriptedPolicy(name, script);
        const seats = questWorld.seats(questWorld.task(task));
        const logs = await rollout(questWorld, Object.fromEntries(seats.map((seat) => [seat, policy])), { seeds, task });
        for (const log of logs.slice(0, 3)) expect(replay(questWorld, log)).toBeNull();
        for (const log of logs) expect(auditsOf(log)).toEqual({});
        means[name] = logs.reduce((sum, log) => sum + Math.max(...Object.values(end(log).returns)), 0) / seeds.length;
        const wins = logs.filter((log) => log.some((event) => event.kind === 'message' && event.text === 'The goal is reached.')).length;
        if (name === 'bfs') expect(wins).toBeGreaterThanOrEqual(seeds.length - 2);
      }
      expect(means['bfs']).toBeGreaterThan(means['explorer']!);
      expect(means['explorer']).toBeGreaterThan(means['random']!);
    }
  });

  it('is unchanged with made-up words', async () => {
    const dressed = dress(questWorld);
    const seeker = scriptedPolicy('bfs', dressed.scripts?.['bfs'] as Script);
    const play = (task: Json) => rollout(dressed, { seeker }, { seeds: [0, 1, 2], task });
    const [plain, disguised] = [await play({}), await play({ disguise: 7 })];
    expect(disguised.map(end)).toEqual(plain.map(end));
    const spoken = disguised[0]?.flatMap((event) => (event.kind === 'message' ? [event.text] : [])).join('\n');
    expect(spoken).not.toMatch(/\b(north|unlock|take)\b/);
  });
});
