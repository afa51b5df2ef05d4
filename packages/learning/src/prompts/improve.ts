/**
 * @file The run loop: an engine, both baselines at equal cost, then all answers on fresh tasks.
 *
 * Only the ledger, the archive and the report are stored. A stopped run is repeated from its start: entries in its ledger are not paid for
 * again, entries in its archive are compared, and it continues where it was interrupted.
 */

import type { AgentSpec, Json, Seed } from '@ludus-agents/kernel/internal/core/index';
import {
  amountOf,
  BudgetCounter,
  currentBudget,
  Fault,
  isFault,
  rng,
  sentenceOf,
  withBudget,
} from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { ArchiveLog } from './archive.ts';
import { type Candidate, createFirstCandidate } from './candidate.ts';
import type { Choices } from './choices.ts';
import type { Engine, Happening, Proposer } from './engine.ts';
import { pareto } from './engines/pareto.ts';
import { random } from './engines/random.ts';
import { resample } from './engines/resample.ts';
import { Evaluator, type EvaluatorBudget, OutOfBudget, type TrialCost, type TrialEnvironment, type TrialRunner } from './evaluator.ts';
import { type GateRule, gateRules } from './gate.ts';
import type { Journals } from './journal.ts';
import { Journal } from './journal.ts';
import { costOfPlay, type FrontPoint, frontOfPoints, pointOf } from './objectives.ts';
import { type ImproveReport, type ReportSide, type RunSpending, reportOf } from './report.ts';
import { mostGraderChecks } from './trial-environment.ts';
import { addSpending, lessSpending, nothingSpent, type Spending, type Split, TrialLedger, type TrialRecord } from './trial-ledger.ts';
import { byTask, byUnit, identityOf, scoreOf } from './trial-scores.ts';
import { cellsReport, type FourCells } from './weights-by-texts.ts';

/** An improvement as plain data. Equal data is the same run. */
export type Improvement = {
  readonly engine: string;
  readonly settings: Json;
  readonly proposer: string;
  readonly seed: Seed;
  readonly budget: EvaluatorBudget;
  readonly tasks: Readonly<Record<Split, number>>;
  readonly repeats: number;
  readonly gate: GateRule;
  readonly locked: readonly string[];
  /** Values of the components that are chosen instead of written. */
  readonly choices?: Choices;
  readonly start: AgentSpec;
};

/** The services that an improvement needs. */
export interface ImproveServices {
  readonly store: Journals;
  readonly run: string;
  readonly engine: Engine;
  readonly ground: TrialEnvironment;
  readonly proposer: Proposer;
  /** Makes the edits of the random baseline, without reading lessons. */
  readonly blind: Proposer;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
}

/** An event with its engine, and the engine's cost so far. */
export type ImproveEvent = Happening & { readonly engine: string; readonly spent: TrialCost };

export const defaults = { repeats: 1, gate: gateRules.ours, locked: [] as readonly string[] };

/** An engine's answer. */
interface Answer {
  readonly best: Candidate;
  readonly select: number;
  readonly spent: TrialCost;
  readonly made: number;
  readonly accepted: number;
  readonly plays: readonly TrialRecord[];
  readonly front?: readonly FrontPoint[];
}

interface Line {
  readonly engine: Engine;
  readonly settings: Json;
  readonly proposer: Proposer;
  readonly budget: EvaluatorBudget;
}

/** Runs an engine and both baselines, then plays all answers on fresh tasks. Resumes a stored run. */
export async function* improve(
  improvement: Improvement,
  services: ImproveServices,
): AsyncGenerator<ImproveEvent, ImproveReport, undefined> {
  const { store, run, engine } = services;
  const reports = await Journal.open(store, run, 'report');
  const done = reports.kept.at(-1);
  if (done !== undefined) return done as ImproveReport;
  const ledger = await TrialLedger.open(store, run);
  await ledger.bind(services.ground.identity);
  const improving = new Improving(improvement, services, { ledger, log: await ArchiveLog.open(store, run) });
  let isDone = false;
  try {
    const proposer = engine.name === random.name ? services.blind : services.proposer;
    const budget = shareOf(improvement);
    const main = yield* improving.run({ engine, settings: improvement.settings, proposer, budget });
    const shadow = { settings: {}, proposer: services.blind, budget: { ...budget, calls: main.spent.calls } };
    const edited = engine.name === random.name ? main : yield* improving.run({ ...shadow, engine: random });
    const again = engine.name === resample.name ? main : yield* improving.run({ ...shadow, engine: resample });
    const report = await improving.report({ main, edited, again });
    await improving.head(main.best, `best of ${engine.name}`);
    if (report.cells !== undefined) await (await Journal.open(store, run, 'cells')).append(report.cells);
    await reports.append(report);
    isDone = true;
    return report;
  } finally {
    if (!isDone) await improving.keepCut();
  }
}

/**
 * The budget of one engine. Calls are each engine's own; money and tokens are for the whole run, to leave enough for the baselines and the
 * fresh tasks: shares are proportional to plays, with report plays weighted 1.5 because texts grow.
 */
export function shareOf({ budget, tasks }: Pick<Improvement, 'budget' | 'tasks'>): EvaluatorBudget {
  const { calls } = budget;
  const share = calls === undefined ? 0.3 : calls / (3 * calls + 1.5 * 4 * tasks.report);
  return {
    ...(calls === undefined ? {} : { calls }),
    ...(budget.tokens === undefined ? {} : { tokens: budget.tokens * share }),
    ...(budget.money === undefined ? {} : { money: budget.money * share }),
  };
}

/** One active run: all engines write to the same ledger and archive. */
class Improving {
  readonly #improvement: Improvement;
  readonly #services: ImproveServices;
  readonly #ledger: TrialLedger;
  readonly #log: ArchiveLog;
  readonly #start: Candidate;
  /** Counts every model call that this process makes for the run. */
  readonly #counter = new BudgetCounter({ failures: Number.POSITIVE_INFINITY }, { parent: currentBudget() });
  readonly #paidBefore: Spending;

  constructor(
    improvement: Improvement,
    services: ImproveServices,
    { ledger, log }: { readonly ledger: TrialLedger; readonly log: ArchiveLog },
  ) {
    this.#improvement = improvement;
    this.#services = services;
    this.#ledger = ledger;
    this.#log = log;
    this.#start = createFirstCandidate(improvement.start);
    this.#paidBefore = ledger.paid();
  }

  /** The total cost of the run: the ledger, plus this process's cost of interrupted plays. */
  #total(): RunSpending {
    const { calls, tokens, money, unpriced } = addSpending(this.#ledger.paid(), this.#cut());
    const uncounted = this.#ledger.uncounted() + this.#counter.atBound;
    return { calls, tokens, money: unpriced > 0 ? null : money, ...(uncounted > 0 && { uncounted }) };
  }

  /** This process's costs that are not in the ledger. */
  #cut(): Spending {
    return this.#counter.isUsed ? lessSpending(this.#counter.spent, lessSpending(this.#ledger.paid(), this.#paidBefore)) : nothingSpent;
  }

  /** Records the cost of interrupted plays in the ledger, so that the run's total includes it after resuming. */
  async keepCut(): Promise<void> {
    const spent = this.#cut();
    const uncounted = this.#counter.atBound;
    if (spent.calls + spent.tokens + uncounted > 0)
      await this.#ledger.put({ kind: 'cut', key: `cut/${this.#ledger.entries().length}`, paid: spent, uncounted });
  }

  async *run({ engine, settings, proposer, budget }: Line): AsyncGenerator<ImproveEvent, Answer, undefined> {
    const { seed, repeats, gate, locked, choices = {} } = this.#improvement;
    const bench = this.#evaluator(engine.name, budget);
    const archive = this.#log.archive(engine.name);
    const dice = (...path: readonly (string | number)[]) => rng(seed, 'engine', engine.name, ...path);
    const signal = this.#services.signal ?? new AbortController().signal;
    const parts = { start: this.#start, archive, bench, proposer, gate, repeats, dice, locked, choices, signal };
    const course = engine.run(parts, settings);
    let answer: { best: Candidate; select: number } | null = null;
    let why = '';
    try {
      for await (const happening of course) {
        if (happening.kind === 'best') answer = { best: happening.candidate, select: happening.score };
        yield { ...happening, engine: engine.name, spent: bench.spent };
      }
    } catch (thrown) {
      if (!(thrown instanceof OutOfBudget)) throw thrown;
      why = `${thrown.message}${this.#shareWords(engine.name, budget, thrown)}`;
      yield { kind: 'note', words: why, engine: engine.name, spent: bench.spent };
      if (thrown.part === 'plays') why += ' Raise --budget.';
    }
    await this.#log.settled();
    if (answer === null)
      throw new Fault(
        'input',
        `${engine.name} could not evaluate the initial version on all ${bench.tasks.select} gate tasks within its budget. ${why}`,
      );
    const accepted = archive.tried.filter(({ verdict }) => verdict.accept).length;
    const front = weighsCosts(engine, gate) ? frontIn(archive.candidates, bench) : undefined;
    const match = {
      ...answer,
      spent: bench.spent,
      made: archive.candidates.length - 1,
      accepted,
      plays: bench.seen(this.#start.id, 'select'),
    };
    return front === undefined ? match : { ...match, front };
  }

  /** How much of the run's budget one engine has. */
  #shareWords(engine: string, share: EvaluatorBudget, { part }: OutOfBudget): string {
    if (part !== 'tokens' && part !== 'money') return '';
    const [engineLimit, whole] = [share[part], this.#improvement.budget[part]];
    if (engineLimit === undefined || whole === undefined) return '';
    return ` ${engine} has ${amountOf(part, engineLimit)} of the ${amountOf(part, whole)}; the rest is for the baselines and the report.`;
  }

  async report({ main, edited, again }: Readonly<Record<'main' | 'edited' | 'again', Answer>>): Promise<ImproveReport> {
    const { engine } = this.#services;
    const reporter = this.#evaluator('report', this.#rest());
    const crossed = engine.trains === true ? [withModelOf(this.#start, main.best), withModelOf(main.best, this.#start)] : [];
    const [start, best, random, same, ...cross] = await reporter.report([this.#start, main.best, edited.best, again.best, ...crossed]);
    const cells = engine.trains === true ? cellsOf([start, cross[1], cross[0], best]) : null;
    const graderWords = await this.#checkGrader(best ?? []);
    const side = (answer: Answer, plays: readonly TrialRecord[] | undefined): ReportSide => ({
      candidate: answer.best,
      select: answer.select,
      plays: plays ?? [],
    });
    const report = reportOf({
      ...{ run: this.#services.run, engine: engine.name, seed: this.#improvement.seed },
      start: {
        candidate: this.#start,
        select: scoreOf(again.plays),
        plays: start ?? [],
      },
      best: side(main, best),
      random: side(edited, random),
      resample: { ...side(again, same), ...bestOf(again.plays) },
      candidates: { made: main.made, accepted: main.accepted, rejected: main.made - main.accepted },
      ...(main.front === undefined ? {} : { front: main.front }),
      spent: { random: edited.spent, resample: again.spent, [engine.name]: main.spent, report: reporter.spent },
      total: this.#total(),
    });
    const judged = graderWords.length === 0 ? report : { ...report, words: [...report.words, ...graderWords] };
    return cells === null ? judged : { ...judged, cells };
  }

  /** Checks the model that graded, if there is one and the budget suffices. */
  async #checkGrader(plays: readonly TrialRecord[]): Promise<readonly string[]> {
    const { ground, signal = new AbortController().signal } = this.#services;
    const graded = [
      ...Map.groupBy(
        plays.filter(({ score }) => score !== null),
        (play) => identityOf(play).task,
      ).values(),
    ]
      .flatMap(([first]) => first ?? [])
      .slice(0, mostGraderChecks);
    if (ground.checkGrader === undefined || graded.length === 0) return [];
    // A play includes one call of the grader, and a check takes two.
    const dearest = (what: 'tokens' | 'money') => 2 * graded.length * Math.max(...graded.map((play) => costOfPlay(play)[what] ?? 0));
    const { tokens = Number.POSITIVE_INFINITY, money = Number.POSITIVE_INFINITY } = this.#rest();
    if (dearest('tokens') > tokens || dearest('money') > money)
      return ['The grader was not checked: what is left of the budget might not suffice.'];
    try {
      return await withBudget(this.#counter, () => ground.checkGrader?.(graded, signal) ?? []);
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown;
      return [`The grader was not checked: ${sentenceOf(thrown)}`];
    }
  }

  /** The remaining money and tokens. */
  #rest(): EvaluatorBudget {
    const { tokens, money } = this.#improvement.budget;
    const spending = this.#ledger.paid();
    return {
      ...(tokens === undefined ? {} : { tokens: tokens - spending.tokens }),
      ...(money === undefined ? {} : { money: money - spending.money }),
    };
  }

  async head(candidate: Candidate, reason: string): Promise<void> {
    await this.#log.head(candidate.id, reason);
  }

  #evaluator(engine: string, budget: EvaluatorBudget): Evaluator {
    const { seed, tasks, locked, choices = {} } = this.#improvement;
    const { ground, concurrency, signal } = this.#services;
    const parts = {
      ...{ ground, ledger: this.#ledger, engine, seed, tasks, budget, locked, choices },
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(signal === undefined ? {} : { signal }),
    };
    return withBudget(this.#counter, () => new Evaluator(parts));
  }
}

/** Whether costs matter besides scores. */
function weighsCosts({ name }: Engine, { prices, most, frugal }: GateRule): boolean {
  return name === pareto.name || prices !== undefined || most !== undefined || frugal !== undefined;
}

/** Candidates that played every select task and that no other dominates. */
function frontIn(candidates: readonly Candidate[], bench: TrialRunner): readonly FrontPoint[] {
  const points = candidates.flatMap(({ id }) => {
    const plays = bench.seen(id, 'select');
    // Every place must have a play: with fewer tasks, scores would not be comparable.
    return byTask(plays).size < bench.tasks.select ? [] : [pointOf(id, plays, scoreOf(plays))];
  });
  return frontOfPoints(points);
}

/** The texts of the first candidate with the weights of the second. */
function withModelOf({ spec }: Candidate, { spec: { model } }: Candidate): Candidate {
  return createFirstCandidate(model === undefined ? spec : { ...spec, model });
}

/**
 * The base weights with old and new texts, then the trained weights with both, over the report tasks with scores for all four; null if
 * there are none.
 */
function cellsOf(rows: readonly (readonly TrialRecord[] | undefined)[]): FourCells | null {
  const means = rows.map((plays) => byUnit(plays ?? []));
  const tasks = [...(means[0]?.keys() ?? [])].filter((task) => means.every((row) => row.has(task)));
  if (tasks.length === 0) return null;
  const scores = (cell: number) => tasks.map((task) => means[cell]?.get(task)?.mean as number);
  return cellsReport({ base: { old: scores(0), new: scores(1) }, trained: { old: scores(2), new: scores(3) } });
}

/** The mean over tasks of their best play, and the number of plays behind each best. */
function bestOf(plays: readonly TrialRecord[]): { readonly k: number; readonly bestOf: number } {
  const tasks = new Map<number, number[]>();
  for (const { task, score } of plays) if (score !== null) tasks.set(task, [...(tasks.get(task) ?? []), score]);
  const lists = [...tasks.values()];
  return { k: Math.max(0, ...lists.map((list) => list.length)), bestOf: meanOrZero(lists.map((list) => Math.max(...list))) };
}
