/**
 * @file Werewolf: hidden wolves kill at night; by day the village talks and votes. Many seats, hidden roles, simultaneous moves.
 *
 * Night events are sent only to the seats involved, including forfeits, so that being asked reveals no role.
 */

import type {
  Action,
  Ask,
  JsonObject,
  Message,
  MoveOutcome,
  Rng,
  Script,
  Seat,
  TaskOf,
  TaskState,
  Turn,
} from '@ludus-agents/kernel/internal/core/index';
import { choose, defineEnvironment, Fault, forfeitText, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { talkOf } from './together.ts';

/** Makes a random choice, and stays silent in the talk. */
const random: Script = ({ ask, rng }) => ({ text: ask.choices === undefined ? '' : rng.pick(ask.choices) });

/**
 * The seer inspects new seats and names wolves. The rest, including wolves, vote for the living seat that was named last. Wolves attack the
 * seat that named one of them.
 */
const honest: Script = (turn) => {
  const { ask, rng } = turn;
  const { inspected, accused, accusers, wolves } = readView(turn);
  if (ask.choices === undefined) {
    const knownWolf = [...inspected].findLast(([, wolf]) => wolf);
    return { text: knownWolf === undefined ? '' : `${knownWolf[0]} is a wolf.` };
  }
  const choice = (verb: string, seats: readonly string[]) =>
    seats.map((seat) => `[${verb} ${seat}]`).find((item) => ask.choices?.includes(item));
  const fresh = ask.choices.filter((choice) => ![...inspected.keys()].some((seat) => choice === `[inspect ${seat}]`));
  const matches = [...inspected].filter(([, wolf]) => wolf).map(([seat]) => seat);
  const followed = accused.filter((seat) => !wolves.includes(seat));
  const wanted = choice('kill', accusers) ?? choice('vote', matches) ?? choice('vote', followed);
  return { text: wanted ?? rng.pick(fresh.length > 0 ? fresh : ask.choices) };
};

/** Returns what a seat knows: from inspections, from the list of wolves, and from accusations, latest first. */
function readView({ view }: Turn) {
  const inspected = new Map<string, boolean>();
  const accused: string[] = [];
  const accusers: string[] = [];
  let wolves: readonly string[] = [];
  for (const item of view.seen) {
    if (item.kind !== 'message') continue;
    const data = (item.data ?? {}) as JsonObject;
    if (typeof data['inspected'] === 'string') inspected.set(data['inspected'], data['wolf'] === true);
    if (Array.isArray(data['wolves'])) wolves = data['wolves'];
    const name = item.from === undefined ? undefined : /^(\w+) is a wolf\.$/.exec(item.text)?.[1];
    if (name === undefined || item.from === undefined) continue;
    accused.unshift(name);
    if (wolves.includes(name)) accusers.unshift(item.from);
  }
  return { inspected, accused, accusers, wolves };
}

export const scripts: Readonly<Record<string, Script>> = { random, honest };

const parameters = {
  players: parameter.integer({ min: 3, max: 16, default: 7, description: 'number of players' }),
  wolves: parameter.integer({ min: 1, max: 7, default: 2, description: 'number of wolves; fewer than half of the players' }),
  seer: parameter.boolean({ default: true, description: 'one villager learns each night whether a seat is a wolf' }),
  doctor: parameter.boolean({ default: true, description: 'one villager saves a seat each night' }),
  talk: parameter.integer({ min: 0, max: 10, default: 1, description: 'how often each living player speaks per day' }),
  first: parameter.choice({ options: ['night', 'day'], default: 'night', description: 'how the game begins' }),
  reveal: parameter.boolean({ default: true, description: 'whether the role of dead players is revealed' }),
  tie: parameter.choice({ options: ['nobody', 'chance'], default: 'nobody', description: 'who dies when a vote is tied' }),
  lynch: parameter.choice({
    options: ['vote', 'chance'],
    default: 'vote',
    description: 'who dies by day: the seat with the most votes, or a random living seat',
  }),
  days: parameter.integer({ min: 1, max: 100, default: 10, description: 'days until the game is a draw' }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;
type Role = 'wolf' | 'seer' | 'doctor' | 'villager';

/** Public events, in order. */
type Past =
  | { readonly from: Seat; readonly said: string }
  | { readonly votes: { readonly [seat: Seat]: Seat | null } }
  | { readonly dead: Seat | null; readonly role?: Role };

type State = TaskState<Village, Task>;
type Village = {
  readonly roles: { readonly [seat: Seat]: Role };
  readonly living: readonly Seat[];
  readonly phase: 'night' | 'talk' | 'vote' | 'over';
  readonly day: number;
  /** The number of utterances in this day's talk so far. */
  readonly spoken: number;
  readonly past: readonly Past[];
  /** The wolves' choice of each night, known to the wolves. */
  readonly hunted: readonly (Seat | null)[];
  /** The results of the seer's inspections. */
  readonly inspected: readonly (readonly [Seat, boolean])[];
};

const names: readonly Seat[] = 'Ada Ben Cleo Dan Eve Finn Gus Hana Ivo Jun Kai Lea Max Nia Otto Pia'.split(' ');
const villages = [...names, ''].map((_, players) => names.slice(0, players));
/** Texts of moves, by verb and name. */
const written = Object.fromEntries(
  ['kill', 'inspect', 'save', 'vote'].map((verb) => [verb, Object.fromEntries(names.map((name) => [name, `[${verb} ${name}]`]))]),
) as Readonly<Record<string, Readonly<Record<Seat, string>>>>;

export const werewolf = defineEnvironment({
  id: 'werewolf@1',
  about: {
    summary:
      'Villagers look for the werewolves among them. At night the wolves kill one seat, the seer learns whether a seat is a wolf, and the doctor saves one; during the day all talk and vote one out. The village wins when no wolf is left, the wolves when they are as many as the others. Rewards are +1 for every seat of the winning side and −1 for the others, the dead included.',
    tasks: [
      {},
      { players: 5, wolves: 1, doctor: false, reveal: false, tie: 'chance' },
      { players: 9, first: 'day', talk: 2 },
      { players: 5, wolves: 1, seer: false, doctor: false, talk: 0, lynch: 'chance', first: 'day' },
    ],
    turns: 10 * (11 + 11 + 9 * 2),
    complete: true,
    words: ['kill', 'inspect', 'save', 'vote', 'wolf', 'wolves', 'seer', 'doctor', 'villager', 'village'],
  },
  parameters,
  task(task) {
    const specials = (task.seer ? 1 : 0) + (task.doctor ? 1 : 0);
    if (2 * task.wolves >= task.players || task.wolves + specials > task.players)
      throw new Fault(
        'input',
        `werewolf: ${task.wolves} wolves among ${task.players} players is too many: wolves must be a minority, and every role needs a player. Use more players or fewer wolves.`,
      );
    return task;
  },
  seats: (task) => villages[task.players],

  start(task, rng) {
    const seats = villages[task.players];
    const deck: Role[] = seats.map((_, i) => (i < task.wolves ? 'wolf' : 'villager'));
    if (task.seer) deck[task.wolves] = 'seer';
    if (task.doctor) deck[task.players - 1] = 'doctor';
    const dealt = rng.shuffle(deck);
    const roles = Object.fromEntries(seats.map((seat, i) => [seat, dealt[i]]));
    const phase = task.first === 'night' ? 'night' : 'talk';
    const state: State = { task, misses: 0, roles, living: seats, phase, day: 1, spoken: 0, past: [], hunted: [], inspected: [] };
    return enter(
      state,
      seats.map((seat) => ({
        to: [seat],
        text: rulesFor(state, seat),
        data: { role: roles[seat], wolves: roles[seat] === 'wolf' ? wolvesOf(state) : [] },
      })),
      rng,
    );
  },

  turn: asksOf,
  /** Parses an utterance in the talk, or the name of a chosen seat. */
  read: (action, _, ask) => (ask.choices === undefined ? { ok: true, move: talkOf(action.text) } : readTarget(action, ask)),

  playTogether(state, moves, rng) {
    if (state.phase === 'talk') return speak(state, moves, rng);
    return state.phase === 'night' ? dawn(state, moves, rng) : dusk(state, moves, rng);
  },

  knows(state, seat) {
    const { roles, living, phase, day, spoken, past, hunted, inspected } = state;
    const role = roles[seat];
    const secret = role === 'wolf' ? { wolves: wolvesOf(state), hunted } : role === 'seer' ? { inspected } : {};
    return { role, living, phase, day, spoken, past, ...secret, ...(phase === 'over' ? { roles } : {}) };
  },

  scripts,
});

function everyone({ task }: State): readonly Seat[] {
  return villages[task.players];
}

function wolvesOf({ roles }: Pick<State, 'roles'>): readonly Seat[] {
  return Object.keys(roles).filter((seat) => roles[seat] === 'wolf');
}

function rulesFor(state: State, seat: Seat): string {
  const { task, roles } = state;
  const role = roles[seat];
  const specials = [...(task.seer ? ['a seer'] : []), ...(task.doctor ? ['a doctor'] : [])];
  const deeds: Readonly<Record<Role, string>> = {
    wolf: `You are a wolf${
      task.wolves > 1
        ? `, and so is ${wolvesOf(state)
            .filter((other) => other !== seat)
            .join(', ')}`
        : ''
    }. Each night the wolves choose by majority whom to [kill …], a tie falling to chance.`,
    seer: 'You are the seer. Each night [inspect …] one seat to learn whether it is a wolf.',
    doctor: 'You are the doctor. Each night [save …] one seat, yourself included; it will not be killed that night.',
    villager: 'You are a villager. You sleep at night.',
  };
  return [
    `You are ${seat} in a village of ${everyone(state).join(', ')}. ${task.wolves === 1 ? 'One of them is a wolf' : `${task.wolves} of them are wolves`}${specials.length > 0 ? `; there is ${specials.join(' and ')}` : ''}.`,
    deeds[role],
    `By day ${task.talk > 0 ? 'the living speak in turn, and then ' : ''}${task.lynch === 'vote' ? `all [vote …] at once; whoever has the most votes dies, and on a tie ${task.tie === 'nobody' ? 'nobody does' : 'chance decides'}` : 'chance decides who dies'}. Roles of the dead are ${task.reveal ? '' : 'not '}told.`,
    `The village wins when no wolf is left, the wolves when they are as many as the others. After ${task.days} days nobody has won.`,
    'When you are asked for a move, answer with exactly one in square brackets, with a name, like [vote Ada]. What you write beside it is not heard.',
  ].join('\n');
}

function asksOf(state: State): readonly Ask[] {
  const { roles, living, phase, spoken } = state;
  if (phase === 'talk') return [{ seat: living[spoken % living.length] }];
  if (phase === 'vote') return living.map((seat) => ({ seat, choices: targets('vote', living, (item) => item !== seat) }));
  const awake: Ask[] = [];
  for (const seat of living) {
    const role = roles[seat];
    if (role === 'wolf') awake.push({ seat, choices: targets('kill', living, (item) => roles[item] !== 'wolf') });
    else if (role === 'seer') awake.push({ seat, choices: targets('inspect', living, (item) => item !== seat) });
    else if (role === 'doctor') awake.push({ seat, choices: targets('save', living, () => true) });
  }
  return awake;
}

/** Returns the moves with a verb for the living seats that qualify. */
function targets(verb: string, living: readonly Seat[], isTarget: (item: Seat) => boolean): readonly string[] {
  const choices: string[] = [];
  for (const item of living) if (isTarget(item)) choices.push(written[verb]?.[item] as string);
  return choices;
}

function readTarget(action: Action, ask: Ask) {
  const read = choose(action, ask.choices as readonly string[]);
  return read.ok ? { ok: true as const, move: read.move.slice(read.move.indexOf(' ') + 1, -1) } : read;
}

/** Returns the seats named most often, or none if no seat was named. */
function mostNamed(votes: Iterable<Seat | null>): readonly Seat[] {
  const counts = new Map<Seat, number>();
  for (const seat of votes) if (seat !== null) counts.set(seat, (counts.get(seat) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return [...counts].filter(([, count]) => count === most).map(([seat]) => seat);
}

/** Applies the night's choices, all at once. */
function dawn(state: State, moves: Readonly<Record<Seat, Seat | null>>, rng: Rng): MoveOutcome<State> {
  const { roles } = state;
  const byRole = (role: Role) => Object.keys(moves).filter((seat) => roles[seat] === role);
  const messages: Message[] = Object.keys(moves)
    .filter((seat) => moves[seat] === null)
    .map((seat) => ({ to: [seat], text: forfeitText(seat) }));
  const wolves = byRole('wolf');
  const choice = mostNamed(wolves.map((seat) => moves[seat] as Seat | null));
  const prey = choice.length === 0 ? null : rng.pick(choice);
  if (prey !== null) messages.push({ to: wolves, text: `The wolves choose ${prey}.` });
  const seer = byRole('seer')[0];
  const suspect = seer === undefined ? null : (moves[seer] as Seat | null);
  const inspected = suspect === null ? state.inspected : [...state.inspected, [suspect, roles[suspect] === 'wolf'] as const];
  if (seer !== undefined && suspect !== null) {
    const wolf = roles[suspect] === 'wolf';
    messages.push({ to: [seer], text: `${suspect} is ${wolf ? 'a wolf' : 'no wolf'}.`, data: { inspected: suspect, wolf } });
  }
  const saved = prey !== null && byRole('doctor').some((seat) => moves[seat] === prey);
  const next: State = { ...state, inspected, hunted: [...state.hunted, prey] };
  return bury(next, { dead: saved ? null : prey, messages, how: 'was killed in the night', none: 'Nobody died in the night.' }, rng);
}

function dusk(state: State, votes: Readonly<Record<Seat, Seat | null>>, rng: Rng): MoveOutcome<State> {
  const all = everyone(state);
  const messages: Message[] = state.living
    .filter((seat) => votes[seat] === null)
    .map((seat) => ({ to: all, text: `${forfeitText(seat)} It has no vote today.` }));
  const observedText = state.living.map((seat) => `${seat} for ${votes[seat] ?? 'nobody'}`).join(', ');
  messages.push({ to: all, text: `The votes: ${observedText}.`, data: { votes } });
  const most = mostNamed(Object.values(votes));
  const dead = most.length === 1 || (most.length > 1 && state.task.tie === 'chance') ? rng.pick(most) : null;
  const next: State = { ...state, past: [...state.past, { votes }] };
  return bury(next, { dead, messages, how: 'was voted out', none: 'Nobody has the most votes, so nobody dies.' }, rng);
}

interface Death {
  readonly dead: Seat | null;
  readonly messages: readonly Message[];
  readonly how: string;
  readonly none: string;
}

/** Announces who died, if anyone, and switches between night and day. */
function bury(state: State, { dead, messages, how, none }: Death, rng: Rng): MoveOutcome<State> {
  const { task, roles, phase } = state;
  const role = dead === null ? undefined : roles[dead];
  const deathNotice = task.reveal && role !== undefined ? { dead, role } : { dead };
  const text = dead === null ? none : `${dead} ${how}${task.reveal ? ` and was a ${role}` : ''}.`;
  const ended = (phase === 'night') !== (task.first === 'night');
  const next: State = {
    ...state,
    living: dead === null ? state.living : state.living.filter((seat) => seat !== dead),
    past: [...state.past, deathNotice],
    phase: phase === 'night' ? 'talk' : 'night',
    day: ended ? state.day + 1 : state.day,
    spoken: 0,
  };
  return enter(next, [...messages, { to: everyone(state), text, data: deathNotice }], rng);
}

/** Continues with the next phase in which a seat is asked, or ends the game. */
function enter(state: State, messages: readonly Message[], rng: Rng): MoveOutcome<State> {
  const { task, living, roles, phase } = state;
  const wolves = living.filter((seat) => roles[seat] === 'wolf').length;
  if (wolves === 0) return finish(state, messages, 'village');
  if (2 * wolves >= living.length) return finish(state, messages, 'wolves');
  if (state.day > task.days) return finish(state, messages, null);
  if (phase === 'talk' && state.spoken >= task.talk * living.length) {
    const voting: State = { ...state, phase: 'vote' };
    if (task.lynch === 'vote') return { state: voting, messages };
    return bury(voting, { dead: rng.pick(living), messages, how: 'was struck by chance', none: '' }, rng);
  }
  return { state, messages };
}

function speak(state: State, moves: Readonly<Record<Seat, Seat | null>>, rng: Rng): MoveOutcome<State> {
  const [from, speech] = Object.entries(moves)[0] as [Seat, string];
  const messages: Message[] = speech === '' ? [] : [{ to: everyone(state).filter((seat) => seat !== from), text: speech, from }];
  return enter({ ...state, spoken: state.spoken + 1, past: [...state.past, { from, said: speech }] }, messages, rng);
}

/** Rewards both sides and leaves a note on each role's result. */
function finish(state: State, messages: readonly Message[], winner: 'village' | 'wolves' | null): MoveOutcome<State> {
  const { roles } = state;
  const all = everyone(state);
  const rewards: Record<Seat, number> = {};
  const byRole: Record<string, number> = {};
  for (const seat of all) {
    const side = roles[seat] === 'wolf' ? 'wolves' : 'village';
    const reward = winner === null ? 0 : side === winner ? 1 : -1;
    rewards[seat] = reward;
    byRole[roles[seat]] = reward;
  }
  const outcome = winner === null ? 'Time is up: nobody has won.' : `${winner === 'wolves' ? 'The wolves win' : 'The village wins'}.`;
  const message: Message = { to: all, text: `${outcome} ${all.map((seat) => `${seat} was a ${roles[seat]}`).join(', ')}.` };
  const note: Message = { to: [], text: 'result', data: { result: { winner, roles, rewards: byRole } } };
  return { state: { ...state, phase: 'over' }, messages: [...messages, message, note], over: true, rewards };
}

/**
 * Returns the exact probability that the wolves win without special roles if a random living seat dies each day, by recursion over the
 * number of living. The task with random `lynch`, no seer, and no doctor is this game.
 */
export function wolvesByChance(players: number, wolves: number, phase: 'night' | 'day'): number {
  if (wolves === 0) return 0;
  if (2 * wolves >= players) return 1;
  if (phase === 'night') return wolvesByChance(players - 1, wolves, 'day');
  const share = wolves / players;
  return share * wolvesByChance(players - 1, wolves - 1, 'night') + (1 - share) * wolvesByChance(players - 1, wolves, 'night');
}
