/**
 * @file Writer, solver and judge as learners of one loop: tasks are written, checked, and tried several times by the current solver, and
 * every side that is currently training learns from the same episodes in its own `TrainingLoop`. Part of the practice may use the original
 * tasks, on which the solver is measured.
 *
 * Sides learn together, alone, or in turn. A side that does not learn still plays, with unchanged weights.
 */

import type { AnyEnvironment, EpisodeEvent, Json, JsonObject, Learner, Policy, Seat, Seed } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { rollout } from '@ludus-agents/kernel/internal/engine/rollout';
import { ActCounter, type Counts } from '../rl/counters.ts';
import type { EpisodeJudge } from '../rl/judging.ts';
import type { LessonGuide } from '../rl/lesson-guide.ts';
import type { PlayedGroup } from '../rl/played-groups.ts';
import type { Recipe } from '../rl/recipe.ts';
import { withSalt } from '../rl/rollouts.ts';
import { type LoopCheckpoint, type Metrics, TrainingLoop } from '../rl/training-loop.ts';
import { askArena, pastTask, plainRecipe, refuseFailures, returnOf, tokensIn, wordsOf } from './coevolution-logs.ts';
import { type ArenaParts, createSolverPolicy, type RefusedTask, type TriedTask } from './proposers/arena.ts';
import { lastWords, type TaskCheck } from './proposers/checks.ts';
import type { PastMoves } from './proposers/choice-classes.ts';
import type { DraftForm } from './proposers/drafts.ts';
import { judgingEnvironment } from './proposers/judging-environment.ts';
import { createProposerEnvironment, refusal } from './proposers/proposer-environment.ts';
import type { ProposerRecipe } from './proposers/recipes.ts';
import { findCollapse } from './proposers/shapes.ts';
import type { PastTask } from './proposers/writers.ts';

export interface CoevolutionParts {
  readonly environment: AnyEnvironment;
  readonly proposal: ProposerRecipe;
  /** How tasks are written move by move, and the part that all tasks share. */
  readonly form: DraftForm;
  readonly base?: Json;
  /** Checks that a task must pass before the solver tries it. */
  readonly checks?: readonly TaskCheck[];
  /** The tasks used for a share of the practice. */
  readonly originals?: readonly Json[];
  /** Guides of the solver besides its play: teachers, a reward model. */
  readonly guides?: readonly LessonGuide[];
  /** The judges of the recipe's reward channels, by name. */
  readonly judges?: Readonly<Record<string, EpisodeJudge>>;
  /** Rewards the solver's turns in place of the environment. */
  readonly payer?: EpisodeJudge | undefined;
  readonly solver: Learner;
  /** The solver itself if all roles share one learner. */
  readonly proposer: Learner;
  /** The judge of tasks, if the recipe has one; also a learner. */
  readonly judge: Learner | null;
  readonly mine: readonly Seat[];
  readonly others: Readonly<Record<Seat, Policy>>;
  readonly seed: Seed;
  /** Writes tasks instead of a learner, from the results of earlier ones: any agent, which is not trained. */
  readonly writer?: Policy;
  /** Whether that writer is asked move by move, like a learner. */
  readonly steps?: boolean;
  readonly tell?: (metrics: Metrics) => void;
}

/** The proposer's figures of an update. */
export type ProposalFigures = {
  /** The success rate on its valid tasks, the share of valid ones, and its reward. */
  readonly rate: number;
  readonly valid: number;
  readonly paid: number;
};

/** The number of remembered rates: enough to detect a collapse. */
const remembered = 64;
/** The number of move outcomes shown to a writer. */
const outcomesRemembered = 512;
/** The number of recent tasks that a new one is compared with. */
const recent = 100;

export class Coevolution {
  readonly #recipe: Recipe;
  readonly #parts: CoevolutionParts;
  readonly #loops: { readonly solver: TrainingLoop; readonly proposer: TrainingLoop; readonly judge: TrainingLoop | null };
  readonly #workshop: AnyEnvironment;
  readonly #acts = new ActCounter();
  #groups: { solver: readonly PlayedGroup[]; proposer: readonly PlayedGroup[]; judge: readonly PlayedGroup[] } = {
    solver: [],
    proposer: [],
    judge: [],
  };
  #update = 0;
  #known: readonly Json[] = [];
  #buffer: readonly Json[] = [];
  #rates: readonly number[] = [];
  /** The results of the latest tasks, shown to a writer. */
  #history: readonly PastTask[] = [];
  /** The results of the latest tasks that were written move by move. */
  #outcomes: readonly PastMoves[] = [];
  #figures: ProposalFigures = { rate: 0, valid: 0, paid: 0 };
  /** Tokens sampled by the solver and a learning writer in this process, including attempts that were not trained on. */
  sampled = 0;

  constructor(recipe: Recipe, parts: CoevolutionParts) {
    const { environment, proposal, form, base = {}, seed, solver, proposer, judge, mine, others, tell, guides = [] } = parts;
    this.#recipe = recipe;
    this.#parts = parts;
    this.#workshop = createProposerEnvironment(environment, {
      ...{ reward: proposal.reward, invalid: proposal.invalid, form, base },
      steps: parts.writer === undefined || parts.steps === true,
    });
    const elsewhere = (name: string): Recipe => plainRecipe(recipe, name);
    this.#loops = {
      // The writer supplies the tasks, so no teacher chooses them.
      solver: new TrainingLoop(recipe.curriculum.kind === 'teacher' ? { ...recipe, curriculum: { kind: 'uniform' } } : recipe, {
        ...{ environment, learner: solver, seed, others, seats: mine, played: async () => this.#groups.solver },
        ...(guides.length > 0 && { guides }),
        ...(parts.judges !== undefined && { judges: parts.judges }),
        ...(parts.payer !== undefined && { judge: parts.payer }),
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

  /** How often each part of the mechanism acted. */
  get acts(): Counts {
    return this.#acts.counts;
  }

  /** Why the proposals have stopped teaching, or null. */
  get alarm(): string | null {
    return findCollapse(this.#rates, remembered);
  }

  /** The sides that learn at this update. */
  side(update: number = this.#update): { readonly proposer: boolean; readonly solver: boolean } {
    if (this.#parts.writer !== undefined) return { proposer: false, solver: true };
    const { learns = 'both', period = 1 } = this.#recipe.coevolution ?? {};
    const first = Math.floor(update / period) % 2 === 0;
    if (learns === 'in-turn') return { proposer: first, solver: !first };
    return { proposer: learns !== 'solver', solver: learns !== 'proposer' };
  }

  /** One update: proposes, tries, and learns. */
  async step(): Promise<void> {
    const { solver, proposer } = this.side();
    const tried: TriedTask[] = [];
    const judged: Judged[] = [];
    const isOffline = this.#recipe.coevolution?.buffer !== undefined && solver && !proposer && this.#buffer.length > 0;
    const logs = isOffline ? await this.#again(tried) : await this.#propose(tried, judged);
    const practiced = await this.#practice();
    for (const { logs: tries } of [...tried, ...practiced]) for (const log of tries) this.sampled += tokensIn(log, this.#parts.mine);
    const triedTasks = tried.filter(
      ({ found }) => found.rate >= this.#parts.proposal.keep[0] && found.rate <= this.#parts.proposal.keep[1],
    );
    this.#count(tried, triedTasks, practiced);
    if (proposer && !isOffline) {
      this.#groups.proposer = [{ logs }];
      await this.#learn(this.#loops.proposer);
      if (judged.length > 0 && this.#loops.judge !== null) {
        this.#groups.judge = [{ logs: judged.map(({ log }) => log), paid: judged.map((item) => markReward(item, tried)) }];
        await this.#learn(this.#loops.judge);
      }
    }
    if (solver && triedTasks.length + practiced.length > 0) {
      this.#groups.solver = [
        ...triedTasks.map((triedTask) => this.#group(triedTask)),
        ...practiced.map(({ logs: tries }) => ({ logs: tries })),
      ];
      await this.#learn(this.#loops.solver);
    }
    this.#rates = [...this.#rates, ...tried.map(({ found }) => found.rate)].slice(-remembered);
    this.#history = [...this.#history, ...[...tried, ...practiced].map((triedTask) => pastTask(triedTask, this.#parts.mine[0]))].slice(
      -remembered,
    );
    const outcomes = tried.flatMap(({ moves, found }) => (moves === undefined ? [] : [{ moves, rate: found.rate }]));
    this.#outcomes = [...this.#outcomes, ...outcomes].slice(-outcomesRemembered);
    this.#remember(triedTasks);
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
        history: [...this.#history] as unknown as Json,
        outcomes: [...this.#outcomes] as unknown as Json,
        acts: this.#acts.write(),
        figures: { ...this.#figures },
      },
      solver: (await solver.save()) as unknown as Json,
      proposer: (await proposer.save()) as unknown as Json,
      judge: judge === null ? null : ((await judge.save()) as unknown as Json),
    };
  }

  async load(from: JsonObject): Promise<void> {
    this.#update = from['update'] as number;
    this.#known = from['known'] as readonly Json[];
    this.#buffer = from['buffer'] as readonly Json[];
    this.#rates = from['rates'] as readonly number[];
    this.#history = (from['history'] ?? []) as unknown as readonly PastTask[];
    this.#outcomes = (from['outcomes'] ?? []) as unknown as readonly PastMoves[];
    this.#acts.read((from['acts'] ?? {}) as JsonObject);
    this.#figures = from['figures'] as ProposalFigures;
    await this.#loops.proposer.load(from['proposer'] as LoopCheckpoint);
    if (this.#loops.judge !== null) await this.#loops.judge.load(from['judge'] as LoopCheckpoint);
    // Loads the solver last: if all roles share one learner, its checkpoint is the latest.
    await this.#loops.solver.load(from['solver'] as LoopCheckpoint);
  }

  #learn(loop: TrainingLoop): Promise<string | null> {
    return loop.run(loop.update + 1);
  }

  async #propose(tried: TriedTask[], judged: Judged[]): Promise<readonly (readonly EpisodeEvent[])[]> {
    const { proposer, writer, seed } = this.#parts;
    const arena = createSolverPolicy(this.#arenaParts(tried, judged));
    const dice = rng(seed, 'proposals', this.#update);
    const count = this.#taskCount - this.#practiceCount;
    if (count === 0) return [];
    const seeds = Array.from({ length: count }, () => dice.int(2 ** 32));
    const logs = await rollout(
      this.#workshop,
      { proposer: writer ?? withSalt(proposer.policy(), 0), arena },
      {
        ...{ seeds, width: count },
        task: this.#recipe.coevolution?.told === false ? {} : this.#past,
      },
    );
    const rewards = logs.map((log) => returnOf(log, 'proposer'));
    refuseFailures(logs);
    this.#countWriting(logs);
    for (const log of logs) this.sampled += tokensIn(log, ['proposer']);
    this.#figures = { rate: meanOrZero(tried.map(({ found }) => found.rate)), valid: tried.length / count, paid: meanOrZero(rewards) };
    return logs;
  }

  /** The writers' information about earlier tasks. */
  get #past(): JsonObject {
    return { history: [...this.#history] as unknown as Json, outcomes: [...this.#outcomes] as unknown as Json };
  }

  /** The number of tasks in an update, and of originals among them. */
  get #taskCount(): number {
    return Math.max(2, Math.ceil(this.#recipe.training.batch / this.#parts.proposal.attempts));
  }

  get #practiceCount(): number {
    return (this.#parts.originals ?? []).length === 0 ? 0 : Math.round((this.#recipe.coevolution?.practice ?? 0) * this.#taskCount);
  }

  /** Practice on the original tasks: the other half of EnvGen's cycle. */
  async #practice(): Promise<readonly TriedTask[]> {
    const { originals = [], seed } = this.#parts;
    const dice = rng(seed, 'practice', this.#update);
    const tried: TriedTask[] = [];
    const tasks = Array.from({ length: this.#practiceCount }, () => dice.pick(originals));
    const { judge: _, ...parts } = this.#arenaParts(tried, []);
    await askArena(createSolverPolicy({ ...parts, checks: [], seed: dice.int(2 ** 32) }), tasks);
    return tried;
  }

  #count(tried: readonly TriedTask[], triedTasks: readonly TriedTask[], practiced: readonly TriedTask[]): void {
    this.#acts.add('tasks tried', tried.length);
    this.#acts.add('tasks learned from', triedTasks.length);
    this.#acts.add('original tasks practiced', practiced.length);
    this.#acts.add(
      'tool calls',
      tried.reduce((sum, { found, logs }) => sum + found.calls * logs.length, 0),
    );
    if (this.#recipe.coevolution?.labels === 'majority') this.#acts.add('labels by majority', triedTasks.length);
  }

  /** Counts the writers' actions: proposals, refusals by reason, searches. */
  #countWriting(logs: readonly (readonly EpisodeEvent[])[]): void {
    this.#acts.add('tasks written', logs.length);
    for (const log of logs)
      for (const event of log) {
        if (event.kind === 'message' && event.text.startsWith(refusal)) this.#acts.add('proposals refused as malformed', 1);
        if (event.kind === 'action' && event.seat === 'proposer' && /^\s*\[(search|open) /i.test(event.action.text))
          this.#acts.add('searches of the writer', 1);
      }
  }

  #refuse({ task, words, moves, problem, check }: RefusedTask): void {
    this.#acts.add(`tasks refused by ${check}`, 1);
    const past: PastTask = { task: task as JsonObject, ...(words !== undefined && { words }), rate: null, problem };
    this.#history = [...this.#history, past].slice(-remembered);
    if (moves !== undefined) this.#outcomes = [...this.#outcomes, { moves, rate: null }].slice(-outcomesRemembered);
  }

  /** Replays tasks of the buffer without a proposal: PasoDoble offline. */
  async #again(tried: TriedTask[]): Promise<readonly (readonly EpisodeEvent[])[]> {
    const dice = rng(this.#parts.seed, 'buffer', this.#update);
    const tasks = Array.from({ length: this.#taskCount - this.#practiceCount }, () => dice.pick(this.#buffer));
    this.#acts.add('tasks from the buffer', tasks.length);
    await askArena(createSolverPolicy(this.#arenaParts(tried, [])), tasks);
    return [];
  }

  #arenaParts(tried: TriedTask[], judged: Judged[]): ArenaParts {
    const { environment, proposal, solver, mine, others, seed, checks = [], judge } = this.#parts;
    const policy = withSalt(solver.policy(), 1);
    const { tools = [] } = proposal;
    return {
      ...{
        environment,
        solver: mine[0],
        attempts: proposal.attempts,
        majority: proposal.rate === 'majority',
        fresh: false,
        memory: recent,
        checks,
        tools,
      },
      policies: { ...others, ...Object.fromEntries(mine.map((seat) => [seat, policy])) },
      seed: rng(seed, 'arena of', this.#update).int(2 ** 32),
      known: this.#known,
      answer: (log) => this.#answerIn(log),
      hear: (triedTask) => tried.push(triedTask),
      refuse: (refusedTask) => this.#refuse(refusedTask),
      ...(proposal.judged && judge !== null && { judge: (task: Json) => this.#mark(task, judge, judged) }),
    };
  }

  /** The answer of an attempt: its last message if it may use tools before, else all its messages. */
  #answerIn(log: readonly EpisodeEvent[]): string {
    const [seat] = this.#parts.mine as readonly [Seat];
    return (this.#parts.proposal.tools ?? []).length > 0 ? lastWords(log, seat) : wordsOf(log, seat);
  }

  async #mark(task: Json, judge: Learner, judged: Judged[]): Promise<number> {
    const seed = rng(this.#parts.seed, 'mark', this.#update, judged.length).int(2 ** 32);
    const [log] = await rollout(judgingEnvironment, { judge: judge.policy() }, { seeds: [seed], task: { task } });
    const actionEvent = log.findLast((event) => event.kind === 'action');
    const mark = Number(/\d+/.exec(actionEvent?.kind === 'action' ? actionEvent.action.text : '')?.[0] ?? 0) / 10;
    judged.push({ task, log: log, mark });
    this.#acts.add('tasks marked by the judge', 1);
    return mark;
  }

  /** The episodes of one task. With majority labels, the solver is rewarded for the most common answer of its attempts (Agent0). */
  #group({ logs }: TriedTask): PlayedGroup {
    if (this.#recipe.coevolution?.labels !== 'majority') return { logs };
    const statements = logs.map((log) => this.#answerIn(log));
    const counts = Map.groupBy(statements, (item) => item);
    const [most] = [...counts.values()].toSorted((a, b) => b.length - a.length);
    return { logs, paid: statements.map((item) => (item === most[0] ? 1 : 0)) };
  }

  #remember(triedTasks: readonly TriedTask[]): void {
    this.#known = [...this.#known, ...triedTasks.map(({ task }) => task)].slice(-recent);
    const { buffer } = this.#recipe.coevolution ?? {};
    if (buffer !== undefined) this.#buffer = [...this.#buffer, ...triedTasks.map(({ task }) => task)].slice(-buffer);
  }
}

interface Judged {
  readonly task: Json;
  readonly log: readonly EpisodeEvent[];
  readonly mark: number;
}

/** The accuracy of a judge's mark: how close it is to whether the task was sometimes solved. */
function markReward({ task, mark }: Judged, tried: readonly TriedTask[]): number {
  const key = JSON.stringify(task);
  const attempted = tried.find((triedTask) => JSON.stringify(triedTask.task) === key)?.found;
  const teaches = attempted !== undefined && attempted.rate > 0 && attempted.rate < 1 ? 1 : 0;
  return 1 - Math.abs(mark - teaches);
}
