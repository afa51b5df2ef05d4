/** @file The scripted players of an environment: defaults for its seats, strategies to play against, and variants with an error rate. */

import { isContentEnvironment } from '@ludus-agents/environments/internal/content/content';
import { type Agent, type AnyEnvironment, Fault, nameOf, type Script, type Seat, scripted } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { remarks } from './random.ts';

const withErrors = linear(/^(.*)~(\d*\.?\d+)$/);

/**
 * An environment's script by name. "NAME~0.2" makes an error in a fifth of its turns: another legal move, or a short remark if none are
 * listed. Without a name, it is the script of the seat, or else the best script of content, or the environment's first script.
 */
export function scriptedAgent(environment: AnyEnvironment, seat: Seat, wanted?: string): Agent {
  const [, base, rate] = withErrors.exec(wanted ?? '') ?? [];
  if (Number(rate ?? 0) > 1) throw new Fault('input', `scripted:${wanted}: the error rate must be from 0 to 1, but got ${rate}.`);
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const knownKeys = Object.keys(scripts);
  const name =
    (rate === undefined ? wanted : base) ||
    (Object.hasOwn(scripts, seat) ? seat : isContentEnvironment(environment) ? environment.reader.best : knownKeys[0]);
  if (name === undefined)
    throw new Fault('input', `${nameOf(environment)} has no scripted players. Use random, human, or a model instead.`);
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (script === undefined) {
    const others = knownKeys.length > 0 ? `its scripts are ${knownKeys.join(', ')}` : 'it has none';
    throw new Fault('input', `${nameOf(environment)} has no script "${name}"; ${others}.${didYouMean(name, knownKeys)}`, {
      code: 'E_UNKNOWN_NAME',
    });
  }
  return rate === undefined ? scripted(`scripted:${name}`, script) : scripted(`scripted:${name}~${rate}`, erring(script, Number(rate)));
}

/** The script with errors: at the given rate it makes a legal move that the script would not have made. */
function erring(script: Script, rate: number): Script {
  const answers: Script = (turn) => {
    const answer = script(turn);
    const action = 'action' in answer ? answer.action : answer;
    const { choices = remarks } = turn.ask;
    const others = choices.filter((choice) => choice !== action.text);
    if (others.length === 0 || turn.rng.next() >= rate) return answer;
    const wrong = { text: turn.rng.pick(others) };
    return 'action' in answer ? { ...answer, action: wrong } : wrong;
  };
  return script.speaks === true ? Object.assign(answers, { speaks: true as const }) : answers;
}
