/** @file The score and cost of each run in the list: computed in the background, one run at a time, and cached until the run changes. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { resultsOf } from '@ludus-agents/evaluation/internal/results';
import { callsModels } from '@ludus-agents/evaluation/internal/suites';
import type { EpisodeTally, RunRecord, Store } from '@ludus-agents/kernel/internal/core/index';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';
import type { RunFigures } from './api.ts';
import { callsOut } from './launch-time.ts';

/** A score reads every episode of a run, and a cost every log. Beyond these limits, only the page of the run shows them. */
const [mostScored, mostCosted] = [2000, 400];

interface Entry {
  readonly of: readonly EpisodeTally[];
  readonly figures: RunFigures;
}

/** Where a run may spend money: nowhere, in model calls that its logs contain, or in a bot, which nobody here sees. */
export function spendingOf({ casts }: RunRecord['plan']): 'none' | 'models' | 'unknown' {
  const specs = casts.flatMap((cast) => Object.values(cast));
  // Attacks and probes have no plan: their logs contain the calls.
  if (specs.length === 0) return 'models';
  if (specs.some(callsOut)) return 'unknown';
  return specs.some((spec) => callsModels(typeof spec === 'string' ? { name: spec, kind: spec } : spec)) ? 'models' : 'none';
}

const unread: RunFigures = { score: null, cost: null, isCostRead: false, isRead: false };

export class RunFiguresReader {
  readonly #store: Store;
  readonly #place: WorkingFolder;
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Map<string, { readonly run: RunRecord; readonly tallies: readonly EpisodeTally[] }>();
  #reading: Promise<void> | null = null;

  constructor(store: Store, place: WorkingFolder) {
    this.#store = store;
    this.#place = place;
  }

  /** The known figures. If the run has changed since, the previous ones, which are then recomputed. */
  of(run: RunRecord, tallies: readonly EpisodeTally[]): RunFigures {
    const entry = this.#entries.get(run.id);
    if (entry?.of !== tallies) {
      this.#waiting.set(run.id, { run, tallies });
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
    }
    return entry?.figures ?? unread;
  }

  async #read(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { run, tallies } = next;
      const figures = await this.#figures(run, tallies).catch((): RunFigures => ({ ...unread, isRead: true }));
      this.#entries.set(run.id, { of: tallies, figures });
      // Yields to other requests.
      await new Promise(setImmediate);
    }
  }

  #next() {
    const [id, next] = this.#waiting.entries().next().value ?? [];
    if (id !== undefined) this.#waiting.delete(id);
    return next;
  }

  async #figures(run: RunRecord, tallies: readonly EpisodeTally[]): Promise<RunFigures> {
    const ended = tallies.reduce((sum, { status, count }) => (status === 'running' ? sum : sum + count), 0);
    // The result of an attack is the share of successful attacks, on the page of the run.
    const isScored = run.work === undefined && !run.id.startsWith('attack-') && ended > 0 && ended <= mostScored;
    return { score: isScored ? await this.#score(run) : null, ...(await this.#cost(run, ended)), isRead: true };
  }

  /** The best agent under test, by the deciding score. */
  async #score(run: RunRecord): Promise<RunFigures['score']> {
    const { standings, points, score } = await resultsOf(run, { store: this.#store, cwd: this.#place.cwd, trust: Trust.request });
    const [best] = standings.agents.filter(({ value, isNull }) => value !== null && !isNull);
    if (best === undefined) return null;
    const tied = standings.agents.filter(({ value, isNull }) => value === best.value && !isNull).length;
    return { agent: best.agent, value: best.value as number, points, name: score, tied };
  }

  /** Zero without model seats, which needs no log. */
  async #cost({ id, plan }: RunRecord, ended: number): Promise<Pick<RunFigures, 'cost' | 'isCostRead'>> {
    const spending = spendingOf(plan);
    if (spending !== 'models') return { cost: spending === 'none' ? 0 : null, isCostRead: true };
    if (ended > mostCosted) return { cost: null, isCostRead: false };
    let cost = 0;
    for (const record of await this.#store.episodes({ run: id, limit: mostCosted }))
      for (const event of await this.#store.events(record.id))
        for (const call of event.kind === 'action' ? (event.calls ?? []) : []) {
          if (call.cost === null) return { cost: null, isCostRead: true };
          cost += call.cost;
        }
    return { cost, isCostRead: true };
  }
}
