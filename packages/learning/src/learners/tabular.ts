/**
 * @file The tabular learner: one row of logits for every information set, whose softmax is its policy. Exact, instant, forgets nothing.
 *
 * A set is identified by the seat's observations. A decision is two tokens: the number of the set, which is input, and the number of the
 * choice, which is sampled; the probability of a choice only depends on the token before it.
 */

import type { FlatGame, Plays } from '@ludus-agents/environments/internal/game';
import {
  type Dice,
  Fault,
  type JsonObject,
  type Learner,
  type ModelCall,
  type Policy,
  type Prompt,
  type Reply,
  type Rng,
  rng,
  type Sampling,
  type TokenRow,
  type Turn,
  type View,
} from '@ludus-agents/kernel/internal/core/index';
import { LogitTable } from './table.ts';

export interface TabularOptions {
  readonly id?: string;
  readonly optimiser?: 'adam' | 'sgd' | 'mirror';
  /** A game tree with all its information sets, in its own numbering; unknown ones are added as they occur. */
  readonly game?: FlatGame;
  /** The key of a view: all observations by default; only the position if branches of the tree merge. */
  readonly key?: (view: View) => string;
}

export interface TreePlay {
  readonly games: number;
  readonly dice: Dice | Rng;
  /** This number of consecutive episodes shares the first chance outcome. */
  readonly group?: number;
  /** Spreads deals evenly over the first chance outcomes instead of drawing each: equally fair, with less noise. */
  readonly even?: boolean;
  /** Random opening moves that are not trained on: the share of episodes with them, and their maximum number. */
  readonly opening?: { readonly share: number; readonly moves: number };
}

export interface TreeLoss {
  readonly scale: number;
  readonly kl?: number;
  readonly entropy?: number;
}

/** A seat's observations as one text: equal for equal views, whether from a game tree or a log. */
function keyOf(view: View): string {
  let key = view.seat;
  for (const item of view.seen) {
    if (item.kind === 'message')
      key += `\n${item.from ?? ''}: ${item.text}${item.data === undefined ? '' : ` ${JSON.stringify(item.data)}`}`;
    else if (item.kind === 'action') key += `\n> ${item.action.text}`;
    else key += `\n= ${item.reward} ${item.penalty}`;
  }
  return key;
}

/** A learner with one row of logits for each situation: exact, for small environments. */
export class Tabular implements Learner {
  readonly id: string;
  /** It runs on this machine. */
  readonly price = { prompt: 0, completion: 0 };
  readonly table: LogitTable;
  readonly #game: FlatGame | undefined;
  readonly #key: (view: View) => string;
  readonly #sets = new Map<string, number>();
  /** How many situations were looked up, and how many of them were new. */
  readonly lookups = { all: 0, unknown: 0 };
  #mapped: boolean;
  #plays = plays(0, 0, 0);

  constructor(options: TabularOptions = {}) {
    this.id = options.id ?? 'local/tabular';
    this.table = new LogitTable(options.optimiser ?? 'adam');
    this.#game = options.game;
    this.#key = options.key ?? keyOf;
    this.#mapped = options.game === undefined;
    if (options.game !== undefined) for (const choices of options.game.choices) this.table.add(choices);
  }

  policy(sampling: Sampling = {}): Policy {
    const temperature = sampling.temperature ?? 1;
    return { name: this.id, act: (turns) => turns.map((turn) => this.#reply(turn, temperature)) };
  }

  rowOf({ view, ask }: Turn, text: string): TokenRow {
    const choices = ask.choices ?? [];
    const choice = choices.indexOf(text);
    if (choice < 0) throw new Fault('input', `${this.id} chooses among listed moves, but "${text}" is not one of ${choices.join(', ')}.`);
    return { tokens: [this.#setAt(this.#key(view), choices.length), choice], mask: [0, 1] };
  }

  /** Answers a prompt with listed answers: as choices, or as the `enum` of the schema. */
  async complete(prompt: Prompt, sampling: Sampling): Promise<ModelCall> {
    const choices = sampling.choices ?? (sampling.schema as { enum?: readonly string[] } | undefined)?.enum;
    if (choices === undefined)
      throw new Fault('model', `${this.id} chooses among listed answers. Give it a schema with an "enum", or use its policy as the agent.`);
    const key = prompt.messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
    const dice = rng(sampling.seed ?? 0, this.id);
    return { ...this.#call({ set: this.#setAt(key, choices.length), choices, dice }, sampling.temperature ?? 1), prompt };
  }

  async forwardBackward(batch: readonly TokenRow[], loss: string, settings: JsonObject = {}): Promise<Readonly<Record<string, number>>> {
    if (loss !== 'cross_entropy')
      throw new Fault('input', `${this.id} only supports the loss "cross_entropy", but got "${loss}". Convert it to weights.`);
    const { kl = 0, entropy = 0 } = settings as Readonly<Record<string, number>>;
    const { table } = this;
    let [sum, count, divergence, spread] = [0, 0, 0, 0];
    for (const { tokens, mask, weights } of batch) {
      for (let i = 1; i < tokens.length; i++) {
        if (mask[i] === 0) continue;
        const [set, choice] = [tokens[i - 1], tokens[i]];
        const weight = weights === undefined ? 1 : weights[i];
        sum -= weight * Math.log(table.chances[table.at(set) + choice]);
        divergence += table.divergence(set);
        spread += table.entropy(set);
        count++;
        table.pull(set, choice, weight);
      }
    }
    table.settle(1, kl, entropy);
    const per = Math.max(1, count);
    return { loss: sum + kl * divergence - entropy * spread, tokens: count, kl: divergence / per, entropy: spread / per };
  }

  async optimStep(settings: Readonly<Record<string, number>>): Promise<void> {
    this.table.step(settings['rate'] ?? 0.01);
  }

  async logprobs(batch: readonly TokenRow[], of: 'current' | 'reference' = 'current'): Promise<readonly ArrayLike<number>[]> {
    const { table } = this;
    return batch.map(({ tokens, mask }) =>
      Array.from(tokens, (choice, i) => {
        if (mask[i] === 0 || i === 0) return 0;
        const set = tokens[i - 1];
        const chances = of === 'current' ? table.chances : table.referenceChances(set);
        return Math.log(chances[table.at(set) + choice]);
      }),
    );
  }

  async refer(): Promise<void> {
    this.table.refer();
  }

  /** The table as text, so that a checkpoint needs no other file. */
  async save(): Promise<string> {
    return JSON.stringify({ sets: this.#game === undefined || this.#mapped ? [...this.#sets] : null, table: this.table.write() });
  }

  async load(checkpoint: string): Promise<void> {
    const { sets, table } = JSON.parse(checkpoint) as { sets: readonly [string, number][] | null; table: JsonObject };
    this.table.read(table);
    if (sets === null) return;
    this.#mapped = true;
    this.#sets.clear();
    for (const [key, set] of sets) this.#sets.set(key, set);
  }

  /** The policy, by information set. */
  strategy(): readonly Float64Array[] {
    return Array.from({ length: this.table.sets }, (_, set) => {
      const at = this.table.at(set);
      return this.table.chances.slice(at, this.table.at(set + 1));
    });
  }

  /** Replaces the policy at one information set. */
  place(set: number, logits: ArrayLike<number>): void {
    this.table.place(set, logits);
  }

  /** Plays itself on its tree. The next call overwrites the result. */
  play({ games, dice, group = 1, even = false, opening }: TreePlay): Plays {
    const game = this.#treeOf();
    const seats = game.seats.length;
    const longest = 64;
    let out = this.#plays.games === games ? this.#plays : plays(games, seats, games * longest);
    let madeCount = 0;
    let deal = -1;
    const offset = even ? dice.next() : 0;
    for (let g = 0; g < games; g++) {
      if (g % group === 0) deal = -1;
      let free = opening !== undefined && dice.next() < opening.share ? dice.int(opening.moves + 1) : 0;
      let node = game.root;
      let set = game.setOf[node];
      for (let depth = 0; set !== -2; depth++) {
        const from = game.first[node];
        let child: number;
        if (set === -1) {
          child = depth === 0 && deal >= 0 ? deal : rollChance(game, node, even && depth === 0 ? (g + offset) / games : dice.next());
          if (depth === 0) deal = child;
        } else if (free > 0) {
          free--;
          child = dice.int(game.choices[set]);
        } else {
          child = this.table.draw(set, dice.next());
          if (madeCount === out.set.length) out = growPlays(out);
          out.set[madeCount] = set;
          out.choice[madeCount] = child;
          out.game[madeCount++] = g;
        }
        node = game.children[from + child];
        set = game.setOf[node];
      }
      out.deal[g] = Math.max(0, deal);
      for (let seat = 0; seat < seats; seat++) out.returns[g * seats + seat] = game.returns[node * seats + seat];
    }
    this.#plays = { ...out, decisions: madeCount };
    return this.#plays;
  }

  /**
   * The policy gradient of episodes with one advantage for each episode and seat: equivalent to `cross_entropy` on the same decisions as
   * rows with these weights, but without creating rows.
   */
  reinforce({ decisions, set, choice, game }: Plays, advantages: ArrayLike<number>, loss: TreeLoss): void {
    const { seatOf, seats } = this.#treeOf();
    for (let i = 0; i < decisions; i++) {
      const at = set[i];
      this.table.pull(at, choice[i], advantages[game[i] * seats.length + seatOf[at]]);
    }
    this.table.settle(loss.scale, loss.kl ?? 0, loss.entropy ?? 0);
  }

  #treeOf(): FlatGame {
    if (this.#game === undefined) throw new Fault('input', `${this.id} has no game tree. Pass one, or train by rollout.`);
    return this.#game;
  }

  #reply({ view, ask, rng: dice }: Turn, temperature: number): Reply {
    const { choices } = ask;
    if (choices === undefined || choices.length === 0) throw unlistedMoves(this.id, ask.seat);
    const set = this.#setAt(this.#key(view), choices.length);
    const call = this.#call({ set, choices, dice }, temperature);
    const { table } = this;
    return {
      action: { text: call.text },
      calls: [call],
      // Computed lazily, because training makes many moves.
      get chances() {
        const at = table.at(set);
        return Object.fromEntries(choices.map((choice, i) => [choice, table.chances[at + i]]));
      },
    };
  }

  #call({ set, choices, dice }: { set: number; choices: readonly string[]; dice: Rng }, temperature: number): ModelCall {
    const { table } = this;
    const at = table.at(set);
    const chances = table.chances.slice(at, at + choices.length);
    // Temperature 0 is the limit: the most likely choice; ties prefer the first.
    const choice =
      temperature === 0
        ? chances.indexOf(Math.max(...chances))
        : temperature === 1
          ? table.draw(set, dice.next())
          : dice.weighted(Array.from(chances, (chance) => chance ** (1 / temperature)));
    return {
      model: this.id,
      prompt: { messages: [] },
      text: choices[choice],
      finish: 'stop',
      usage: { promptTokens: 1, completionTokens: 1 },
      cost: 0,
      promptTokenIds: [set],
      tokenIds: [choice],
      logprobs: [Math.log(chances[choice])],
    };
  }

  #setAt(key: string, choices: number): number {
    if (!this.#mapped) this.#map();
    let set = this.#sets.get(key);
    this.lookups.all++;
    if (set === undefined) {
      this.lookups.unknown++;
      set = this.table.add(choices);
      this.#sets.set(key, set);
    }
    return set;
  }

  /** Computes the keys of the tree's sets, which play on the tree alone does not need. */
  #map(): void {
    const game = this.#treeOf();
    for (let set = 0; set < game.choices.length; set++) this.#sets.set(this.#key(game.view(set)), set);
    this.#mapped = true;
  }
}

/** The child selected by a chance roll. */
function rollChance(game: FlatGame, node: number, at: number): number {
  const from = game.first[node];
  const last = game.first[node + 1] - 1;
  let child = from;
  while (child < last && at >= game.upTo[child]) child++;
  return child - from;
}

function plays(games: number, seats: number, room: number): Plays {
  return {
    games,
    decisions: 0,
    set: new Int32Array(room),
    choice: new Int32Array(room),
    game: new Int32Array(room),
    deal: new Int32Array(games),
    returns: new Float64Array(games * seats),
  };
}

function growPlays(old: Plays): Plays {
  const more = plays(old.games, 0, old.set.length * 2);
  more.set.set(old.set);
  more.choice.set(old.choice);
  more.game.set(old.game);
  return { ...more, deal: old.deal, returns: old.returns };
}

/** Why a learner that chooses among listed moves cannot play a turn without any. */
export function unlistedMoves(learner: string, seat: string): Fault {
  return new Fault(
    'agent',
    `${learner} chooses among listed moves, but seat "${seat}" has none. Use a learner that writes (--learner transformer), or an environment that lists its moves.`,
  );
}
