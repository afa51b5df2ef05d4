/**
 * @file A small town: places with opening hours, a clock, days that begin with a plan, and news that spreads by word of mouth.
 *
 * In every hour all people choose where to go and may say something there, which those hear who are in the same place. Who knows the news is
 * decided by the words: it was heard from somebody who knew it. Words of the news from somebody who never heard it count as invented.
 */

import {
  type Action,
  type Ask,
  choose,
  type Environment,
  forfeitText,
  knob,
  type Message,
  readTask,
  retries,
  type Script,
  type Seat,
  type Step,
  type TaskOf,
} from '../../core/index.ts';
import { gather, type Holding, nothingHeld, talkOf } from '../together.ts';
import { openPlaces, places, townspeople } from './places.ts';

const knobs = {
  people: knob.whole({ from: 2, to: 25, otherwise: 6, about: 'people who live in the town, each a seat' }),
  days: knob.whole({ from: 1, to: 7, otherwise: 1, about: 'days to play' }),
  wake: knob.whole({ from: 0, to: 23, otherwise: 8, about: 'the first hour of a day' }),
  hours: knob.whole({ from: 1, to: 16, otherwise: 6, about: 'hours of a day that are played' }),
  news: knob.text({ otherwise: 'party on saturday', about: 'words by which the news is known, which the first person has at the start' }),
  plan: knob.yesno({ otherwise: true, about: 'people make a plan at the start of each day' }),
  memory: knob.yesno({ otherwise: true, about: 'people remember the days before; without it they begin every day anew' }),
  retries,
} as const;

type Task = TaskOf<typeof knobs>;

/** Where somebody goes in an hour, and what they say there. */
type Move = { readonly to: string; readonly says: string };

type State = Holding<Move> & {
  readonly task: Task;
  /** From 1. */
  readonly day: number;
  /** Hours of the day that are over; −1 while plans are made. */
  readonly hour: number;
  readonly at: { readonly [seat: Seat]: string };
  /** Who knows the news, and from whom. */
  readonly knows: { readonly [seat: Seat]: Seat };
  /** Pairs that have met, each written in the order of the seats. */
  readonly met: readonly string[];
  readonly curve: readonly number[];
  readonly invented: number;
  /** What each seat has just been shown, and how many messages it had since the day began. */
  readonly shown: { readonly [seat: Seat]: readonly string[] };
  readonly seen: { readonly [seat: Seat]: number };
  readonly over: boolean;
};

export const town: Environment<State, Task> = {
  id: 'town@1',
  about: {
    summary:
      'Up to twenty-five people live in a town with a café, a market, a park and other places that open and close. Each day begins with a plan; then, hour by hour, all choose where to go, and may say something to those they meet there. The first of them has some news at the start. Nothing is paid; notes keep who met whom, how many know the news after each hour and from whom, and who only made it up.',
    tasks: [{}, { people: 2, days: 2, hours: 2, memory: false }, { people: 25, hours: 2, plan: false }, { people: 4, wake: 17, hours: 3 }],
    turns: 7 * 4,
  },
  knobs,
  task: (input) => readTask('town', knobs, input),
  seats: (task) => townspeople.slice(0, task.people),

  start(task) {
    const seats = townspeople.slice(0, task.people);
    const [first] = seats as [Seat];
    const state: State = {
      ...{
        task,
        day: 1,
        hour: task.plan ? -1 : 0,
        knows: { [first]: first },
        met: [],
        curve: [1],
        invented: 0,
        over: false,
        ...nothingHeld,
      },
      at: Object.fromEntries(seats.map((seat) => [seat, 'home'])),
      shown: Object.fromEntries(seats.map((seat) => [seat, []])),
      seen: Object.fromEntries(seats.map((seat) => [seat, 0])),
    };
    return asked(
      state,
      seats.map((seat) => rulesFor(seat, state)),
    );
  },

  step(state, actions) {
    const gathered = gather(state, actions, {
      asks: asksOf(state),
      read: (action, ask) => readMove(action, ask),
      tries: state.task.retries,
    });
    if (!gathered.done) {
      const { holding, messages, asks, penalties } = gathered;
      return { state: counted({ ...state, ...holding }, messages), messages, asks, penalties };
    }
    // A plan is in the view of who made it: it needs no place in the state.
    if (state.hour < 0) return asked({ ...state, ...nothingHeld, hour: 0 }, []);
    return hourOver({ ...state, ...nothingHeld }, gathered.moves);
  },

  knows(state, seat) {
    const { day, hour, at, knows, over, shown, held, seen } = state;
    return {
      day,
      hour,
      at: at[seat]!,
      news: knows[seat] ?? null,
      over,
      shown: shown[seat] ?? [],
      held: held[seat] ?? null,
      seen: seen[seat] ?? 0,
    };
  },

  scripts: {
    /** Goes anywhere, and tells the news once it knows it. */
    gossip: walking((turn, open) => turn.rng.pick(open), true),
    /** Goes anywhere, and says nothing of it. */
    discreet: walking((turn, open) => turn.rng.pick(open), false),
    /** Stays at home. */
    hermit: walking(() => 'home', true),
    /** Goes where everybody passes, and tells. */
    crier: walking(() => 'square', true),
  },
};

/** What a script looks at, from the ask. */
interface Outlook {
  readonly knows: boolean;
  readonly news: string;
  readonly open: readonly string[];
}

function walking(where: (turn: Parameters<Script>[0], open: readonly string[]) => string, tells: boolean): Script {
  return (turn) => {
    const { knows, news, open } = turn.ask.data as unknown as Outlook;
    if (turn.ask.choices === undefined) return { text: 'I go out, and see whom I meet.' };
    return { text: `[go ${where(turn, open)}]${knows && tells ? ` Have you heard? ${news}!` : ''}` };
  };
}

function seatsOf(task: Task): readonly Seat[] {
  return townspeople.slice(0, task.people);
}

function clockOf({ task, hour }: State): number {
  return (task.wake + Math.max(0, hour)) % 24;
}

function asksOf(state: State): readonly Ask[] {
  const open = openPlaces(clockOf(state)).map(({ name }) => name);
  return seatsOf(state.task).map((seat): Ask => {
    const data = { knows: state.knows[seat] !== undefined, news: state.task.news, open };
    const ask: Ask = state.hour < 0 ? { seat, data } : { seat, choices: open.map((name) => `[go ${name}]`), data };
    // Without memory only what was seen since the day began is shown.
    return state.task.memory || state.day === 1 ? ask : { ...ask, window: Math.max(1, state.seen[seat] ?? 1) };
  });
}

function readMove(action: Action, ask: Ask) {
  if (ask.choices === undefined) return { ok: true as const, move: { to: '', says: talkOf(action.text) } };
  const read = choose(action, ask.choices);
  if (!read.ok) return read;
  return { ok: true as const, move: { to: read.move.slice(4, -1), says: talkOf(action.text.replace(/\[[^\]]*\]/, ' ')) } };
}

/** Everybody has gone somewhere and said something: who meets whom, who hears what. */
function hourOver(state: State, moves: Readonly<Record<Seat, Move | null>>): Step<State> {
  const { task, day, hour } = state;
  const seats = seatsOf(task);
  const at = Object.fromEntries(seats.map((seat) => [seat, moves[seat]?.to ?? state.at[seat]!]));
  const company = (seat: Seat) => (at[seat] === 'home' ? [] : seats.filter((other) => other !== seat && at[other] === at[seat]));
  const time = `${String(clockOf(state)).padStart(2, '0')}:00`;
  const knows: Record<Seat, Seat> = { ...state.knows };
  const shown: Record<Seat, readonly string[]> = {};
  const messages: Message[] = [];
  let invented = state.invented;
  for (const seat of seats) {
    const others = company(seat);
    const place = at[seat]!;
    const lines = [
      `Day ${day}, ${time}. You are at ${place === 'home' ? 'home' : `the ${place}`}, ${others.length === 0 ? 'alone' : `with ${others.join(', ')}`}.`,
    ];
    if (moves[seat] === null) lines.unshift(forfeitText(seat));
    messages.push({ to: [seat], text: lines.join(' ') });
    shown[seat] = lines;
  }
  for (const seat of seats) {
    const says = moves[seat]?.says ?? '';
    const hearers = company(seat);
    const isNews = task.news !== '' && says.toLowerCase().includes(task.news.toLowerCase());
    if (isNews && state.knows[seat] === undefined) invented++;
    if (says === '' || hearers.length === 0) continue;
    messages.push({ to: hearers, from: seat, text: says });
    for (const hearer of hearers) {
      shown[hearer] = [...(shown[hearer] ?? []), `${seat}: ${says}`];
      // Who did not know it at the start of the hour can pass it on in the next.
      if (isNews && state.knows[seat] !== undefined) knows[hearer] ??= seat;
    }
  }
  const pairs = seats.flatMap((seat) =>
    company(seat)
      .filter((other) => seats.indexOf(other) > seats.indexOf(seat))
      .map((other) => `${seat} ${other}`),
  );
  const fresh = pairs.filter((pair) => !state.met.includes(pair));
  const learned = Object.entries(knows).filter(([seat]) => state.knows[seat] === undefined);
  const curve = [...state.curve, Object.keys(knows).length];
  messages.push({
    to: [],
    text: `day ${day}, ${time}`,
    data: { hour: hour + 1, day, at, met: fresh, learned: Object.fromEntries(learned), know: curve.at(-1) as number },
  });
  const next: State = { ...state, at, knows, shown, invented, curve, met: [...state.met, ...fresh], hour: hour + 1 };
  if (next.hour < task.hours) return asked(next, messages);
  return day < task.days ? nextDay(next, messages) : finish(next, messages);
}

function nextDay(state: State, messages: readonly Message[]): Step<State> {
  const seats = seatsOf(state.task);
  const [first] = seats as [Seat];
  const knows = state.task.memory ? state.knows : { [first]: first };
  const morning = `Day ${state.day + 1} begins.`;
  const fresh: State = {
    ...state,
    day: state.day + 1,
    hour: state.task.plan ? -1 : 0,
    knows,
    at: Object.fromEntries(seats.map((seat) => [seat, 'home'])),
    shown: Object.fromEntries(seats.map((seat) => [seat, [...(state.shown[seat] ?? []), morning]])),
    seen: Object.fromEntries(seats.map((seat) => [seat, 0])),
  };
  const reminded = (seat: Seat) => (!state.task.memory && seat === first ? ` ${newsText(state.task)}` : '');
  // The evening belongs to the day before: only the morning is counted for the new one.
  const step = asked(
    fresh,
    seats.map((seat) => ({ to: [seat], text: `${morning}${reminded(seat)}` })),
  );
  return { ...step, messages: [...messages, ...step.messages] };
}

function finish(state: State, messages: readonly Message[]): Step<State> {
  const { task, met, curve, knows, invented } = state;
  const possible = (task.people * (task.people - 1)) / 2;
  const measures = { curve, know: Object.keys(knows).length, people: task.people, from: knows, density: met.length / possible, invented };
  return { state: { ...state, over: true }, messages: [...messages, { to: [], text: 'measures', data: { measures } }], asks: [] };
}

function counted(state: State, messages: readonly Message[]): State {
  const seen: Record<Seat, number> = { ...state.seen };
  for (const { to } of messages) for (const seat of to) seen[seat] = (seen[seat] ?? 0) + 1;
  return { ...state, seen };
}

/** The step that asks everybody what comes next. */
function asked(state: State, before: readonly Message[]): Step<State> {
  const hour = clockOf(state);
  const text =
    state.hour < 0
      ? 'What is your plan for today, hour by hour? Answer in a few words.'
      : `It is ${String(hour).padStart(2, '0')}:00. Where do you go? Open now: ${openPlaces(hour)
          .map(({ name }) => name)
          .join(', ')}. Answer with one move in square brackets, like [go square]; what you write besides is said aloud there.`;
  const messages = [...before, ...seatsOf(state.task).map((seat): Message => ({ to: [seat], text }))];
  const next = counted(state, messages);
  return { state: next, messages, asks: asksOf(next) };
}

function newsText({ news }: Task): string {
  return `You have some news: ${news}.`;
}

function rulesFor(seat: Seat, { task, knows }: State): Message {
  const others = seatsOf(task).filter((other) => other !== seat);
  const lines = [
    `You are ${seat} and live in a small town with ${others.join(', ')}.`,
    ...places.map(({ name, about, open }) => `${name} (${open[0]} to ${open[1]}): ${about}.`),
    `A day has ${task.hours} hours for you. In each of them you go somewhere; those who are in the same place hear what you say there.`,
    ...(knows[seat] === undefined ? [] : [newsText(task)]),
  ];
  return { to: [seat], text: lines.join('\n') };
}
