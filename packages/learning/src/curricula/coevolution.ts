/**
 * @file Proposer, solver and judge as learners of one loop: tasks are proposed, tried several times by the solver as it is, and every side
 * that learns at this moment learns from the same episodes by its own `TrainingLoop`.
 *
 * Sides learn together, alone, or in turn. A side that does not learn plays, and its weights stay as they are to the bit.
 */

import {
  type AnyEnvironment,
  type EpisodeEvent,
  type Json,
  type JsonObject,
  type Learner,
  type Policy,
  rng,
  type Seat,
  type Seed,
} from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import type { PlayedGroup } from '../rl/played-groups.ts';
import type { Recipe } from '../rl/recipe.ts';
import { withSalt } from '../rl/rollouts.ts';
import { type LoopCheckpoint, type Metrics, TrainingLoop } from '../rl/training-loop.ts';
import { createSolverPolicy, type TriedTask } from './proposers/arena.ts';
import { judgingEnvironment } from './proposers/judging-environment.ts';
import { createProposerEnvironment } from './proposers/proposer-environment.ts';
import type { ProposerRecipe } from './proposers/recipes.ts';
import { findCollapse } from './proposers/shapes.ts';
import type { Solvable } from './proposers/task-checker.ts';

export interface CoevolutionParts {
  readonly environment: AnyEnvironment;
  readonly proposal: ProposerRecipe;
  /** Tasks to propose from. */
  readonly menu: readonly Json[];
  readonly solver: Learner;
  /** The solver itself where all roles are one learner. */
  readonly proposer: Learner;
  /** Who judges tasks, where the recipe has a judge: a learner, too. */
  readonly judge: Learner | null;
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
  readonly seed: Seed;
  readonly solvable?: Solvable;
  /** Writes tasks in the place of a learner, from what came of earlier ones: any agent, which stays as it is. */
  readonly writer?: Policy;
  readonly tell?: (metrics: Metrics) => void;
}

/** What an update came to, for the proposer. */
export type ProposalFigures = {
  /** How often its valid tasks were solved, how many were valid, and what it was paid. */
  readonly rate: number;
  readonly valid: number;
  readonly paid: number;
};

/** What is remembered of rates: as many as show a collapse. */
const remembered = 64;
/** Recent tasks that a new one is compared with. */
const recent = 100;

export class Coevolution {
  readonly #recipe: Recipe;
  readonly #parts: CoevolutionParts;
  readonly #loops: { readonly solver: TrainingLoop; readonly proposer: TrainingLoop; readonly judge: TrainingLoop | null };
  readonly #workshop: AnyEnvironment;
  #groups: { solver: readonly PlayedGroup[]; proposer: readonly PlayedGroup[]; judge: readonly PlayedGroup[] } = {
    solver: [],
    proposer: [],
    judge: [],
  };
  #update = 0;
  #known: readonly Json[] = [];
  #buffer: readonly Json[] = [];
  #rates: readonly number[] = [];
  /** What came of the latest tasks, which a writer is given. */
  #history: readonly Json[] = [];
  #figures: ProposalFigures = { rate: 0, valid: 0, paid: 0 };
  /** Tokens that the solver has written in this process, in tries that were not learned from, too. */
  sampled = 0;

  constructor(recipe: Recipe, parts: CoevolutionParts) {
    const { environment, proposal, menu, seed, solver, proposer, judge, mine, others, tell } = parts;
    this.#recipe = recipe;
    this.#parts = parts;
    this.#workshop = createProposerEnvironment(environment, { reward: proposal.reward, invalid: proposal.invalid, menu });
    const elsewhere = (name: string): Recipe => ({
      ...recipe,
      // Proposals of one update are compared with each other, and so are marks.
      baseline: { kind: 'group', key: ['prompt', 'seat'], center: 'mean', scale: 'none' },
      training: { ...recipe.training, environment: name, task: {} },
    });
    this.#loops = {
      solver: new TrainingLoop(recipe, {
        ...{ environment, learner: solver, seed, others, seats: mine, played: async () => this.#groups.solver },
        ...(tell !== undefined && { tell }),
      }),
      proposer: new TrainingLoop(elsewhere(this.#workshop.id), {
        ...{ environment: this.#workshop, learner: proposer, seed, seats: ['proposer'], played: async () => this.#groups.proposer },
      }),
      judge:
        judge === null
          ? null
          : new TrainingLoop(elsewhere(judgingEnvironment.id), {
              ...{ environment: judgingEnvironment, learner: judge, seed, seats: ['judge'], played: async () => this.#groups.judge },
            }),
    };
  }

  get update(): number {
    return this.#update;
  }

  get figures(): ProposalFigures {
    return this.#figures;
  }

  /** Why the proposals have stopped teaching, or null. */
  get alarm(): string | null {
    return findCollapse(this.#rates, remembered);
  }

  /** Who learns at this update. */
  side(update: number = this.#update): { readonly proposer: boolean; readonly solver: boolean } {
    if (this.#parts.writer !== undefined) return { proposer: false, solver: true };
    const { learns = 'both', period = 1 } = this.#recipe.coevolution ?? {};
    const first = Math.floor(update / period) % 2 === 0;
    if (learns === 'in-turn') return { proposer: first, solver: !first };
    return { proposer: learns !== 'solver', solver: learns !== 'proposer' };
  }

  /** One update: propose, try, and learn. */
  async step(): Promise<void> {
    const { solver, proposer } = this.side();
    const tried: TriedTask[] = [];
    const judged: Judged[] = [];
    const isOffline = this.#recipe.coevolution?.buffer !== undefined && solver && !proposer && this.#buffer.length > 0;
    const logs = isOffline ? await this.#again(tried) : await this.#propose(tried, judged);
    for (const { logs: tries } of tried) for (const log of tries) this.sampled += tokensIn(log, this.#parts.mine);
    const kept = tried.filter(({ found }) => found.rate >= this.#parts.proposal.keep[0] && found.rate <= this.#parts.proposal.keep[1]);
    if (proposer && !isOffline) {
      this.#groups.proposer = [{ logs }];
      await this.#learn(this.#loops.proposer);
      if (judged.length > 0 && this.#loops.judge !== null) {
        this.#groups.judge = [{ logs: judged.map(({ log }) => log), paid: judged.map((one) => markReward(one, tried)) }];
        await this.#learn(this.#loops.judge);
      }
    }
    if (solver && kept.length > 0) {
      this.#groups.solver = kept.map((one) => this.#group(one));
      await this.#learn(this.#loops.solver);
    }
    this.#rates = [...this.#rates, ...tried.map(({ found }) => found.rate)].slice(-remembered);
    this.#history = [...this.#history, ...tried.map(({ task, found }) => ({ task, rate: found.rate }))].slice(-remembered);
    this.#remember(kept);
    this.#update++;
  }

  async save(): Promise<JsonObject> {
    const { solver, proposer, judge } = this.#loops;
    return {
      ...{
        update: this.#update,
        known: [...this.#known],
        buffer: [...this.#buffer],
        rates: [...this.#rates],
        history: [...this.#history],
        figures: { ...this.#figures },
      },
      solver: await solver.save(),
      proposer: await proposer.save(),
      judge: judge === null ? null : ((await judge.save()) as Json),
    };
  }

  async load(from: JsonObject): Promise<void> {
    this.#update = from['update'] as number;
    this.#known = from['known'] as readonly Json[];
    this.#buffer = from['buffer'] as readonly Json[];
    this.#rates = from['rates'] as readonly number[];
    this.#history = (from['history'] ?? []) as readonly Json[];
    this.#figures = from['figures'] as ProposalFigures;
    await this.#loops.proposer.load(from['proposer'] as LoopCheckpoint);
    if (this.#loops.judge !== null) await this.#loops.judge.load(from['judge'] as LoopCheckpoint);
    // The solver last: where all roles are one learner, its checkpoint is the latest.
    await this.#loops.solver.load(from['solver'] as LoopCheckpoint);
  }

  #learn(loop: TrainingLoop): Promise<string | null> {
    return loop.run(loop.update + 1);
  }

  async #propose(tried: TriedTask[], judged: Judged[]): Promise<readonly (readonly EpisodeEvent[])[]> {
    const { proposer, writer, seed } = this.#parts;
    const arena = this.#arena(tried, judged);
    const dice = rng(seed, 'proposals', this.#update);
    const count = Math.max(2, Math.ceil(this.#recipe.training.batch / this.#parts.proposal.attempts));
    const seeds = Array.from({ length: count }, () => dice.int(2 ** 32));
    const logs = await rollout(
      this.#workshop,
      { proposer: writer ?? withSalt(proposer.policy(), 0), arena },
      {
        ...{ seeds, width: count },
        task: writer === undefined ? {} : { history: [...this.#history] },
      },
    );
    const paid = logs.map((log) => totalReward(log));
    this.#figures = { rate: meanOrZero(tried.map(({ found }) => found.rate)), valid: tried.length / count, paid: meanOrZero(paid) };
    return logs;
  }

  /** Tasks of the buffer once more, without a proposal: PasoDoble offline. */
  async #again(tried: TriedTask[]): Promise<readonly (readonly EpisodeEvent[])[]> {
    const dice = rng(this.#parts.seed, 'buffer', this.#update);
    const count = Math.max(1, Math.ceil(this.#recipe.training.batch / this.#parts.proposal.attempts));
    const arena = this.#arena(tried, []);
    const tasks = Array.from({ length: count }, () => dice.pick(this.#buffer));
    await arena.act(tasks.map((task) => ({ ask: { seat: 'arena', data: { task } } })) as unknown as Parameters<Policy['act']>[0]);
    return [];
  }

  #arena(tried: TriedTask[], judged: Judged[]): Policy {
    const { environment, proposal, solver, mine, others, seed, solvable, judge } = this.#parts;
    const policy = withSalt(solver.policy(), 1);
    return createSolverPolicy({
      ...{
        environment,
        solver: mine[0]!,
        attempts: proposal.attempts,
        majority: proposal.rate === 'majority',
        fresh: false,
        memory: recent,
      },
      policies: { ...others, ...Object.fromEntries(mine.map((seat) => [seat, policy])) },
      seed: rng(seed, 'arena of', this.#update).int(2 ** 32),
      known: this.#known,
      answer: (log) => wordsOf(log, mine[0]!),
      hear: (one) => tried.push(one),
      ...(proposal.solvable && solvable !== undefined && { solvable }),
      ...(proposal.judged && judge !== null && { judge: (task: Json) => this.#mark(task, judge, judged) }),
    });
  }

  async #mark(task: Json, judge: Learner, judged: Judged[]): Promise<number> {
    const seed = rng(this.#parts.seed, 'mark', this.#update, judged.length).int(2 ** 32);
    const [log] = await rollout(judgingEnvironment, { judge: judge.policy() }, { seeds: [seed], task: { task } });
    const said = log!.findLast((event) => event.kind === 'action');
    const mark = Number(/\d+/.exec(said?.kind === 'action' ? said.action.text : '')?.[0] ?? 0) / 10;
    judged.push({ task, log: log!, mark });
    return mark;
  }

  /** Episodes of one task. Without a truth the solver is paid for the answer that most of its attempts gave (Agent0). */
  #group({ logs }: TriedTask): PlayedGroup {
    if (this.#recipe.coevolution?.labels !== 'majority') return { logs };
    const said = logs.map((log) => wordsOf(log, this.#parts.mine[0]!));
    const counts = Map.groupBy(said, (one) => one);
    const [most] = [...counts.values()].toSorted((a, b) => b.length - a.length);
    return { logs, paid: said.map((one) => (one === most![0] ? 1 : 0)) };
  }

  #remember(kept: readonly TriedTask[]): void {
    this.#known = [...this.#known, ...kept.map(({ task }) => task)].slice(-recent);
    const { buffer } = this.#recipe.coevolution ?? {};
    if (buffer !== undefined) this.#buffer = [...this.#buffer, ...kept.map(({ task }) => task)].slice(-buffer);
  }
}

interface Judged {
  readonly task: Json;
  readonly log: readonly EpisodeEvent[];
  readonly mark: number;
}

/** How near a mark was to whether there was something to learn: the task was solved now and then. */
function markReward({ task, mark }: Judged, tried: readonly TriedTask[]): number {
  const key = JSON.stringify(task);
  const found = tried.find((one) => JSON.stringify(one.task) === key)?.found;
  const teaches = found !== undefined && found.rate > 0 && found.rate < 1 ? 1 : 0;
  return 1 - Math.abs(mark - teaches);
}

function tokensIn(log: readonly EpisodeEvent[], seats: readonly Seat[]): number {
  return log.reduce((sum, event) => {
    if (event.kind !== 'action' || !seats.includes(event.seat)) return sum;
    return (event.calls ?? []).reduce((own, { tokenIds = [] }) => own + tokenIds.length, sum);
  }, 0);
}

function totalReward(log: readonly EpisodeEvent[]): number {
  const end = log.at(-1);
  return end?.kind === 'end' ? (end.returns['proposer'] ?? 0) : 0;
}

/** All that a seat said, as its answer. */
function wordsOf(log: readonly EpisodeEvent[], seat: Seat): string {
  return log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? [event.action.text.trim().toLowerCase()] : [])).join(' ');
}
