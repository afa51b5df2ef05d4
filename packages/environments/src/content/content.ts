/**
 * @file Content as plain files: a folder with world.json names an environment, and the other files are what happens in it. Each environment
 * that takes content declares once which files it reads; every problem names a file and a line.
 */

import { readCsvRecords, readCsvRows } from '@ludus-agents/kernel/internal/core/csv';
import { count } from '@ludus-agents/kernel/internal/core/format';
import {
  type AnyEnvironment,
  Fault,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  parameter,
  sentenceOf,
} from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  clausesOf,
  list,
  object,
  optional,
  record,
  required,
  type Shape,
  type ShapeProblem,
  short,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { lineOfError, lineOfPath } from './json-line.ts';

/** What is wrong with a file of content. */
export interface ContentProblem {
  readonly file: string;
  /** From 1; null for the file as a whole. */
  readonly line: number | null;
  readonly message: string;
}

/** One row of a table, with its place. */
export interface ContentRow<T> {
  readonly value: T;
  readonly file: string;
  readonly line: number;
}

/** A case that a folder names: parameters of the environment for one kind of episode. */
export interface ContentCase {
  readonly id: string;
  readonly task: JsonObject;
  /** Kept out of training. */
  readonly heldOut?: boolean;
}

/** What the files of a folder mean to their environment. */
export interface WorldContent {
  /** Parameters in every task. */
  readonly task: JsonObject;
  readonly cases?: readonly ContentCase[];
  /** The seats that one agent takes together when it is tested, where the content decides them. */
  readonly seats?: readonly string[];
  /** The agents on the other seats, where the content decides which there are. */
  readonly others?: Readonly<Record<string, string>>;
  /** What the reader has proved about the content, a sentence each. */
  readonly proofs: readonly string[];
  /** The most turns an episode can take, where the content decides it. */
  readonly turns?: number;
}

/** How an environment reads content. */
export interface ContentReader {
  /** Its files, each with one line about it. */
  readonly files: Readonly<Record<string, string>>;
  /** The seat that is tested and trained, and the agents on the others where no stand-in has the seat's name. */
  readonly seat: string | readonly string[];
  readonly others?: Readonly<Record<string, string>>;
  /** The script that plays the tested seat best, for "scripted" in an evaluation. */
  readonly best: string;
  /** The returns that count as 0 and as 1; from 0 to 1 unless set. */
  readonly scale?: readonly [number, number];
  /** How many of its latest messages a learner without a memory should look at; 1 unless set, 0 for all. */
  readonly window?: number;
  /** The return from which an episode counts as passed. */
  readonly pass: number;
  /** Reads the files. Problems are added to the source; the result then means nothing. */
  read(source: ContentSource, task: JsonObject): WorldContent;
}

/** The files of a folder, read by shapes; collects what is wrong. */
export class ContentSource {
  readonly problems: ContentProblem[] = [];
  readonly #files: ReadonlyMap<string, string>;

  constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  /** Names of files under a folder, by their endings; all folders for "". */
  namesUnder(folder: string, endings: readonly string[]): readonly string[] {
    const isUnder = (name: string) => folder === '' || name.startsWith(`${folder}/`);
    return [...this.#files.keys()].filter((name) => isUnder(name) && endings.some((ending) => name.endsWith(ending))).sort();
  }

  text(file: string): string {
    const text = this.#files.get(file);
    if (text === undefined) this.refuse(file, null, 'the file is missing');
    return text ?? '';
  }

  /** Adds a problem. A path into a JSON file becomes its line. */
  refuse(file: string, place: number | readonly (string | number)[] | null, message: string): void {
    const text = this.#files.get(file);
    const line = typeof place === 'number' || place === null ? place : text === undefined ? null : lineOfPath(text, place);
    this.problems.push({ file, line, message });
  }

  /** A JSON file as a value of a shape; undefined where it is wrong or missing. */
  json<T>(file: string, shape: Shape<T>): T | undefined {
    if (!this.has(file)) {
      this.refuse(file, null, 'the file is missing');
      return undefined;
    }
    const value = this.#parse(file, this.text(file));
    return value === undefined ? undefined : this.#read(shape, value, file, (path) => lineOfPath(this.text(file), path));
  }

  /** Rows of NAME.json (a list), NAME.jsonl, or NAME.csv. A missing table is a problem unless it is optional. */
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
      // An empty cell is a field that was left out.
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

/** Texts as a list, or as one text with "|" between them: the form that fits into a CSV cell. */
export const texts: Shape<readonly string[]> = short(list(words), { type: 'string' }, (value) =>
  typeof value === 'string' ? value.split('|').map((text) => text.trim()) : typeof value === 'number' ? [String(value)] : value,
);

/** A text that a CSV file or a careless author writes as a number. */
export const textOrNumber: Shape<string> = short(words, { type: 'number' }, (value) => (typeof value === 'number' ? String(value) : value));

/** What world.json says. */
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

/** An environment made of content: its cases, and what was proved about them. */
export interface ContentEnvironment extends AnyEnvironment {
  /** Tasks to train on. */
  readonly cases: readonly Json[];
  readonly heldOut: readonly Json[];
  readonly testedSeats: readonly string[];
  readonly others: Readonly<Record<string, string>>;
  readonly proofs: readonly string[];
  readonly reader: ContentReader;
}

export function isContentEnvironment(environment: AnyEnvironment): environment is ContentEnvironment {
  return 'proofs' in environment && 'reader' in environment;
}

/** Puts the content into every task of an environment, so that logs replay without the folder. */
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
    // What the files decide is no parameter any more.
    parameters: {
      ...Object.fromEntries(Object.entries(base.parameters).filter(([name]) => !Object.hasOwn(content.task, name))),
      ...(ids.length === 0 ? {} : { case: parameter.choice({ options: ids, default: first, description: 'the case that is played' }) }),
    },
    task: (input: Json) => base.task(complete(input)),
    cases: trained.length > 0 ? trained : tasks,
    heldOut: current,
    testedSeats: content.seats ?? (typeof reader.seat === 'string' ? [reader.seat] : reader.seat),
    others: content.others ?? reader.others ?? {},
    proofs,
    reader,
  };
}

/** The place and what is wrong there. */
export function formatContentProblem({ file, line, message }: ContentProblem): string {
  return `${file}${line === null ? '' : `:${line}`}: ${message}`;
}

/** All problems as one fault; the first few are in its message. */
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

/** A missing column is wrong on every line: the same message on more than three lines becomes one. */
function mergeRepeated(problems: readonly ContentProblem[]): readonly ContentProblem[] {
  const groups = Map.groupBy(problems, ({ file, message }) => `${file} ${message}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return group.length > 3 ? [{ ...first, message: `${first.message}; the same on ${group.length - 1} other lines` }] : group;
  });
}

/** Names that occur twice are a problem of every table. */
export function refuseDuplicates<T extends { readonly id: string }>(source: ContentSource, rows: readonly ContentRow<T>[]): void {
  const lines = new Map<string, number>();
  for (const { value, file, line } of rows) {
    const earlier = lines.get(value.id);
    if (earlier === undefined) lines.set(value.id, line);
    else source.refuse(file, line, `the id "${value.id}" is already used on line ${earlier}`);
  }
}
