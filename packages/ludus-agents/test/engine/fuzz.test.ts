import { builtInEnvironment, environmentNames } from '@ludus-agents/environments/internal/built-in';
import type { AnyEnvironment, Ask, EndEvent, EpisodeEvent, Json, Script, Seat, StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { equal, rng, scripted } from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';
import { createStartEvent, play } from '@ludus-agents/kernel/internal/engine/play';
import { replay } from '@ludus-agents/kernel/internal/engine/replay';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../test/fixtures/amount.ts';
import { hostile } from '../../../../test/fuzz.ts';

/** Answers put to each world. */
const many = amount(2_000, 10_000);

/** The choice that a text names by the house rule, or null: exactly one opening bracket, closed, and a choice in it. Written apart from core. */
function named(text: string, choices: readonly string[]): string | null {
  if (choices.includes(text)) return text;
  const [, inside, ...more] = text.split('[');
  if (inside === undefined || more.length > 0 || !inside.includes(']')) return null;
  const word = inside.slice(0, inside.indexOf(']')).split(/\s+/).filter(Boolean).join(' ').toLowerCase();
  return choices.find((choice) => choice.toLowerCase() === `[${word}]`) ?? null;
}

/** A course of an episode that is put on from a given state at a given ask. */
function setOn(environment: AnyEnvironment, start: StartEvent, state: Json, asks: readonly Ask[]): Course {
  return new Course({ ...environment, start: () => ({ state, messages: [], asks }) }, start);
}

/** Moments of random play with one seat asked, none of which has missed yet. */
function* moments(environment: AnyEnvironment): Iterable<{ start: StartEvent; state: Json; ask: Ask }> {
  const nobody = Object.fromEntries(environment.seats(environment.task({})).map((seat: Seat) => [seat, { name: 'fuzz' }]));
  for (let seed = 0; ; seed++) {
    const course = new Course(environment, createStartEvent(environment, nobody, { seed }));
    while (!course.over) {
      const [ask, ...others] = course.waiting as [Ask, ...Ask[]];
      if (others.length === 0) yield { start: course.events[0] as StartEvent, state: course.state, ask };
      course.answer(ask.seat, { action: { text: course.turn(ask).rng.pick(ask.choices as readonly string[]) } });
    }
  }
}

describe('hostile answers', () => {
  it.each(['kuhn-poker', 'tic-tac-toe', 'connect-four'])(
    '[E21] in %s make a move exactly if they contain one legal bracketed choice',
    async (name) => {
      const environment = await builtInEnvironment(name);
      const tally = { made: 0, refused: 0 };
      let put = 0;
      for (const { start, state, ask } of moments(environment)) {
        if (put++ >= many) break;
        const dice = rng(put, 'fuzz');
        const choices = ask.choices as readonly string[];
        const text = hostile(dice, dice.pick(choices));
        const move = named(text, choices);
        const course = setOn(environment, start, state, [ask]);
        course.answer(ask.seat, { action: { text } });
        if (move === null) {
          tally.refused++;
          expect(course.events.findLast((event) => event.kind === 'reward')).toMatchObject({ penalties: { [ask.seat]: 1 } });
          expect(course.waiting).toEqual([ask]);
          if (!equal(course.state, { ...(state as object), misses: 1 } as Json)) expect.fail(`"${text}" changed the game`);
        } else {
          tally.made++;
          const plain = setOn(environment, start, state, [ask]);
          plain.answer(ask.seat, { action: { text: move } });
          if (!equal(course.state, plain.state)) expect.fail(`"${text}" was taken for another move than ${move}`);
        }
      }
      expect(tally.made).toBeGreaterThan(many / 20);
      expect(tally.refused).toBeGreaterThan(many / 4);
    },
  );

  it.each(environmentNames())('[E21] in every seat of %s never end an episode in an error, and its logs replay', async (name) => {
    const environment = await builtInEnvironment(name);
    const script: Script = ({ ask, rng: dice }) => ({ text: hostile(dice, ask.choices === undefined ? '[x]' : dice.pick(ask.choices)) });
    let put = 0;
    for (let seed = 0; put < amount(80, 1000) && seed < 200; seed++) {
      const task = environment.about.tasks[seed % environment.about.tasks.length]!;
      const agents = Object.fromEntries(environment.seats(environment.task(task)).map((seat: Seat) => [seat, scripted('hostile', script)]));
      const log: EpisodeEvent[] = await Array.fromAsync(
        play(environment, agents, { task, seed, limits: { turns: Math.min(environment.about.turns, 200) } }),
      );
      put += log.filter((event) => event.kind === 'action').length;
      expect(log.at(-1) as EndEvent).not.toMatchObject({ reason: 'error' });
      expect(replay(environment, JSON.parse(JSON.stringify(log)) as EpisodeEvent[])).toBeNull();
    }
  });

  it('[E21] pollute no prototype', () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
