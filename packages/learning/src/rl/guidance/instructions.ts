/**
 * @file A population of instructions within the training of weights (INSPO, arXiv 2512.01945). Every group of episodes is played under one
 * instruction, the first text that its seat reads; the group's return relative to others under the same weights is credited to the
 * instruction; weak instructions are removed, and an agent writes new ones from failures. The weights are trained under the instructions at
 * the same time.
 */

import type { AnyEnvironment, Json, JsonObject, Learner, Policy, Rng, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { meanOrZero } from '@ludus-agents/kernel/internal/core/mean';
import { CandidatePool } from '../../prompts/population.ts';
import type { GuidedLessons, LessonGuide, PlayedBatch } from '../lesson-guide.ts';
import { turnsInLog } from '../log-turns.ts';
import type { Guidance } from '../recipe.ts';
import type { ErrorParts } from './error-lessons.ts';
import { askAbout, isScript } from './verdict.ts';

const opening = 'Instruction: ';
/** Updates between two rounds of removing weak instructions and writing a new one. */
const every = 5;

/** A task under each instruction; the first is empty, so that playing without one is part of the population. */
export function instructedTasks(task: Json, { instructions = [], share }: Guidance): readonly Json[] {
  const used = share === 0 ? [] : instructions;
  return ['', ...used].map((instruction) => ({ ...(task as JsonObject), instruction }));
}

/** The environment with an additional task parameter: a text shown to a seat first. */
export function withInstructions(environment: AnyEnvironment, seat: Seat): AnyEnvironment {
  const split = (input: Json) => {
    const { instruction = '', ...rest } = input as JsonObject;
    return { instruction: String(instruction), rest };
  };
  return {
    ...environment,
    task(input: Json) {
      const { instruction, rest } = split(input);
      return { ...(environment.task(rest) as JsonObject), instruction };
    },
    seats: (task: Json) => environment.seats(split(task).rest),
    start(task: Json, dice: Rng) {
      const { instruction, rest } = split(task);
      const step = environment.start(rest, dice);
      const text = `${opening}${instruction}`;
      return instruction === '' ? step : { ...step, messages: [{ to: [seat], text }, ...step.messages] };
    },
  } as AnyEnvironment;
}

/**
 * A learner that chooses among listed moves cannot read: at its nth turn it takes the nth move named in its instruction, with the
 * probability `heed`.
 */
export function heedInstructions(learner: Learner, policy: Policy, heed = 0.9): Policy {
  if (learner.rowFor !== undefined) return policy;
  return {
    name: policy.name,
    act: (turns) =>
      Promise.all(
        turns.map(async (turn) => {
          const move = namedMove(turn);
          return move !== null && turn.rng.next() < heed ? { action: { text: move } } : (await policy.act([turn]))[0];
        }),
      ),
  };
}

function namedMove({ view, ask }: Turn): string | null {
  const [first] = view.seen;
  if (first?.kind !== 'message' || !first.text.startsWith(opening)) return null;
  const choices = [...(ask.choices ?? [])].sort((a, b) => b.length - a.length);
  const pattern = choices.map((choice) => choice.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const named = pattern === '' ? [] : first.text.slice(opening.length).match(new RegExp(pattern, 'g'));
  return named?.[view.seen.filter(({ kind }) => kind === 'action').length] ?? null;
}

export interface InstructionParts extends ErrorParts {
  readonly task: Json;
  readonly say: (sentence: string) => void;
}

export class InstructionGuide implements LessonGuide {
  readonly name = 'instructions';
  readonly #parts: InstructionParts;
  readonly #pool = new CandidatePool({ temperature: 0.05, rate: 0.2 });
  /** The task under each instruction ever used, by number; removed ones are not drawn. */
  readonly tasks: Json[];
  /** The task under the best instruction, used to measure reported figures. */
  readonly best: Json[];

  constructor(parts: InstructionParts) {
    this.#parts = parts;
    this.tasks = [...instructedTasks(parts.task, parts.guidance)];
    for (const i of this.tasks.keys()) this.#pool.add(String(i), 0);
    this.best = [this.tasks[this.tasks.length - 1]];
  }

  /** The instruction for the next group. */
  next(dice: Rng): number {
    return Number(this.#pool.choose(dice));
  }

  /** Credit is assigned in `lessons`, where the whole batch is known. */
  learn(): void {}

  async lessons({ update, played, episodes }: PlayedBatch): Promise<GuidedLessons> {
    const usual = meanOrZero(episodes.map(({ returned }) => returned));
    const groups = [...Map.groupBy(episodes.keys(), (i) => episodes[i].prompt).values()];
    const earned = groups.map((members) => ({
      arm: String(episodes[members[0]].task ?? 0),
      // Weights change, so only returns relative to others of the same update are comparable.
      mean: meanOrZero(members.map((i) => episodes[i].returned)) - usual,
    }));
    const arms = Map.groupBy(earned, ({ arm }) => arm);
    if (arms.size > 1)
      for (const [arm, list] of arms)
        this.#pool.earn(
          arm,
          list.map(({ mean }) => mean),
        );
    if ((update + 1) % every === 0) {
      for (const gone of this.#pool.prune(2)) this.#parts.say(`The instruction "${this.#textOf(gone)}" is removed from the population.`);
      const failed = played.find((_, i) => episodes[i].returned <= usual);
      if (failed !== undefined) await this.#write(update, failed);
    }
    this.best[0] = this.tasks[Number(this.#pool.ranked()[0])];
    // The empty instruction has no effect.
    return { figures: { instructions: earned.filter(({ arm }) => this.#textOf(arm) !== '').length } };
  }

  write(): JsonObject {
    return { tasks: [...this.tasks], pool: this.#pool.write(), best: this.best[0] };
  }

  read(from: JsonObject): void {
    this.tasks.splice(0, this.tasks.length, ...(from['tasks'] as readonly Json[]));
    this.#pool.read(from['pool'] as JsonObject);
    this.best[0] = from['best'];
  }

  #textOf(arm: string): string {
    return String((this.tasks[Number(arm)] as JsonObject)['instruction']);
  }

  /** Writes a new instruction by the first teacher, from an episode with at most the usual return. */
  async #write(update: number, { log, sample }: PlayedBatch['played'][number]): Promise<void> {
    const { teachers, environment, guidance, seed, task, say } = this.#parts;
    const [writer] = teachers;
    const turns = turnsInLog(log, [sample.seat]);
    if (writer === undefined || guidance.share === 0 || this.#pool.ids.length >= (guidance.places ?? 6) || turns.length === 0) return;
    const request = { environment, writer };
    const wanted = `This try was not better than usual. The best instruction so far is: "${this.#textOf(this.#pool.ranked()[0])}" Write a better instruction for whoever plays this seat, in one or two sentences.`;
    // A script ignores the question: it answers with its first move.
    const about = isScript(environment, writer) ? turns[0] : turns[turns.length - 1];
    const text = (await askAbout(request, about, wanted, rng(seed, 'instruction', update))).slice(0, 400);
    if (text === '' || this.tasks.some((task) => (task as JsonObject)['instruction'] === text)) return;
    this.#pool.add(String(this.tasks.length));
    this.tasks.push({ ...(task as JsonObject), instruction: text });
    say(`A new instruction joins the population: "${text.slice(0, 120)}".`);
  }
}
