/**
 * @file A small town: places with opening hours, a clock, days that begin with a plan, and news that spreads by word of mouth.
 *
 * Each hour, all people choose where to go and may say something, which everyone in the same place hears. Knowledge of the news follows
 * from the words: a person knows it after hearing it from someone who knew it. Words of the news from someone who never heard it count as
 * invented.
 */

import type { Environment, Message, Script, Seat, Step } from '@ludus-agents/kernel/internal/core/index';
import { gather, nothingHeld } from '@ludus-agents/kernel/internal/core/simultaneous';
import { takePlans, takeThoughts } from './day.ts';
import { askAll, beginInterviews, eveningOver, hourOver, newsText, takeReactions } from './hours.ts';
import { scoreAnswers } from './interview.ts';
import { places, townspeople } from './places.ts';
import type { TownMove, TownState, TownTask } from './state.ts';
import { asksOf, companyOf, countMessages, laterParameters, parameters, readMove, readTown, seatsOf, showing } from './state.ts';
import { villager } from './villager.ts';

export const town: Environment<TownState, TownTask> = {
  id: 'town@1',
  about: {
    unpaid: true,
    summary:
      'Up to twenty-five people live in a town with a café, a market, a park, and other places with opening hours. Each day begins with a plan; then, every hour, all choose where to go and can talk to the people there. The first person knows some news at the start. There is no reward; notes store who met whom, how many people know the news after each hour, from whom, and who made it up.',
    tasks: [
      {},
      { people: 2, days: 2, hours: 2, memory: false },
      { people: 25, hours: 2, plan: false },
      { people: 4, wake: 17, hours: 3 },
      {
        ...{ people: 3, days: 2, hours: 2, hourly: true, reactions: true, reflection: true, objects: true, interviews: true },
        interventions: [{ name: 'bell', when: { measure: 'hour', least: 9 }, tell: 'A bell rings.' }],
      },
    ],
    turns: 20 * 4,
  },
  parameters: { ...parameters, ...laterParameters },
  task: readTown,
  seats: (task) => townspeople.slice(0, task.people),

  start(task) {
    const seats = townspeople.slice(0, task.people);
    const [first] = seats as [Seat];
    const state: TownState = {
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
    return askAll(
      state,
      seats.map((seat) => rulesFor(seat, state)),
    );
  },

  step(state, actions) {
    const gathered = gather(state, actions, {
      asks: asksOf(state),
      read: readMove,
      tries: state.task.retries,
    });
    if (!gathered.done) {
      const { holding, messages, asks, penalties } = gathered;
      return { state: countMessages({ ...state, ...holding }, messages), messages, asks, penalties };
    }
    const step = onward({ ...state, ...nothingHeld }, gathered.moves);
    return { ...step, state: showing(step.state, step.messages) };
  },

  knows(state, seat) {
    const { day, hour, at, knows, over, shown, held, seen } = state;
    return {
      day,
      hour,
      at: at[seat],
      news: knows[seat] ?? null,
      over,
      shown: shown[seat] ?? [],
      held: held[seat] ?? null,
      seen: seen[seat] ?? 0,
      ...(state.phase === undefined
        ? {}
        : { phase: state.phase, company: companyOf(at, seatsOf(state.task), seat), asked: state.interview?.asked ?? 0 }),
      ...(state.plans === undefined ? {} : { plan: state.plans[seat] ?? [] }),
      ...(state.thoughts === undefined ? {} : { thoughts: state.thoughts[seat] ?? [] }),
    };
  },

  scripts: {
    /** Goes anywhere, and tells the news once it knows it. */
    gossip: walking((turn, open) => turn.rng.pick(open), true),
    /** Goes anywhere, and never tells the news. */
    discreet: walking((turn, open) => turn.rng.pick(open), false),
    /** Stays at home. */
    hermit: walking(() => 'home', true),
    /** Goes where everyone passes, and tells the news. */
    crier: walking(() => 'square', true),
    /** Plans its hours and follows the plan, reacts to company, and answers from its observations. */
    villager,
  },
};

/** Continues after everyone has answered. */
function onward(state: TownState, moves: Readonly<Record<Seat, TownMove | null>>): Step<TownState> {
  const { phase: _, ...settled } = state;
  if (state.phase === 'react') return takeReactions(settled, moves);
  if (state.phase === 'reflect') return eveningOver({ ...settled, ...takeThoughts(state, moves) }, []);
  if (state.phase === 'interview') {
    const answers = Object.fromEntries(Object.entries(moves).map(([seat, move]) => [seat, move?.says ?? '']));
    return beginInterviews({ ...settled, interview: scoreAnswers(state, answers) }, []);
  }
  // A plan in words is in its author's view, so the state doesn't need to store it.
  if (state.hour < 0) return askAll({ ...settled, ...takePlans(state, moves), hour: 0 }, []);
  return hourOver(settled, moves);
}

/** The part of the ask that scripts use. */
type Outlook = {
  readonly knows: boolean;
  readonly news: string;
  readonly open: readonly string[];
};

function walking(where: (turn: Parameters<Script>[0], open: readonly string[]) => string, tells: boolean): Script {
  return (turn) => {
    const { knows, news, open } = turn.ask.data as Outlook;
    if (turn.ask.choices === undefined) return { text: 'I go out, and see whom I meet.' };
    return { text: `[go ${where(turn, open)}]${knows && tells ? ` Have you heard? ${news}!` : ''}` };
  };
}

function rulesFor(seat: Seat, { task, knows }: TownState): Message {
  const others = seatsOf(task).filter((other) => other !== seat);
  const lines = [
    `You are ${seat} and live in a small town with ${others.join(', ')}.`,
    ...places.map(({ name, about, open }) => `${name} (${open[0]} to ${open[1]}): ${about}.`),
    `A day has ${task.hours} hours for you. In each of them you go somewhere; those who are in the same place hear what you say there.`,
    ...(knows[seat] === undefined ? [] : [newsText(task)]),
  ];
  return { to: [seat], text: lines.join('\n') };
}
