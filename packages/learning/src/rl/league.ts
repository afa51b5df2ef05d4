/**
 * @file A league: the opponents of a learner. Itself, its past selves, scripted anchors that never change, exploiters of its mistakes.
 *
 * Anchors are always among the candidates, because self-play without them can progress in circles. Past selves are drawn by how hard they
 * still are. Only ratings and names are stored here: policies are passed in, and only the learner learns.
 */

import { Fault, type JsonObject, type Policy, rng, type Seat, type Seed } from '@ludus-agents/kernel/internal/core/index';

export type MemberKind = 'self' | 'past' | 'anchor' | 'exploiter';

export interface Member {
  readonly name: string;
  readonly kind: MemberKind;
  readonly policy: Policy;
}

export interface LeagueOptions {
  readonly seed: Seed;
  readonly seats: readonly Seat[];
  /** The current learner. */
  readonly self: Policy;
  /** Scripted players, at least one. */
  readonly anchors: Readonly<Record<string, Policy>>;
  readonly exploiters?: Readonly<Record<string, Policy>>;
  /** How often each kind of opponent is drawn; the share of a kind without members goes to the others. */
  readonly shares?: Readonly<Record<MemberKind, number>>;
  /** The maximum number of past selves. */
  readonly keep?: number;
}

/** The learner's results against a member, by the learner's seat. */
export interface SeatRecord {
  readonly games: number;
  readonly points: number;
}

const usual: Readonly<Record<MemberKind, number>> = { self: 0.5, past: 0.25, anchor: 0.15, exploiter: 0.1 };
const start = 1500;

/** The expected score of a player with one rating against a player with another. */
export function expectedScore(rating: number, other: number): number {
  return 1 / (1 + 10 ** ((other - rating) / 400));
}

/** Draws a learner's opponents: itself, its past selves, anchors, exploiters. */
export class League {
  readonly #options: LeagueOptions;
  readonly #members: Member[] = [];
  readonly #ratings = new Map<string, number>();
  readonly #records = new Map<string, SeatRecord>();

  constructor(options: LeagueOptions) {
    this.#options = options;
    const { self, anchors, exploiters = {} } = options;
    if (Object.keys(anchors).length === 0)
      throw new Fault('input', 'A league needs at least one scripted anchor. Without one, progress cannot be distinguished from cycling.');
    this.#add({ name: 'self', kind: 'self', policy: self }, start);
    for (const [name, policy] of Object.entries(anchors)) this.#add({ name, kind: 'anchor', policy }, start);
    for (const [name, policy] of Object.entries(exploiters)) this.#add({ name, kind: 'exploiter', policy }, start);
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  rating(name: string): number {
    return this.#ratings.get(name) ?? start;
  }

  /** The results against a member, by the learner's seat. */
  record(name: string, seat: Seat): SeatRecord {
    return this.#records.get(`${name}/${seat}`) ?? { games: 0, points: 0 };
  }

  /** The opponent of an update, and the learner's seat. Deterministic for the same update and ratings. */
  draw(update: number): { readonly seat: Seat; readonly opponent: Member; readonly others: Readonly<Record<Seat, Policy>> } {
    const dice = rng(this.#options.seed, 'league', update);
    const shares = this.#options.shares ?? usual;
    const kinds = [...new Set(this.#members.map(({ kind }) => kind))];
    const kind = kinds[dice.weighted(kinds.map((kind) => shares[kind]))];
    const candidates = this.#members.filter((member) => member.kind === kind);
    const opponent = candidates[dice.weighted(candidates.map((member) => this.#interest(member)))];
    const seat = dice.pick(this.#options.seats);
    // Against itself the learner takes all seats and learns from each.
    const others = opponent.kind === 'self' ? [] : this.#options.seats.filter((otherSeat) => otherSeat !== seat);
    return { seat, opponent, others: Object.fromEntries(others.map((item) => [item, opponent.policy])) };
  }

  /** Records episodes against a member from a seat, with their mean score: 1 for a win, ½ for a draw, 0 for a loss. */
  result(name: string, seat: Seat, { games, score }: { readonly games: number; readonly score: number }): void {
    const before = this.record(name, seat);
    this.#records.set(`${name}/${seat}`, { games: before.games + games, points: before.points + games * score });
    if (name === 'self') return;
    const [mine, theirs] = [this.rating('self'), this.rating(name)];
    const change = 24 * (score - expectedScore(mine, theirs));
    this.#ratings.set('self', mine + change);
    this.#ratings.set(name, theirs - change);
  }

  /** Adds the current learner as a past self. If there are too many, removes the older of the two nearest in rating. */
  remember(name: string, policy: Policy): void {
    this.#add({ name, kind: 'past', policy }, this.rating('self'));
    const past = this.#members.filter(({ kind }) => kind === 'past');
    if (past.length <= (this.#options.keep ?? 8)) return;
    const gaps = past.slice(0, -1).map((member) => {
      const others = past.filter((other) => other !== member);
      return Math.min(...others.map((other) => Math.abs(this.rating(other.name) - this.rating(member.name))));
    });
    const leaving = past[gaps.indexOf(Math.min(...gaps))];
    this.#members.splice(this.#members.indexOf(leaving), 1);
    this.#ratings.delete(leaving.name);
  }

  write(): JsonObject {
    const records = [...this.#records].map(([key, { games, points }]) => [key, games, points]);
    return {
      ratings: Object.fromEntries(this.#ratings),
      records,
      past: this.#members.flatMap(({ name, kind }) => (kind === 'past' ? [name] : [])),
    };
  }

  /** Restores ratings and records; `policyOf` loads the past selves by name. */
  read(from: JsonObject, policyOf: (name: string) => Policy): void {
    for (const name of from['past'] as readonly string[]) this.#add({ name, kind: 'past', policy: policyOf(name) }, start);
    for (const [name, rating] of Object.entries(from['ratings'] as Readonly<Record<string, number>>)) this.#ratings.set(name, rating);
    for (const [key, games, points] of from['records'] as readonly (readonly [string, number, number])[])
      this.#records.set(key, { games, points });
  }

  #add(member: Member, rating: number): void {
    if (this.#ratings.has(member.name)) throw new Fault('input', `The league already has a member "${member.name}". Choose another name.`);
    this.#members.push(member);
    this.#ratings.set(member.name, rating);
  }

  /** Weights past selves by the squared chance that they still beat the learner; other members have weight 1. */
  #interest({ kind, name }: Member): number {
    return kind === 'past' ? (1 - expectedScore(this.rating('self'), this.rating(name))) ** 2 : 1;
  }
}
