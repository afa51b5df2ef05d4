/** @file A script of the environment on the seats of the learner: whom it imitates, and whose words its vocabulary knows. */

import {
  type AnyEnvironment,
  Fault,
  type Json,
  type Policy,
  type Script,
  type Seat,
  scriptedPolicy,
  type Turn,
} from '@ludus-agents/kernel/internal/core/index';

export interface WarmUpSetup {
  readonly environment: AnyEnvironment;
  readonly task: Json;
  /** Who plays the seats that are not the learner's. */
  readonly others?: Readonly<Record<Seat, Policy>>;
}

/** Another script that answers in place of the first, at so large a share of the turns: a teacher that errs. */
export type ScriptErrors = {
  readonly script: string;
  readonly share: number;
};

/** Whom to imitate. */
export interface ShownScript {
  readonly script: string;
  readonly errs?: ScriptErrors | undefined;
}

/** A script on every unassigned seat; `told` receives each of its answers. */
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
