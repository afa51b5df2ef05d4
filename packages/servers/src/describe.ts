/** @file Describes one entry of a kind: its purpose, its settings with their ranges, and a command that uses it. */

import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { loadEntry } from '@ludus-agents/agents/internal/workspace/load';
import { loadPersona } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadSuite } from '@ludus-agents/evaluation/internal/loaders';
import type { Rubric } from '@ludus-agents/evaluation/internal/scoring/judges/rubric';
import type { Suite } from '@ludus-agents/evaluation/internal/scoring/suites/suite';
import type { Json, JsonObject, Kind, KindLine, Scorer, TaskParameter, TaskParameters } from '@ludus-agents/kernel/internal/core/index';
import { listEntries } from '@ludus-agents/kernel/internal/core/index';
import type { Pipeline } from '@ludus-agents/learning/internal/pipelines/pipeline';
import type { Engine } from '@ludus-agents/learning/internal/prompts/engine';
import type { Recipe } from '@ludus-agents/learning/internal/rl/recipe';

export interface DescribedSetting {
  readonly name: string;
  readonly otherwise: string;
  readonly range: string;
  readonly about: string;
}

export interface Description {
  readonly kind: string;
  readonly name: string;
  readonly about: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly settings: readonly DescribedSetting[];
  /** A command that uses it. */
  readonly example: string;
}

type Words = Partial<Pick<Description, 'about' | 'facts' | 'settings'>> & Pick<Description, 'example'>;

/** The user's entries of a kind in the configuration. */
export async function ownNames(kind: Kind, cwd: string): Promise<readonly string[]> {
  return Object.keys((await readConfigIn(cwd)).kinds?.[kind.name] ?? {});
}

/** Lists the entries of a kind: those of the user's configuration first, then the built-in ones. */
export async function listKind(kind: Kind, cwd: string): Promise<readonly KindLine[]> {
  const ownEntries = Object.entries((await readConfigIn(cwd)).kinds?.[kind.name] ?? {});
  return [...ownEntries.map(([name, file]) => ({ name, about: `your own, in ${file}` })), ...(await listEntries(kind))];
}

export async function describeEntry(kind: Kind, name: string, cwd: string, trust: Trust): Promise<Description> {
  const object =
    kind.name === 'personas'
      ? await loadPersona(name, cwd, trust)
      : kind.name === 'suites'
        ? await loadSuite(name, cwd, trust)
        : await loadEntry(kind, name, cwd, trust);
  const line = (await listKind(kind, cwd)).find((kindLine) => kindLine.name === name)?.about ?? `your own ${kind.one}, in ${name}`;
  const description = await (explain[kind.name] ?? plain)(object as never, name);
  return { kind: kind.one, name, about: line, facts: {}, settings: [], ...description };
}

const plain = (_: unknown, name: string): Words => ({ example: `ludus list models   # where ${name} may be named` });

const explain: Readonly<Record<string, (thing: never, name: string) => Words | Promise<Words>>> = {
  agents: (_: unknown, name) => ({ example: `ludus play kuhn-poker --agents ${exampleAgent(name)},random` }),
  models: (_: unknown, name) => ({
    example: `ludus play kuhn-poker --agents llm:${/^[a-z]+$/.test(name) ? `${name}/MODEL` : name},random`,
  }),
  personas: (_: unknown, name) => ({ example: `ludus chat ${name}` }),
  scorers: ({ name: called, tier }: Scorer, name) => ({
    facts: { 'scores as': called, tier },
    example: `ludus score RUN --scorers ${name}`,
  }),
  rubrics: (rubric: Rubric, name) => ({
    facts: {
      judges: rubric.about,
      form: rubric.form,
      axes: rubric.axes.map(({ id }) => id).join(', '),
      needs: (rubric.needs ?? []).join(', ') || 'nothing besides the episode',
      source: rubric.source,
    },
    example: `ludus judge trust ${name} --judge fake:honest`,
  }),
  judges: (_: unknown, name) => ({ example: `ludus judge trust coser --judge ${name}` }),
  suites: ({ about, seeds, nulls, scenes }: Suite, name) => ({
    facts: {
      measures: about,
      scenes: scenes.map((scene) => scene.name).join(', '),
      'scored by': [...new Set(scenes.map(({ score }) => score))].join(', '),
      'null agents': nulls.join(', '),
    },
    settings: [{ name: '--seeds', otherwise: String(seeds), range: '1–1000000', about: 'how often every task is played' }],
    example: `ludus eval ${name} --agents random,scripted`,
  }),
  recipes: async (recipe: Recipe, name) => {
    const { rangeAt } = await import('@ludus-agents/learning/internal/training/recipe-file');
    return {
      facts: { method: recipe.method, source: recipe.source, differs: recipe.differs },
      settings: flattenRecipe(recipe).map((describedSetting) => ({
        ...describedSetting,
        range: rangeAt(recipe, describedSetting.name) ?? describedSetting.range,
      })),
      example: `ludus train ${name} --name a`,
    };
  },
  learners: (_: unknown, name) => ({
    example: name === 'tinker' ? "import { Tinker } from 'ludus-agents/learning'" : `ludus train kuhn-rae --set training.learner=${name}`,
  }),
  engines: ({ method, source, differs, parameters }: Engine, name) => ({
    facts: { method, source, differs },
    settings: settingsOf(parameters),
    example: `ludus improve instruction-demo --engine ${name} --budget 500`,
  }),
  teachers: (_: unknown, name) => ({ example: `ludus train teacher-tabular --teacher ${name}` }),
  proposers: (
    { source, differs, attempts, keep }: { source?: string; differs?: string; attempts: number; keep: readonly number[] },
    name,
  ) => ({
    facts: {
      source: source ?? '',
      differs: differs ?? '',
      attempts: String(attempts),
      keeps: `tasks solved at a rate from ${keep.join(' to ')}`,
    },
    example: `ludus train pae --set coevolution.proposer=${name}`,
  }),
  pipelines: ({ takes, proof, source, differs }: Pipeline, name) => ({
    facts: { takes, proof, source: source ?? '', differs: differs ?? '' },
    example: `ludus data make ${name} ${{ persona: 'villain', questions: 'maths', text: './notes.txt' }[takes]} --model fake -n 10 -o out.jsonl`,
  }),
  populations: (population: JsonObject, name) => ({
    facts: { attributes: Object.keys((population['attributes'] ?? {}) as JsonObject).join(', ') },
    example: `ludus persona sample ${name} -n 20 --seed 1`,
  }),
  tools: (_: unknown, name) => ({ example: `{"name": "Eve", "kind": "llm:MODEL", "tools": ["${name}"]}` }),
};

function exampleAgent(name: string): string {
  const filled: Readonly<Record<string, string>> = { llm: 'llm:fake', local: 'local/RUN@best', openenv: 'openenv:ws://HOST' };
  return filled[name] ?? name;
}

function settingsOf(parameters: TaskParameters): readonly DescribedSetting[] {
  return Object.entries(parameters).map(([name, parameter]) => ({
    ...{ name, otherwise: JSON.stringify(parameter.default), range: rangeOf(parameter), about: parameter.description },
  }));
}

/** A short description of a parameter's allowed values. */
export function rangeOf(parameter: TaskParameter): string {
  if (parameter.kind === 'integer' || parameter.kind === 'number') return `${parameter.min}–${parameter.max}`;
  if (parameter.kind === 'choice') return parameter.options.join(' ');
  return { boolean: 'true, false', string: 'text', json: 'JSON' }[parameter.kind];
}

/** Every setting of a recipe, in the form that --set takes. */
function flattenRecipe(recipe: JsonObject, path = ''): readonly DescribedSetting[] {
  return Object.entries(recipe).flatMap(([name, value]): readonly DescribedSetting[] => {
    if (path === '' && ['name', 'method', 'source', 'differs', 'kind'].includes(name)) return [];
    const inner = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (inner && Object.keys(value).length > 0) return flattenRecipe(value as JsonObject, `${path}${name}.`);
    return [
      {
        name: `${path}${name}`,
        otherwise: JSON.stringify(value as Json),
        range: typeof value === 'object' ? 'JSON' : typeof value,
        about: '',
      },
    ];
  });
}
