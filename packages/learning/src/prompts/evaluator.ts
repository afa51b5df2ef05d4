/**
 * @file The evaluator: the only part that scores candidates and spends the budget. It owns tasks, seeds and cache.
 *
 * Engines see its `Bench`, which has no report tasks. Seeds of the three splits differ in their remainder by three. Both sides of a
 * comparison play the same tasks with the same seeds. Every evaluator writes to the run's ledger but has its own count: a play that another
 * has paid for is charged in full, and is not repeated.
 */

import { count } from '@ludus-agents/kernel/internal/core/format';
import type { BudgetFault, Cost, Json, ModelCall, Seed } from '@ludus-agents/kernel/internal/core/index';
import { BudgetCounter, currentBudget, Fault, rng, withBudget } from '@ludus-agents/kernel/internal/core/index';
import type { Candidate, CandidateOrigin } from './candidate.ts';
import { type Choices, choicesAmong, componentOfChoice, openChoices } from './choices.ts';
import { type Change, changeBetween, componentsOf, isLocked } from './components.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { ProposalRequest, Proposer, ProposerInput } from './engine.ts';
import { checkEnds, OutOfBudget, outOfBudget } from './out-of-budget.ts';
import { breedChanges, ProposalMemory } from './proposal-memory.ts';
import { chooseFor } from './proposers/choose.ts';
import type { Trial, TrialAttempt, TrialEnvironment } from './trial-environment.ts';
import type { Proposal, Spending, Split, TrialKey, TrialRecord } from './trial-ledger.ts';
import {
  addCosts,
  addSpending,
  free,
  nothingSpent,
  playKey,
  proposalKey,
  spendingOf,
  splits,
  subtractCosts,
  TrialLedger,
} from './trial-ledger.ts';
import { placesOf } from './trial-scores.ts';

export type { Trial, TrialAttempt, TrialEnvironment };
export { OutOfBudget };

/** Hard limits. A call is one task played once; money and tokens include proposers. */
export type EvaluatorBudget = { readonly calls?: number; readonly tokens?: number; readonly money?: number };

export type TrialCost = {
  readonly calls: number;
  readonly proposals: number;
  readonly modelCalls: number;
  readonly tokens: number;
  /** US dollars; null if a price is unknown. */
  readonly money: number | null;
  /** The number of plays and proposals with unknown prices. */
  readonly unpriced: number;
};

const mostIdle = 50;
const mostTimes = 3;
const mostFailures = 3;

/** The number of report episodes that all candidates play before any plays more. */
const atOnce = 50;

/** An engine's access to trials: it plays candidates on tasks within a budget, and requests children from proposers. */
export interface TrialRunner {
  /** The number of places in a split: its tasks, or more if tasks are repeated with other seeds. */
  readonly tasks: Readonly<Record<Exclude<Split, 'report'>, number>>;
  readonly spent: TrialCost;
  /** The number of remaining calls. */
  readonly left: number;
  /** Plays a candidate at places, or returns its earlier plays there. All or nothing: throws OutOfBudget if the calls do not suffice. */
  evaluate(candidate: Candidate, places: readonly TrialKey[]): Promise<readonly TrialRecord[]>;
  /** All plays of a candidate on a split by this engine. */
  seen(candidate: string, split: Split): readonly TrialRecord[];
  /** Requests children of a parent from a proposer. Refused edits (locked, empty, equal to the parent) are left out. */
  propose(proposer: Proposer, question: ProposalRequest): Promise<readonly Candidate[]>;
}

export interface EvaluatorParts {
  readonly ground: TrialEnvironment;
  readonly ledger?: TrialLedger;
  /** The engine that is charged; random numbers of proposals depend on this name. */
  readonly engine: string;
  readonly seed: Seed;
  readonly tasks: Readonly<Record<Split, number>>;
  readonly budget?: EvaluatorBudget;
  readonly concurrency?: number;
  readonly locked?: readonly string[];
  /** Values of the components that are chosen instead of written. */
  readonly choices?: Choices;
  readonly signal?: AbortSignal;
}

/** Plays and scores candidates, and charges one budget for it. */
export class Evaluator implements TrialRunner {
  readonly tasks: Readonly<Record<Split, number>>;
  readonly #parts: EvaluatorParts;
  readonly #ledger: TrialLedger;
  readonly #lanes: ConcurrencyLimit;
  readonly #signal: AbortSignal;
  readonly #asked = new Map<string, Promise<TrialRecord>>();
  readonly #seen = new Map<string, TrialRecord[]>();
  readonly #spent = { calls: 0, proposals: 0, modelCalls: 0, tokens: 0, money: 0, unpriced: 0 };
  /** The most expensive play so far: the assumed cost of each active play. */
  readonly #dearest = { tokens: 0, money: 0 };
  /** Reserves tokens and money before every model call, of players and proposers. */
  readonly #purse: BudgetCounter;
  /** The reported costs of trials and proposals; the rest of the budget counter is failed calls. */
  readonly #reported = { tokens: 0, money: 0 };
  readonly #proposals = new ProposalMemory();
  #refused: BudgetFault | null = null;
  #running = 0;
  #failures = 0;
  #payments = 0;
  /** Proposals since the last new play, to stop an engine that only makes proposals. */
  #idle = 0;
  #closed = false;

  constructor(parts: EvaluatorParts) {
    this.#parts = parts;
    this.tasks = parts.tasks;
    this.#ledger = parts.ledger ?? new TrialLedger();
    this.#lanes = new ConcurrencyLimit(parts.concurrency ?? 64);
    this.#signal = parts.signal ?? new AbortController().signal;
    const { calls: _, ...allowance } = parts.budget ?? {};
    this.#purse = new BudgetCounter(allowance, {
      parent: currentBudget(),
      onStop: (fault) => {
        this.#refused ??= fault;
      },
    });
  }

  get spent(): TrialCost {
    const tokens = this.#spent.tokens + Math.max(0, this.#purse.spent.tokens - this.#reported.tokens);
    return { ...this.#spent, tokens, money: this.#spent.unpriced > 0 ? null : this.#money };
  }

  /** The total money with known prices. */
  get #money(): number {
    return this.#spent.money + Number(Math.max(0, this.#purse.spent.money - this.#reported.money).toFixed(9));
  }

  get left(): number {
    return (this.#parts.budget?.calls ?? Number.POSITIVE_INFINITY) - this.#spent.calls;
  }

  async evaluate(candidate: Candidate, places: readonly TrialKey[]): Promise<readonly TrialRecord[]> {
    if (this.#closed || places.some(({ split }) => split === 'report'))
      throw new Error('Report tasks are played once, by report(). Nothing is played after them.');
    return this.#evaluate(candidate, places);
  }

  /**
   * Plays the candidates on the fresh tasks, all on the same ones. This closes the evaluator, so that nothing is chosen after the report.
   * If the money runs out early, it stops after the last tasks that all candidates have played.
   */
  async report(candidates: readonly Candidate[]): Promise<readonly (readonly TrialRecord[])[]> {
    this.#closed = true;
    const places = placesOf('report', this.tasks.report);
    const all: TrialRecord[][] = candidates.map(() => []);
    try {
      for (let from = 0; from < places.length; from += atOnce) {
        const round: (readonly TrialRecord[])[] = [];
        for (const candidate of candidates) round.push(await this.#evaluate(candidate, places.slice(from, from + atOnce)));
        for (const [i, plays] of round.entries()) all[i]?.push(...plays);
      }
    } catch (thrown) {
      if (!(thrown instanceof OutOfBudget)) throw thrown;
    }
    return all;
  }

  seen(candidate: string, split: Split): readonly TrialRecord[] {
    return this.#seen.get(`${candidate}/${split}`) ?? [];
  }

  async propose(proposer: Proposer, question: ProposalRequest): Promise<readonly Candidate[]> {
    this.#afford();
    if (this.#proposals.isStuck)
      throw new OutOfBudget('proposals', 'No more proposals are made: the last ones in a row brought nothing new.');
    if (this.#idle++ >= mostIdle) throw new OutOfBudget('proposals', `No more proposals are made: ${mostIdle} have led to no new play.`);
    const { engine, seed, locked = [], choices: all = {} } = this.#parts;
    const choices = openChoices(question.parent.components, all, locked);
    const every = [...new Set([...Object.keys(question.parent.components), ...Object.keys(choices)])];
    const { parent, plays = [], step, components = every, many = 1, edits = 1, tried = [] } = question;
    const open = components.filter((name) => !isLocked(componentOfChoice(name), locked));
    const keyParts = [engine, proposer.name, parent.id, plays.map(({ key }) => key), step, open, many, edits, tried.length] as Json;
    const key = proposalKey(keyParts);
    const dice = rng(seed, 'propose', engine, proposer.name, step);
    const written = proposer.chooses === true ? open : open.filter((name) => !Object.hasOwn(all, name));
    const round = {
      rng: dice,
      components: written,
      choices: choicesAmong(choices, open),
      many,
      edits,
      tried,
      refused: this.#proposals.reasons(parent.id),
    };
    const retainedProposal = this.#ledger.get<Proposal>('proposal', key);
    const proposal =
      retainedProposal ?? (await this.#ask(written.length > 0 ? proposer : chooseFor(proposer), { key, parent, plays, round }));
    if (retainedProposal === undefined) this.#pay(proposal.cost);
    else this.#repay(retainedProposal.cost);
    this.#spent.proposals++;
    const origin: CandidateOrigin = { engine, proposer: proposer.name, step };
    const { made, refused } = breedChanges(parent, proposal, { origin, locked });
    this.#proposals.record(parent.id, { made: made.map(({ id }) => id), refused, asked: proposal.cost.calls > 0 });
    return made;
  }

  async #ask(
    proposer: Proposer,
    request: { key: string; parent: Candidate; plays: readonly TrialRecord[]; round: Omit<ProposerInput, 'paid' | 'refuse'> },
  ): Promise<Proposal> {
    const { key, parent, plays, round } = request;
    const lessons = await Promise.all(plays.map((play) => this.#parts.ground.lesson(play)));
    const cost = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 as number | null };
    const addCost = ({ usage, cost: money }: ModelCall) => {
      cost.calls++;
      cost.promptTokens += usage.promptTokens;
      cost.completionTokens += usage.completionTokens;
      cost.money = money === null || cost.money === null ? null : cost.money + money;
    };
    const refused: string[] = [];
    const refuse = (why: string) => void refused.push(why);
    const { result: specs, paid: spending } = await this.#paying(
      () => proposer.improver({ ...round, paid: addCost, refuse }).improve(parent.spec, lessons, this.#signal),
      () => cost,
    );
    const changes: Change[] = specs.map((spec) => changeBetween(parent.components, componentsOf(spec)));
    const why = refused.length === 0 ? {} : { refused };
    const proposal: Proposal = { kind: 'proposal', key, proposer: proposer.name, parent: parent.id, changes, ...why, cost, paid: spending };
    await this.#ledger.put(proposal);
    return proposal;
  }

  async #evaluate(candidate: Candidate, places: readonly TrialKey[]): Promise<readonly TrialRecord[]> {
    const fresh = new Set(places.map((place) => playKey(candidate.id, place)).filter((key) => !this.#asked.has(key)));
    if (fresh.size > this.left)
      throw outOfBudget({ unit: 'plays', limit: this.left + this.#spent.calls, need: fresh.size, left: this.left, next: 'step' });
    this.#afford();
    this.#spent.calls += fresh.size;
    if (fresh.size > 0) this.#idle = 0;
    const plays = await this.#settle(candidate, places);
    // In the order of the requests, not of completion, so that a repeated run is identical.
    for (const play of plays) if (fresh.delete(play.key)) this.#witness(play);
    if (candidate.parents.length === 0) await this.#checkScores(plays);
    return plays;
  }

  /** If the scorer cannot score any play of the start, nothing can be compared. Resuming scores these plays again. */
  async #checkScores(plays: readonly TrialRecord[]): Promise<void> {
    const reason = plays[0]?.unscored;
    if (reason === undefined || plays.some(({ unscored }) => unscored === undefined)) return;
    for (const play of plays) await this.#ledger.put({ ...play, again: true });
    throw new Fault('model', `None of ${count(plays.length, 'play')} of the start got a score: ${reason}.`, { code: 'E_NO_SCORE' });
  }

  #witness(play: TrialRecord): void {
    const list = `${play.candidate}/${play.split}`;
    if (!this.#seen.has(list)) this.#seen.set(list, []);
    this.#seen.get(list)?.push(play);
  }

  /** Waits for all plays, so that none is left running after a failure, then throws the first failure. */
  async #settle(candidate: Candidate, places: readonly TrialKey[]): Promise<readonly TrialRecord[]> {
    const plays = places.map((place) => this.#remembered(candidate, place));
    await Promise.allSettled(plays);
    return Promise.all(plays);
  }

  #remembered(candidate: Candidate, place: TrialKey): Promise<TrialRecord> {
    const key = playKey(candidate.id, place);
    let request = this.#asked.get(key);
    if (request === undefined) {
      request = this.#play(candidate, place, key);
      this.#asked.set(key, request);
    }
    return request;
  }

  async #play(candidate: Candidate, place: TrialKey, key: string): Promise<TrialRecord> {
    const earlier = this.#ledger.get<TrialRecord>('play', key);
    const trialRecord = earlier?.again === true ? undefined : earlier;
    if (trialRecord !== undefined) this.#repay(trialRecord.cost);
    const at = this.#parts.ground.taskAt?.(place);
    const played = trialRecord ?? (await this.#lanes.run(() => this.#attempt(candidate, place, key, earlier?.paid)));
    const play = at === undefined ? played : { ...played, at };
    // The next trial may begin while this one is being stored; its result is only used once stored.
    if (trialRecord === undefined) await this.#ledger.put(play);
    return play;
  }

  async #attempt(candidate: Candidate, place: TrialKey, key: string, earlierSpending = nothingSpent): Promise<TrialRecord> {
    const trial = { ...place, seed: this.#seedOf(place) };
    let cost = free;
    let rewardSpending = earlierSpending;
    this.#running++;
    try {
      for (let time = 1; ; time++) {
        this.#signal.throwIfAborted();
        this.#afford(0);
        const { result: played, paid: spending } = await this.#paying(
          () => this.#parts.ground.play(candidate.spec, trial, this.#signal),
          ({ cost: whole, before = free }) => subtractCosts(whole, before),
        );
        const { before = free, ...attempt } = played;
        this.#pay(attempt.cost);
        cost = addCosts(cost, attempt.cost);
        rewardSpending = addSpending(rewardSpending, spending);
        // A stopped process has recorded the cost of interrupted plays; a killed one has not.
        if (before.calls > 0 && earlierSpending === nothingSpent && !this.#ledger.hasCutOff)
          rewardSpending = addSpending(rewardSpending, spendingOf(before));
        if (attempt.fault !== undefined && time < mostTimes) continue;
        this.#endured(attempt.fault);
        return { kind: 'play', key, candidate: candidate.id, ...place, ...attempt, cost, paid: rewardSpending };
      }
    } finally {
      this.#running--;
    }
  }

  /** A play that fails occasionally is left out of comparisons. Consecutive failures have a cause that no edit can fix. */
  #endured(fault: string | undefined): void {
    this.#failures = fault === undefined ? 0 : this.#failures + 1;
    if (fault !== undefined && this.#failures >= mostFailures)
      throw new Fault(
        'model',
        `${mostFailures} plays in a row have failed ${mostTimes} times each: ${fault} Fix the problem, then resume the run.`,
      );
  }

  /** Each split uses every third seed, starting from the run's seed, with its own remainder. */
  #seedOf({ split, task, repeat }: TrialKey): Seed {
    return 3 * ((this.#parts.seed % 2 ** 24) * 2 ** 26 + repeat * this.tasks[split] + task) + splits.indexOf(split);
  }

  /** Runs work that calls models, with each call within the budget. Work cut short by the budget yields neither a play nor a proposal. */
  async #paying<T>(work: () => Promise<T>, costOf: (result: T) => Cost): Promise<{ readonly result: T; readonly paid: Spending }> {
    const counter = new BudgetCounter({ failures: Number.POSITIVE_INFINITY }, { parent: this.#purse });
    try {
      const result = await withBudget(counter, work);
      if (this.#refused !== null) throw this.#refused;
      const spending = spendingOf(costOf(result));
      if (counter.calls > 0) this.#say(spending.tokens, spending.unpriced > 0 ? null : spending.money);
      return { result, paid: counter.isUsed ? counter.spent : spending };
    } catch (thrown) {
      if (this.#refused === null) throw thrown;
      if (this.#refused.isPriceUnknown) throw new Fault('input', this.#refused.message);
      throw this.#refused.part === 'failures' ? this.#refused : new OutOfBudget(this.#refused.part, this.#refused.message);
    }
  }

  #repay(cost: Cost): void {
    this.#pay(cost);
    const [tokens, money] = [cost.promptTokens + cost.completionTokens, cost.money ?? 0];
    this.#purse.carry({ tokens, money });
    this.#say(tokens, money);
  }

  #say(tokens: number, money: number | null): void {
    this.#reported.tokens += tokens;
    this.#reported.money += money ?? 0;
  }

  #pay({ calls, promptTokens, completionTokens, money }: Cost): void {
    const tokens = promptTokens + completionTokens;
    this.#payments++;
    this.#spent.modelCalls += calls;
    this.#spent.tokens += tokens;
    this.#spent.money += money ?? 0;
    if (money === null) this.#spent.unpriced++;
    this.#dearest.tokens = Math.max(this.#dearest.tokens, tokens);
    this.#dearest.money = Math.max(this.#dearest.money, money ?? 0);
  }

  /** Refuses new work if the budget would be exceeded when it and all active plays cost as much as the most expensive one so far. */
  #afford(more = 1): void {
    const { budget = {} } = this.#parts;
    checkEnds(budget, this.#payments, this.#money);
    for (const what of ['tokens', 'money'] as const) {
      const most = budget[what];
      const running = this.#running * this.#dearest[what];
      const need = more * this.#dearest[what];
      if (most === undefined || this.#spent[what] + running + need <= most * (1 + 1e-9)) continue;
      const left = most * (1 + 1e-9) - this.#spent[what] - running;
      throw outOfBudget({ unit: what, limit: most, need, left, next: 'play' });
    }
  }
}
