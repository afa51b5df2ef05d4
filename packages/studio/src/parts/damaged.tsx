/** @file What a list had to leave out because it cannot be read: one bad record hides no other. */

import { useApi } from '../client.ts';
import { formatGrouped } from '../format.ts';

const listed = 20;

export function Damaged() {
  const { loaded } = useApi('/api/runs/damaged', {}, 10_000);
  const records = loaded.state === 'ready' ? loaded.data.records : [];
  if (records.length === 0) return null;
  const isSingle = records.length === 1;
  return (
    <details className="card" aria-label="Damaged records">
      <summary>
        {isSingle ? 'One record' : `${formatGrouped(records.length)} records`} of this store cannot be read and {isSingle ? 'is' : 'are'}{' '}
        not shown.
      </summary>
      <ul className="sentences small">
        {records.slice(0, listed).map(({ record, problem }) => (
          <li key={record} className="text">
            {record}: {problem}
          </li>
        ))}
      </ul>
      <p className="small">
        {records.length > listed ? `And ${formatGrouped(records.length - listed)} more. ` : ''}
        <code>ludus doctor</code> names them all, and <code>ludus doctor --fix</code> moves them aside.
      </p>
    </details>
  );
}
