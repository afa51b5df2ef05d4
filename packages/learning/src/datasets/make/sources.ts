/**
 * @file Loads the source of a pipeline: a persona as a profile of sentences, questions of a file or of a generator, or the text of a file.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gallery, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { loadPersona } from '@ludus-agents/agents/internal/workspace/loaders';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { makeProblem } from '@ludus-agents/environments/internal/maths/problems';
import { factsOf } from '@ludus-agents/evaluation/internal/probes/persona-facts';
import { Fault, isObject, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import type { KnownQuestion, Pipeline, PipelineSource, RoleProfile } from '../../pipelines/pipeline.ts';

/** The number of questions drawn from the built-in source `maths`, which is unlimited. */
const draw = 1000;

export async function sourceOf(pipeline: Pipeline, name: string | undefined, cwd: string, trust: Trust): Promise<PipelineSource> {
  const { takes } = pipeline;
  if (name === undefined) {
    if (takes === 'questions') return { kind: 'questions', questions: mathsQuestions() };
    const wanted = { persona: 'a persona, such as villain or ./mine.json', text: 'a text file' }[takes];
    throw new Fault('input', `The pipeline ${pipeline.name} starts from ${wanted}. Pass one after its name.`);
  }
  if (takes === 'persona') return personaSource(await loadPersona(name, cwd, trust));
  if (takes === 'text') return { kind: 'text', text: readText(name, cwd) };
  return { kind: 'questions', questions: name === 'maths' ? mathsQuestions() : readQuestions(name, cwd) };
}

function personaSource(persona: Persona): PipelineSource {
  const profile = profileOf(persona);
  if (profile.facts.length === 0)
    throw new Fault(
      'input',
      `${persona.name} has no public facts, so no questions can be made. Add statements with "visibility": "public", a history, likes or work.`,
    );
  const others = Object.values(gallery).filter(({ id, name }) => id !== persona.id && name !== persona.name);
  return { kind: 'persona', profile, others: others.map(profileOf).filter(({ facts }) => facts.length > 0) };
}

/** A persona's public information, sentence by sentence, without its secrets. */
function profileOf(persona: Persona): RoleProfile {
  const { name, identity } = persona;
  const work = identity.social.occupation?.title;
  return {
    name,
    card: `You are ${name}${work === undefined ? '' : `, ${work}`}.`,
    facts: factsOf(persona).map(({ text, keys }) => ({ text, keys })),
  };
}

function mathsQuestions(): readonly KnownQuestion[] {
  const matches = new Map<string, KnownQuestion>();
  for (let number = 0; matches.size < draw && number < 4 * draw; number++) {
    const problem = makeProblem(2, 'any', rng(0, 'questions', number));
    if (problem === null) continue;
    const { ask, answer, others, kind } = problem;
    matches.set(ask, { question: ask, answer, choices: [answer, ...others], topic: kind });
  }
  return [...matches.values()];
}

function readText(name: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, name), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${name} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
}

/** A JSON list, or JSON lines. */
function readQuestions(name: string, cwd: string): readonly KnownQuestion[] {
  const text = readText(name, cwd).trim();
  const entries = text.startsWith('[')
    ? (jsonFrom(text, name) as readonly Json[])
    : text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [jsonFrom(line, `${name}, line ${i + 1}`) as Json]));
  if (entries.length === 0) throw new Fault('input', `${name} has no questions; each is {"question": "…", "answer": "…"}.`);
  return entries.map((entry, i) => {
    if (!isObject(entry) || typeof entry['question'] !== 'string' || typeof entry['answer'] !== 'string')
      throw new Fault(
        'input',
        `${name}: question ${i + 1} must be {"question": "…", "answer": "…"}, optionally with "choices" and "topic".`,
      );
    const { question, answer, choices, topic } = entry;
    return {
      ...{ question, answer },
      ...(Array.isArray(choices) && { choices: choices.map(String) }),
      ...(typeof topic === 'string' && { topic }),
    };
  });
}
