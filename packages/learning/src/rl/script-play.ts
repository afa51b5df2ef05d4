/** @file Plays a script of the environment on the learner's seats, for imitation and for the vocabulary. */

import type { AnyEnvironment, Json, Policy, Script, Seat, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, scriptedPolicy } from '@ludus-agents/kernel/internal/core/index';

export interface WarmUpSetup {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** The policies on the other seats. */
  readonly others?: Readonly<Record<Seat, Policy>>;
}

/** A second script that answers instead of the first at a share of the turns: a teacher with errors. */
export type ScriptErrors = {
  readonly script: string;
  readonly share: number;
};

/** The script to imitate. */
export interface ShownScript {
  readonly script: string;
  readonly errs?: ScriptErrors | undefined;
}

/** Seats the script on every unassigned seat; `told` receives each of its answers. */
export function scriptCast(
  { environment, task, others = {} }: WarmUpSetup,
  { script, errs }: ShownScript,
  onAnswer: (turn: Turn, text: string) => void,
): Readonly<Record<Seat, Policy>> {
  const scriptSource = scriptOf(environment, script);
  const wrong = errs === undefined ? null : scriptOf(environment, errs.script);
  const policy = scriptedPolicy(script, (turn) => {
    const answer = wrong !== null && turn.rng.next() < errs!.share ? wrong(turn) : scriptSource(turn);
    onAnswer(turn, ('action' in answer ? answer.action : answer).text);
    return answer;
  });
  const seats: readonly Seat[] = environment.seats(environment.task(task));
  return Object.fromEntries(seats.map((seat) => [seat, others[seat] ?? policy]));
}

function scriptOf(environment: AnyEnvironment, name: string): Script {
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const namedScript = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (namedScript === undefined)
    throw new Fault(
      'input',
      `${environment.id} has no script "${name}" to imitate. Available: ${Object.keys(scripts).join(', ') || 'none'}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return namedScript;
}
