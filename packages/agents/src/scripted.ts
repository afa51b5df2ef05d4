/** @file The scripted players of an environment: defaults for its seats, and strategies worth playing against. */

import { type Agent, type AnyEnvironment, Fault, nameOf, type Script, type Seat, scripted } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';

/** An environment's script by name; without one, the script of the seat, or else the environment's first script. */
export function scriptedAgent(environment: AnyEnvironment, seat: Seat, wanted?: string): Agent {
  const scripts: Readonly<Record<string, Script>> = environment.scripts ?? {};
  const known = Object.keys(scripts);
  const name = wanted ?? (Object.hasOwn(scripts, seat) ? seat : known[0]);
  if (name === undefined)
    throw new Fault('input', `${nameOf(environment)} has no scripted players; cast random, human or a model instead.`);
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  if (script === undefined) {
    const others = known.length > 0 ? `its scripts are ${known.join(', ')}` : 'it has none';
    throw new Fault('input', `${nameOf(environment)} has no script "${name}"; ${others}.${didYouMean(name, known)}`);
  }
  return scripted(`scripted:${name}`, script);
}
