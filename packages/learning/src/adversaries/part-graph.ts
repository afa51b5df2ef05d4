/**
 * @file What is known of the parts of attacks, as a graph: parts are nodes, parts that were used together or one after the other are linked,
 * and both remember how often they were tried and what came of it. The next part is drawn by what it and its links were worth.
 */

import type { Rng } from '@ludus-agents/kernel/internal/core/index';

/** How often a part or a pair of parts was used, and the sum of what came of it, from 0 to 1 each time. */
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

  /** Begins with what is known already. */
  constructor(partGraphData?: PartGraphData) {
    if (partGraphData !== undefined) this.merge(partGraphData);
  }

  /** Adds what others have found to what is known. */
  merge({ parts, links }: PartGraphData): void {
    for (const { part, ...record } of parts) add(this.#parts, part, record);
    for (const { from, to, ...record } of links) add(this.#links, from + between + to, record);
  }

  /** Notes what parts that were used in this order came to. */
  record(parts: readonly string[], worth: number): void {
    for (const part of parts) add(this.#parts, part, { tries: 1, sum: worth });
    for (let i = 1; i < parts.length; i++) add(this.#links, parts[i - 1] + between + parts[i], { tries: 1, sum: worth });
  }

  /** What a part is expected to be worth after another: half where nothing is known of it. */
  worth(part: string, after?: string): number {
    const partWorth = meanWorth(this.#parts.get(part));
    const link = after === undefined ? undefined : this.#links.get(after + between + part);
    return link === undefined ? partWorth : (partWorth + meanWorth(link)) / 2;
  }

  draw(parts: readonly string[], dice: Rng, after?: string): string {
    return parts[dice.weighted(parts.map((part) => this.worth(part, after)))];
  }

  /** What is known, the most promising first. */
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
