/** @file Where attacks are played: episodes against a target into a store, never more than the budget, and what each came to. */

import { namedModel } from '@ludus-agents/agents/internal/agent-kind';
import { type AgentServices, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { DeskDocument } from '@ludus-agents/desk/internal/environment/document';
import { rateInterval } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import {
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  charged,
  type EpisodeEvent,
  Fault,
  hash,
  type Json,
  type Model,
  type Prompt,
  type Seed,
  type Store,
} from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import type { PartGraphData } from '../adversaries/part-graph.ts';
import type { AttackVerdict } from '../adversaries/verdict.ts';
import { type AttackKind, attackKinds } from './attack-kinds.ts';
import type { KeptArsenal } from './kept-arsenal.ts';

export interface AttackOptions {
  readonly target: AgentSpec;
  readonly with: AttackKind;
  /** Episodes that may be played. */
  readonly budget: number;
  readonly seed: Seed;
  readonly store: Store;
  /** Writes the attacks; without it they are put together from known parts. */
  readonly attacker?: Model | undefined;
  /** Clauses of a guideline, for `guard`. */
  readonly clauses?: readonly string[] | undefined;
  /** Rounds in which a defence is searched after the attack; left out, none. */
  readonly rounds?: number | undefined;
  /** The desk that injection, twins and threats are made from; the sample desk without it. */
  readonly desk?: DeskDocument | undefined;
  /** For threats: reflects on what went wrong, so that safe answers can be learned from. */
  readonly reflect?: Model | undefined;
  /** Begin with what earlier attacks of this kind have kept in the store: all of them, or the runs that are named. */
  readonly arsenal?: 'all' | readonly string[] | undefined;
  readonly cwd: string;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  readonly signal?: AbortSignal | undefined;
  /** What agents are made with; left out, the services of the folder. */
  readonly services?: AgentServices | undefined;
  /** Gets the number of episodes played so far. */
  readonly onEpisode?: ((played: number) => void) | undefined;
}

/** How one way of attacking did, or attacks of one category. */
export type WayReport = {
  readonly way: string;
  readonly attacks: number;
  readonly harm: number;
  readonly atMost: number;
};

/** An attack that got through, in its words. */
export type AttackExample = {
  readonly prompt: string;
  readonly answer: string;
  readonly episode: string;
  /** Which ways of attacking it took. */
  readonly ways: readonly string[];
  /** The event of the answer, and the turn that it was given in, from 1; left out where they are not known. */
  readonly event?: number;
  readonly turn?: number;
};

/** What one search for attacks came to. */
export interface AssaultReport {
  /** How many were tried on fresh dice. */
  readonly attacks: number;
  /** Share of attacks that got something out, on fresh dice, and the most it may really be. */
  readonly harm: number;
  readonly harmAtMost: number;
  /** Share of what honest visitors may have that they were refused; null where no honest visitor came. */
  readonly overRefusal: number | null;
  /** What the same goals come to when they are asked for plainly, once; null where that was not measured. */
  readonly plain: number | null;
  readonly ways: readonly WayReport[];
  /** Attacks that were tried, the best first. */
  readonly arsenal: readonly { readonly text: string; readonly score: number }[];
  /** What is known of the parts of attacks, and of parts after parts. */
  readonly parts: PartGraphData | null;
  /** What got through, in its words. */
  readonly examples: readonly AttackExample[];
  /** Clauses that nothing could test. */
  readonly untested: readonly string[];
  /** How many goals were reached within how many conversations; left out where attacks have no goals. */
  readonly curve?: readonly { readonly conversations: number; readonly reached: number }[];
  /** What else was found, in sentences. */
  readonly notes?: readonly string[];
}

/** An episode, what it came to, and its last words. */
export type Duelled = AttackVerdict & {
  readonly episode: string;
  readonly ways: readonly string[];
  readonly prompt: string;
  readonly answer: string;
  /** All that the visitor said, where a conversation has several messages; left out, the prompt is all. */
  readonly messages?: readonly string[];
};

/** What was found, again: the same visitors on the same seeds against another target. */
export type AttackReplay = (target: AgentSpec, seeds: readonly Seed[]) => Promise<readonly Duelled[]>;

export interface Assault {
  readonly report: AssaultReport;
  readonly replay: AttackReplay;
  /** Lines that a guard in front of the target may have against this. */
  readonly front: readonly string[];
  /** What the next attack may begin with. */
  readonly kept: KeptArsenal;
}

/** One search: the options with the target as it is now, a share of the budget, and what is known from before. */
export type AssaultOptions = AttackOptions & { readonly range: AttackRange; readonly known: KeptArsenal };

/** A model that reads what it is sent as it is. */
function bareAgent(model: Model): Agent {
  return {
    name: 'bare model',
    async act({ view }, signal) {
      const messages = view.seen.flatMap((item): Prompt['messages'] => {
        if (item.kind === 'message') return [{ role: 'user', content: item.text }];
        return item.kind === 'action' ? [{ role: 'assistant', content: item.action.text }] : [];
      });
      const call = await charged(model).complete({ messages }, { maxTokens: 600 }, signal);
      return { action: { text: call.text }, calls: [call] };
    },
  };
}

/** Plays episodes against targets into the store, never more than the budget. */
export class AttackRange {
  readonly run: string;
  readonly environment: AnyEnvironment;
  played = 0;
  /** The number of episodes that may have been played by the end of the part that is under way. */
  until: number;
  readonly #options: AttackOptions;

  constructor(options: AttackOptions, run: string, environment: AnyEnvironment) {
    this.#options = options;
    this.run = run;
    this.environment = environment;
    this.until = options.budget;
  }

  get left(): number {
    return Math.min(this.until, this.#options.budget) - this.played;
  }

  get #services(): AgentServices {
    return this.#options.services ?? createAgentServices(this.#options.cwd, this.#options.trust);
  }

  /** The bare model of a language agent, without the prompt that makes outside text inert; null for agents of other kinds. */
  async bareModel(spec: AgentSpec): Promise<Agent | null> {
    const name = namedModel(spec);
    const matchingModel = name === undefined ? undefined : await this.#services.model?.(name);
    return matchingModel === undefined ? null : bareAgent(matchingModel);
  }

  async agent(spec: AgentSpec, seat: string): Promise<Agent> {
    return createAgentLoader(this.#services)(spec, seat, this.environment);
  }

  async play(
    agents: Readonly<Record<string, Agent>>,
    task: Json,
    seed: Seed,
  ): Promise<{ episode: string; events: readonly EpisodeEvent[] }> {
    const { store, signal } = this.#options;
    // An attack that was not played to its end is none that failed: who is interrupted gets no figures.
    signal?.throwIfAborted();
    const episode = hash([this.run, this.#options.target, this.played, seed]).slice(0, 20);
    this.played++;
    const stream = play(this.environment, agents, { task, seed, ...(signal === undefined ? {} : { signal }) });
    if ((await store.episode(episode)) !== null)
      throw new Fault('input', `The run "${this.run}" already exists in this store. Use another --seed or --store.`, {
        code: 'E_ALREADY_EXISTS',
      });
    await this.#keepRun(task, seed);
    const recorder = new EpisodeRecorder({ store, episode, run: this.run });
    const end = await recordEpisode(stream, recorder);
    await recorder.flush();
    this.#options.onEpisode?.(this.played);
    signal?.throwIfAborted();
    if (end?.reason === 'error') throw new Fault('agent', end.fault?.message ?? 'The target failed.');
    return { episode, events: await store.events(episode) };
  }

  /** The run that reports name, so that it can be listed, scored and reported like any other. */
  async #keepRun(task: Json, seed: Seed): Promise<void> {
    const { store, with: kind } = this.#options;
    if ((await store.run(this.run)) !== null) return;
    const environments = [{ environment: attackKinds[kind], tasks: [task] }];
    await store.putRun({ id: this.run, plan: { name: this.run, environments, seeds: [seed], casts: [] }, episodes: 0 });
  }
}

/** How each way did among attacks. */
export function waysOf(attacks: readonly Duelled[]): readonly WayReport[] {
  const ways = [...new Set(attacks.flatMap((attack) => attack.ways))].sort();
  return ways.map((way) => {
    const ownAttacks = attacks.filter((attack) => attack.ways.includes(way));
    const harmed = ownAttacks.filter(({ harm }) => harm).length;
    return { way, attacks: ownAttacks.length, harm: harmed / ownAttacks.length, atMost: rateInterval(harmed, ownAttacks.length)[1] };
  });
}

/** What got through, a few of it. */
export function examplesOf(fought: readonly Duelled[]): AssaultReport['examples'] {
  return fought
    .filter((item) => item.harm)
    .slice(0, 5)
    .map(({ prompt, answer, episode, ways }) => ({ prompt, answer, episode, ways }));
}

export function seedsFrom(from: Seed, many: number): readonly Seed[] {
  return Array.from({ length: many }, (_, i) => from * 1000 + i);
}

/** The text of the last action of a seat. */
export function lastWords(events: readonly EpisodeEvent[], seat: string): string {
  const event = events.findLast((event) => event.kind === 'action' && event.seat === seat);
  return event?.kind === 'action' ? event.action.text : '';
}
