/**
 * @file Content as plain files: world.json names an environment, and the other files of the folder are its content. Each environment that
 * accepts content declares once which files it reads. Every problem names a file and a line.
 */

import { readCsvRecords, readCsvRows } from '@ludus-agents/kernel/internal/core/csv';
import { count } from '@ludus-agents/kernel/internal/core/format';
import type { AnyEnvironment, Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isFault, isObject, parameter, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { Shape, ShapeProblem } from '@ludus-agents/kernel/internal/core/shape';
import {
  anything,
  boolean,
  clausesOf,
  list,
  object,
  optional,
  record,
  required,
  short,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { lineOfError, lineOfPath } from './json-line.ts';

/** A problem in a content file. */
export interface ContentProblem {
  readonly file: string;
  /** Counted from 1; null for the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** One row of a table, with its location. */
export interface ContentRow<T> {
  readonly value: T;
  readonly file: string;
  readonly line: number;
}

/** A row that training can leave out. */
export interface HoldableRow<T> extends ContentRow<T> {
  readonly heldOut: boolean;
}

/** A named case of a folder: environment parameters for one kind of episode. */
export interface ContentCase {
  readonly id: string;
  readonly task: JsonObject;
  /** Excluded from training. */
  readonly heldOut?: boolean;
}

/** The files of a folder, parsed for their environment. */
export interface WorldContent {
  /** Parameters that are added to every task. */
  readonly task: JsonObject;
  readonly cases?: readonly ContentCase[];
  /** The seats that one agent plays together when it is tested, if the content decides this. */
  readonly seats?: readonly string[];
  /** The agents on the other seats, if the content decides which seats exist. */
  readonly others?: Readonly<Record<string, string>>;
  /** Facts that the reader has proved about the content, one sentence each. */
  readonly proofs: readonly string[];
  /** Maximum turns of an episode, if the content decides it. */
  readonly turns?: number;
  /** Files for a terminal next to the environment ("terminal:./mine"). */
  readonly files?: Readonly<Record<string, string>>;
}

/** Defines how an environment reads content. */
export interface ContentReader {
  /** Its files, each with a one-line description. */
  readonly files: Readonly<Record<string, string>>;
  /** The seat that is tested and trained, and the agents on other seats that have no stand-in of the same name. */
  readonly seat: string | readonly string[];
  readonly others?: Readonly<Record<string, string>>;
  /** The script that plays the tested seat best, used for "scripted" in an evaluation. */
  readonly best: string;
  /** The returns that are scaled to 0 and 1. Defaults to 0 and 1. */
  readonly scale?: readonly [number, number];
  /** The number of latest messages that a learner without memory should see. Defaults to 1; 0 means all. */
  readonly window?: number;
  /** The minimum return of a passed episode. */
  readonly pass: number;
  /** Reads the files. Problems are added to the source; the result is then meaningless. */
  read(source: ContentSource, task: JsonObject): WorldContent;
}

/** The files of a folder, validated by shapes. Collects problems. */
export class ContentSource {
  readonly problems: ContentProblem[] = [];
  readonly #files: ReadonlyMap<string, string>;

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  /** Returns the names of files under a folder with certain endings. "" means all folders. */
  namesUnder(folder: string, endings: readonly string[]): readonly string[] {
    const isUnder = (name: string) => folder === '' || name.startsWith(`${folder}/`);
    return [...this.#files.keys()].filter((name) => isUnder(name) && endings.some((ending) => name.endsWith(ending))).sort();
  }

  text(file: string): string {
    const text = this.#files.get(file);
    if (text === undefined) this.refuse(file, null, 'the file is missing');
    return text ?? '';
  }

  /** Adds a problem. A path into a JSON file is converted to a line. */
  refuse(file: string, place: number | readonly (string | number)[] | null, message: string): void {
    const text = this.#files.get(file);
    const line = typeof place === 'number' || place === null ? place : text === undefined ? null : lineOfPath(text, place);
    this.problems.push({ file, line, message });
  }

  /** Reads a JSON file with a shape. Returns undefined if it is invalid or missing. */
  json<T>(file: string, shape: Shape<T>): T | undefined {
    if (!this.has(file)) {
      this.refuse(file, null, 'the file is missing');
      return undefined;
    }
    const value = this.#parse(file, this.text(file));
    return value === undefined ? undefined : this.#read(shape, value, file, (path) => lineOfPath(this.text(file), path));
  }

  /** Reads the rows of NAME.json (a list), NAME.jsonl, or NAME.csv. A missing table is a problem unless it is optional. */
  table<T>(name: string, shape: Shape<T>, { isOptional = false } = {}): readonly ContentRow<T>[] {
    const file = ['json', 'jsonl', 'csv'].map((ending) => `${name}.${ending}`).find((candidate) => this.has(candidate));
    if (file === undefined) {
      if (!isOptional) this.refuse(`${name}.json`, null, `the file is missing; ${name}.jsonl or ${name}.csv would do as well`);
      return [];
    }
    const rows = file.endsWith('.json') ? this.#listRows(file) : file.endsWith('.jsonl') ? this.#jsonlRows(file) : this.#csvRows(file);
    if (rows.length === 0 && !isOptional && !this.problems.some((problem) => problem.file === file))
      this.refuse(file, null, 'the table has no rows');
    return rows.flatMap(({ value, line, at }) => {
      const before = this.problems.length;
      const read = this.#read(shape, value, file, at ?? (() => line));
      return this.problems.length > before ? [] : [{ value: read as T, file, line }];
    });
  }

  /** Reads a table whose rows may have the column "held": true keeps a row out of training. */
  holdableTable<T>(name: string, shape: Shape<T>, options?: { readonly isOptional?: boolean }): readonly HoldableRow<T>[] {
    const holdable: Shape<readonly [row: T, heldOut: boolean]> = {
      ...shape,
      read(value, problems) {
        if (!isObject(value as Json)) return [shape.read(value, problems), false];
        const { held: heldOut = false, ...rest } = value as JsonObject;
        const row = shape.read(rest, problems);
        const before = problems.length;
        boolean.read(heldOut, problems);
        for (const problem of problems.slice(before)) problem.path.unshift('held');
        return [row, heldOut === true];
      },
    };
    return this.table(name, holdable, options).map(({ value: [value, heldOut], ...row }) => ({ ...row, value, heldOut }));
  }

  #listRows(file: string): readonly RawRow[] {
    const text = this.text(file);
    const value = this.#parse(file, text);
    if (value === undefined) return [];
    if (!Array.isArray(value)) {
      this.refuse(file, 1, 'expected a list of objects like [{…}]');
      return [];
    }
    return value.map((item, i) => ({
      value: item as Json,
      line: lineOfPath(text, [i]),
      at: (path: readonly (string | number)[]) => lineOfPath(text, [i, ...path]),
    }));
  }

  #jsonlRows(file: string): readonly RawRow[] {
    return this.text(file)
      .split(/\r?\n/)
      .flatMap((text, i) => {
        if (text.trim() === '') return [];
        const value = this.#parse(file, text, i + 1);
        return value === undefined ? [] : [{ value, line: i + 1 }];
      });
  }

  #csvRows(file: string): readonly RawRow[] {
    try {
      const { rows } = readCsvRows(this.text(file), file);
      // An empty cell is an omitted field.
      return readCsvRecords(this.text(file), file).map((value, i) => ({
        value: Object.fromEntries(Object.entries(value).filter(([, cell]) => cell !== '')),
        line: rows[i].line,
      }));
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown;
      const message = thrown.message.replace(/\.$/, '').replace(`${file}: `, '').replace(file, 'the file');
      const line = /\bline (\d+)/.exec(message)?.[1];
      this.refuse(file, line === undefined ? null : Number(line), message.replace(/^line \d+ /, 'this line '));
      return [];
    }
  }

  #parse(file: string, text: string, line?: number): Json | undefined {
    try {
      return JSON.parse(text) as Json;
    } catch (thrown) {
      this.refuse(file, line ?? lineOfError(text), `not valid JSON: ${sentenceOf(thrown)}`);
      return undefined;
    }
  }

  #read<T>(shape: Shape<T>, value: unknown, file: string, lineOf: (path: readonly (string | number)[]) => number): T | undefined {
    const problems: ShapeProblem[] = [];
    const read = shape.read(value, problems);
    const clauses = clausesOf(problems, 'the entry');
    for (const [i, { path }] of problems.entries()) this.problems.push({ file, line: lineOf(path), message: clauses[i] });
    return problems.length > 0 ? undefined : read;
  }
}

interface RawRow {
  readonly value: Json;
  readonly line: number;
  readonly at?: (path: readonly (string | number)[]) => number;
}

/** Texts as a list, or as one text with "|" between them, which fits into a CSV cell. */
export const texts: Shape<readonly string[]> = short(list(words), { type: 'string' }, (value) =>
  typeof value === 'string' ? value.split('|').map((text) => text.trim()) : typeof value === 'number' ? [String(value)] : value,
);

/** A text that may be written as a number, for example in a CSV file. */
export const textOrNumber: Shape<string> = short(words, { type: 'number' }, (value) => (typeof value === 'number' ? String(value) : value));

/** The settings in world.json. */
export interface WorldSettings {
  readonly environment: string;
  readonly name?: string;
  readonly about?: string;
  readonly task?: JsonObject;
}

export const worldShape: Shape<WorldSettings> = object<WorldSettings>(
  {
    environment: required(words, 'the environment that the content is for'),
    name: optional(words, 'what to call this world; the name of the folder unless set'),
    about: optional(words, 'one line about it'),
    task: optional(record(anything) as Shape<JsonObject>, 'parameters of the environment in every episode'),
  },
  { document: true },
);

/** An environment with content: its cases, and what was proved about them. */
export interface ContentEnvironment extends AnyEnvironment {
  /** Tasks to train on. */
  readonly cases: readonly Json[];
  readonly heldOut: readonly Json[];
  readonly testedSeats: readonly string[];
  readonly others: Readonly<Record<string, string>>;
  readonly proofs: readonly string[];
  readonly reader: ContentReader;
  readonly files?: Readonly<Record<string, string>>;
}

export function isContentEnvironment(environment: AnyEnvironment): environment is ContentEnvironment {
  return 'proofs' in environment && 'reader' in environment;
}

/** Adds the content to every task of an environment, so that logs replay without the folder. */
export function createContentEnvironment(
  base: AnyEnvironment,
  {
    settings,
    name,
    content,
    reader,
  }: { readonly settings: WorldSettings; readonly name: string; readonly content: WorldContent; readonly reader: ContentReader },
): ContentEnvironment {
  const { cases = [], proofs } = content;
  const ids = cases.map(({ id }) => id);
  const [first = ''] = ids;
  const complete = (input: Json): Json => {
    if (input !== null && !isObject(input)) return input;
    const { case: id = first, ...rest } = (input ?? {}) as JsonObject;
    const contentCase = cases.find((otherContentCase) => otherContentCase.id === id);
    if (contentCase === undefined && cases.length > 0)
      throw new Fault('input', `${name}: "case" must be one of ${ids.join(', ')}, but got ${JSON.stringify(id)}.`, {
        code: 'E_UNKNOWN_CASE',
        details: { case: id, cases: ids },
      });
    return { ...content.task, ...settings.task, ...contentCase?.task, ...rest };
  };
  const tasks = cases.length === 0 ? [{}] : ids.map((id) => ({ case: id }));
  const isHeld = (task: Json) => cases.find(({ id }) => id === (task as JsonObject)['case'])?.heldOut === true;
  const [trained, current] = [tasks.filter((task) => !isHeld(task)), tasks.filter(isHeld)];
  return {
    ...base,
    about: {
      ...base.about,
      summary: `${name}: ${settings.about ?? base.about.summary}`,
      tasks,
      ...(content.turns === undefined ? {} : { turns: content.turns }),
    },
    // Parameters set by the files can no longer be chosen.
    parameters: {
      ...Object.fromEntries(Object.entries(base.parameters).filter(([name]) => !Object.hasOwn(content.task, name))),
      ...(ids.length === 0 ? {} : { case: parameter.choice({ options: ids, default: first, description: 'the case to play' }) }),
    },
    task: (input: Json) => base.task(complete(input)),
    cases: trained.length > 0 ? trained : tasks,
    heldOut: current,
    testedSeats: content.seats ?? (typeof reader.seat === 'string' ? [reader.seat] : reader.seat),
    others: content.others ?? reader.others ?? {},
    proofs,
    reader,
    ...(content.files !== undefined && { files: content.files }),
  };
}

/** Formats a problem with its location. */
export function formatContentProblem({ file, line, message }: ContentProblem): string {
  return `${file}${line === null ? '' : `:${line}`}: ${message}`;
}

/** Returns all problems as one fault. Its message contains the first few. */
export function contentFault(name: string, all: readonly ContentProblem[]): Fault {
  const problems = mergeRepeated(all);
  const visible = problems.slice(0, 3).map(formatContentProblem);
  const more =
    problems.length > visible.length ? [`and ${problems.length - visible.length} more ("ludus env check ${name}" lists them)`] : [];
  return new Fault('input', `${name} has ${count(problems.length, 'problem')}: ${[...visible, ...more].join('; ')}.`, {
    code: 'E_CONTENT',
    details: { problems },
  });
}

/** Merges a message that occurs on more than three lines into one, as a missing column causes an error on every line. */
function mergeRepeated(problems: readonly ContentProblem[]): readonly ContentProblem[] {
  const groups = Map.groupBy(problems, ({ file, message }) => `${file} ${message}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return group.length > 3 ? [{ ...first, message: `${first.message}; the same on ${group.length - 1} other lines` }] : group;
  });
}

/** Reports duplicate names, for any table. */
export function refuseDuplicates<T extends { readonly id: string }>(source: ContentSource, rows: readonly ContentRow<T>[]): void {
  const lines = new Map<string, number>();
  for (const { value, file, line } of rows) {
    const earlier = lines.get(value.id);
    if (earlier === undefined) lines.set(value.id, line);
    else source.refuse(file, line, `the id "${value.id}" is already used on line ${earlier}`);
  }
}
