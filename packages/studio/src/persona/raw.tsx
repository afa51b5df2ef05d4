/** @file The whole document as JSON, for what the other parts have no field for. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { useState } from 'react';
import { Problem } from '../parts/states.tsx';
import type { PartProps } from './identity.tsx';

export function Raw({ persona, change }: PartProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const apply = () => {
    try {
      const read = JSON.parse(typed ?? '') as Persona;
      // What the other parts draw must be there; what is wrong inside is said by the check.
      change({ ...persona, ...read });
      setTyped(null);
      setError(null);
    } catch (thrown) {
      setError(`Invalid JSON: ${(thrown as Error).message}.`);
    }
  };
  return (
    <div className="field">
      <label htmlFor="raw">Document</label>
      <textarea
        id="raw"
        className="mono"
        rows={18}
        spellCheck={false}
        value={typed ?? JSON.stringify(persona, null, 2)}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Problem error={error} />
      <span className="row">
        <button type="button" disabled={typed === null} onClick={apply}>
          Apply
        </button>
        <button type="button" className="plain" disabled={typed === null} onClick={() => setTyped(null)}>
          Discard
        </button>
      </span>
    </div>
  );
}
