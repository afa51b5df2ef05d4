/**
 * @file A rule-based platform: people come online, see posts, are drawn toward similar opinions, reply to distant ones, follow and unfollow
 * each other, and pass on a rumor or its correction. All act simultaneously on the state at the start of the step.
 *
 * Every random number depends only on its key, step, and person, so two simulations that differ in one thing draw the same numbers
 * everywhere else.
 */

import { throwAt } from './spread.ts';

export const recommenders = ['following', 'popular', 'similar', 'random'] as const;
export type Recommender = (typeof recommenders)[number];

/** The subject of a post: the topic itself, a rumor, or its correction. */
export const subjects = { topic: 0, rumour: 1, correction: 2 } as const;

export type PlatformPost = {
  readonly id: number;
  readonly by: number;
  readonly step: number;
  /** The author's opinion at the time, from −1 (against) to 1 (for). */
  readonly opinion: number;
  readonly kind: 'post' | 'reply' | 'share';
  readonly subject: number;
  /** The author of the message that it replies to or reposts; −1 if there is none. */
  readonly to: number;
  readonly likes: number;
  readonly text: string;
};

export type PlatformWorld = {
  readonly opinion: readonly number[];
  readonly follows: readonly (readonly number[])[];
  /** Whether a person has not heard the rumor, believes it, or knows its correction. */
  readonly belief: readonly number[];
  /** Posts of the latest steps, oldest first. */
  readonly posts: readonly PlatformPost[];
  readonly next: number;
  /** Who passed the rumor on, and after whom. */
  readonly passed: readonly (readonly [number, number])[];
};

export interface PlatformRules {
  readonly key: number;
  readonly activity: number;
  readonly recommend: Recommender;
  /** The number of posts shown to a person. */
  readonly shown: number;
  /** The maximum distance of an opinion that still attracts. */
  readonly confidence: number;
  /** How far a person is drawn toward the shown opinions. */
  readonly pull: number;
  readonly post: number;
  readonly reply: number;
  readonly follow: number;
  /** The probability of passing on a shown rumor or correction. */
  readonly beta: number;
}

/** The action of a deciding person in one step. */
export type PlatformAct =
  | { readonly do: 'post'; readonly opinion: number; readonly text: string }
  | { readonly do: 'reply' | 'share'; readonly post: PlatformPost; readonly text: string }
  | { readonly do: 'like' | 'follow' | 'leave'; readonly post: PlatformPost }
  | { readonly do: 'pass' };

export interface PlatformStep {
  readonly world: PlatformWorld;
  readonly figures: {
    readonly online: number;
    readonly posts: number;
    readonly replies: number;
    /** Replies to people of the other camp. */
    readonly across: number;
    readonly follows: number;
    readonly leaves: number;
  };
}

/** The number of steps that posts last, and the number of posts considered if everyone could be shown any of them. */
const lifetime = 6;
const pool = 160;

const salts = { online: 0x1, post: 0x2, reply: 0x3, follow: 0x4, share: 0x5, rank: 0x6 } as const;

function chance(key: number, salt: keyof typeof salts, step: number, person: number): number {
  return throwAt(key ^ Math.imul(salts[salt], 0x27d4eb2f), step, person);
}

export function isOnline(rules: Pick<PlatformRules, 'key' | 'activity'>, step: number, person: number): boolean {
  return chance(rules.key, 'online', step, person) < rules.activity;
}

/** Returns the recommendations of a step as a function of the person. */
export function recommendFor(world: PlatformWorld, rules: PlatformRules, step: number): (person: number) => readonly PlatformPost[] {
  const { recommend, shown, key } = rules;
  if (recommend === 'following') {
    const byAuthor = Map.groupBy(world.posts, ({ by }) => by);
    return (person) =>
      world.follows[person]
        .flatMap((author) => byAuthor.get(author) ?? [])
        .sort((a, b) => b.id - a.id)
        .slice(0, shown);
  }
  // Two steps of age offset ten times as many likes.
  const heat = ({ likes, step: at }: PlatformPost) => Math.log10(Math.max(1, likes)) + (at - step) / 2;
  if (recommend === 'popular') {
    const hottest = world.posts.toSorted((a, b) => heat(b) - heat(a) || a.id - b.id).slice(0, shown + 1);
    return (person) => hottest.filter(({ by }) => by !== person).slice(0, shown);
  }
  const platformPosts = world.posts
    .map((post) => ({ post, at: chance(key, 'rank', step, post.id) }))
    .sort((a, b) => a.at - b.at)
    .slice(0, pool)
    .map(({ post }) => post);
  if (recommend === 'random')
    return (person) => {
      const others = platformPosts.filter(({ by }) => by !== person);
      const from = Math.floor(chance(key, 'rank', step, -1 - person) * others.length);
      return Array.from({ length: Math.min(shown, others.length) }, (_, i) => others[(from + i) % others.length]);
    };
  const sorted = platformPosts.sort((a, b) => a.opinion - b.opinion || a.id - b.id);
  return (person) => nearest(sorted, world.opinion[person], shown, person);
}

/** Returns the posts with the nearest opinions, from a list sorted by opinion. */
function nearest(sorted: readonly PlatformPost[], opinion: number, shownCount: number, person: number): readonly PlatformPost[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle].opinion < opinion) low = middle + 1;
    else high = middle;
  }
  const platformPosts: PlatformPost[] = [];
  let [left, right] = [low - 1, low];
  while (platformPosts.length < shownCount && (left >= 0 || right < sorted.length)) {
    const isLeft = right >= sorted.length || (left >= 0 && opinion - sorted[left].opinion <= sorted[right].opinion - opinion);
    const post = sorted[isLeft ? left-- : right++];
    if (post.by !== person) platformPosts.push(post);
  }
  return platformPosts;
}

/** Advances everyone by one step. `acts` are those of people who decide for themselves. */
export function advancePlatform(
  world: PlatformWorld,
  rules: PlatformRules,
  {
    step,
    acts,
    decide,
  }: { readonly step: number; readonly acts: ReadonlyMap<number, PlatformAct>; readonly decide: (person: number) => boolean },
): PlatformStep {
  const feedOf = recommendFor(world, rules, step);
  const opinion = [...world.opinion];
  const belief = [...world.belief];
  const follows = [...world.follows];
  const passed = [...world.passed];
  const liked = new Map<number, number>();
  const fresh: PlatformPost[] = [];
  let { next } = world;
  const figures = { online: 0, posts: 0, replies: 0, across: 0, follows: 0, leaves: 0 };
  const write = (by: number, post: Omit<PlatformPost, 'id' | 'by' | 'step' | 'likes'>) =>
    fresh.push({ id: next++, by, step, likes: 0, ...post });
  const like = ({ id }: PlatformPost) => liked.set(id, (liked.get(id) ?? 0) + 1);
  const follow = (person: number, other: number) => {
    if (other === person || follows[person].includes(other)) return;
    follows[person] = [...follows[person], other];
    figures.follows++;
  };
  const leave = (person: number, other: number) => {
    if (!follows[person].includes(other)) return;
    follows[person] = follows[person].filter((value) => value !== other);
    figures.leaves++;
  };
  const reply = (person: number, post: PlatformPost, text: string) => {
    write(person, { opinion: world.opinion[person], kind: 'reply', subject: subjects.topic, to: post.by, text });
    figures.replies++;
    if (Math.sign(world.opinion[post.by]) !== Math.sign(world.opinion[person])) figures.across++;
  };
  const share = (person: number, post: PlatformPost, text: string) => {
    write(person, { opinion: world.opinion[person], kind: 'share', subject: post.subject, to: post.by, text });
    like(post);
    if (post.subject === subjects.rumour) passed.push([person, post.by]);
  };
  for (let person = 0; person < opinion.length; person++) {
    if (!isOnline(rules, step, person)) continue;
    figures.online++;
    const feed = feedOf(person);
    const platformPost = postToShare(feed, world.belief[person]);
    if (platformPost !== null) belief[person] = platformPost.subject;
    if (decide(person)) {
      const act = acts.get(person) ?? { do: 'pass' };
      if (act.do === 'post') {
        opinion[person] = act.opinion;
        write(person, { opinion: act.opinion, kind: 'post', subject: subjects.topic, to: -1, text: act.text });
        figures.posts++;
      } else if (act.do === 'reply') reply(person, act.post, act.text);
      else if (act.do === 'share') share(person, act.post, act.text);
      else if (act.do === 'like') like(act.post);
      else if (act.do === 'follow') follow(person, act.post.by);
      else if (act.do === 'leave') leave(person, act.post.by);
      continue;
    }
    if (platformPost !== null && chance(rules.key, 'share', step, person) < rules.beta) share(person, platformPost, '');
    let [pulls, near] = [0, 0];
    for (const post of feed) {
      if (post.subject !== subjects.topic) continue;
      const apart = post.opinion - world.opinion[person];
      if (Math.abs(apart) <= rules.confidence) {
        pulls += apart;
        near++;
        like(post);
      }
    }
    if (near > 0) opinion[person] = Math.max(-1, Math.min(1, world.opinion[person] + (rules.pull * pulls) / near));
    const [top] = feed;
    if (top !== undefined && top.subject === subjects.topic) {
      const isNear = Math.abs(top.opinion - world.opinion[person]) <= rules.confidence;
      if (!isNear && chance(rules.key, 'reply', step, person) < rules.reply) reply(person, top, '');
      if (chance(rules.key, 'follow', step, person) < rules.follow) (isNear ? follow : leave)(person, top.by);
    }
    if (chance(rules.key, 'post', step, person) < rules.post) {
      write(person, { opinion: world.opinion[person], kind: 'post', subject: subjects.topic, to: -1, text: '' });
      figures.posts++;
    }
  }
  const platformPosts = world.posts.filter((post) => post.step > step - lifetime);
  const posts = [
    ...platformPosts.map((post) => (liked.has(post.id) ? { ...post, likes: post.likes + liked.get(post.id)! } : post)),
    ...fresh,
  ];
  return { world: { opinion, follows, belief, posts, next, passed }, figures };
}

/** Returns the first post with news about the rumor for a person. A correction takes precedence over the rumor itself. */
function postToShare(feed: readonly PlatformPost[], belief: number): PlatformPost | null {
  const correction = belief === subjects.correction ? undefined : feed.find(({ subject }) => subject === subjects.correction);
  if (correction !== undefined) return correction;
  return belief === subjects.topic ? (feed.find(({ subject }) => subject === subjects.rumour) ?? null) : null;
}

/** Adds a post that starts the rumor or corrects it. */
export function seedPlatform(
  world: PlatformWorld,
  { by, step, subject }: { readonly by: number; readonly step: number; readonly subject: number },
): PlatformWorld {
  const post: PlatformPost = { id: world.next, by, step, opinion: world.opinion[by], kind: 'post', subject, to: -1, likes: 0, text: '' };
  const belief = world.belief.with(by, subject);
  const passed = subject === subjects.rumour ? [...world.passed, [by, -1] as const] : world.passed;
  return { ...world, posts: [...world.posts, post], next: world.next + 1, belief, passed };
}
