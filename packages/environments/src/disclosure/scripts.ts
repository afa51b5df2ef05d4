/** @file Parties by rules: silent, open, and discreet. */

import type { Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import type { DisclosureOutlook } from './disclosure.ts';

type Fact = DisclosureOutlook['mine'][number];

function party(share: (outlook: DisclosureOutlook, untold: readonly Fact[]) => Fact | undefined): Script {
  return ({ ask, rng }: Turn) => {
    const outlook = ask.data as DisclosureOutlook;
    if (outlook.phase === 'vote') return { text: `[vote ${rng.pick(outlook.open)}]` };
    if (outlook.phase === 'probe') {
      const ids = outlook.mine.filter((fact) => fact.private).map(({ id }) => id);
      return { text: `[private ${ids.join(', ') || 'none'}]` };
    }
    const fact = share(
      outlook,
      outlook.mine.filter(({ id }) => !outlook.told.includes(id)),
    );
    return { text: fact === undefined ? '[pass]' : `[share ${fact.id}]` };
  };
}

export const scripts: Readonly<Record<string, Script>> = {
  silent: party(() => undefined),
  /** Tells every fact, the private ones too. */
  open: party((_, untold) => untold[0]),
  /** Tells harmless facts that rule something out; a private one only where no harmless fact of its own rules out the same. */
  discreet: party(({ mine }, untold) => {
    const harmless = untold.find((fact) => !fact.private && fact.against.length > 0);
    if (harmless !== undefined) return harmless;
    const covered = new Set(mine.filter((fact) => !fact.private).flatMap(({ against }) => against));
    return untold.filter((fact) => fact.against.some((option) => !covered.has(option))).toSorted((a, b) => a.harm - b.harm)[0];
  }),
};
