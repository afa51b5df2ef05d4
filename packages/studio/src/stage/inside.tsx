/** @file What an agent carried inside when it answered: thought, mood, tools, memories, plan, memo; each unfolds on its own. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import type { Inside } from '@ludus-agents/servers/internal/studio/api';
import type { ReactNode } from 'react';
import { Deliberation } from './deliberation.tsx';
import { MemoryGraph } from './memory-graph.tsx';
import { SearchTree } from './search-tree.tsx';

export function InsideShown({ inside }: { readonly inside: Inside }) {
  const { thought, mood, memories, plan, memo, uses, discussion, search, raw } = inside;
  return (
    <>
      {discussion === null ? null : (
        <Part title="The team’s discussion" open there>
          <Deliberation discussion={discussion} />
        </Part>
      )}
      {search === null ? null : (
        <Part title="What the search tried" open there>
          <SearchTree search={search} />
        </Part>
      )}
      <Part title="Private thought" open there={thought !== ''}>
        <p className="text">{thought}</p>
      </Part>
      <Part title="Mood" open there={mood !== ''}>
        <p>{mood}</p>
      </Part>
      <Part title={`Tools used (${uses.length})`} open there={uses.length > 0}>
        <ul className="plain-list">
          {uses.map(({ tool, arguments: input, ok, result }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: uses are numbered.
            <li key={i}>
              <span className={`badge ${ok ? 'good' : 'bad'}`}>{tool}</span> <code>{JSON.stringify(input)}</code>
              <pre>{result}</pre>
            </li>
          ))}
        </ul>
      </Part>
      <Part
        title={`Memories (${memories.length}, ${memories.filter(({ used }) => used).length} in this prompt)`}
        there={memories.length > 0}
      >
        <MemoryGraph memories={memories} />
        <ul className="plain-list">
          {memories.map(({ id, kind, text, used }) => (
            <li key={id}>
              <span className={`badge ${used ? 'live' : ''}`}>{kind}</span> <span className="text">{text}</span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title="Plan" there={plan.length > 0}>
        <ol>
          {plan.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </Part>
      <Part title="Memo to itself" there={memo !== ''}>
        <p className="text">{memo}</p>
      </Part>
      <Raw label="Raw state" value={raw} />
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly open?: boolean;
  /** Nothing is shown where there is nothing. */
  readonly there: boolean;
  readonly children: ReactNode;
}

function Part({ title, open = false, there, children }: PartProps) {
  return there ? (
    <details open={open}>
      <summary>{title}</summary>
      {children}
    </details>
  ) : null;
}

export function Raw({ label, value, open = false }: { readonly label: string; readonly value: Json; readonly open?: boolean }) {
  return (
    <details open={open}>
      <summary>{label}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
