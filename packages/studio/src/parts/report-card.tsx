/** @file How well a character plays its card: the parts of its report card, what to fix, and the answers that went wrong. */

import type { RunNow } from '@ludus-agents/servers/internal/studio/api';
import { count, toTitle } from '../format.ts';
import { link } from '../router.ts';
import { Forest } from './forest.tsx';
import { Scroll } from './scroll.tsx';

type Card = NonNullable<RunNow['card']>;

const points = (value: number) => (100 * value).toFixed(1);

export function ReportCard({ card }: { readonly card: Card }) {
  const { persona, agent, reader, probes, score, interval, broken, parts, mend } = card;
  const valued = parts.flatMap(({ section, value, interval }) => (value === null ? [] : [{ label: toTitle(section), value, interval }]));
  const misses = parts.flatMap((part) => part.misses.map((miss) => ({ ...miss, section: part.section })));
  return (
    <>
      <section aria-label="Report card">
        <h2>Report card</h2>
        <p className={`verdict text ${score !== null && score >= 0.8 ? 'good' : ''}`}>
          {score === null
            ? `No answer of ${persona.name} could be read.`
            : `${persona.name}, played by ${agent}, scores ${points(score)} of 100${interval === null ? '' : ` (95% CI ${interval.map(points).join(' to ')})`} on ${count(probes, 'probe')}.`}
          {broken === 0 ? '' : ` ${count(broken, 'answer')} could not be read and count neither way.`}
        </p>
        {valued.length === 0 ? null : (
          <Forest label="Score by part (0–100, 95% CI)" points marks={valued.map((mark) => ({ ...mark, agent }))} />
        )}
        {mend.length === 0 ? null : (
          <>
            <h3>What to fix</h3>
            <ul className="sentences">
              {mend.map((sentence) => (
                <li key={sentence} className="text">
                  {sentence}
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="muted small">Answers were read by {reader === 'rules' ? 'rule-based scorers' : reader}.</p>
      </section>
      {misses.length === 0 ? null : (
        <section aria-label="Wrong answers">
          <h2>Wrong answers</h2>
          <Scroll label="Wrong answers by part">
            <table>
              <thead>
                <tr>
                  {['Part', 'Question', 'Answer', 'Expected'].map((name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {misses.map(({ section, probe, asked, answered, wanted, episode }) => (
                  <tr key={`${section} ${probe}`}>
                    <td>{toTitle(section)}</td>
                    <th scope="row" className="text">
                      {episode === undefined ? asked : <a href={link('e', episode)}>{asked}</a>}
                    </th>
                    <td className="text">{answered}</td>
                    <td className="text">{wanted}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </section>
      )}
    </>
  );
}
