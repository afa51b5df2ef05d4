/**
 * @file Volleyball for teams of two or three players, seen from the side, with two levels of decisions: a strategy names the skill and the
 * formation, and a motion gives the velocity of the hit. In a drill, the skill is named by chance and a hit earns how close it came.
 */

import {
  type Ask,
  choose,
  defineEnvironment,
  forfeitText,
  type Json,
  type Message,
  type MoveOutcome,
  parameter,
  type Rng,
  retries,
  type Script,
  type Seat,
  type TaskOf,
  type TaskState,
} from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { airTime, flight, halfCourt } from './volleyball.ts';

const parameters = {
  players: parameter.integer({ min: 2, max: 3, default: 3, description: 'players of each team; nobody hits twice in a row' }),
  pace: parameter.number({ min: 0.2, max: 4, default: 0.8, description: 'how fast players run, in m/s' }),
  noise: parameter.number({ min: 0, max: 1, default: 0, description: 'maximum deviation of a hit, in m/s' }),
  hits: parameter.integer({ min: 1, max: 100, default: 30, description: 'number of hits after which a rally is a draw' }),
  drill: parameter.boolean({ default: false, description: 'chance names the skills, and home earns how close each of five hits came' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type State = TaskState<Rally, Task>;
type Rally = {
  /** The team at the ball, the number of the hit (3 is a serve), the place of the ball as the hitter sees it, and the player who hits. */
  readonly hitting: number;
  readonly hit: number;
  readonly x: number;
  readonly by: number;
  /** The skill that the strategy chose; null while it is asked. */
  readonly skill: string | null;
  /** Distances of each team's players from the net. */
  readonly places: readonly (readonly number[])[];
  readonly hits: number;
};

const teams: readonly Seat[] = ['home', 'guests'];
const heights = [1, 2, 3, 2] as const;
const serve = 3;
/** The place where each skill wants the ball to come down. */
const targets: Readonly<Record<string, number>> = {
  serve: 4.5,
  'short serve': 2,
  pass: -2,
  set: -1,
  'attack deep': 5,
  'attack short': 2,
  tip: 0.8,
  lob: 5,
};
const skillsByHit = [
  ['pass', 'lob'],
  ['set', 'lob', 'tip'],
  ['attack deep', 'attack short', 'tip'],
  ['serve', 'short serve'],
] as const;
const formations: Readonly<Record<string, readonly number[]>> = { front: [0.8, 2, 3.2], spread: [1, 3, 5], back: [2.8, 4.2, 5.5] };
const toChoices = (names: readonly string[]) => names.map((name) => `[${name}]`);
const skillChoices = skillsByHit.map(toChoices);
const formationChoices = toChoices(Object.keys(formations));
/** Hits to choose from: forward and up, in m/s. Any two numbers in this range are accepted. */
const motionChoices = [-1, 1, 2.5, 4, 6, 8, 10].flatMap((forward) => [0, 2, 4, 6, 8].map((up) => `[${forward} ${up}]`));
const strategy = { level: 'strategy' };
const motion = { level: 'motion' };
const mostDrills = 5;
/** The reach of a player who stands still, and the time before it runs to a ball of the others. */
const [reach, reaction] = [0.3, 0.25];
/** Teammates know the target, so they start at once and run this fast, in m/s. */
const supportPace = 3;

export const teamVolleyball = defineEnvironment({
  id: 'team-volleyball@1',
  about: {
    summary:
      'Two teams of three players play a rally of volleyball, seen from the side. At each hit, the team at the ball names a skill while the others choose a formation; then it gives the velocity of the hit, forward and up. A player reaches a ball that lands close enough, and nobody hits twice in a row. The winner of the rally earns 1, the loser −1. In a drill, chance names the skills, and home earns how close each hit came to its target.',
    tasks: [{}, { drill: true }, { players: 2, noise: 0.3 }],
    turns: 100 * 2 * 11,
    sum: 0,
  },
  parameters,
  seats: teams,

  start(task, rng) {
    const base = formations['spread'].slice(0, task.players);
    const rally: Rally = { hitting: 0, hit: serve, x: -halfCourt, by: 0, skill: null, places: [base, base], hits: 0 };
    const state = task.drill ? nextDrill(rally, rng) : rally;
    const messages = (text: (seat: Seat) => string) => teams.map((seat): Message => ({ to: [seat], text: text(seat) }));
    return { state, messages: [...messages((seat) => rulesFor(task, seat)), ...messages((seat) => textFor(state, seat))] };
  },

  turn: ({ skill, hitting, hit }): readonly Ask[] =>
    skill === null
      ? teams.map((seat, i) => ({ seat, choices: i === hitting ? skillChoices[hit] : formationChoices, data: strategy }))
      : [{ seat: teams[hitting], choices: motionChoices, data: motion }],

  read(action, { skill, hitting, hit }, { seat }) {
    const isHitting = seat === teams[hitting];
    if (skill === null) return choose(action, isHitting ? skillChoices[hit] : formationChoices);
    const listed = choose(action, motionChoices);
    if (listed.ok) return listed;
    const [forward = Number.NaN, up = Number.NaN] = /\[\s*(-?[\d.]+)[\s,]+(-?[\d.]+)\s*\]/.exec(action.text)?.slice(1).map(Number) ?? [];
    const isPossible = Math.abs(forward) <= 12 && up >= 0 && up <= 10;
    return isPossible ? { ok: true, move: `[${forward} ${up}]` } : listed;
  },

  playTogether(state, moves, rng): MoveOutcome<Rally> {
    const forfeits = teams.flatMap((seat): readonly Message[] => (moves[seat] === null ? [{ to: [seat], text: forfeitText(seat) }] : []));
    const outcome = state.skill === null ? decide(state, moves) : state.task.drill ? drill(state, moves, rng) : play(state, moves, rng);
    return { ...outcome, messages: [...forfeits, ...(outcome.messages as readonly Message[])] };
  },

  knows: ({ hitting, hit, x, by, skill, places, hits }, seat): Json => ({
    ...{ hitting, hit, x, by, places, hits },
    skill: teams[hitting] === seat ? skill : skill === null,
  }),

  scripts: { team: teamBy(['attack deep', 'attack short', 'tip']), lobber: teamBy(['lob', 'tip']), short: teamBy(['attack short']) },
});

/** The strategies of both teams: the skill, and the formation of those who wait. */
function decide(state: State, moves: Readonly<Record<Seat, string | null>>): MoveOutcome<Rally> {
  const { hitting, hit, places, task } = state;
  const [skill, formation] = [moves[teams[hitting]], moves[teams[1 - hitting]]];
  const waiting = formation == null ? places[1 - hitting] : formations[formation.slice(1, -1)].slice(0, task.players);
  const next: State = {
    ...state,
    skill: skill == null ? skillsByHit[hit][0] : skill.slice(1, -1),
    places: places.map((place, team) => (team === hitting ? place : waiting)),
  };
  return { state: next, messages: [{ to: [teams[hitting]], text: textFor(next, teams[hitting]) }] };
}

/** A hit of a rally: who reaches it, or who wins. */
function play(state: State, moves: Readonly<Record<Seat, string | null>>, rng: Rng): MoveOutcome<Rally> {
  const { task, hitting, hit, by, places, hits } = state;
  const { lands, seconds, fate } = hitOf(state, moves[teams[hitting]] ?? null, rng);
  const isOwn = fate === 'own';
  const range = reach + (isOwn ? supportPace * seconds : task.pace * Math.max(0, seconds - reaction));
  const receiving = isOwn ? hitting : 1 - hitting;
  const receiver =
    hit === 2 && isOwn ? -1 : fate === 'net' || fate === 'out' ? -1 : receiverOf(places[receiving], Math.abs(lands), isOwn ? by : -1);
  const isReached = receiver >= 0 && Math.abs(places[receiving][receiver] - Math.abs(lands)) <= range;
  const flown = landing(lands, fate);
  if (isReached && !(isOwn && hit === serve)) {
    const ball = -Math.abs(lands);
    const next: State = {
      ...{ ...state, hitting: receiving, hit: isOwn ? hit + 1 : 0, x: ball, by: receiver, skill: null, hits: hits + 1 },
      places: places.map((place, team) => (team === receiving ? place.map((p, i) => (i === receiver ? -ball : p)) : place)),
    };
    const over = next.hits >= task.hits;
    // The last message is the situation alone, so that it is the same whatever happened before.
    const situation = teams.map((seat) => ({ to: [seat], text: textFor(next, seat) }));
    return { state: next, messages: [{ to: teams, text: flown }, ...situation], over };
  }
  const winner = fate === 'over' ? hitting : 1 - hitting;
  return {
    state: { ...state, hits: hits + 1 },
    messages: [{ to: teams, text: `${flown} ${teams[winner]} win the rally.` }],
    over: true,
    rewards: { [teams[winner]]: 1, [teams[1 - winner]]: -1 },
  };
}

/** A hit of a drill earns up to 1 by its distance from the target, on the right side of the net. */
function drill(state: State, moves: Readonly<Record<Seat, string | null>>, rng: Rng): MoveOutcome<Rally> {
  const { lands, fate } = hitOf(state, moves[teams[0]] ?? null, rng);
  const target = targets[state.skill!];
  const isRightSide = fate === (target < 0 ? 'own' : 'over');
  const earned = isRightSide ? Math.max(0, 1 - Math.abs(lands - target) / 2) : 0;
  const next = nextDrill({ ...state, hits: state.hits + 1 }, rng) as State;
  const home = [teams[0]];
  return {
    state: next,
    messages: [
      { to: home, text: landing(lands, fate) },
      { to: home, text: textFor(next, teams[0]) },
    ],
    over: next.hits >= mostDrills,
    rewards: { [teams[0]]: earned, [teams[1]]: -earned },
  };
}

/** The next hit of a drill: any skill from any place from which it is used. */
function nextDrill<R extends Rally>(rally: R, rng: Rng): R {
  const hit = rng.int(heights.length);
  const x = hit === serve ? -halfCourt : hit === 2 ? -rng.next() * 3 : -rng.next() * halfCourt;
  return { ...rally, hit, x, skill: rng.pick(skillsByHit[hit]) };
}

function hitOf({ hit, x, task }: State, move: string | null, rng: Rng) {
  const [forward = 0, up = 0] = move?.slice(1, -1).split(' ').map(Number) ?? [];
  const speeds = [forward, up].map((speed) => speed + (rng.next() * 2 - 1) * task.noise) as [number, number];
  return flight(x, heights[hit], ...speeds);
}

function landing(lands: number, fate: string): string {
  return `The ball comes down at ${Math.round(lands)} m${fate === 'net' ? ', in the net' : ''}.`;
}

/** The player closest to a place, except the one who hit last; −1 if there is none. */
function receiverOf(places: readonly number[], lands: number, except: number): number {
  const order = [...places.keys()].filter((i) => i !== except).sort((a, b) => Math.abs(places[a] - lands) - Math.abs(places[b] - lands));
  return order[0] ?? -1;
}

/** Plays the skill whose turn it is, and the listed hit that comes closest to its target. */
function teamBy(attacks: readonly string[]): Script {
  return ({ ask, rng, view }) => {
    const choices = ask.choices as readonly string[];
    if (choices === formationChoices || choices.includes('[spread]')) return { text: rng.pick(formationChoices) };
    const first = ['[pass]', '[set]', '[serve]'].find((name) => choices.includes(name));
    if (first !== undefined) return { text: first };
    const attack = choices.filter((name) => attacks.includes(name.slice(1, -1)));
    if (choices.includes('[tip]')) return { text: rng.pick(attack.length > 0 ? attack : choices) };
    const text =
      view.seen.flatMap((item) => (item.kind === 'message' ? [item.text] : [])).findLast((item) => item.includes('Motion:')) ?? '';
    const [, skill = 'lob', x = '0', height = '1'] = linear(/Motion: (.+?) from (-?\d+) m, (\d) m high/).exec(text) ?? [];
    return { text: bestHit(skill, Number(x), Number(height)) };
  };
}

function bestHit(skill: string, x: number, height: number): string {
  const target = targets[skill];
  const missOf = (choice: string) => {
    const [forward, up] = choice.slice(1, -1).split(' ').map(Number) as [number, number];
    const { lands, fate } = flight(x, height, forward, up);
    return fate === (target < 0 ? 'own' : 'over') ? Math.abs(lands - target) + (airTime(height, up) / 4) * (target < 0 ? -1 : 1) : 100;
  };
  return motionChoices.reduce((best, choice) => (missOf(choice) < missOf(best) ? choice : best));
}

function rulesFor({ players, pace, drill: isDrill }: Task, seat: Seat): string {
  const drillText = isDrill ? ' This is a drill: skills are named for you, and a hit earns how close it comes to its target.' : '';
  return `You are the ${seat === 'home' ? 'home team' : 'guests'}, ${players} players. The net is at 0, ${halfCourt} m from each end; your half is below 0. Pass, set, and attack; the third hit must go over, and nobody hits twice in a row. Players run ${pace} m/s to an opponent’s ball and ${supportPace} m/s to a teammate’s. First choose a skill or a formation, then the hit: forward and up in m/s, such as [4 6]. Targets: ${Object.entries(
    targets,
  )
    .map(([skill, target]) => `${skill} ${target} m`)
    .join(', ')}.${drillText}`;
}

function textFor({ hitting, hit, x, skill }: Rally, seat: Seat): string {
  const place = `${Math.round(x)} m, ${heights[hit]} m high`;
  if (skill !== null) return seat === teams[hitting] ? `Motion: ${skill} from ${place}.` : 'The others hit.';
  if (seat !== teams[hitting]) return `Formation: the others have the ball at ${place}.`;
  return `Strategy: your ball is at ${place}.`;
}
