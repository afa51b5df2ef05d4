/** @file Therapists by rules, and the patient that says one symptom after the other. */

import { type Ask, Fault, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { PatientOutlook, TherapistOutlook } from './consultation.ts';

function therapist(decide: (outlook: TherapistOutlook) => string | null): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as TherapistOutlook | undefined;
    if (outlook?.heard === undefined) throw elsewhere('treats', ask);
    if (outlook.named !== null) return { text: `[treat ${outlook.treatments[outlook.named]}]` };
    const named =
      decide(outlook) ?? (outlook.heard.length > 0 && outlook.fitting.length === 0 ? rng.pick(Object.keys(outlook.treatments)) : null);
    return { text: named === null ? '[ask]' : `[diagnose ${named}]` };
  };
}

function elsewhere(does: string, { seat }: Ask): Fault {
  return new Fault('input', `This script ${does}, but seat "${seat}" has another role here. Use another script.`);
}

export const scripts: Readonly<Record<string, Script>> = {
  /** Asks until one condition alone fits. */
  differential: therapist(({ fitting }) => (fitting.length === 1 ? fitting[0] : null)),
  /** Names the first condition that fits what it heard first. */
  hasty: therapist(({ fitting, heard }) => (heard.length > 0 ? (fitting[0] ?? null) : null)),
  /** Names a condition before it has heard anything. */
  deaf: therapist(({ treatments }) => Object.keys(treatments)[0]),
  /** Says the first symptom that it has not said yet. */
  patient: ({ ask }: Turn) => {
    const outlook = ask.data as PatientOutlook | undefined;
    if (outlook?.untold === undefined) throw elsewhere('is a patient', ask);
    return { text: outlook.untold[0] ?? 'That is all.' };
  },
};
