/** @file Plays attacks: episodes against a target into a store, within the budget, with their results. */

import { namedModel } from '@ludus-agents/agents/internal/agent-kind';
import { type AgentServices, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { DeskDocument } from '@ludus-agents/desk/internal/environment/document';
import { rateInterval } from '@ludus-agents/evaluation/internal/scoring/statistics/rates';
import type {
  Agent,
  AgentSpec,
  AnyEnvironment,
  EpisodeEvent,
  Json,
  Model,
  Prompt,
  Seed,
  Store,
} from '@ludus-agents/kernel/internal/core/index';
import { charged, Fault, hash } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { EpisodeRecorder, recordEpisode } from '@ludus-agents/kernel/internal/engine/record';
import type { PartGraphData } from '../adversaries/part-graph.ts';
import type { AttackVerdict } from '../adversaries/verdict.ts';
import { type AttackKind, attackKinds } from './attack-kinds.ts';
import type { KeptArsenal } from './kept-arsenal.ts';

export interface AttackOptions {
  readonly target: AgentSpec;
  readonly with: AttackKind;
  /** The maximum number of episodes. */
  readonly budget: number;
  readonly seed: Seed;
  readonly store: Store;
  /** The model that writes the attacks; without it they are assembled from known parts. */
  readonly attacker?: Model | undefined;
  /** Clauses of a guideline, for `guard`. */
  readonly clauses?: readonly string[] | undefined;
  /** The number of rounds that search for a defense after the attack; none by default. */
  readonly rounds?: number | undefined;
  /** The desk for injection, twins and threats; the sample desk by default. */
  readonly desk?: DeskDocument | undefined;
  /** For threats: the model that reflects on failures, so that safe answers can be learned. */
  readonly reflect?: Model | undefined;
  /** Starts with the stored results of earlier attacks of this kind: all of them, or those of the named runs. */
  readonly arsenal?: 'all' | readonly string[] | undefined;
  readonly cwd: string;
  /** The origin of the names in the request. */
  readonly trust: Trust;
  readonly signal?: AbortSignal | undefined;
  /** The services that create agents; the folder's by default. */
  readonly services?: AgentServices | undefined;
  /** Receives the number of episodes played so far. */
  readonly onEpisode?: ((played: number) => void) | undefined;
}

/** The results of one way of attacking, or of attacks of one category. */
export type WayReport = {
  readonly way: string;
  readonly attacks: number;
  readonly harm: number;
  readonly atMost: number;
};

/** A successful attack with its text. */
export type AttackExample = {
  readonly prompt: string;
  readonly answer: string;
  readonly episode: string;
  /** The ways of attacking that it used. */
  readonly ways: readonly string[];
  /** The event of the answer, and its turn, from 1; omitted if unknown. */
  readonly event?: number;
  readonly turn?: number;
};

/** The results of one search for attacks. */
export interface AssaultReport {
  /** The number of attacks tried on fresh seeds. */
  readonly attacks: number;
  /** The share of successful attacks on fresh seeds, and its upper bound. */
  readonly harm: number;
  readonly harmAtMost: number;
  /** The share of legitimate information that honest visitors were refused; null without honest visitors. */
  readonly overRefusal: number | null;
  /** The success rate of plain requests for the same goals, asked once; null if not measured. */
  readonly plain: number | null;
  readonly ways: readonly WayReport[];
  /** Tried attacks, the best first. */
  readonly arsenal: readonly { readonly text: string; readonly score: number }[];
  /** The graph of attack parts and their sequences. */
  readonly parts: PartGraphData | null;
  /** Successful attacks with their texts. */
  readonly examples: readonly AttackExample[];
  /** Clauses that could not be tested. */
  readonly untested: readonly string[];
  /** The number of goals reached within a number of conversations; omitted if attacks have no goals. */
  readonly curve?: readonly { readonly conversations: number; readonly reached: number }[];
  /** Other findings, as sentences. */
  readonly notes?: readonly string[];
}

/** An episode, its verdict, and its final messages. */
export type Duelled = AttackVerdict & {
  readonly episode: string;
  readonly ways: readonly string[];
  readonly prompt: string;
  readonly answer: string;
  /** All messages of the visitor, if a conversation has several; by default only the prompt. */
  readonly messages?: readonly string[];
};

/** Replays the attacks: the same visitors on the same seeds against another target. */
export type AttackReplay = (target: AgentSpec, seeds: readonly Seed[]) => Promise<readonly Duelled[]>;

export interface Assault {
  readonly report: AssaultReport;
  readonly replay: AttackReplay;
  /** Lines against this attack for a guard in front of the target. */
  readonly front: readonly string[];
  /** The stored results for the next attack. */
  readonly kept: KeptArsenal;
}

/** One search: the options with the current target, a share of the budget, and earlier results. */
export type AssaultOptions = AttackOptions & { readonly range: AttackRange; readonly known: KeptArsenal };

/** A model that receives messages unchanged. */
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

/** Plays episodes against targets into the store, within the budget. */
export class AttackRange {
  readonly run: string;
  readonly environment: AnyEnvironment;
  played = 0;
  /** The total number of episodes allowed by the end of the current part. */
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

  /** The bare model of a language agent, without the prompt that makes external text inert; null for other kinds of agents. */
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
    // An interrupted attack does not count as failed: an aborted run gets no figures.
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

  /** Stores the run named in reports, so that it can be listed, scored and reported like any other. */
  async #keepRun(task: Json, seed: Seed): Promise<void> {
    const { store, with: kind } = this.#options;
    if ((await store.run(this.run)) !== null) return;
    const environments = [{ environment: attackKinds[kind], tasks: [task] }];
    await store.putRun({ id: this.run, plan: { name: this.run, environments, seeds: [seed], casts: [] }, episodes: 0 });
  }
}

/** The results of each way of attacking. */
export function waysOf(attacks: readonly Duelled[]): readonly WayReport[] {
  const ways = [...new Set(attacks.flatMap((attack) => attack.ways))].sort();
  return ways.map((way) => {
    const ownAttacks = attacks.filter((attack) => attack.ways.includes(way));
    const harmed = ownAttacks.filter(({ harm }) => harm).length;
    return { way, attacks: ownAttacks.length, harm: harmed / ownAttacks.length, atMost: rateInterval(harmed, ownAttacks.length)[1] };
  });
}

/** A few successful attacks. */
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
