/** @file A league during a training: the opponent of each update, its results, and past selves stored with the checkpoint. */

import type { AnyEnvironment, JsonObject, Learner, Policy, Script, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';
import { League } from '../rl/league.ts';
import type { Recipe } from '../rl/recipe.ts';
import type { Metrics } from '../rl/training-loop.ts';
import type { Ready } from './learners.ts';
import { randomPolicy } from './seat-policies.ts';

export type LeagueState = { readonly standing: JsonObject; readonly past: Readonly<Record<string, string>> };

export class LeagueSchedule {
  readonly #league: League;
  readonly #ready: Ready;
  readonly #batch: number;
  /** Saved past selves by name. */
  readonly #past = new Map<string, string>();
  #drawn: ReturnType<League['draw']> | null = null;
  /** The number of updates played against a past self. */
  pastMet = 0;

  constructor({ training }: Recipe, environment: AnyEnvironment, { ready, seed }: { readonly ready: Ready; readonly seed: Seed }) {
    const seats: readonly Seat[] = environment.seats(environment.task(training.task ?? {}));
    const scripts = Object.entries(environment.scripts ?? {}).filter(([name]) => !seats.includes(name));
    const anchors = Object.fromEntries(scripts.map(([name, script]): [string, Policy] => [name, scriptedPolicy(name, script as Script)]));
    this.#league = new League({ seed, seats, self: ready.learner.policy(), anchors: { random: randomPolicy, ...anchors } });
    this.#ready = ready;
    this.#batch = training.batch;
  }

  /** The agents on the seats that the learner does not play. */
  cast(update: number): Readonly<Record<Seat, Policy>> {
    this.#drawn = this.#league.draw(update);
    if (this.#past.has(this.#drawn.opponent.name)) this.pastMet++;
    return this.#drawn.others;
  }

  heard({ won }: Metrics): void {
    if (this.#drawn === null || won === null) return;
    const { opponent, seat } = this.#drawn;
    this.#league.result(opponent.name, seat, { games: this.#batch, score: won });
  }

  /** Saves the current learner as a past self. */
  async remember(name: string): Promise<void> {
    const saved = await this.#ready.learner.save();
    this.#past.set(name, saved);
    this.#league.remember(name, await this.#frozen(saved));
    const there = new Set(this.#league.members.map((member) => member.name));
    for (const old of this.#past.keys()) if (!there.has(old)) this.#past.delete(old);
  }

  /** Ratings by name, the learner's own as "self". */
  ratings(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#league.members.map(({ name }) => [name, this.#league.rating(name)]));
  }

  write(): LeagueState {
    return { standing: this.#league.write(), past: Object.fromEntries(this.#past) };
  }

  async read({ standing, past }: LeagueState): Promise<void> {
    const frozen = new Map<string, Policy>();
    for (const [name, saved] of Object.entries(past)) {
      this.#past.set(name, saved);
      frozen.set(name, await this.#frozen(saved));
    }
    this.#league.read(standing, (name) => frozen.get(name) as Policy);
  }

  async #frozen(saved: string): Promise<Policy> {
    const copy: Learner = await this.#ready.another();
    await copy.load(saved);
    return copy.policy();
  }
}
