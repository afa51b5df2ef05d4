/** @file Loaders of what evaluation uses: scorers, rubrics and suites, by name, file or package. Paths are relative to the working folder. */

import { relative } from 'node:path';
import { modelName } from '@ludus-agents/agents/internal/agent-kind';
import { findSource, isFileName, loadEntry } from '@ludus-agents/agents/internal/workspace/load';
import { loadModel, loadPersona } from '@ludus-agents/agents/internal/workspace/loaders';
import { findNameResolver } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault, isObject, type Json, type JsonObject, type Scorer } from '@ludus-agents/kernel/internal/core/index';
import type { CaseFileOptions } from './cases/case-suite.ts';
import type { Source } from './fingerprint.ts';
import { rubricKind, scorerKind, suiteKind } from './kinds.ts';
import { bestEmbedder } from './scoring/index.ts';
import type { Judge } from './scoring/judges/judge.ts';
import type { Rubric } from './scoring/judges/rubric.ts';
import type { SmallModels } from './scoring/small/apc.ts';
import type { Suite, SuiteScene } from './scoring/suites/suite.ts';
import { fileSource } from './source-notes.ts';

/** A scorer by name, file or package, or in another form: `apc=MODEL`, `sentence-alignment=MODEL`, `critic=RUN`, `judge=RUBRIC,MODEL`. A rule of the user becomes a scorer. */
export async function loadScorer(name: string, cwd: string, trust: Trust): Promise<Scorer> {
  if (/^judge=./s.test(name)) return loadRubricJudge(name, cwd, trust);
  const [, scorer, by] = /^(apc|sentence-alignment)=(.+)$/s.exec(name) ?? [];
  if (by !== undefined) {
    const models = await loadSmallModels(by, cwd, trust);
    return scorer === 'apc'
      ? (await import('./scoring/small/apc.ts')).apcScorer(models)
      : (await import('./scoring/small/alignment.ts')).alignmentScorer(models);
  }
  const resolver = await findNameResolver<Scorer>(scorerKind.name, name, cwd);
  return resolver === null ? loadEntry(scorerKind, name, cwd, trust) : resolver.resolve(name, { cwd, trust });
}

/**
 * An inference model: `onnx:FOLDER`, with the labels that its config.json names, the name of a language model, or shared words where none is named.
 * Relevance is measured by the installed encoder, or by words where none is installed.
 */
export async function loadSmallModels(model: string | undefined, cwd: string, trust: Trust): Promise<SmallModels> {
  const embedder = await bestEmbedder();
  if (model === undefined) return { nli: (await import('./scoring/small/lexical.ts')).lexicalNli, embedder };
  if (!model.startsWith('onnx:')) {
    const { modelNli } = await import('./scoring/small/model-nli.ts');
    return { nli: modelNli(await loadModel(model, cwd, trust)), embedder };
  }
  const { onnxNli, readNliLabels } = await import('./scoring/small/onnx.ts');
  const { checkFile } = await import('@ludus-agents/agents/internal/workspace/consent');
  const folder = checkFile(model.slice('onnx:'.length), trust, { cwd, env: process.env });
  return { nli: await onnxNli({ folder, labels: await readNliLabels(folder) }), embedder };
}

/** The judge that `judge=RUBRIC,MODEL` names: a rubric by name or file, and the model that applies it. */
export async function loadRubricJudge(name: string, cwd: string, trust: Trust): Promise<Judge> {
  const [rubric = '', ...rest] = name.replace(/^judge=/, '').split(',');
  const model = rest.join(',').trim();
  if (rubric.trim() === '' || model === '')
    throw new Fault('input', `Write a judge as judge=RUBRIC,MODEL, such as judge=./rubric.json,llm:openai/gpt-5, but got "${name}".`);
  const { judgesFor } = await import('./judges.ts');
  const [judge] = await judgesFor({ rubric: rubric.trim(), judge: modelName(model) }, { cwd, trust });
  return judge;
}

/** A rubric for a judge. */
export function loadRubric(name: string, cwd: string, trust: Trust): Promise<Rubric> {
  return loadEntry(rubricKind, name, cwd, trust);
}

/**
 * A suite by name, file, package or folder. Named personas of a suite are looked up here, so that its players have them in full. `cases` says
 * how a file of cases is read; other suites take no such settings.
 */
export async function loadSuite(name: string, cwd: string, trust: Trust, cases?: CaseFileOptions): Promise<Suite> {
  const files = new Set<string>();
  const suite = await readSuite({ name, cases, files }, cwd, trust);
  const source = isFileName(name) || /\.(?:csv|tsv|jsonl)$/i.test(name) ? null : await findSource(suiteKind, name, cwd, trust);
  if (source === null) files.add(name);
  else if (source !== undefined && 'file' in source) files.add(relative(cwd, source.file));
  suiteFiles.set(suite, [...files].flatMap(fileSource));
  return suite;
}

const suiteFiles = new WeakMap<Suite, readonly Source[]>();

/** The files that a suite was read from; empty for a built-in suite or one created in memory. */
export function sourcesOfSuite(suite: Suite): readonly Source[] {
  return suiteFiles.get(suite) ?? [];
}

interface NamedSuite {
  readonly name: string;
  readonly cases: CaseFileOptions | undefined;
  /** Takes the files that the suite names. */
  readonly files: Set<string>;
}

async function readSuite({ name, cases, files }: NamedSuite, cwd: string, trust: Trust): Promise<Suite> {
  if (cases !== undefined) {
    if (!/\.(?:csv|tsv|jsonl)$/i.test(name))
      throw new Fault(
        'input',
        `${Object.keys(cases)
          .map((option) => `--${option}`)
          .join(', ')}: only for files of cases (.csv, .tsv, .jsonl), got ${name}.`,
      );
    return (await import('./cases/case-suite.ts')).loadCaseSuite(name, cases, { cwd, trust });
  }
  const resolver = await findNameResolver<Suite>(suiteKind.name, name, cwd);
  if (resolver !== null) return resolver.resolve(name, { cwd, trust });
  const suite = await loadEntry(suiteKind, name, cwd, trust);
  const { gallery } = await import('@ludus-agents/agents/internal/personas/index');
  const isDrawn = (input: Json) => isObject(input) && 'population' in input;
  const isCustom = (input: Json) => isDrawn(input) || (typeof input === 'string' && !Object.hasOwn(gallery, input));
  const { drawPeople } = await import('@ludus-agents/agents/internal/workspace/populations');
  const resolveReference = async (input: Json): Promise<Json> => {
    const { population = input } = isDrawn(input) ? (input as { readonly population?: Json }) : {};
    for (const file of fileSource(isObject(population) ? population['of'] : population)) files.add(file.name);
    if (!isDrawn(input)) return await loadPersona(input as string, cwd, trust);
    return await drawPeople((input as JsonObject)['population'], `The suite ${name}`, { cwd, trust });
  };
  if (!suite.scenes.some(({ personas }) => Object.values(personas).some(isCustom))) return suite;
  const scenes = suite.scenes.map(async (scene): Promise<SuiteScene> => {
    const matches = Object.entries(scene.personas).map(
      async ([seat, input]): Promise<readonly [string, Json]> => [seat, isCustom(input) ? await resolveReference(input) : input],
    );
    return { ...scene, personas: Object.fromEntries(await Promise.all(matches)) };
  });
  return { ...suite, scenes: await Promise.all(scenes) };
}
