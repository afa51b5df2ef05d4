/** @file The verdict of a release test: whether each agent passed, and which rules it met. */

import type { RunNow } from '@ludus-agents/servers/internal/studio/api';
import { AgentName, useAgentTitles } from './agent-name.tsx';
import { Scroll } from './scroll.tsx';

type Gates = NonNullable<RunNow['gate']>;

export function Gate({ gates, run }: { readonly gates: Gates; readonly run: string }) {
  const title = useAgentTitles(run);
  return (
    <section aria-label="Verdict">
      <h2>Verdict</h2>
      {gates.map(({ agent, passed, summary, notes }) => (
        <div key={agent} className={`verdict text ${passed ? 'good' : 'bad'}`}>
          <p>
            <strong>
              {passed ? '✓' : '✗'} {title(agent)} {passed ? 'passed' : 'failed'} the test.
            </strong>{' '}
            {summary}.
          </p>
          {notes.map((note) => (
            <p key={note} className="muted small">
              {note}
            </p>
          ))}
        </div>
      ))}
      <Scroll label="Rules">
        <table>
          <thead>
            <tr>
              {gates.length > 1 ? <th scope="col">Agent</th> : null}
              {['Rule', 'Result'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {gates.flatMap(({ agent, rules }) =>
              rules.map(({ rule, ok, says }) => (
                <tr key={`${agent} ${rule}`}>
                  {gates.length > 1 ? (
                    <td className="text">
                      <AgentName name={agent} run={run} />
                    </td>
                  ) : null}
                  <th scope="row" className="text">
                    {rule} <span className={`badge ${ok ? 'good' : 'bad'}`}>{ok ? 'met' : 'not met'}</span>
                  </th>
                  <td className="text">{says}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
