/**
 * @file A learner composed of others, by roles: at every turn a rule decides which of them answers, and its input.
 *
 * The first token of a row is a tag that identifies its learner and is removed before the learner sees it. So the loop, its losses and its
 * checkpoints need no knowledge of roles, and any kind of learner can play one.
 */

import {
  Fault,
  type Json,
  type JsonObject,
  type Learner,
  type ModelCall,
  type Policy,
  type Reply,
  type Sampling,
  type TokenRow,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';

/** The answering learner's index; the row's tag; the input; and the seat's memory. */
export interface RoleTurn {
  readonly who: number;
  readonly tag: number;
  readonly turn: Turn;
  readonly mind?: Json;
}

export interface RoleRule {
  /** `result` is given if an answer is demonstrated instead of requested. */
  of(turn: Turn, task: number | null, result?: string): RoleTurn;
  /** The index of the learner with this tag. */
  whoOf(tag: number): number;
  /** Whether a learner takes part in the next step; all of them unless set. */
  learns?(who: number): boolean;
  /** Called after every step. */
  stepped?(): void;
  write(): JsonObject;
  read(state: JsonObject): void;
}

/** The checkpoint of roles: one of each learner, and the rule's state. */
export interface RoleCheckpoint {
  readonly learners: Readonly<Record<string, string>>;
  readonly rule: JsonObject;
  /** Whether all learners already share the trunk. */
  readonly shared?: boolean;
}

/** A learner whose weights can be frozen except for a head. */
interface TrunkLearner extends Learner {
  freezeTrunk(): void;
}

function hasTrunk(learner: Learner): learner is TrunkLearner {
  return typeof (learner as Partial<TrunkLearner>).freezeTrunk === 'function';
}

export function readRoles(checkpoint: string): RoleCheckpoint {
  const match = JSON.parse(checkpoint) as Partial<RoleCheckpoint>;
  if (match.learners === undefined || match.rule === undefined)
    throw new Fault('input', 'The recipe has roles, but this checkpoint does not. Train it again.');
  return match as RoleCheckpoint;
}

type Figures = Readonly<Record<string, number>>;

export class RoleLearner implements Learner {
  readonly id: string;
  readonly price = { prompt: 0, completion: 0 };
  readonly rule: RoleRule;
  readonly #names: readonly string[];
  readonly #learners: readonly Learner[];
  /** False until the trunk is shared, while the first learner trains for all; null if each has its own trunk. */
  #shared: boolean | null;

  constructor(
    id: string,
    learners: Readonly<Record<string, Learner>>,
    rule: RoleRule,
    { shared = false }: { readonly shared?: boolean } = {},
  ) {
    this.id = id;
    this.rule = rule;
    this.#names = Object.keys(learners);
    this.#learners = Object.values(learners);
    this.#shared = shared ? false : null;
    if (shared && !this.#learners.every(hasTrunk))
      throw new Fault('input', `${id} has no trunk to share between roles. Set training.learner to transformer, or remove roles.shared.`);
  }

  /** Freezes the trunk trained so far and shares it with all learners; from now on each trains its own head. */
  async shareTrunk(): Promise<void> {
    if (this.#shared !== false) return;
    const [first, ...rest] = this.#learners.filter(hasTrunk);
    first.freezeTrunk();
    const weights = await first.save();
    for (const learner of rest) await learner.load(weights);
    this.#shared = true;
  }

  /** The number of sampled tokens, if the learners count them. */
  get sampled(): number | undefined {
    const counts = this.#learners.map((learner) => (learner as { readonly sampled?: number }).sampled);
    return counts.every((count) => count !== undefined) ? counts.reduce((sum, count) => sum + count, 0) : undefined;
  }

  policy(sampling?: Sampling): Policy {
    return this.policyIn(null, sampling);
  }

  /** Its policy in one of several tasks, by the task's number. */
  policyIn(task: number | null, sampling?: Sampling): Policy {
    const policies = this.#learners.map((learner) => learner.policy(sampling));
    return {
      name: this.id,
      act: async (turns) => {
        const ruled = turns.map((turn) => this.rule.of(turn, task));
        const replies = new Array<Reply>(turns.length);
        for (const [who, policy] of policies.entries()) {
          const mine = ruled.flatMap((roleTurn, i) => (roleTurn.who === who ? [i] : []));
          if (mine.length === 0) continue;
          const answered = await policy.act(mine.map((i) => ruled[i].turn));
          for (const [at, i] of mine.entries()) replies[i] = tagReply(answered[at], ruled[i]);
        }
        return replies;
      },
    };
  }

  async complete(): Promise<ModelCall> {
    throw new Fault('model', `${this.id} has roles, so it can only answer for a seat, not to a bare prompt.`);
  }

  rowOf(turn: Turn, text: string): TokenRow {
    const { who, tag, turn: read } = this.rule.of(turn, null, text);
    const row = this.#learners[who].rowOf?.(read, text);
    if (row === undefined)
      throw new Fault('input', `${this.id} cannot be trained on given answers. Use a learner that can.`, { code: 'E_UNSUPPORTED' });
    return { ...row, tokens: [tag, ...Array.from(row.tokens)], mask: [0, ...Array.from(row.mask)] };
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings?: JsonObject): Promise<Figures> {
    const matches: Figures[] = [];
    if (this.#shared === false) return this.#learners[0].forwardBackward(batch.map(bare), loss, settings);
    for (const [who, rows] of this.#byLearner(batch)) {
      if (this.rule.learns?.(who) === false) continue;
      matches.push(
        await this.#learners[who].forwardBackward(
          rows.map(({ row }) => bare(row)),
          loss,
          settings,
        ),
      );
    }
    return sumFigures(matches);
  }

  async optimStep(settings: Figures): Promise<void> {
    if (this.#shared === false) return this.#learners[0].optimStep(settings);
    for (const [who, learner] of this.#learners.entries()) if (this.rule.learns?.(who) !== false) await learner.optimStep(settings);
    this.rule.stepped?.();
  }

  async logprobs(batch: readonly TokenRow[], of?: 'current' | 'reference'): Promise<readonly ArrayLike<number>[]> {
    const out = new Array<ArrayLike<number>>(batch.length);
    for (const [who, rows] of this.#byLearner(batch)) {
      const arrayLikes = await this.#learners[who].logprobs(
        rows.map(({ row }) => bare(row)),
        of,
      );
      for (const [i, { at }] of rows.entries()) out[at] = [0, ...Array.from(arrayLikes[i])];
    }
    return out;
  }

  async refer(): Promise<void> {
    for (const learner of this.#learners) await learner.refer();
  }

  async save(): Promise<string> {
    const learners: Record<string, string> = {};
    for (const [i, name] of this.#names.entries()) learners[name] = await this.#learners[i].save();
    const shared = this.#shared === null ? {} : { shared: this.#shared };
    return JSON.stringify({ learners, rule: this.rule.write(), ...shared } satisfies RoleCheckpoint);
  }

  async load(checkpoint: string): Promise<void> {
    const { learners, rule, shared } = readRoles(checkpoint);
    if (this.#shared !== null) this.#shared = shared ?? false;
    for (const [i, name] of this.#names.entries()) await this.#learners[i].load(learners[name]);
    this.rule.read(rule);
  }

  async close(): Promise<void> {
    await Promise.all(this.#learners.map((learner) => learner.close?.()));
  }

  #byLearner(batch: readonly TokenRow[]): ReadonlyMap<number, readonly { readonly row: TokenRow; readonly at: number }[]> {
    return Map.groupBy(
      batch.map((row, at) => ({ row, at })),
      ({ row }) => this.rule.whoOf(row.tokens[0]),
    );
  }
}

function tagReply(reply: Reply, { tag, mind }: RoleTurn): Reply {
  const calls = reply.calls?.map((call) => ({ ...call, promptTokenIds: [tag, ...(call.promptTokenIds ?? [])] }));
  const retainedMind = mind ?? reply.mind;
  return { ...reply, ...(calls !== undefined && { calls }), ...(retainedMind !== undefined && { mind: retainedMind }) };
}

/** A row without its tag. */
function bare({ tokens, mask, weights, advantages, logprobs }: TokenRow): TokenRow {
  const rest = (list: ArrayLike<number>) => Array.from(list).slice(1);
  return {
    tokens: rest(tokens),
    mask: rest(mask),
    ...(weights !== undefined && { weights: rest(weights) }),
    ...(advantages !== undefined && { advantages: rest(advantages) }),
    ...(logprobs !== undefined && { logprobs: rest(logprobs) }),
  };
}

/** Losses and tokens are sums; other figures are means over tokens. */
function sumFigures(matches: readonly Figures[]): Figures {
  const tokens = matches.reduce((sum, item) => sum + (item['tokens'] ?? 0), 0);
  const names = new Set(matches.flatMap((item) => Object.keys(item)));
  const of = (name: string) =>
    name === 'loss' || name === 'tokens'
      ? matches.reduce((sum, item) => sum + (item[name] ?? 0), 0)
      : matches.reduce((sum, item) => sum + (item[name] ?? 0) * (item['tokens'] ?? 0), 0) / Math.max(1, tokens);
  return Object.fromEntries([...names].map((name) => [name, of(name)]));
}
