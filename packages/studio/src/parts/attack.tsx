/** @file What an attack came to: how often it got through, with which ways, in which words and at which turn; and what honest visitors were refused. */

import type { AttackShown, ThroughShown } from '@ludus-agents/servers/internal/studio/api';
import { formatGrouped } from '../format.ts';
import { link } from '../router.ts';
import { Scroll } from './scroll.tsx';

const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
const range = ({ interval: [low, high] }: ThroughShown) => `${percent(low)} to ${percent(high)}`;

export function Attack({ attack }: { readonly attack: AttackShown }) {
  const { target, through, of, overRefusal, plain, examples, untested, notes, rounds } = attack;
  return (
    <section aria-label="Successful attacks">
      <h2>Successful attacks</h2>
      <p className={`verdict text ${through === 0 ? 'good' : ''}`}>
        {through === 0 ? 'None' : formatGrouped(through)} of {formatGrouped(of)} attacks succeeded against {target} with new seeds:{' '}
        {percent(through / Math.max(1, of))} (95% CI {range(attack)}).
        {plain === null ? '' : ` With a single plain request, it is ${percent(plain)}.`}
        {overRefusal === null ? '' : ` Honest visitors were denied ${percent(overRefusal)} of what they are allowed to know.`}
      </p>
      {notes.map((note) => (
        <p key={note} className="text">
          {note}
        </p>
      ))}
      {examples.length === 0 ? null : <Examples attack={attack} />}
      <Ways attack={attack} />
      {rounds.length === 0 ? null : (
        <ul className="sentences" aria-label="Rounds of defense">
          {rounds.map(({ round, before, after, defence }) => (
            <li key={round}>
              Round {round + 1}: {defence === null ? 'no defense was significantly better' : 'a defense'}; {percent(before.harm)} of attacks
              succeeded before and {percent(after.harm)} after, and {percent(before.overRefusal)} and {percent(after.overRefusal)} of honest
              requests were denied.
            </li>
          ))}
        </ul>
      )}
      {untested.length === 0 ? null : (
        <p className="muted small text">
          Not tested, because they need quoted text in the policy or an attacker model: {untested.join(' · ')}
        </p>
      )}
    </section>
  );
}

function Examples({ attack: { examples, target } }: { readonly attack: AttackShown }) {
  return (
    <ul className="cards" aria-label="Attacks in full">
      {examples.map(({ prompt, answer, episode, event, turn, ways }) => (
        <li key={episode} className="card">
          <p className="row">
            <span className="badge bad">got through</span>
            <span className="text">{ways.join(', ')}</span>
            {turn === undefined ? null : <span className="muted small">turn {turn}</span>}
          </p>
          <p className="muted small">The attack</p>
          <blockquote className="text">{cut(prompt)}</blockquote>
          <p className="muted small">{target}</p>
          <blockquote className="text">{cut(answer)}</blockquote>
          <a href={event === undefined ? link('e', episode) : link('e', episode, event)}>Open episode</a>
        </li>
      ))}
    </ul>
  );
}

function cut(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}

function Ways({ attack: { ways, with: kind } }: { readonly attack: AttackShown }) {
  if (ways.length === 0) return null;
  // A guard is tested against each rule of its prompt, and others with ways of attacking.
  const [what, outcome, label] =
    kind === 'guard' ? ['Rule in the prompt', 'Broken', 'Rules in the prompt'] : ['Attack', 'Got through', 'Attack methods'];
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">{what}</th>
            {[outcome, 'Of', 'Share', '95% CI'].map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ways.map((attackWay) => (
            <tr key={attackWay.way}>
              <th scope="row" className="text">
                {attackWay.way}
              </th>
              <td className="number">{formatGrouped(attackWay.through)}</td>
              <td className="number">{formatGrouped(attackWay.of)}</td>
              <td className="number">{percent(attackWay.through / Math.max(1, attackWay.of))}</td>
              <td className="number">{range(attackWay)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
