/**
 * @file Weights by name, stored in a run's journal: the `model` of a spec restores the learner's weights.
 *
 * A name contains the hash of its weights, so identical weights have the same name, and a resumed run finds them here.
 */

import { Fault, hash, type Learner } from '@ludus-agents/kernel/internal/core/index';
import { Journal, type Journals } from './journal.ts';

type Kept = { readonly model: string; readonly checkpoint: string };

export class CheckpointJournal {
  readonly #journal: Journal;
  readonly #fresh: () => Learner;
  readonly #kept: Map<string, string>;

  static async open(store: Journals, run: string, fresh: () => Learner): Promise<CheckpointJournal> {
    return new CheckpointJournal(await Journal.open(store, run, 'weights'), fresh);
  }

  constructor(journal: Journal, fresh: () => Learner) {
    this.#journal = journal;
    this.#fresh = fresh;
    this.#kept = new Map((journal.kept as readonly Kept[]).map(({ model, checkpoint }) => [model, checkpoint]));
  }

  /** A new learner with the weights of that name; with its bare id, it is untrained. */
  async learner(model: string | undefined): Promise<Learner> {
    const learner = this.#fresh();
    if (model === learner.id) return learner;
    const checkpoint = this.#kept.get(model ?? '');
    if (checkpoint === undefined) throw new Fault('input', `This run has no weights "${model}"; it started with ${learner.id}.`);
    await learner.load(checkpoint);
    return learner;
  }

  /** Stores the current weights; resolves with their name once they are durable. */
  async keep(learner: Learner): Promise<string> {
    const checkpoint = await learner.save();
    const model = `${learner.id}@${hash(checkpoint).slice(0, 8)}`;
    if (!this.#kept.has(model)) {
      this.#kept.set(model, checkpoint);
      await this.#journal.append({ model, checkpoint });
    }
    return model;
  }
}
