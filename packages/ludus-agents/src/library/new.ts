/** @file `new`: creates a working file with its test, or has a model write it from a description. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readDefaultModel } from '@ludus-agents/agents/internal/workspace/models';
import { type AnyEnvironment, Fault, type Model } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { documentFromWords, type FromWords, writtenKinds } from '../from-words.ts';
import { starterKinds } from '../starters/kinds.ts';
import { caseTable, type Starter, starters, trainerStarter } from '../starters/starters.ts';
import { type CallOptions, type CallPlace, findEnvironment, findModel, placeOf, type Ref } from './refs.ts';

/** The options of `new`. */
export interface NewRequest extends CallOptions {
  /** The kind, such as "environment", "agent" or "trainer". */
  readonly kind: string;
  /** Lowercase letters, digits and hyphens. */
  readonly name: string;
  /** For a trainer: its library. */
  readonly library?: string | undefined;
  /** For a suite: a table of inputs and expected answers. */
  readonly cases?: boolean | undefined;
  /** A description, from which a model writes an agent, an environment or a plan. */
  readonly from?: string | undefined;
  /** With `from`: the model that writes; your default model if omitted. */
  readonly model?: Ref<Model> | undefined;
  /** With `from`: the environment that an agent must finish. */
  readonly on?: Ref<AnyEnvironment> | undefined;
}

/** The created files. */
export interface NewFiles {
  /** Relative to the working folder. */
  readonly files: readonly string[];
  /** The next commands, with their effects. */
  readonly next: Readonly<Record<string, string>>;
  /** With `from`: the document, and its history of drafts. */
  readonly written?: FromWords;
}

/** Writes a working example of a kind with its test, into the working folder. Nothing is overwritten. */
export async function create(request: NewRequest, place: CallPlace = placeOf(request)): Promise<NewFiles> {
  const { kind, name, cases } = request;
  if (request.from !== undefined) return createFrom({ ...request, from: request.from }, place);
  if (cases === true && kind !== 'suite') throw new Fault('input', `--cases is for "ludus new suite", not for ${kind}.`);
  const starter = cases === true ? caseTable : starterOf(request);
  checkName(name, 60);
  const wanted = { name, folder: place.cwd };
  const endings = { program: 'mts', document: 'json', table: 'csv' } as const;
  const isFolder = starter.form === 'folder';
  const file = starter.form === 'folder' ? name : `${name}.${endings[starter.form]}`;
  const more = Object.entries(starter.files?.(wanted) ?? {}).map(([path, text]) => [isFolder ? `${name}/${path}` : path, text] as const);
  const test = starter.test === undefined ? null : `${name}.test.mts`;
  const files: Readonly<Record<string, string>> = {
    ...(isFolder ? {} : { [file]: starter.text(wanted) }),
    ...Object.fromEntries(more),
    ...(test !== null && starter.test !== undefined && { [test]: starter.test(wanted) }),
  };
  for (const path of Object.keys(files)) checkFree(path, place.cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.cwd, path)), { recursive: true });
    writeFileSync(join(place.cwd, path), text, { flag: 'wx' });
  }
  const next = { ...starter.next(`./${file}`), ...(test !== null && { [`node --test ${test}`]: 'run its test' }) };
  return { files: Object.keys(files), next };
}

function starterOf({ kind: word, library = '', name }: NewRequest): Starter {
  if (word === 'trainer') return trainerStarter(library, name);
  const kind = starterKinds.find((starterKind) => starterKind === word);
  if (kind !== undefined) return starters[kind];
  const names = [...starterKinds, 'trainer'];
  throw new Fault('input', `Unknown kind "${word}". "ludus new" can create ${names.join(', ')}.${didYouMean(word, names)}`, {
    code: 'E_UNKNOWN_NAME',
  });
}

function checkName(name: string, most: number): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > most)
    throw new Fault('input', `Invalid name "${name}". Use lowercase letters, digits, and hyphens, such as stick-game.`);
}

function checkFree(path: string, cwd: string): void {
  if (existsSync(join(cwd, path)))
    throw new Fault('input', `${path} already exists. Choose another name, or delete it first.`, { code: 'E_ALREADY_EXISTS' });
}

/** A document that a model writes from a description. It is saved after it has passed its checks. */
async function createFrom(request: NewRequest & { readonly from: string }, place: CallPlace): Promise<NewFiles> {
  const { name, from, on = 'tic-tac-toe', signal = new AbortController().signal } = request;
  const what = writtenKinds.find((writtenKind) => writtenKind === request.kind);
  if (what === undefined) throw new Fault('input', `--from can create ${writtenKinds.join(', ')}, but not ${request.kind}.`);
  const file = `${name}.json`;
  checkName(name, Number.POSITIVE_INFINITY);
  checkFree(file, place.cwd);
  const ref = request.model ?? (await readDefaultModel(place.cwd));
  if (ref === undefined)
    throw new Fault('input', 'No model to write it. Set one with --model, or run "ludus models" to see which are available.');
  const environment = await findEnvironment(on, place);
  const model = await findModel(ref, place);
  const modelName = typeof ref === 'string' ? ref : model.id;
  const written = await documentFromWords({ what, name, words: from, model, modelName, environment, place, signal });
  writeFileSync(join(place.cwd, file), `${JSON.stringify(written.document, null, 2)}\n`, { flag: 'wx' });
  return { files: [file], next: {}, written };
}
