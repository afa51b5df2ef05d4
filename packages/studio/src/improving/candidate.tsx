/** @file One candidate: its proposer and reason, the differences from its parent, the gate's verdict, and a way to restore it. */

import type { CandidateDetail, CandidateLine } from '@ludus-agents/servers/internal/studio/api';
import { post, useAction, useApi } from '../client.ts';
import { count } from '../format.ts';
import { Problem, When } from '../parts/states.tsx';
import { candidateTitle } from './tree.tsx';

interface CandidateProps {
  readonly run: string;
  readonly id: string;
  readonly line: CandidateLine | null;
  readonly isHead: boolean;
  readonly reload: () => void;
}

export function Candidate({ run, id, line, isHead, reload }: CandidateProps) {
  const { loaded, reload: again } = useApi('/api/improving/of/:run/:candidate', { param: { run, candidate: id } });
  const { busy, error, run: act } = useAction();
  const back = () =>
    act(async () => {
      await post('/api/improving/of/:run/rollback', { param: { run }, json: { candidate: id } });
      reload();
    });
  return (
    <section className="card" aria-label="Candidate">
      <div className="row">
        <h2 className="grow">
          <span title={id}>{line === null ? 'Candidate' : candidateTitle(line.number)}</span>
        </h2>
        <button type="button" disabled={busy || isHead} onClick={back}>
          {isHead ? 'Current candidate' : 'Restore this candidate'}
        </button>
      </div>
      <Problem error={error} />
      {line === null ? null : (
        <p className="muted small">
          {line.parents.length === 0 ? 'Initial candidate' : `Proposed by ${line.proposer} in step ${line.step}`}
          {line.parents.length > 1 ? ', a merge of two' : ''}
          {line.select.mean === null
            ? ''
            : `; mean ${line.select.mean.toFixed(3)} over ${count(line.select.tasks, 'task')}, ${count(line.select.episodes, 'episode')}`}
          {line.clade > 1 ? `; ${count(line.clade - 1, 'descendant')}` : ''}
        </p>
      )}
      {line === null || line.words === '' ? null : <p className="text">{line.words}</p>}
      <When loaded={loaded} what="candidate" retry={again}>
        {(detail) => (
          <>
            <ul className="sentences">
              {detail.verdicts.map(({ against, accept, words }) => (
                <li key={against}>
                  <span className={`badge ${accept ? 'good' : 'bad'}`}>{accept ? 'accepted' : 'rejected'}</span> {words}
                </li>
              ))}
            </ul>
            {detail.changes.map((change) => (
              <Change key={change.name} change={change} />
            ))}
            <details>
              <summary>Full prompt</summary>
              {Object.entries(detail.components).map(([name, text]) => (
                <div key={name}>
                  <h3>{name}</h3>
                  <pre>{text}</pre>
                </div>
              ))}
            </details>
          </>
        )}
      </When>
    </section>
  );
}

const prefixes = { '-': 'removed: ', '+': 'added: ', ' ': '' } as const;

function Change({ change: { name, lines } }: { readonly change: CandidateDetail['changes'][number] }) {
  return (
    <div>
      <h3>{name}</h3>
      <ol className="diff">
        {lines.map(({ sign, text }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name but their place.
          <li key={i} className={sign === '+' ? 'added' : sign === '-' ? 'gone' : ''}>
            <span className="hidden">{prefixes[sign]}</span>
            <span aria-hidden="true">{sign} </span>
            <span className="text">{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
