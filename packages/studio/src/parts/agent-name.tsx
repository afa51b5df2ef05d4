/** @file Names of agents as people read them: a candidate of an optimization run by its number, with its id in a tooltip. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { CandidateNumbers } from '@ludus-agents/servers/internal/studio/api';
import { createContext, Fragment, type ReactNode, useCallback, useContext } from 'react';
import { useApi } from '../client.ts';
import { isGuest } from '../guest.ts';

const Numbers = createContext<CandidateNumbers>({});

/** Reads the numbers of candidates for everything inside; a read-only link shows candidates without them. */
export function CandidateTitles({ children }: { readonly children: ReactNode }) {
  const { loaded } = useApi('/api/improving/numbers', isGuest ? null : {}, 10_000);
  return <Numbers value={loaded.state === 'ready' ? loaded.data : {}}>{children}</Numbers>;
}

/** Replaces names such as "breaker@01108eab" in a text by "breaker (candidate 3)". The rest is unchanged. */
export function useAgentTitles(run?: string | null): (text: string) => string {
  const numbers = useContext(Numbers);
  return useCallback(
    (text) => {
      if (!text.includes('@')) return text;
      const runs = run == null ? Object.values(numbers) : [numbers[run] ?? {}];
      return text.replace(linear(/@([0-9a-f]{8})(?![\w-])/g), (_, id: string, at: number) => {
        const number = runs.find((numbers) => id in numbers)?.[id];
        // The trivial agents of a comparison are named "floor-random".
        if (text.slice(text.lastIndexOf(' ', at) + 1, at).startsWith('floor-')) return ' (baseline)';
        return number === undefined ? ' (candidate)' : number === 0 ? ' (start)' : ` (candidate ${number})`;
      });
    },
    [numbers, run],
  );
}

export function AgentName({ name, run }: { readonly name: string; readonly run?: string | null }) {
  const title = useAgentTitles(run)(name);
  return title === name ? <Breakable name={name} /> : <span title={name}>{title}</span>;
}

/** A name that may break after the marks in it, and not in a word: "house:scripted:" and "equilibrium". */
export function Breakable({ name }: { readonly name: string }) {
  return name.split(/(?<=[:/@#_])/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity, and never move.
    <Fragment key={i}>
      {i === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
