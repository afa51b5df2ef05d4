/**
 * @file News on a network: most people follow rules, and a few are seats that decide for themselves. Includes permanent and temporary
 * contagion, thresholds, and a rumor with its correction.
 *
 * Steps without a decision for any seat are simulated at once, so seats are asked only when they have the news.
 */

import type { Intervention, InterventionHistory } from '@ludus-agents/environments/internal/interventions';
import { dueInterventions, interventionMessages, readInterventions } from '@ludus-agents/environments/internal/interventions';
import type { Action, Ask, Environment, Json, Message, Rng, Seat, Step, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { choose, Fault, forfeitText, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { gather, type Holding, nothingHeld } from '@ludus-agents/kernel/internal/core/simultaneous';
import { type GraphName, graphNames, graphOf, makeGraph, type PeopleGraph } from './graph.ts';
import { type SpreadChange, type SpreadModel, spreadChanges, spreadModels, states } from './spread.ts';

const parameters = {
  people: parameter.integer({ min: 2, max: 2000, default: 30, description: 'people on the network' }),
  seats: parameter.integer({
    min: 1,
    max: 25,
    default: 3,
    description: 'seats that decide for themselves; the first ones start with the news',
  }),
  graph: parameter.choice({ options: graphNames, default: 'small-world', description: 'who knows whom' }),
  degree: parameter.integer({
    min: 1,
    max: 50,
    default: 4,
    description: 'average number of acquaintances, if the graph does not determine it',
  }),
  edges: parameter.json({ default: null, description: 'your network, as pairs of people from 0 like [[0, 1], [1, 2]]' }),
  model: parameter.choice({
    options: spreadModels,
    default: 'si',
    description: 'si: the news persists; sir: people lose interest; threshold: several sources are needed; rumour: it can be corrected',
  }),
  beta: parameter.number({ min: 0, max: 1, default: 0.3, description: 'probability of telling an acquaintance in a step' }),
  gamma: parameter.number({ min: 0, max: 1, default: 0.5, description: 'sir: probability of losing interest after a step' }),
  threshold: parameter.number({ min: 0, max: 1, default: 0.5, description: 'threshold: share of acquaintances that must have the news' }),
  from: parameter.integer({ min: 1, max: 25, default: 1, description: 'people who have the news at the start' }),
  correction: parameter.integer({
    min: 0,
    max: 200,
    default: 0,
    description: 'rumour: the step at which the last person learns that the news is false; 0 for never',
  }),
  steps: parameter.integer({ min: 1, max: 200, default: 12, description: 'steps to play' }),
  news: parameter.string({ default: 'the old bridge will be closed', description: 'the news' }),
  retries,
} as const;

/** Parameters that were added later. A task contains them only if they are set, so that older logs stay unchanged. */
const laterParameters = {
  interventions: parameter.json({
    default: null,
    description: 'text shown to deciding seats when conditions hold; available measures: reached, share, step',
  }),
} as const;

type Task = TaskOf<typeof parameters> & Partial<TaskOf<typeof laterParameters>>;

type State = Holding<'share' | 'keep'> & {
  readonly task: Task;
  readonly key: number;
  readonly graph: { readonly offsets: readonly number[]; readonly targets: readonly number[] };
  /** The number of steps played, from 0. */
  readonly step: number;
  readonly status: readonly number[];
  /** The number of people who ever had it, before the first step and after each step. */
  readonly curve: readonly number[];
  /** The person from whom each seat last heard it. */
  readonly told: { readonly [seat: Seat]: { readonly state: number; readonly by: number } };
  readonly over: boolean;
  /** Past interventions, and the message of each to the seats. */
  readonly happened?: InterventionHistory;
  readonly notices?: { readonly [seat: Seat]: readonly string[] };
};

export const network: Environment<State, Task> = {
  id: 'network@1',
  about: {
    unpaid: true,
    summary:
      'News spreads through a network of people step by step. Most people pass it on with a fixed probability; a few are seats that decide in every step. The news can persist, fade, need several sources, or turn out to be false. There is no reward. The number of people reached over time is stored in a note, and with seats that always pass it on, it matches the exact expectation.',
    tasks: [
      {},
      { graph: 'path', people: 4, seats: 1, steps: 6 },
      { model: 'sir', graph: 'star', people: 5, seats: 2, gamma: 1 },
      { model: 'threshold', graph: 'cycle', people: 10, seats: 2 },
      { model: 'rumour', people: 12, seats: 4, correction: 3, beta: 0.5 },
      { people: 8, seats: 3, steps: 5, interventions: [{ name: 'notice', when: { from: 2 }, tell: 'It may not be true.' }] },
      {
        edges: [
          [0, 1],
          [1, 2],
        ],
        people: 3,
        seats: 3,
        from: 2,
      },
    ],
    turns: 12 * 4,
    complete: true,
  },
  parameters: { ...parameters, ...laterParameters },
  task(input) {
    const { interventions, ...task } = readTask('network', { ...parameters, ...laterParameters }, input);
    if (task.seats > task.people)
      throw new Fault('input', `network: "seats" can be at most the number of people, ${task.people}, but got ${task.seats}.`);
    if (task.from > task.people)
      throw new Fault('input', `network: "from" can be at most the number of people, ${task.people}, but got ${task.from}.`);
    if (task.edges !== null) graphOf(task.people, edgesIn(task.edges));
    const planned = readInterventions(interventions, 'network', { seats: seatsOf(task), measures: ['reached', 'share', 'step'] });
    return planned.length === 0 ? task : { ...task, interventions: planned };
  },
  seats: (task) => seatsOf(task),

  start(task, rng) {
    const graph =
      task.edges === null ? makeGraph(task.graph as GraphName, task.people, task.degree, rng) : graphOf(task.people, edgesIn(task.edges));
    const status = Array.from({ length: task.people }, (_, person): number => (person < task.from ? states.active : states.unaware));
    const observation = Object.fromEntries(
      seatsOf(task).flatMap((seat, i) => (i < task.from ? [[seat, { state: states.active, by: -1 }]] : [])),
    );
    const plain = { offsets: Array.from(graph.offsets), targets: Array.from(graph.targets) };
    const state: State = {
      task,
      key: rng.int(2 ** 31),
      graph: plain,
      step: 0,
      status,
      curve: [task.from],
      told: observation,
      over: false,
      ...nothingHeld,
    };
    return onward(
      state,
      seatsOf(task).map((seat, i) => rulesFor(seat, i, state)),
    );
  },

  step(state, actions) {
    const gathered = gather(state, actions, { asks: asksOf(state), read: readChoice, tries: state.task.retries });
    if (!gathered.done) {
      const { holding, messages, asks, penalties } = gathered;
      return { state: { ...state, ...holding }, messages, asks, penalties };
    }
    const forfeits = Object.entries(gathered.moves).filter(([, move]) => move === null);
    const messages = forfeits.map(([seat]): Message => ({ to: [seat], text: `${forfeitText(seat)} You tell nobody.` }));
    const silent = new Set(
      seatsOf(state.task).flatMap((seat, i) => (seat in gathered.moves && gathered.moves[seat] !== 'share' ? [i] : [])),
    );
    const { next, note } = advanceStep({ ...state, ...nothingHeld }, silent);
    return onward(next, [...messages, note]);
  },

  knows({ step, told, over, curve, held, task, graph, notices }, seat) {
    const i = seatsOf(task).indexOf(seat);
    const ownEntry = told[seat] ?? null;
    return {
      own: ownEntry,
      step: ownEntry === null && !over ? null : step,
      over,
      reached: over ? (curve.at(-1) as number) : null,
      held: held[seat] ?? null,
      near: neighbours(graph, i),
      ...(notices === undefined ? {} : { notices: notices[seat] ?? [] }),
    };
  },

  scripts: {
    share: () => ({ text: '[share]' }),
    keep: () => ({ text: '[keep]' }),
    coin: ({ rng }: { readonly rng: Rng }) => ({ text: rng.int(2) === 0 ? '[share]' : '[keep]' }),
  },
};

function seatsOf({ seats }: Pick<Task, 'seats'>): readonly Seat[] {
  return Array.from({ length: seats }, (_, i) => `person-${i + 1}`);
}

function edgesIn(edges: Json): readonly (readonly [number, number])[] {
  if (!Array.isArray(edges) || !edges.every((edge) => Array.isArray(edge) && edge.length === 2))
    throw new Fault(
      'input',
      `network: "edges" must be pairs of people, numbered from 0, such as [[0, 1], [1, 2]], but got ${JSON.stringify(edges).slice(0, 80)}.`,
    );
  return edges;
}

function neighbours({ offsets, targets }: PeopleGraph, person: number): readonly number[] {
  return Array.from({ length: offsets[person + 1] - offsets[person] }, (_, i) => targets[offsets[person] + i]);
}

/** Returns the people who have something to tell: the news, or its correction. */
function spreadersOf(status: readonly number[]): readonly number[] {
  return status.flatMap((value, person) => (value === states.active || value === states.corrected ? [person] : []));
}

function asksOf(state: State): readonly Ask[] {
  return seatsOf(state.task).flatMap((seat, i) => {
    const ownStatus = state.status[i];
    return ownStatus === states.active || ownStatus === states.corrected ? [{ seat, choices: ['[share]', '[keep]'] }] : [];
  });
}

function readChoice(action: Action, ask: Ask) {
  const read = choose(action, ask.choices as readonly string[]);
  return read.ok ? { ok: true as const, move: read.move === '[share]' ? ('share' as const) : ('keep' as const) } : read;
}

/** Advances everyone by one step. */
function advanceStep(state: State, silent: ReadonlySet<number>): { readonly next: State; readonly note: Message } {
  const { task, graph, step, key } = state;
  const status = [...state.status];
  const observation = { ...state.told };
  let reached = state.curve.at(-1) as number;
  const rules = { model: task.model as SpreadModel, beta: task.beta, gamma: task.gamma, threshold: task.threshold, key };
  const isCorrected = task.model === 'rumour' && task.correction > 0 && task.correction === step + 1;
  const last = task.people - 1;
  const changes: readonly SpreadChange[] = [
    ...spreadChanges(graph, state.status, { spreaders: spreadersOf(state.status), step, rules, silent }),
    ...(isCorrected ? [{ person: last, state: states.corrected, by: -1 }] : []),
  ];
  for (const { person, state: becomes, by } of changes) {
    if (status[person] === states.unaware && becomes === states.active) reached++;
    status[person] = becomes;
    const seat = seatsOf(task)[person];
    if (seat !== undefined) observation[seat] = { state: becomes, by };
  }
  const next: State = { ...state, step: step + 1, status, told: observation, curve: [...state.curve, reached] };
  // Stores only changes.
  const note: Message = {
    to: [],
    text: `step ${step + 1}`,
    data: { step: step + 1, reached, changed: changes.map(({ person, state: value, by }) => [person, value, by]) },
  };
  return { next, note };
}

/** Applies the rules until a seat has a decision or the episode is over, and asks. */
function onward(from: State, before: readonly Message[]): Step<State> {
  const messages = [...before];
  let state = from;
  while (state.step < state.task.steps && asksOf(state).length === 0 && canChange(state)) {
    const { next, note } = advanceStep(state, new Set());
    messages.push(note);
    state = next;
  }
  const seats = seatsOf(state.task);
  if (state.step >= state.task.steps || !canChange(state)) {
    const over: State = { ...state, over: true };
    const reached = state.curve.at(-1) as number;
    const end: Message = {
      to: seats,
      text: `It is over after ${state.step} steps: ${reached} of ${state.task.people} people have heard that ${state.task.news}.`,
    };
    const counts = Object.fromEntries(
      Object.entries(states).map(([name, code]) => [name, state.status.filter((value) => value === code).length]),
    );
    const note: Message = { to: [], text: 'measures', data: { measures: { curve: state.curve, reached, steps: state.step, ...counts } } };
    return { state: over, messages: [...messages, end, note], asks: [] };
  }
  const asks = asksOf(state);
  const { next, happening } = intervene(
    state,
    asks.map(({ seat }) => seat),
  );
  return { state: next, messages: [...messages, ...happening, ...asks.map(({ seat }) => questionFor(seat, next))], asks };
}

/** Triggers events before the seats decide. Only seats with a decision are informed; messages for others wait. */
function intervene(state: State, present: readonly Seat[]): { readonly next: State; readonly happening: readonly Message[] } {
  const { task, curve, step } = state;
  if (task.interventions === undefined) return { next: state, happening: [] };
  const planned = (task.interventions as readonly Intervention[]).filter(
    ({ to }) => to.length === 0 || to.some((seat) => present.includes(seat)),
  );
  const reached = curve.at(-1) as number;
  const measures = { reached, share: reached / task.people, step: step + 1 };
  const { due, history } = dueInterventions(planned, state.happened ?? {}, { step: step + 1, said: [], measures });
  const happening = interventionMessages(due, present, step + 1).map((message) => ({
    ...message,
    to: message.to.filter((seat) => present.includes(seat)),
  }));
  const notices = { ...state.notices };
  for (const { name, to } of due)
    for (const seat of present) if (to.length === 0 || to.includes(seat)) notices[seat] = [...(notices[seat] ?? []), `${step + 1} ${name}`];
  return { next: { ...state, happened: history, notices }, happening };
}

function canChange({ task, status, step }: State): boolean {
  return spreadersOf(status).length > 0 || (task.model === 'rumour' && task.correction > step);
}

function questionFor(seat: Seat, { task, told, step }: State): Message {
  const { state: seatState, by } = told[seat] ?? { state: states.active, by: -1 };
  const whom = by < 0 ? 'You know of yourself' : `You have heard from person-${by + 1}`;
  const what = seatState === states.corrected ? `that it is not true that ${task.news}` : `that ${task.news}`;
  return { to: [seat], text: `Step ${step + 1} of ${task.steps}. ${whom} ${what}. Do you tell the people you know?` };
}

function rulesFor(seat: Seat, i: number, { task, graph }: State): Message {
  const near = neighbours(graph, i).map((person) => `person-${person + 1}`);
  const visibleText = near.length > 12 ? `${near.slice(0, 12).join(', ')} and ${near.length - 12} more` : near.join(', ') || 'nobody';
  return {
    to: [seat],
    text: [
      `You are ${seat}, one of ${task.people} people. You know ${visibleText}.`,
      'When you have heard some news, you are asked in every step whether you tell it. Each person you know then hears it with some chance.',
      'Answer with exactly one move in square brackets: [share] or [keep].',
    ].join('\n'),
  };
}
