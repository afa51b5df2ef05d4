/**
 * @file A recommender and its users: lists by genre for a user who tires and leaves, or clickbait that earns now and lowers later
 * satisfaction.
 */

import type { Ask, Json, Message, MoveOutcome, Rng, Seat, TaskOf, TaskState } from '@ludus-agents/kernel/internal/core/index';
import { defineEnvironment, Fault, parameter, retries } from '@ludus-agents/kernel/internal/core/index';
import { splitParameter } from '../grid.ts';
import { clickbaitUsers, defaultUser, drawUser, expose } from './clickbait.ts';
import { allLists, clicked, drawFeedUser, type FeedRules, type FeedUser, freshUser, isLeaving, usualTiring, walk } from './feed.ts';
import { candidatesOf, drawPerson, type FeedPeople, type FeedSetting, genreNames, peopleOf } from './people.ts';
import { type ClickbaitOutlook, type FeedOutlook, scripts } from './scripts.ts';
import { inferWorth } from './simulators.ts';

const parameters = {
  world: parameter.choice({
    options: ['feed', 'clickbait'],
    default: 'feed',
    description: 'lists for a user who tires, or clickbait that wears out',
  }),
  people: parameter.json({ default: null, description: 'feed: your users, with their interest in each genre' }),
  filter: parameter.boolean({ default: true, description: 'feed: leave out simulators of your users that do not predict held-out clicks' }),
  infer: parameter.choice({
    options: ['off', 'clicks', 'shuffled'],
    default: 'off',
    description:
      'feed: tell the recommender what clicks say about your user, instead of the latest clicks; “shuffled” mixes up the genres every time',
  }),
  genres: parameter.integer({ min: 2, max: 4, default: 3, description: 'feed: number of genres' }),
  list: parameter.integer({ min: 1, max: 3, default: 2, description: 'feed: number of items in a list' }),
  lists: parameter.integer({ min: 1, max: 100, default: 20, description: 'feed: maximum number of lists' }),
  fatigue: parameter.choice({
    options: ['genre', 'global'],
    default: 'genre',
    description: 'feed: whether users tire of one genre or of everything',
  }),
  taste: parameter.choice({ options: ['drawn', 'even'], default: 'drawn', description: 'feed: interests by genre, or the same in all' }),
  patience: parameter.integer({ min: 1, max: 10, default: 3, description: 'feed: number of previous lists that affect patience' }),
  threshold: parameter.number({ min: 0, max: 1, default: 0.35, description: 'feed: average value that these lists must have' }),
  steps: parameter.integer({ min: 1, max: 200, default: 60, description: 'clickbait: number of items to show' }),
  users: parameter.choice({
    options: ['set', 'default'],
    default: 'set',
    description: 'clickbait: one of 27 simulated users, or the usual one, for whom greedy play is best',
  }),
  told: parameter.boolean({ default: false, description: 'tell the recommender who the user is' }),
  split: splitParameter,
  retries,
} as const;

/** Without "people" and related fields if users are drawn at random, so that tasks of old logs stay unchanged. */
type Task = Omit<TaskOf<typeof parameters>, 'people' | 'filter' | 'infer'> & {
  readonly people?: Json;
  readonly filter?: false;
  readonly infer?: 'clicks' | 'shuffled';
};

const namesOf = ({ people }: Task) => genreNames(peopleOf(people));

type State = TaskState<Feed, Task>;
type Feed = {
  /** Clickbait: the user (−1 for the default one), its exposure, the shown items, and its answers. */
  readonly who: number;
  readonly exposure: number;
  readonly shown: readonly number[];
  readonly answers: readonly number[];
  /** Feed: the user, the shown lists with clicks, and the user's request. */
  readonly user: FeedUser | null;
  readonly past: readonly (readonly [readonly number[], readonly boolean[]])[];
  readonly worth: readonly number[];
  readonly wish: number | null;
  readonly waiting: boolean;
  readonly over: boolean;
};

const recommenderSeat: Seat = 'recommender';
const userSeat: Seat = 'user';
const feedSeats = [recommenderSeat, userSeat];
const alone = [recommenderSeat];
const tenths = Array.from({ length: 11 }, (_, i) => `[show ${i}]`);
/** Distance from the threshold at which a user starts to make requests. */
const doubt = 0.08;

export const recommender = defineEnvironment({
  id: 'recommender@1',
  about: {
    summary:
      'A recommender shows lists of genres to a user whose interests are hidden. Each showing of a genre makes the user tired of it. If the latest lists offer too little, the user leaves, and may first say what it wants. The recommender is paid for every list after which the user stays, the user for the value of the lists; both seats can be trained. In the world “clickbait”, one of 27 simulated users reacts to sober and sensational items: bait pays now and costs later, so it helps to find out which user it is. Some of the users are held out.',
    tasks: [
      {},
      { world: 'clickbait', steps: 12 },
      { genres: 2, list: 1, told: true, lists: 8 },
      { world: 'clickbait', users: 'default', told: true, steps: 5 },
    ],
    turns: 40 * 3 + 4,
    complete: true,
    words: ['list', 'show', 'stay', 'leave'],
  },
  parameters,
  task({ people, filter, infer, ...task }): Task {
    if (people === null) {
      if (!filter || infer !== 'off') throw new Fault('input', 'recommender: "filter" and "infer" need "people". Set "people".');
      return task;
    }
    const read = peopleOf(people);
    if (task.world !== 'feed') throw new Fault('input', 'recommender: "people" use a feed. Remove "world".');
    if (read !== null && read.genres.length !== task.genres)
      throw new Fault('input', `recommender: "people" have ${read.genres.length} genres, but "genres" is ${task.genres}.`);
    return { ...task, people, ...(filter ? {} : { filter }), ...(infer === 'off' ? {} : { infer }) };
  },
  seats: (task) => (task.world === 'feed' ? feedSeats : alone),

  start(task, rng) {
    const isFeed = task.world === 'feed';
    const who = isFeed || task.users === 'default' ? -1 : drawUser(rng, task.split);
    const even = () => freshUser(Array.from({ length: task.genres }, () => 0.6));
    const people = peopleOf(task.people);
    const user = !isFeed
      ? null
      : people !== null
        ? drawPerson(people, rng, task)
        : task.taste === 'even'
          ? even()
          : drawFeedUser(rng, task.genres, task.split);
    const state: Feed = {
      ...{ who, exposure: 0, shown: [], answers: [], user, past: [], worth: [], wish: null },
      ...{ waiting: false, over: false },
    };
    return { state, messages: isFeed ? [feedRules(task, user!), userRules(task, user!)] : [clickbaitRules(task, state)] };
  },

  turn: askOf,

  play(state, move, { rng }) {
    if (state.waiting) return userAnswers(state, move, rng);
    return state.task.world === 'feed' ? showList(state, move) : showItem(state, move);
  },

  forfeit: (state, _, text) => finish(state, [{ to: state.task.world === 'feed' ? feedSeats : alone, text: `${text} The session ends.` }]),

  knows({ task, who, shown, answers, user, past, worth, wish, waiting, over }, seat) {
    const common = { past, wish, waiting, over };
    if (seat === userSeat) return { ...common, user, worth };
    return { ...common, shown, answers, who: task.told ? who : null, user: task.told ? user : null };
  },

  scripts,
});

interface Menu {
  readonly lists: readonly (readonly number[])[];
  readonly choices: readonly string[];
}

const menus = new Map<string, Menu>();

/** Returns every list, as genre indexes and as text. */
function menuOf(task: Task): Menu {
  const { genres: count, list } = task;
  const names = namesOf(task);
  const key = `${list} ${names.slice(0, count).join(' ')}`;
  let menu = menus.get(key);
  if (menu === undefined) {
    const lists = allLists(count, list);
    menu = { lists, choices: lists.map((item) => `[list ${item.map((genre) => names[genre]).join(' ')}]`) };
    menus.set(key, menu);
  }
  return menu;
}

/** Returns the rules of the episode, or those of the user's simulator. */
function rulesOf({ fatigue, patience, threshold, people }: Task, user: FeedUser | null): FeedRules {
  const simulator =
    user?.simulator === undefined ? undefined : ((peopleOf(people) as FeedPeople).simulators as readonly FeedSetting[])[user.simulator];
  if (simulator === undefined) return { fatigue, patience, threshold };
  return { fatigue: simulator.fatigue, tiring: simulator.tiring, patience, threshold };
}

function userOf({ who }: Pick<State, 'who'>) {
  return clickbaitUsers[who] ?? defaultUser;
}

function askOf(state: State): Ask {
  const { task, user, past, wish, shown, answers } = state;
  if (task.world === 'clickbait') {
    const data: ClickbaitOutlook = { shown, answers, steps: task.steps, user: task.told ? userOf(state) : null };
    return { seat: recommenderSeat, choices: tenths, data };
  }
  if (state.waiting) {
    const rules = rulesOf(task, user);
    const { interest, fatigue } = user!;
    const tiring = rules.tiring ?? usualTiring;
    const fresh = interest.map((value, genre) => value - fatigue[rules.fatigue === 'global' ? 0 : genre] * tiring);
    const best = namesOf(task)[fresh.indexOf(Math.max(...fresh))];
    const doubting = wish === null && isLeaving(user!, { ...rules, threshold: rules.threshold + doubt });
    const choices = [
      '[stay]',
      '[leave]',
      ...namesOf(task)
        .slice(0, task.genres)
        .map((genre) => `[more ${genre}]`),
    ];
    return { seat: userSeat, choices, data: { leaving: isLeaving(user!, rules), doubting, favourite: best } };
  }
  const data: FeedOutlook = {
    ...{ choices: task.genres ** task.list, genres: task.genres, length: task.list, past, wish },
    ...{ user: task.told ? user : null, rules: rulesOf(task, task.told ? user : null) },
    ...(task.people === undefined ? {} : { candidates: candidatesFor(task) }),
  };
  return { seat: recommenderSeat, choices: menuOf(task).choices, data };
}

function showItem(state: State, move: string): MoveOutcome<State> {
  const { task, shown, answers } = state;
  const c = tenths.indexOf(move) / 10;
  const { engagement, exposure } = expose(userOf(state), state.exposure, c);
  const next: State = { ...state, exposure, shown: [...shown, c], answers: [...answers, engagement] };
  const message: Message = { to: alone, text: `Engagement ${Math.round(engagement * 1e4) / 1e4}.`, data: { engagement } };
  const rewards = { [recommenderSeat]: engagement };
  if (next.shown.length === task.steps) return { ...finish(next, [message]), rewards };
  return { state: next, messages: [message], rewards };
}

function showList(state: State, move: string): MoveOutcome<State> {
  const { task, user, past } = state;
  const { lists, choices } = menuOf(task);
  const list = lists[choices.indexOf(move)];
  const { user: after, worth } = walk(user!, list, rulesOf(task, user));
  const clicks = worth.map((value) => value >= clicked);
  const next: State = { ...state, user: after, past: [...past, [list, clicks]], worth, waiting: true };
  const names = namesOf(task);
  const items = list.map((genre, i) => `${names[genre]} ${Math.round(100 * worth[i]) / 100}`).join(', ');
  const message: Message = { to: [userSeat], text: `A list, with what each item is worth to you: ${items}.` };
  return { state: next, messages: [message] };
}

function userAnswers(state: State, move: string, rng: Rng): MoveOutcome<State> {
  const { task, past, worth } = state;
  const left = move === '[leave]';
  const wish = /^\[more (\w+)\]$/.exec(move)?.[1];
  const next: State = { ...state, wish: wish === undefined ? null : namesOf(task).indexOf(wish), waiting: false };
  // A list costs the user time, so the user gains only if the list is worth more than this.
  const gained = worth.reduce((sum, value) => sum + value, 0) / worth.length - task.threshold;
  const rewards = { [recommenderSeat]: left ? 0 : 1 / task.lists, [userSeat]: gained / task.lists };
  const lately = task.infer === undefined ? latestClicks(state) : [inferredText(task, past, rng)];
  const message: Message = {
    to: [recommenderSeat],
    from: userSeat,
    text: `${lately.join(' | ')}.${wish === undefined ? '' : ` More ${wish}, please.`}`,
  };
  if (left) return { ...finish(next, [message, { to: feedSeats, text: 'The user leaves.' }]), rewards };
  if (past.length === task.lists) return { ...finish(next, [message, { to: feedSeats, text: 'The session is over.' }]), rewards };
  return { state: next, messages: [message], rewards };
}

function latestClicks({ task, past }: State): readonly string[] {
  const markOf = (isClicked: boolean) => (isClicked ? 'clicked' : 'skipped');
  return past.slice(-2).map(([list, clicks]) => list.map((genre, i) => `${namesOf(task)[genre]} ${markOf(clicks[i])}`).join(', '));
}

const candidatesFor = (task: Task) => candidatesOf(peopleOf(task.people) as FeedPeople, rulesOf(task, null), task.filter);

type Judgment = 'likes' | 'is tired of' | 'dislikes';

/** Returns what the clicks so far imply about each genre. */
function inferJudgments(task: Task, past: Feed['past']): readonly Judgment[] {
  const { interest, worth } = inferWorth(candidatesFor(task), past);
  return worth.map((value, genre) => (value >= clicked ? 'likes' : interest[genre] >= clicked ? 'is tired of' : 'dislikes'));
}

function inferredText(task: Task, past: Feed['past'], rng: Rng): string {
  const inferred = inferJudgments(task, past);
  const judgments = task.infer === 'shuffled' ? rng.shuffle(inferred) : inferred;
  return `By its clicks, the user ${judgments.map((judgment, genre) => `${judgment} ${namesOf(task)[genre]}`).join(', ')}`;
}

/** Returns the share of turns and genres for which the inference was right about what is worth a click. */
function inferenceAccuracy({ task, past, user: final }: State & { readonly user: FeedUser }): number {
  const rules = rulesOf(task, final);
  let user = freshUser(final.interest);
  const hits = past.flatMap(([list], i) => {
    user = walk(user, list, rules).user;
    const judgments = inferJudgments(task, past.slice(0, i + 1));
    return judgments.map((judgment, genre) => (judgment === 'likes') === walk(user, [genre], rules).worth[0] >= clicked);
  });
  return hits.filter(Boolean).length / Math.max(1, hits.length);
}

function finish(state: State, messages: readonly Message[]): MoveOutcome<State> {
  const { task, past, answers, worth, user } = state;
  const clicks = past.flatMap(([, marks]) => marks);
  const measures = {
    kept: past.length / task.lists,
    clicked: clicks.filter(Boolean).length / Math.max(1, clicks.length),
    worth: worth.reduce((sum, value) => sum + value, 0) / Math.max(1, worth.length),
    ...(task.infer !== undefined && user !== null && { inferred: inferenceAccuracy({ ...state, user }) }),
  };
  const data = { session: { lists: past.length, items: answers.length }, ...(task.people === undefined ? {} : { measures }) };
  const note: Message = { to: [], text: 'session', data };
  return { state: { ...state, waiting: false, over: true }, messages: [...messages, note], over: true };
}

function feedRules(task: Task, user: FeedUser): Message {
  const knownText = task.told
    ? ` The user’s interests: ${user.interest.map((value, i) => `${namesOf(task)[i]} ${value}`).join(', ')}.`
    : '';
  const text = `You recommend to one user. Show lists of ${task.list} from ${namesOf(task).slice(0, task.genres).join(', ')}, as one move in square brackets, like ${menuOf(task).choices[0]}. You learn what was clicked. Every showing tires the user of ${task.fatigue === 'genre' ? 'its genre' : 'everything'}, rest helps; whoever gets too little leaves. You are paid for every list after which the user stays, up to ${task.lists}.${knownText}`;
  return { to: [recommenderSeat], text };
}

function userRules(task: Task, user: FeedUser): Message {
  const text = `You use a feed. Your interests: ${user.interest.map((value, i) => `${namesOf(task)[i]} ${value}`).join(', ')}. After each list answer [stay], [leave], or ask for something: [more ${namesOf(task)[0]}]. You are paid what the lists are worth to you, less ${task.threshold} for your time.`;
  return { to: [userSeat], text };
}

function clickbaitRules(task: Task, state: Feed): Message {
  const { gamma, sensitivity, choc, kale } = userOf(state);
  const knownText = task.told
    ? ` This user: memory ${gamma}, sensitivity ${sensitivity}, bait brings ${choc}, sober items bring ${kale}.`
    : '';
  const text = `You show ${task.steps} items to one user, each somewhere between sober, [show 0], and all clickbait, [show 10]. Bait brings more now and wears the user’s satisfaction down; sober items build it up. You are paid the engagement.${knownText} Answer with exactly one move in square brackets.`;
  return { to: alone, text };
}
