/** @file `ludus play scene`: characters in one room, optionally with a narrator; played by a model, by scripts, or by you. */

import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { modelsWith } from '@ludus-agents/agents/internal/models/index';
import { addresseeText, type CastScene, type Persona, readScene } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { putCastRun } from '@ludus-agents/agents/internal/workspace/cast-run';
import { resolvePersona } from '@ludus-agents/agents/internal/workspace/personas';
import { withPeople } from '@ludus-agents/agents/internal/workspace/populations';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { count } from '@ludus-agents/kernel/internal/core/format';
import type { Agent, AgentSpec, AnyEnvironment, EpisodeEvent, Json, JsonObject, Seat } from '@ludus-agents/kernel/internal/core/index';
import { Fault } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import type { StoreOptions } from '@ludus-agents/store/internal/stores';
import { seatIn } from '../../cast.ts';
import { type CommandRun, exits } from '../../command.ts';
import { exitFor, playAtTerminal, reportStaged, type TerminalEpisode, toJsonResult } from '../../play-at-terminal.ts';
import { coloursFor } from '../../render/colours.ts';
import { lessonsOf, lessonsText } from '../../render/learned-facts.ts';
import { costWords, sumCalls } from '../../render/model-calls.ts';
import { renderScreenplay } from '../../render/screenplay.ts';
import { withinBudget } from '../../spending.ts';
import { columnsOf, printJson, type Terminal } from '../../terminal.ts';

const agentServices = createAgentServices(process.cwd(), Trust.commandLine);

interface Options extends StoreOptions {
  readonly model?: string;
  readonly narrator?: string;
  readonly me?: string;
  readonly seed?: number;
  readonly turns?: number;
  readonly speed?: number;
  readonly log?: boolean;
  readonly json?: boolean;
}

export const scene: CommandRun = {
  run: withinBudget(async ({ args, options: input, terminal }) => {
    const options = input as Options;
    const { task: read, personas, name } = await sceneFrom(args[0], terminal);
    const environment = await builtInEnvironment('social-scene');
    const task = environment.task(options.turns === undefined ? read : { ...read, turns: options.turns }) as JsonObject;
    const { cast, specs } = await castOf({ environment, task, personas, options });
    const screen = options.json === true ? terminal.stderr : terminal.stdout;
    const watched = options.json !== true && options.me === undefined && options.log !== true;
    const show = watched ? renderScreenplay({ name, personas, script: task['script'] as JsonObject }, terminal) : undefined;
    const seed = options.seed ?? randomInt(2 ** 31);
    const played = await playAtTerminal({
      terminal,
      keep: options,
      environment,
      cast,
      screen,
      quiet: options.me === undefined && options.log !== true,
      speed: options.speed,
      show,
      whole: true,
      run: (store) => {
        const of = { kind: 'scene', title: name, environment: 'social-scene', task, seed, cast: specs };
        return putCastRun(store, of, { place: terminal });
      },
      begin: (agents, signal) => play(environment, agents, { task, seed, signal }),
    });
    const lessons = lessonsOf(played.events, personas);
    const { said, results, performed, refused } = sceneResult(played);
    const failed = played.end.reason === 'over' && performed === 0;
    if (failed) terminal.stderr.write(`${emptyScene(refused)}\n`);
    if (options.json !== true) {
      const colours = coloursFor(screen, terminal.env);
      const look = { colours, columns: Math.min(92, columnsOf(screen)) };
      // A person who played knows only what they have read.
      const taught = options.me === undefined ? lessonsText(lessons, personas, look) : '';
      const cost = costWords(played.events);
      if (taught !== '') screen.write(`${taught}\n`);
      if (cost !== '') screen.write(`${colours.faint(cost)}\n`);
      const exit = reportStaged(played, { terminal, screen });
      return failed ? exits.found : exit;
    }
    const models = sumCalls(played.events);
    printJson(terminal, {
      scene: name,
      ...toJsonResult(played),
      said,
      results,
      performed,
      refused,
      personas: idsOf(personas),
      ledger: lessons,
      models,
    });
    return failed ? exits.found : exitFor(played.end);
  }),
};

/** The reason why a scene without speech or actions is a failure. */
function emptyScene(refused: number): string {
  const cause =
    refused === 0
      ? 'every character passed. Without a model, characters need greetings, examples or conditions to act on'
      : `${count(refused, 'answer')} could not be understood. Run it again with --log to read each answer and the reason`;
  return `No one said or did anything: ${cause}.`;
}

/** Personas named in a file are looked up relative to the file. */
async function sceneFrom(file: string, terminal: Terminal): Promise<CastScene> {
  const path = resolve(terminal.cwd, file);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The scene ${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  const beside = { stdin: terminal.stdin, cwd: dirname(path), trust: terminal.trust };
  const written = await withPeople(jsonFrom(text, `The scene ${file}`), `The scene ${file}`, beside);
  return readScene(written, async (name) => (await resolvePersona(name, beside)).persona);
}

interface Casting {
  readonly environment: AnyEnvironment;
  readonly task: JsonObject;
  readonly personas: CastScene['personas'];
  readonly options: Options;
}

/**
 * Models are created again for each scene: a fake one counts its calls, and the same scene must have the same result in a long-running
 * process.
 */
async function castOf({ environment, task, personas, options }: Casting): Promise<SceneCast> {
  const call = createAgentLoader({ ...agentServices, model: modelsWith() });
  const seats = environment.seats(task);
  const mine = options.me === undefined ? undefined : seatIn(options.me, { environment: 'This scene', seats });
  if (options.narrator !== undefined && !seats.includes('narrator'))
    throw new Fault('input', 'This scene has no narrator. Add "narrator": true to its file, or remove --narrator.');
  const cast: Record<Seat, string | Agent> = {};
  const specs: Record<Seat, AgentSpec | string> = {};
  for (const seat of seats) {
    const persona = personas[seat];
    const others = Object.entries(personas).flatMap(([other, persona]) => (other === seat ? [] : [persona]));
    if (seat === mine) specs[seat] = cast[seat] = 'human';
    else if (persona === undefined) {
      specs[seat] = options.narrator ?? 'scripted:narrator';
      cast[seat] = await call(specs[seat], seat, environment);
    } else if (options.model === undefined) {
      const settings = { user: addresseeText(others), group: true };
      specs[seat] = { name: `${persona.name} (script)`, kind: 'scripted:character', persona: persona as Json, settings };
      cast[seat] = await call(specs[seat], seat, environment);
    } else {
      specs[seat] = actor(persona, others, options.model);
      cast[seat] = await call(specs[seat], seat, environment);
    }
  }
  return { cast, specs };
}

/** The players, as agents and as the specs that the run stores. */
interface SceneCast {
  readonly cast: Record<Seat, string | Agent>;
  readonly specs: Readonly<Record<Seat, AgentSpec | string>>;
}

/** A persona played by a model with its permitted knowledge of the others. */
function actor(persona: Persona, others: readonly Persona[], model: string): AgentSpec {
  return {
    name: persona.name,
    kind: 'llm',
    model,
    persona: persona as Json,
    settings: { others: others as readonly Json[], user: addresseeText(others) },
  };
}

function idsOf(personas: CastScene['personas']): Record<Seat, { id: string; hash: string }> {
  return Object.fromEntries(Object.entries(personas).map(([seat, { id, hash }]) => [seat, { id, hash }]));
}

interface SceneResult {
  readonly said: readonly JsonObject[];
  readonly results: Json;
  /** Words, gestures and acts. */
  readonly performed: number;
  /** Answers that could not be parsed. */
  readonly refused: number;
}

/** The messages and actions, and the outcome. */
function sceneResult({ events }: TerminalEpisode): SceneResult {
  let outcome: Omit<SceneResult, 'said'> = { results: null, performed: 0, refused: 0 };
  const jsonObjects = events.flatMap((event: EpisodeEvent): readonly JsonObject[] => {
    if (event.kind !== 'message') return [];
    const data = (event.data ?? {}) as JsonObject;
    if (event.to.length === 0 && data['results'] !== undefined) outcome = data as typeof outcome;
    return event.from === undefined ? [] : [{ seat: event.from, kind: data['kind'] ?? 'speak', to: data['to'] ?? null, text: event.text }];
  });
  const { results, performed, refused } = outcome;
  return { said: jsonObjects, results, performed, refused };
}
