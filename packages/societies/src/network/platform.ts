/**
 * @file A platform: people post, reply, follow, and unfollow each other on a network, and a rule decides what each of them sees. Most act
 * by rule. Some are seats, which come and go: a seat is asked only in steps in which it is online.
 */

import type { Intervention, InterventionHistory } from '@ludus-agents/environments/internal/interventions';
import { dueInterventions, interventionMessages, readInterventions } from '@ludus-agents/environments/internal/interventions';
import { talkOf } from '@ludus-agents/environments/internal/together';
import type { Action, Ask, Environment, Message, Seat, Step, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { choose, Fault, forfeitText, parameter, readTask, retries } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { gather, type Holding, nothingHeld } from '@ludus-agents/kernel/internal/core/simultaneous';
import { type GraphName, graphNames, makeGraph } from './graph.ts';
import { cascadeFigures, externalInternal, modularity, opinionFigures } from './measures.ts';
import type { PlatformAct, PlatformPost, PlatformRules, PlatformStep, PlatformWorld, Recommender } from './platform-rules.ts';
import { advancePlatform, isOnline, recommenders, recommendFor, seedPlatform, subjects } from './platform-rules.ts';
import { throwAt } from './spread.ts';

const parameters = {
  people: parameter.integer({ min: 4, max: 5000, default: 40, description: 'people on the platform' }),
  seats: parameter.integer({ min: 1, max: 25, default: 3, description: 'people who decide for themselves' }),
  graph: parameter.choice({ options: graphNames, default: 'small-world', description: 'who follows whom at the start' }),
  degree: parameter.integer({ min: 1, max: 50, default: 4, description: 'average number of people that a person follows at the start' }),
  steps: parameter.integer({ min: 1, max: 200, default: 8, description: 'steps to play' }),
  activity: parameter.number({ min: 0, max: 1, default: 0.5, description: 'probability that a person is online in a step' }),
  recommend: parameter.choice({
    options: recommenders,
    default: 'following',
    description: 'how posts are chosen: from followed people, by likes, by similar opinion, or at random',
  }),
  shown: parameter.integer({ min: 1, max: 10, default: 4, description: 'posts shown to a person in a step' }),
  confidence: parameter.number({
    min: 0,
    max: 2,
    default: 0.5,
    description: 'maximum distance at which an opinion still attracts; opinions are from −1 to 1',
  }),
  pull: parameter.number({ min: 0, max: 1, default: 0.3, description: 'how strongly close opinions attract' }),
  post: parameter.number({ min: 0, max: 1, default: 0.4, description: 'probability of posting when online' }),
  reply: parameter.number({ min: 0, max: 1, default: 0.2, description: 'probability of replying to a distant opinion' }),
  follow: parameter.number({
    min: 0,
    max: 1,
    default: 0.1,
    description: 'probability of following people with close opinions, and unfollowing distant ones',
  }),
  topic: parameter.string({ default: 'closing the old bridge', description: 'the topic of the opinions' }),
  rumour: parameter.string({
    default: 'the mayor has sold the bridge',
    description: 'a rumor that the last person starts; empty for none',
  }),
  correction: parameter.integer({
    min: 0,
    max: 200,
    default: 0,
    description: 'the step at which the second-to-last person denies it; 0 for never',
  }),
  beta: parameter.number({
    min: 0,
    max: 1,
    default: 0.3,
    description: 'probability of passing on the rumor or its correction',
  }),
  interventions: parameter.json({
    default: null,
    description: 'text shown to seats when conditions hold; available measures: reached, share, variance, step',
  }),
  retries,
} as const;

type Task = TaskOf<typeof parameters>;

type Move = { readonly do: PlatformAct['do']; readonly at: number; readonly opinion: number; readonly text: string };

type State = Holding<Move> & {
  readonly task: Task;
  readonly key: number;
  /** The number of steps played, from 0. */
  readonly step: number;
  readonly world: PlatformWorld;
  /** The number of people who have heard the rumor, before the first step and after each step. */
  readonly curve: readonly number[];
  readonly variances: readonly number[];
  readonly replies: number;
  readonly across: number;
  /** The messages to each online seat in this step. */
  readonly told: { readonly [seat: Seat]: readonly string[] };
  readonly happened: InterventionHistory;
  readonly summary: string;
};

export const platform: Environment<State, Task> = {
  id: 'platform@1',
  about: {
    unpaid: true,
    summary:
      'People with opinions post, like, reply, share, follow, and unfollow on a platform, and a recommender decides what each one sees. Most act by rules: close opinions attract them, distant ones repel them. A few are seats, which go online and offline and choose one action per step online. A rumor can spread and be corrected. There is no reward; opinions, camps, replies across camps, and the spread of the rumor are stored in notes.',
    tasks: [
      {},
      { people: 8, seats: 2, recommend: 'popular', activity: 1, steps: 4, correction: 2 },
      { people: 12, seats: 3, recommend: 'similar', steps: 5, interventions: [{ name: 'notice', when: { from: 2 }, tell: 'Be kind.' }] },
      { people: 6, seats: 6, recommend: 'random', rumour: '', shown: 2, steps: 4 },
    ],
    turns: 8 * 4,
  },
  parameters,
  task(input) {
    const task = readTask('platform', parameters, input);
    if (task.seats > task.people)
      throw new Fault('input', `platform: "seats" can be at most the number of people, ${task.people}, but got ${task.seats}.`);
    const interventions = readInterventions(task.interventions, 'platform', {
      seats: seatsOf(task),
      measures: ['reached', 'share', 'variance', 'step'],
    });
    return { ...task, interventions: interventions.length === 0 ? null : interventions };
  },
  seats: (task) => seatsOf(task),

  start(task, rng) {
    const key = rng.int(2 ** 31);
    const { offsets, targets } = makeGraph(task.graph as GraphName, task.people, task.degree, rng);
    const everybody = Array.from({ length: task.people }, (_, person) => person);
    const empty: PlatformWorld = {
      opinion: everybody.map((person) => Math.round((2 * throwAt(key, -1, person) - 1) * 1e6) / 1e6),
      follows: everybody.map((person) =>
        Array.from({ length: offsets[person + 1] - offsets[person] }, (_, i) => targets[offsets[person] + i]),
      ),
      ...{ belief: everybody.map(() => 0), posts: [], next: 0, passed: [] },
    };
    const world = task.rumour === '' ? empty : seedPlatform(empty, { by: task.people - 1, step: 0, subject: subjects.rumour });
    const state: State = {
      ...{ task, key, step: 0, world, curve: [world.passed.length], variances: [opinionFigures(world.opinion).variance] },
      ...{ replies: 0, across: 0, told: {}, happened: {}, summary: '', ...nothingHeld },
    };
    return onward(
      state,
      seatsOf(task).map((seat) => ({ to: [seat], text: rulesFor(seat, state) })),
    );
  },

  step(state, actions) {
    const asks = asksOf(state);
    const gathered = gather(state, actions, { asks, read: readChoice, tries: state.task.retries });
    if (!gathered.done) {
      const { holding, messages, asks: again, penalties } = gathered;
      return { state: { ...state, ...holding }, messages, asks: again, penalties };
    }
    const messages = Object.entries(gathered.moves)
      .filter(([, move]) => move === null)
      .map(([seat]): Message => ({ to: [seat], text: `${forfeitText(seat)} You do nothing.` }));
    const { next, note } = advanceStep({ ...state, ...nothingHeld }, gathered.moves);
    return onward(next, [...messages, note]);
  },

  knows: ({ task, told, step, held, summary, world }, seat) => ({
    told: told[seat] ?? null,
    step: told[seat] === undefined ? null : step,
    opinion: world.opinion[seatsOf(task).indexOf(seat)],
    held: held[seat] ?? null,
    summary,
  }),

  scripts: {
    /** Only reads. */
    reader: () => ({ text: '[pass]' }),
    /** Acts at random. */
    anything: ({ ask, rng }) => ({ text: rng.pick(ask.choices ?? ['[pass]']) }),
    /** Shares whatever comes first, and posts in favor if there is nothing to share. */
    sharer: ({ ask }) => ({ text: ask.choices?.includes('[share 1]') === true ? '[share 1]' : '[post for] I am for it.' }),
  },
};

function seatsOf({ seats }: Pick<Task, 'seats'>): readonly Seat[] {
  return Array.from({ length: seats }, (_, i) => `person-${i + 1}`);
}

function rulesOf({ task, key }: Pick<State, 'task' | 'key'>): PlatformRules {
  const { activity, shown, confidence, pull, post, reply, follow, beta } = task;
  return { key, activity, recommend: task.recommend as Recommender, shown, confidence, pull, post, reply, follow, beta };
}

/** Returns the online seats, with their feeds. */
function feedsOf(state: State): readonly { readonly seat: Seat; readonly feed: readonly PlatformPost[] }[] {
  const feedOf = recommendFor(state.world, rulesOf(state), state.step);
  return seatsOf(state.task).flatMap((seat, person) =>
    isOnline(rulesOf(state), state.step, person) ? [{ seat, feed: feedOf(person) }] : [],
  );
}

function asksOf(state: State): readonly Ask[] {
  return feedsOf(state).map(({ seat, feed }) => ({
    seat,
    choices: [
      '[post for]',
      '[post against]',
      ...feed.flatMap((_, i) => ['like', 'share', 'reply', 'follow', 'leave'].map((verb) => `[${verb} ${i + 1}]`)),
      '[pass]',
    ],
  }));
}

function readChoice(action: Action, ask: Ask) {
  const read = choose(action, ask.choices as readonly string[]);
  if (!read.ok) return read;
  const [verb, which = ''] = read.move.slice(1, -1).split(' ') as [PlatformAct['do'], string?];
  const text = talkOf(action.text.replace(linear(/\[[^\]]*\]/), ' ')).slice(0, 280);
  const opinion = which === 'for' ? 0.75 : which === 'against' ? -0.75 : 0;
  return { ok: true as const, move: { do: verb, at: Number(which) || 0, opinion, text } };
}

/** Advances everyone by one step. */
function advanceStep(state: State, moves: Readonly<Record<Seat, Move | null>>): { readonly next: State; readonly note: Message } {
  const { task, step } = state;
  const seats = seatsOf(task);
  const acts = new Map<number, PlatformAct>();
  for (const { seat, feed } of feedsOf(state)) {
    const move = moves[seat] ?? null;
    if (move === null) continue;
    const post = feed[move.at - 1];
    if (move.do === 'post') acts.set(seats.indexOf(seat), { do: 'post', opinion: move.opinion, text: move.text });
    else if (move.do !== 'pass' && post !== undefined) acts.set(seats.indexOf(seat), { do: move.do, post, text: move.text });
  }
  const { world: moved, figures }: PlatformStep = advancePlatform(state.world, rulesOf(state), {
    step,
    acts,
    decide: (person) => person < task.seats,
  });
  const isCorrected = task.rumour !== '' && task.correction === step + 1;
  const world = isCorrected ? seedPlatform(moved, { by: task.people - 2, step, subject: subjects.correction }) : moved;
  // A person who hears the correction before the rumor was never reached by the rumor.
  const isNew = (value: number, person: number) => value === subjects.rumour && state.world.belief[person] === subjects.topic;
  const reached = state.curve[state.curve.length - 1] + world.belief.filter(isNew).length;
  const { variance } = opinionFigures(world.opinion);
  const next: State = {
    ...state,
    ...{ step: step + 1, world, curve: [...state.curve, reached], variances: [...state.variances, variance] },
    ...{ replies: state.replies + figures.replies, across: state.across + figures.across, told: {} },
  };
  // Stores only changes: measures, and who passed the rumor on.
  const passed = world.passed.slice(state.world.passed.length);
  const data = { step: step + 1, ...figures, reached, variance: Number(variance.toFixed(6)), passed };
  return { next, note: { to: [], text: `step ${step + 1}`, data } };
}

/** Applies the rules until a seat is online or the episode is over, and asks. */
function onward(from: State, before: readonly Message[]): Step<State> {
  const messages = [...before];
  let state = from;
  while (state.step < state.task.steps && asksOf(state).length === 0) {
    const { next, note } = advanceStep(state, {});
    messages.push(note);
    state = next;
  }
  if (state.step >= state.task.steps) return finish(state, messages);
  const online = feedsOf(state);
  const present = online.map(({ seat }) => seat);
  // Interventions for people who are offline wait until one of them is online.
  const planned = ((state.task.interventions ?? []) as readonly Intervention[]).filter(
    ({ to }) => to.length === 0 || to.some((seat) => present.includes(seat)),
  );
  const { due, history } = dueInterventions(planned, state.happened, {
    step: state.step + 1,
    said: state.world.posts.filter(({ step, text }) => step === state.step - 1 && text !== '').map(({ text }) => text),
    measures: {
      ...{ reached: state.curve[state.curve.length - 1], share: state.curve[state.curve.length - 1] / state.task.people },
      ...{ variance: state.variances[state.variances.length - 1], step: state.step + 1 },
    },
  });
  const happening = interventionMessages(due, seatsOf(state.task), state.step + 1).map((message) => ({
    ...message,
    to: message.to.filter((seat) => present.includes(seat)),
  }));
  const observations = online.map(({ seat, feed }): readonly [Seat, readonly string[]] => [
    seat,
    [...due.filter(({ to }) => to.length === 0 || to.includes(seat)).map(({ tell }) => tell), feedText(feed, state)],
  ]);
  const next: State = { ...state, happened: history, told: Object.fromEntries(observations) };
  const feeds = online.map(({ seat, feed }): Message => ({ to: [seat], text: feedText(feed, state) }));
  return { state: next, messages: [...messages, ...happening, ...feeds], asks: asksOf(next) };
}

function finish(state: State, messages: readonly Message[]): Step<State> {
  const { task, world, curve, variances, replies, across } = state;
  const ties = world.follows.flatMap((list, person) => list.map((other) => [person, other] as const));
  const campOf = (person: number) => (world.opinion[person] < 0 ? 0 : 1);
  const opinions = opinionFigures(world.opinion);
  const rounded = (figures: object) =>
    Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number((value as number).toFixed(6))]));
  const measures = {
    ...{
      curve,
      reached: curve[curve.length - 1],
      corrected: world.belief.filter((value) => value === subjects.correction).length,
      people: task.people,
    },
    ...rounded({
      ...opinions,
      varianceAtStart: variances[0],
      modularity: modularity(ties, campOf),
      externalInternal: externalInternal(ties, campOf),
    }),
    ...rounded({ acrossShare: replies === 0 ? 0 : across / replies, ...cascadeFigures(world.passed) }),
  };
  const summary = `It is over after ${state.step} steps. ${Math.round(100 * opinions.for)} % are clearly for ${task.topic}, ${Math.round(100 * opinions.against)} % against.`;
  return {
    state: { ...state, told: {}, summary },
    messages: [...messages, { to: seatsOf(task), text: summary }, { to: [], text: 'measures', data: { measures } }],
    asks: [],
  };
}

const stances: readonly (readonly [number, string])[] = [
  [-0.5, 'strongly against'],
  [-0.1, 'rather against'],
  [0.1, 'undecided about'],
  [0.5, 'rather for'],
  [Infinity, 'strongly for'],
];

function stanceOf(opinion: number): string {
  return stances.find(([below]) => opinion < below)?.[1] ?? 'for';
}

/** Returns the text of a post: its own words, or a text for its author's opinion. */
function postText({ by, opinion, kind, subject, to, text, likes }: PlatformPost, { topic, rumour }: Task): string {
  const about =
    subject === subjects.rumour
      ? `Have you heard? ${rumour}!`
      : subject === subjects.correction
        ? `It is not true that ${rumour}.`
        : `I am ${stanceOf(opinion)} ${topic}.`;
  const how = kind === 'reply' ? ` answers person-${to + 1}` : kind === 'share' ? ` passes on person-${to + 1}` : '';
  return `person-${by + 1}${how}: ${text === '' ? about : text}${likes > 0 ? ` (${likes} likes)` : ''}`;
}

function feedText(feed: readonly PlatformPost[], { task, step }: State): string {
  const lines = feed.map((post, i) => `[${i + 1}] ${postText(post, task)}`);
  const head = `Step ${step + 1} of ${task.steps}. You are online.`;
  return [head, ...(lines.length === 0 ? ['There is nothing new for you.'] : lines), 'What do you do?'].join('\n');
}

function rulesFor(seat: Seat, { task, world }: State): string {
  const person = seatsOf(task).indexOf(seat);
  return [
    `You are ${seat} on a platform of ${task.people} people. So far you are ${stanceOf(world.opinion[person])} ${task.topic}.`,
    'You are not online in every step. When you are, you are shown some posts and do one thing: [post for], [post against], or with the number of a post [like 1], [share 1], [reply 1], [follow 1] its author or [leave 1] its author; or [pass].',
    'Answer with exactly one move in square brackets; what you write besides is the text of your post or answer.',
  ].join('\n');
}
