/** @file A PI controller for the motor: gains by pole-zero cancellation, and an integral that does not grow while the voltage is at its limit. */

import { Fault, type Script, type View } from '@ludus-agents/kernel/internal/core/index';
import { motorConstants } from './physics.ts';

const { resistance, inductance, flux, inertia } = motorConstants;
/** The speeds of the two loops, per second: slower where steps are long, or the loop would overshoot. */
const loops = (seconds: number) => {
  const currentLoop = Math.min(1000, 0.5 / seconds);
  return { currentLoop, speedLoop: currentLoop / 10 };
};

type Sight = {
  readonly current: number;
  readonly speed: number;
  readonly reference: number;
  readonly control: string;
  readonly supply: number;
  readonly seconds: number;
};

type Integrals = { readonly volts: number; readonly amperes: number };

const pi: Script = ({ view, mind }) => {
  const visible = sightOf(view);
  const { volts, amperes } = (mind as Integrals | undefined) ?? { volts: 0, amperes: 0 };
  const { currentLoop, speedLoop } = loops(visible.seconds);
  const gain = (inertia * speedLoop) / flux;
  const slip = visible.reference - visible.speed;
  const wanted = visible.control === 'current' ? visible.reference : Math.max(-150, Math.min(150, gain * slip + amperes));
  const error = wanted - visible.current;
  // What the turning rotor induces is known, so it is added.
  const voltage = inductance * currentLoop * error + volts + flux * visible.speed;
  const limited = Math.max(-visible.supply, Math.min(visible.supply, voltage));
  const free = limited === voltage;
  return {
    action: { text: `[${limited / visible.supply}]` },
    mind: {
      volts: free ? volts + resistance * currentLoop * error * visible.seconds : volts,
      amperes: free && Math.abs(wanted) < 150 ? amperes + gain * (speedLoop / 5) * slip * visible.seconds : amperes,
    },
  };
};

/** No voltage. */
const off: Script = () => ({ text: '[0]' });

function sightOf(view: View): Sight {
  const last = view.seen.findLast((item) => item.kind === 'message' && item.data !== undefined);
  if (last?.kind !== 'message') throw new Fault('input', 'This script must see its whole view. Play it without a window.');
  return last.data as Sight;
}

export const scripts: Readonly<Record<string, Script>> = { pi, off };
