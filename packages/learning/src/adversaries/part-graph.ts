/**
 * @file A graph of the parts of attacks: parts are nodes, parts used together or in sequence are linked, and both record the number of
 * tries and their results. The next part is drawn by its own value and the value of its links.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

/** How often a part or a pair of parts was used, and the sum of the results, each from 0 to 1. */
export type PartRecord = {
  readonly tries: number;
  readonly sum: number;
};

/** The graph as data, for reports. */
export type PartGraphData = {
  readonly parts: readonly (PartRecord & { readonly part: string })[];
  readonly links: readonly (PartRecord & { readonly from: string; readonly to: string })[];
};

const between = '\u0000';

export class PartGraph {
  readonly #parts = new Map<string, PartRecord>();
  readonly #links = new Map<string, PartRecord>();

  /** Starts with existing data. */
  constructor(partGraphData?: PartGraphData) {
    if (partGraphData !== undefined) this.merge(partGraphData);
  }

  /** Adds the data of another graph. */
  merge({ parts, links }: PartGraphData): void {
    for (const { part, ...record } of parts) add(this.#parts, part, record);
    for (const { from, to, ...record } of links) add(this.#links, from + between + to, record);
  }

  /** Records the result of parts used in this order. */
  record(parts: readonly string[], worth: number): void {
    for (const part of parts) add(this.#parts, part, { tries: 1, sum: worth });
    for (let i = 1; i < parts.length; i++) add(this.#links, parts[i - 1] + between + parts[i], { tries: 1, sum: worth });
  }

  /** The expected value of a part after another: one half without data. */
  worth(part: string, after?: string): number {
    const partWorth = meanWorth(this.#parts.get(part));
    const link = after === undefined ? undefined : this.#links.get(after + between + part);
    return link === undefined ? partWorth : (partWorth + meanWorth(link)) / 2;
  }

  draw(parts: readonly string[], dice: Rng, after?: string): string {
    return parts[dice.weighted(parts.map((part) => this.worth(part, after)))];
  }

  /** The graph's data, the most promising first. */
  get data(): PartGraphData {
    const byWorth = (a: PartRecord, b: PartRecord) => meanWorth(b) - meanWorth(a) || b.tries - a.tries;
    const parts = [...this.#parts].map(([part, record]) => ({ part, ...record })).sort(byWorth);
    const links = [...this.#links].map(([link, record]) => {
      const [from = '', to = ''] = link.split(between);
      return { from, to, ...record };
    });
    return { parts, links: links.sort(byWorth) };
  }
}

function add(records: Map<string, PartRecord>, name: string, more: PartRecord): void {
  const { tries, sum } = records.get(name) ?? { tries: 0, sum: 0 };
  records.set(name, { tries: tries + more.tries, sum: sum + more.sum });
}

function meanWorth({ tries, sum }: PartRecord = { tries: 0, sum: 0 }): number {
  return (sum + 0.5) / (tries + 1);
}
