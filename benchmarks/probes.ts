/**
 * @file Does probing order three prompts of one real model? `npm run bench -- probes --model=gguf:FILE --personas=FOLDER [--skip=2] [--number=24]`.
 *
 * Each persona of the folder is played by the same model with its card, with one line of it (name and work), and with its name alone, and is
 * asked the same plain questions. The estimator is named here, before any answer: the share of "right answers" of the report card. Differences
 * are paired by question, and their intervals drawn again by persona, since questions to one persona are not independent.
 */

import '@ludus-agents/servers/internal/kinds';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { dinnerGuests, type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { knowledgeProbes } from '@ludus-agents/evaluation/internal/probes/knowledge';
import { playProbes } from '@ludus-agents/evaluation/internal/probes/play-probes';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { hasKey, readReply } from '@ludus-agents/evaluation/internal/probes/read-reply';
import { bootstrap } from '@ludus-agents/evaluation/internal/scoring/statistics/bootstrap';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const prompts = ['card', 'one line', 'name'] as const;
type PromptName = (typeof prompts)[number];

/** Answers are short: the fact that was asked for comes first or not at all. */
const tokens = 32;

interface Asked {
  readonly persona: string;
  readonly question: string;
  readonly key: readonly string[];
  readonly answers: Readonly<Record<PromptName, string>>;
  readonly right: Readonly<Record<PromptName, boolean>>;
}

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const { model, personas: folder } = flags['smoke'] === true ? { model: 'fake', personas: sampleFolder() } : flags;
  if (typeof model !== 'string' || typeof folder !== 'string')
    throw new Error('Expected --model=NAME and --personas=FOLDER, a folder of persona files.');
  const number = (name: string, usual: number) => sizeOf(flags, name, usual, name === 'number' ? 2 : usual);
  const files = readdirSync(resolve(folder)).sort();
  const step = Math.max(1, Math.floor((files.length - number('skip', 0)) / number('number', 24)));
  const selectedFiles = files
    .filter((_, i) => i >= number('skip', 0) && (i - number('skip', 0)) % step === 0)
    .slice(0, number('number', 24));
  const until = performance.now() + 1000 * number('seconds', 86_400);
  const load = createAgentLoader(createAgentServices(process.cwd(), Trust.commandLine, {}));
  const requests: Asked[] = [];
  for (const file of selectedFiles) {
    if (performance.now() > until) break;
    const { persona } = await resolvePersona(join(resolve(folder), file), {
      cwd: process.cwd(),
      env: process.env,
      trust: Trust.commandLine,
    } as never);
    requests.push(...(await askPersona(persona, model, load)));
    if (typeof flags['transcripts'] === 'string') writeFileSync(flags['transcripts'], `${JSON.stringify(requests, null, 1)}\n`);
  }
  return [
    ...prompts.map((name) => shareOf(requests, name)),
    differenceOf(requests, 'card', 'one line'),
    differenceOf(requests, 'one line', 'name'),
  ];
}

/** A folder with two personas, for a run without a model. */
function sampleFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ludus-probes-'));
  for (const guest of dinnerGuests.slice(0, 2)) writeFileSync(join(folder, `${guest.id}.json`), JSON.stringify(guest));
  return folder;
}

async function askPersona(persona: Persona, model: string, load: ReturnType<typeof createAgentLoader>): Promise<readonly Asked[]> {
  const probes = knowledgeProbes(persona, 40, 0).filter(({ kind }) => kind === 'open');
  const environment = await builtInEnvironment('chat');
  const message = new Map<PromptName, readonly string[]>();
  for (const name of prompts) {
    const spec = { name: persona.name, kind: 'llm', model, persona: versionOf(persona, name) };
    const settings = { prompt: 'compact', maxTokens: tokens, temperature: 0 } as const;
    const agent = await load({ ...spec, settings }, 'character', environment);
    const answered = await playProbes(probes, { persona, agent: () => agent, seed: 0, concurrency: 8 });
    message.set(
      name,
      answered.map(({ answers }) => answers.at(-1) ?? ''),
    );
  }
  return probes.map((probe, i) => {
    const answers = Object.fromEntries(prompts.map((name) => [name, message.get(name)![i]])) as Record<PromptName, string>;
    const right = Object.fromEntries(prompts.map((name) => [name, isRight(answers[name], probe)])) as Record<PromptName, boolean>;
    return { persona: persona.name, question: probe.turns[probe.turns.length - 1], key: probe.key, answers, right };
  });
}

/** As the report card reads "right answers". */
function isRight(answer: string, { key }: Probe): boolean {
  return readReply(answer) === 'answer' && hasKey(answer, key);
}

/** The whole document, its name and work, or its name alone. */
function versionOf(persona: Persona, name: PromptName): Persona {
  if (name === 'card') return persona;
  const title = persona.identity.social.occupation?.title;
  const social = name === 'one line' && title !== undefined ? { occupation: { title } } : {};
  return parsePersona({ id: persona.id, name: persona.name, identity: { social } });
}

function shareOf(requests: readonly Asked[], name: PromptName): Figure {
  const people = groupsOf(requests);
  const { value, interval } = bootstrap(people, (samples) => mean(samples.flat().map(({ right }) => Number(right[name]))), { seed: 0 });
  const note = `${interval.map((bound) => bound.toFixed(3)).join(' to ')}; ${requests.length} questions, ${people.length} personas`;
  return { name: `right answers, ${name}`, value, unit: 'share', note };
}

function differenceOf(requests: readonly Asked[], more: PromptName, less: PromptName): Figure {
  const gain = (samples: readonly (readonly Asked[])[]) =>
    mean(samples.flat().map(({ right }) => Number(right[more]) - Number(right[less])));
  const { value, interval } = bootstrap(groupsOf(requests), gain, { seed: 0 });
  return { name: `${more} less ${less}`, value, unit: 'share', goal: '> 0', note: interval.map((bound) => bound.toFixed(3)).join(' to ') };
}

function groupsOf(requests: readonly Asked[]): readonly (readonly Asked[])[] {
  return [...Map.groupBy(requests, ({ persona }) => persona).values()];
}
