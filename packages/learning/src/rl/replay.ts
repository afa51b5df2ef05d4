/** @file Replay buffers: a few successes of each task, the learner's own good episodes, steps of medium likelihood. */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { deviation, median } from './baselines/group.ts';

/** Successes by task, the latest `room` of each: ARPO-GUI keeps eight, RAPO and BEPA one. */
export class SuccessBuffer<Episode> {
  readonly #room: number;
  readonly #byTask = new Map<string, Episode[]>();

  constructor(room: number) {
    this.#room = room;
  }

  add(task: string, episode: Episode): void {
    const retained = this.#byTask.get(task) ?? [];
    this.#byTask.set(task, [...retained, episode].slice(-this.#room));
  }

  of(task: string): readonly Episode[] {
    return this.#byTask.get(task) ?? [];
  }

  write(): readonly (readonly [string, readonly Episode[]])[] {
    return [...this.#byTask];
  }

  read(from: readonly (readonly [string, readonly Episode[]])[]): void {
    this.#byTask.clear();
    for (const [task, episodes] of from) this.#byTask.set(task, [...episodes]);
  }

  /** If a whole group failed, replaces a random episode by a past success: its index and the success, or null. */
  inject(task: string, rewards: readonly number[], dice: Rng): { readonly at: number; readonly episode: Episode } | null {
    const retained = this.of(task);
    if (retained.length === 0 || deviation(rewards) >= 0.05 || meanOrZero(rewards) >= 0.2) return null;
    return { at: dice.int(rewards.length), episode: dice.pick(retained) };
  }
}

export interface Remembered {
  readonly reward: number;
  readonly update: number;
}

/** Self-imitation (SPEAR, 2509.22601): the learner's own good episodes, compared with the current baseline, dropped when they are old. */
export class SelfImitation<Episode extends Remembered> {
  readonly #age: number;
  readonly #room: number;
  #kept: readonly Episode[] = [];
  #usual: readonly number[] = [];

  constructor(room = 2048, age = 5) {
    this.#room = room;
    this.#age = age;
  }

  /** Adds the episodes that did better than their group, and the group's mean. */
  add(episodes: readonly Episode[], groupMean: number): void {
    this.#usual = [...this.#usual, groupMean].slice(-10_240);
    this.#kept = [...this.#kept, ...episodes.filter(({ reward }) => reward > groupMean)].slice(-this.#room);
  }

  write(): { readonly kept: readonly Episode[]; readonly usual: readonly number[] } {
    return { kept: this.#kept, usual: this.#usual };
  }

  read({ kept, usual }: { readonly kept: readonly Episode[]; readonly usual: readonly number[] }): void {
    this.#kept = kept;
    this.#usual = usual;
  }

  /** The episodes that are still good, with their new advantages. */
  recalled(update: number): readonly { readonly episode: Episode; readonly advantage: number }[] {
    this.#kept = this.#kept.filter((episode) => update - episode.update <= this.#age);
    const usual = this.#usual.length === 0 ? 0 : median(this.#usual);
    return this.#kept.map((episode) => ({ episode, advantage: episode.reward - usual })).filter(({ advantage }) => advantage >= 0);
  }
}

/** SPEAR's curriculum: imitation rises from 0 to 1 over the given number of updates, and the term that it replaces falls from 1 to 0. */
export function rise(update: number, updates: number): number {
  return (1 - Math.cos(Math.PI * Math.min(1, update / updates))) / 2;
}

/**
 * WebRL's band (2411.02337): steps that are neither too likely nor too unlikely under the current policy, with probabilities above `low`
 * and up to `high`.
 */
export function inBand(chance: number, low = 0.5, high = 0.95): boolean {
  return chance > low && chance <= high;
}
