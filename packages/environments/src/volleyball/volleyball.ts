/** @file Volleyball from the side: choose skills or the underlying numbers, for the team at the ball and for the team that awaits it. */

import type {
  Action,
  Ask,
  Message,
  MoveOutcome,
  ParsedMove,
  Rng,
  Script,
  Seat,
  TaskOf,
  TaskState,
} from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { formatNumber, readNumbers } from '../numbers.ts';

const g = 9.8;
const netHeight = 2.43;
/**
 * Half the court's length. The ball's flight is computed in closed form on a court seen from the side: the net is at 0, the hitter's half
 * is below 0.
 */
export const halfCourt = 6;

/** Returns the time until a ball from this height lands. */
export function airTime(height: number, vz: number): number {
  return (vz + Math.sqrt(vz * vz + 2 * g * height)) / g;
}

interface Flight {
  readonly lands: number;
  readonly seconds: number;
  readonly fate: 'own' | 'over' | 'net' | 'out';
}

export function flight(x: number, height: number, vx: number, vz: number): Flight {
  const seconds = airTime(height, vz);
  const lands = x + vx * seconds;
  if (lands < 0) return { lands, seconds, fate: lands < -halfCourt ? 'out' : 'own' };
  const atNet = -x / vx;
  const over = height + vz * atNet - (g * atNet * atNet) / 2;
  return { lands, seconds, fate: over < netHeight ? 'net' : lands > halfCourt ? 'out' : 'over' };
}

/** Returns the velocity that lands a ball at a target, given its upward speed. */
export function aimBall(x: number, height: number, target: number, vz: number): readonly [number, number] {
  return [(target - x) / airTime(height, vz), vz];
}

const parameters = {
  noise: parameter.number({ min: 0, max: 1, default: 0.1, description: 'maximum deviation of a hit from its target velocity, in m/s' }),
  pace: parameter.number({ min: 0.5, max: 8, default: 1.5, description: 'how fast receivers run, in m/s' }),
  hits: parameter.integer({ min: 1, max: 200, default: 60, description: 'number of hits after which a rally is a draw' }),
  shaped: parameter.boolean({ default: false, description: 'also reward 1 for a first pass and 2 for a second pass that stay in play' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

/** The ball's velocity in units of its maximum, or the place to wait at. */
type Move = readonly number[];

type State = TaskState<Rally, Task>;
type Rally = {
  /**
   * The next hitter, the number of the hit (0 the first pass, 1 the second, 2 the attack, 3 a serve), and its position as the hitter sees
   * it.
   */
  readonly hitter: number;
  readonly hit: number;
  readonly x: number;
  readonly hits: number;
  /** The ball's last flight: seconds in the air, and its target. */
  readonly came: readonly [number, string];
};

const teams: readonly Seat[] = ['home', 'guests'];
const [mostX, mostZ] = [12, 10];
/** Height of the ball at a first pass, a second pass, an attack, and a serve. */
const heights = [1, 2, 3, 2] as const;
const serve = 3;
/** The target and upward speed of each skill. */
const aims: Readonly<Record<string, readonly [number, number]>> = {
  serve: [4.5, 5],
  'short serve': [2, 6],
  pass: [-2, 7],
  set: [-1, 5],
  'attack deep': [5.3, 0],
  'attack short': [2, 1],
  tip: [0.8, 2.5],
  lob: [5, 6],
};
const byHit = [
  ['pass', 'lob'],
  ['set', 'lob', 'tip'],
  ['attack deep', 'attack short', 'tip', 'lob'],
  ['serve', 'short serve'],
] as const;
const stances = { front: 1.5, middle: 3.5, back: 5.2 } as const;
const toChoices = (names: readonly string[]) => names.map((name) => `[${name}]`);
const hitChoices = byHit.map(toChoices);
const stanceChoices = toChoices(Object.keys(stances));
const asks = hitChoices.map((choices) =>
  [0, 1].map((hitter) => teams.map((seat, i): Ask => ({ seat, choices: i === hitter ? choices : stanceChoices }))),
);

export const volleyball = defineEnvironment({
  id: 'volleyball@1',
  about: {
    summary:
      'Two teams play one rally of volleyball, seen from the side: serve, pass, set, attack. The player at the ball names a skill or gives the velocity in numbers; the others choose at the same time where to wait, and reach a ball that lands close enough. The flight of the ball is computed exactly. Hitting the net, out, a dropped ball, and a fourth hit lose the rally: 20 for the winner, −20 for the loser, and nothing for a draw.',
    tasks: [{}, { noise: 0, pace: 3, hits: 20 }],
    turns: 60 * 3,
    sum: 0,
  },
  parameters,
  seats: teams,

  start(task) {
    const state: Rally = { hitter: 0, hit: serve, x: -halfCourt, hits: 0, came: [0, ''] };
    return {
      state,
      messages: teams.map((seat) => ({ to: [seat], text: `${rulesFor(task, seat)}\n${describeRally(state)}`, data: dataOf(state) })),
    };
  },

  turn: ({ hit, hitter }) => asks[hit][hitter],
  read: (action, state, { seat }) => readMove(action, state, seat),

  playTogether(state, moves, rng): MoveOutcome<Rally> {
    const { task, hitter, hit, x, hits } = state;
    const forfeits: readonly Message[] = teams.flatMap((seat) => (moves[seat] === null ? [{ to: [seat], text: forfeitText(seat) }] : []));
    const [vx, vz] = (moves[teams[hitter]] ?? [0, 0]).map((value) => value + (rng.next() * 2 - 1) * task.noise) as [number, number];
    const [place] = moves[teams[1 - hitter]] ?? [stances.middle];
    const { lands, seconds, fate } = flight(x, heights[hit], vx, vz);
    const reach = 0.7 + task.pace * Math.max(0, seconds - 0.25);
    const caught = fate === 'over' && Math.abs(lands - place) <= reach;
    const flown = `The ball flies for ${formatNumber(seconds)} s and comes down at ${formatNumber(lands)} m${fate === 'net' ? ', in the net' : ''}.`;
    const goesOn = (next: State, shaping: number) => ({
      state: next,
      messages: [...forfeits, { to: teams, text: `${flown}\n${describeRally(next)}`, data: dataOf(next) }],
      over: next.hits >= task.hits,
      ...(shaping > 0 && { rewards: { [teams[hitter]]: shaping } }),
    });
    const isPass = fate === 'own' && hit < 2;
    if (isPass)
      return goesOn({ ...state, hitter, hit: hit + 1, x: lands, hits: hits + 1, came: [seconds, fate] }, task.shaped ? hit + 1 : 0);
    if (caught) return goesOn({ ...state, hitter: 1 - hitter, hit: 0, x: -lands, hits: hits + 1, came: [seconds, fate] }, 0);
    const winner = fate === 'over' ? hitter : 1 - hitter;
    const why = {
      over: 'Nobody reaches it.',
      net: 'It does not clear the net.',
      out: 'It is out.',
      own: 'It comes down on their own side.',
    }[fate];
    return {
      state: { ...state, hitter, hit, x: lands, hits: hits + 1, came: [seconds, fate] },
      messages: [...forfeits, { to: teams, text: `${flown} ${why} ${teams[winner]} win the rally.` }],
      over: true,
      rewards: { [teams[winner]]: 20, [teams[1 - winner]]: -20 },
    };
  },

  knows: ({ hitter, hit, x, hits, came }) => ({ hitter, hit, x, hits, came }),
  scripts: { team: teamBy(['attack deep', 'attack short', 'tip']), lobber: teamBy(['lob']) },
});

/**
 * Parses a skill by name, or numbers from −1 to 1: two for a hit (12 m/s forward, 10 m/s up), one for the waiting place (0 at the net, 1 at
 * the line).
 */
function readMove(action: Action, { hitter, hit, x }: State, seat: Seat): ParsedMove<Move> {
  const hits = seat === teams[hitter];
  const named = choose(action, hits ? hitChoices[hit] : stanceChoices);
  if (named.ok) {
    const name = named.move.slice(1, -1);
    return { ok: true, move: hits ? aimBall(x, heights[hit], ...aims[name]) : [stances[name as keyof typeof stances]] };
  }
  const numbers = readNumbers(action, hits ? 2 : 1);
  if (!numbers.ok) return named;
  const [a, b] = numbers.move as [number, number];
  return { ok: true, move: hits ? [a * mostX, b * mostZ] : [Math.abs(a) * halfCourt] };
}

function teamBy(attacks: readonly string[]): Script {
  return ({ ask, rng }: { readonly ask: Ask; readonly rng: Rng }) => {
    const choices = ask.choices as readonly string[];
    if (choices === stanceChoices || choices.includes('[middle]')) return { text: rng.pick(['[middle]', '[middle]', '[back]', '[front]']) };
    const first = ['[pass]', '[set]', '[serve]'].find((name) => choices.includes(name));
    return { text: first ?? `[${rng.pick(attacks)}]` };
  };
}

const dataOf = ({ hitter, hit, x }: Rally) => ({ hitter, hit, x });

function rulesFor({ pace, hits }: Task, seat: Seat): string {
  return `You are the ${seat} in a rally of volleyball, seen from the side: the net is at 0, 2.43 m high, and each half is ${halfCourt} m long; places are as the hitters see them, their own half below 0. A team has three hits: pass, set, attack; the last must go over. Meanwhile the others choose where to wait, and run ${pace} m/s to where the ball comes down. Net, out or ground lose the rally: 20 for the winner, -20 for the loser; after ${hits} hits it is a draw.\nHitters name a skill, or two numbers from -1 to 1 such as [0.5 0.5], forward (1 is ${mostX} m/s) and up (1 is ${mostZ} m/s). Others name a place, or a number such as [0.5], from 0 at the net to 1 at the line. Answer in square brackets.`;
}

function describeRally({ hitter, hit, x }: Rally): string {
  const what = ['a first pass', 'a second pass', 'an attack', 'a serve'][hit];
  return `${teams[hitter]} are at the ball at ${formatNumber(x)} m, ${heights[hit]} m high, for ${what}: ${hitChoices[hit].join(' ')}; the others wait: ${stanceChoices.join(' ')}.`;
}
