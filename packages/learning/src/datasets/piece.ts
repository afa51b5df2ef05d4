/** @file A piece of a dataset: the output of some of its episodes, as bytes that only need to be written in order. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type CardCounts, DatasetCard } from '@ludus-agents/store/internal/exports/card';
import type { Choice } from '@ludus-agents/store/internal/exports/index';
import type { RowGroup, RowGroups } from '@ludus-agents/store/internal/exports/parquet';
import { type DatasetRow, type Ears, RowMaker, type RowRequest, tablesOf } from './request.ts';

export interface DatasetPiece {
  readonly files: readonly FilePiece[];
  readonly left: Readonly<Record<string, number>>;
  readonly provenance: CardCounts;
}

/** The content for one file: lines as bytes, or groups of rows. */
export interface FilePiece extends Pick<DatasetRow, 'split'> {
  readonly table: string;
  readonly rows: number;
  readonly content: readonly Uint8Array<ArrayBuffer>[] | readonly RowGroup[];
}

/** Builds all or some pieces of one dataset: a piece depends only on its own episodes, unless the format is stateful. */
export class PieceMaker {
  readonly #format: string;
  readonly #rows: RowMaker;

  constructor(order: RowRequest) {
    this.#format = order.format;
    this.#rows = new RowMaker(order);
  }

  async make(choices: readonly Choice[]): Promise<DatasetPiece> {
    const left: Record<string, number> = {};
    const ears: Ears = {
      provenance: new DatasetCard(),
      leave: (why) => {
        left[why] = (left[why] ?? 0) + 1;
      },
    };
    const parquet = isTyped(this.#format) ? await import('@ludus-agents/store/internal/exports/parquet') : null;
    const files = new Map<string, FileRows>();
    await this.#rows.make(choices, ears, ({ table: { name, columns }, split, row }) => {
      const key = fileKey(name, split);
      let file = files.get(key);
      if (file === undefined) {
        const groups = parquet === null || columns === undefined ? null : new parquet.RowGroups(columns);
        file = new FileRows({ table: name, split }, groups);
        files.set(key, file);
      }
      file.add(row);
    });
    return { files: [...files.values()].map((file) => file.end()), left, provenance: ears.provenance.counts };
  }
}

/** Whether a format has typed columns. */
export function isTyped(format: string): boolean {
  return tablesOf(format).some(({ columns }) => columns !== undefined);
}

export function fileKey(table: string, split: DatasetRow['split']): string {
  return `${table} ${split}`;
}

/** The rows of one file during conversion to bytes. */
class FileRows {
  readonly #of: Pick<FilePiece, 'table' | 'split'>;
  readonly #groups: RowGroups | null;
  readonly #full: RowGroup[] = [];
  readonly #bytes: Uint8Array<ArrayBuffer>[] = [];
  #lines: string[] = [];
  #size = 0;
  #rows = 0;

  /** Writes lines if there are no row groups. */
  constructor(of: Pick<FilePiece, 'table' | 'split'>, groups: RowGroups | null) {
    this.#of = of;
    this.#groups = groups;
  }

  add(row: JsonObject): void {
    this.#rows++;
    if (this.#groups === null) this.#write(row);
    else this.#keep(this.#groups.add(row));
  }

  end(): FilePiece {
    if (this.#groups === null) this.#encode();
    else this.#keep(this.#groups.end());
    return { ...this.#of, rows: this.#rows, content: this.#groups === null ? this.#bytes : this.#full };
  }

  #write(row: JsonObject): void {
    const line = JSON.stringify(row);
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size >= mostText) this.#encode();
  }

  #encode(): void {
    if (this.#lines.length > 0) this.#bytes.push(new TextEncoder().encode(`${this.#lines.join('\n')}\n`));
    this.#lines = [];
    this.#size = 0;
  }

  #keep(group: RowGroup | null): void {
    if (group !== null) this.#full.push(group);
  }
}

/** The number of characters of lines that are converted to bytes together. */
const mostText = 2 ** 22;
