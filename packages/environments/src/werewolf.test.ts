import type { Action, EpisodeEvent, Json, JsonObject, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { rng, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { describe, expect, it } from 'vitest';
import { werewolf, wolvesByChance } from './werewolf.ts';

type State = Parameters<typeof werewolf.step>[0];
type Roles = State['roles'];

const scripts = werewolf.scripts as Readonly<Record<string, Script>>;
const dice = rng(0);
const says = (text: string): Action => ({ text });
const six: Roles = { Ada: 'wolf', Ben: 'wolf', Cleo: 'seer', Dan: 'doctor', Eve: 'villager', Finn: 'villager', Gus: 'villager' };

/** A village in which the roles are known to the test, before its first phase. */
function village(input: JsonObject = {}, roles: Roles = six): Step<State> {
  const task = werewolf.task({ talk: 0, players: Object.keys(roles).length, ...input });
  for (let seed = 0; seed < 100_000; seed++) {
    const step = werewolf.start(task, rng(seed, 'start'));
    if (Object.keys(roles).every((seat) => step.state.roles[seat] === roles[seat])) return step;
  }
  throw new Error('no such deal');
}

/** Answers of the asked seats, by name. Other seats play their first choice. */
function move(step: Step<State>, answers: Readonly<Record<Seat, string>>, chance = dice): Step<State> {
  const actions = Object.fromEntries(step.asks.map(({ seat, choices }) => [seat, says(answers[seat] ?? choices?.[0] ?? '')]));
  return werewolf.step(step.state, actions, chance);
}

const night = { Ada: '[kill Eve]', Ben: '[kill Eve]', Cleo: '[inspect Ada]', Dan: '[save Dan]' };
const texts = (step: Step<State>, seat: Seat) =>
  step.messages.filter((message) => message.to.includes(seat)).map((message) => message.text);
const votes = (step: Step<State>, by: Readonly<Record<Seat, Seat>>) =>
  move(step, Object.fromEntries(Object.entries(by).map(([seat, item]) => [seat, `[vote ${item}]`])));

async function wins(task: JsonObject, name: string, count: number): Promise<number> {
  const seats = werewolf.seats(werewolf.task(task));
  const policy = scriptedPolicy(name, scripts[name]!);
  const logs = await rollout(werewolf, Object.fromEntries(seats.map((seat) => [seat, policy])), {
    seeds: Array.from({ length: count }, (_, i) => i),
    task,
  });
  return logs.filter((log) => resultIn(log)['winner'] === 'wolves').length / count;
}

function resultIn(log: readonly EpisodeEvent[]): JsonObject {
  const note = log.findLast((event) => event.kind === 'message' && event.to.length === 0) as { data?: Json };
  return (note.data as { result: JsonObject }).result;
}

describe('werewolf win rate', () => {
  const day = [
    [5, 1, 8 / 15],
    [7, 1, 16 / 35],
    [7, 2, 27 / 35],
    [9, 2, 221 / 315],
  ] as const;
  const first = [
    [5, 1, 3 / 4],
    [7, 1, 5 / 8],
    [7, 2, 11 / 12],
    [8, 2, 27 / 35],
    [9, 2, 27 / 32],
    [9, 3, 31 / 32],
  ] as const;
  const all = [...day.map((row) => [...row, 'day'] as const), ...first.map((row) => [...row, 'night'] as const)];

  it.each(all)('of wolves with %d players, %d wolves is %d with %s first, by formula', (players, wolves, chance, phase) => {
    expect(wolvesByChance(players, wolves, phase)).toBeCloseTo(chance, 14);
  });

  it.each(all)('of wolves with %d players, %d wolves (%d, %s first) matches play within 4σ', async (players, wolves, chance, phase) => {
    const count = 1000;
    const task = { players, wolves, first: phase, lynch: 'chance', seer: false, doctor: false, talk: 0 };
    const share = await wins(task, 'random', count);
    expect(Math.abs(share - chance)).toBeLessThan(4 * Math.sqrt((chance * (1 - chance)) / count));
  });

  it('does not depend on the seat, because roles are dealt uniformly', () => {
    const count = 3000;
    const task = werewolf.task({});
    const wolf: Record<Seat, number> = {};
    for (let seed = 0; seed < count; seed++) {
      const { roles } = werewolf.start(task, rng(seed, 'start')).state;
      const dealt = Object.values(roles).toSorted();
      expect(dealt).toEqual(['doctor', 'seer', 'villager', 'villager', 'villager', 'wolf', 'wolf']);
      for (const seat in roles) if (roles[seat] === 'wolf') wolf[seat] = (wolf[seat] ?? 0) + 1;
    }
    for (const seenCount of Object.values(wolf))
      expect(Math.abs(seenCount / count - 2 / 7)).toBeLessThan(4 * Math.sqrt(((2 / 7) * (5 / 7)) / count));
  });
});

describe('werewolf night', () => {
  it('asks wolves, seer, and doctor at once, each with its moves', () => {
    const { asks } = village();
    expect(asks.map((ask) => ask.seat)).toEqual(['Ada', 'Ben', 'Cleo', 'Dan']);
    expect(asks[0]?.choices).toEqual(['[kill Cleo]', '[kill Dan]', '[kill Eve]', '[kill Finn]', '[kill Gus]']);
    expect(asks[2]?.choices).toHaveLength(6);
    expect(asks[2]?.choices).not.toContain('[inspect Cleo]');
    expect(asks[3]?.choices).toContain('[save Dan]');
  });

  it("kills the wolves' choice, informs the seer, and announces the death", () => {
    const step = move(village(), night);
    expect(step.state.living).not.toContain('Eve');
    expect(texts(step, 'Cleo')).toEqual(['Ada is a wolf.', 'Eve was killed in the night and was a villager.']);
    expect(texts(step, 'Ben')).toEqual(['The wolves choose Eve.', 'Eve was killed in the night and was a villager.']);
    expect(texts(step, 'Gus')).toEqual(['Eve was killed in the night and was a villager.']);
    expect(texts(move(village({ reveal: false }), night), 'Gus')).toEqual(['Eve was killed in the night.']);
  });

  it('lets the doctor save anyone, including itself', () => {
    const saved = move(village(), { ...night, Dan: '[save Eve]' });
    expect(saved.state.living).toHaveLength(7);
    expect(texts(saved, 'Gus')).toEqual(['Nobody died in the night.']);
    expect(move(village(), { ...night, Ada: '[kill Dan]', Ben: '[kill Dan]' }).state.living).toHaveLength(7);
  });

  it('resolves disagreement between two wolves at random, and among three by majority', () => {
    let eve = 0;
    const count = 1000;
    const start = village();
    for (let seed = 0; seed < count; seed++) {
      const { living } = move(start, { ...night, Ben: '[kill Finn]' }, rng(seed, 'step', 0)).state;
      expect(living).toHaveLength(6);
      if (!living.includes('Eve')) eve++;
    }
    expect(Math.abs(eve / count - 0.5)).toBeLessThan((4 * 0.5) / Math.sqrt(count));
    const three = village(
      { wolves: 3, seer: false, doctor: false },
      { Ada: 'wolf', Ben: 'wolf', Cleo: 'wolf', Dan: 'villager', Eve: 'villager', Finn: 'villager', Gus: 'villager' },
    );
    for (let seed = 0; seed < 20; seed++)
      expect(move(three, { Ada: '[kill Gus]', Ben: '[kill Dan]', Cleo: '[kill Gus]' }, rng(seed)).state.living).not.toContain('Gus');
  });

  it('repeats the ask privately after an invalid move, and then forfeits', () => {
    const start = village({ retries: 1 });
    const missed = move(start, { ...night, Cleo: 'Ada!' });
    expect(missed.asks.map((ask) => ask.seat)).toEqual(['Cleo']);
    expect(missed.messages.every((message) => message.to.join() === 'Cleo')).toBe(true);
    const forfeited = move(missed, { Cleo: '[inspect Cleo]' });
    expect(texts(forfeited, 'Cleo')[0]).toContain('Cleo forfeits');
    expect(texts(forfeited, 'Ada').join()).not.toContain('forfeits');
    expect(forfeited.state.living).not.toContain('Eve');
    const idle = move(move(start, { ...night, Ada: '', Ben: '' }), { Ada: '', Ben: '' });
    expect(texts(idle, 'Gus')).toEqual(['Nobody died in the night.']);
  });
});

describe('werewolf day', () => {
  const dawn = () => move(village(), night);

  it('votes one seat out by plurality and returns to night', () => {
    const step = votes(dawn(), { Ada: 'Gus', Ben: 'Gus', Cleo: 'Ada', Dan: 'Ada', Finn: 'Ada', Gus: 'Ben' });
    expect(texts(step, 'Eve').at(-1)).toBe('Ada was voted out and was a wolf.');
    expect(step.state).toMatchObject({ phase: 'night', day: 2, living: ['Ben', 'Cleo', 'Dan', 'Finn', 'Gus'] });
    expect(step.asks.map((ask) => ask.seat)).toEqual(['Ben', 'Cleo', 'Dan']);
  });

  it('spares everyone on a tie, or picks at random if configured', () => {
    const tied = { Ada: 'Gus', Ben: 'Gus', Cleo: 'Ada', Dan: 'Ada', Finn: 'Ben', Gus: 'Ben' };
    expect(votes(dawn(), tied).state.living).toHaveLength(6);
    expect(votes(move(village({ tie: 'chance' }), night), tied).state.living).toHaveLength(5);
  });

  it('rejects votes for oneself, for the dead, and double votes', () => {
    for (const bad of ['[vote Finn]', '[vote Eve]', '[vote Ada] [vote Ben]', '[kill Ada]']) {
      const step = move(dawn(), { Finn: bad });
      expect(step.penalties).toEqual({ Finn: 1 });
      expect(step.asks.map((ask) => ask.seat)).toEqual(['Finn']);
    }
  });

  it('lets the living speak in turn before the vote, heard by everyone else', () => {
    let step = move(village({ talk: 2 }), night);
    const speakers: Seat[] = [];
    while (step.state.phase === 'talk') {
      const seat = step.asks[0]?.seat as Seat;
      speakers.push(seat);
      step = move(step, { [seat]: seat === 'Gus' ? '' : `I am ${seat}.` });
      expect(step.messages).toEqual(
        seat === 'Gus' ? [] : [{ to: Object.keys(six).filter((item) => item !== seat), text: `I am ${seat}.`, from: seat }],
      );
    }
    expect(speakers).toEqual([...'Ada Ben Cleo Dan Finn Gus'.split(' '), ...'Ada Ben Cleo Dan Finn Gus'.split(' ')]);
    expect(step.state.phase).toBe('vote');
  });
});

describe('end of werewolf', () => {
  const three: Roles = { Ada: 'wolf', Ben: 'villager', Cleo: 'villager', Dan: 'villager' };
  const plain = { wolves: 1, seer: false, doctor: false };

  it('pays the wolves at parity, dead wolves included', () => {
    const parity = move(move(village(plain, three), { Ada: '[kill Ben]' }), { Ada: '[vote Cleo]', Cleo: '[vote Dan]', Dan: '[vote Cleo]' });
    expect(parity.asks).toEqual([]);
    expect(parity.rewards).toEqual({ Ada: 1, Ben: -1, Cleo: -1, Dan: -1 });
    expect(parity.messages.at(-1)).toEqual({
      to: [],
      text: 'result',
      data: { result: { winner: 'wolves', roles: three, rewards: { wolf: 1, villager: -1 } } },
    });
  });

  it('pays the village when no wolf is left', () => {
    const won = votes(move(village(plain, three), { Ada: '[kill Ben]' }), { Ada: 'Cleo', Cleo: 'Ada', Dan: 'Ada' });
    expect(won.rewards).toEqual({ Ada: -1, Ben: 1, Cleo: 1, Dan: 1 });
    expect(won.messages.at(-2)?.text).toContain('The village wins. Ada was a wolf');
  });

  it('pays nothing when the days run out', () => {
    const calm = move(village({ days: 1 }), { ...night, Dan: '[save Eve]' });
    const over = votes(calm, { Ada: 'Ben', Ben: 'Ada', Cleo: 'Dan', Dan: 'Cleo', Eve: 'Finn', Finn: 'Gus', Gus: 'Eve' });
    expect(over.asks).toEqual([]);
    expect(Object.values(over.rewards as Record<Seat, number>)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('favors the village more if it listens to an honest seer', async () => {
    const task = { players: 7, wolves: 1 };
    const [blind, honest] = [await wins(task, 'random', 400), await wins(task, 'honest', 400)];
    expect(blind - honest).toBeGreaterThan(4 * Math.sqrt(0.5 / 400));
  });
});

describe('secrecy in werewolf', () => {
  it('hides the roles of other seats from a villager', () => {
    const others: Roles = { Ada: 'villager', Ben: 'seer', Cleo: 'wolf', Dan: 'wolf', Eve: 'villager', Finn: 'doctor', Gus: 'villager' };
    const looks = [six, others].map((roles) => {
      const start = village({ reveal: false }, roles);
      const kills = Object.fromEntries(
        Object.keys(roles)
          .filter((seat) => roles[seat] === 'wolf')
          .map((seat) => [seat, '[kill Eve]']),
      );
      const healer = Object.keys(roles).find((seat) => roles[seat] === 'doctor') as Seat;
      const dawn = move(start, { ...kills, [healer]: `[save ${healer}]` });
      const dusk = votes(dawn, { Ada: 'Ben', Ben: 'Ada', Cleo: 'Ada', Dan: 'Ben', Finn: 'Dan', Gus: 'Dan' });
      const visible = [start, dawn, dusk].map((step) => ({
        told: step.messages.filter((message) => message.to.includes('Gus')),
        knows: werewolf.knows?.(step.state, 'Gus'),
      }));
      return JSON.stringify(visible);
    });
    expect(looks[0]).toBe(looks[1]);
  });

  it('lets wolves know each other, but no other seat', () => {
    const { state } = village();
    expect(werewolf.knows?.(state, 'Ada')).toMatchObject({ role: 'wolf', wolves: ['Ada', 'Ben'] });
    for (const seat of ['Cleo', 'Dan', 'Eve']) expect(JSON.stringify(werewolf.knows?.(state, seat))).not.toContain('wol');
  });
});

describe('werewolf task', () => {
  it('rejects too many wolves', () => {
    for (const task of [
      { players: 6, wolves: 3 },
      { players: 3, wolves: 2 },
    ])
      expect(() => werewolf.task(task)).toThrow(/role needs a player\. Use more players or fewer/);
    expect(werewolf.seats(werewolf.task({ players: 16, wolves: 7 }))).toHaveLength(16);
  });
});
