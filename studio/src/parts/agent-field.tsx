/** @file Who is to sit on a seat: yourself, a script, chance, a model, or a character from the gallery. */

import { useState } from 'react';
import type { AgentSpec } from '../../../src/core/index.ts';

/** An agent as a form knows it: "" leaves whoever sits there. */
export type AgentChoice = AgentSpec | string;

interface AgentFieldProps {
  readonly seat: string;
  readonly castable: readonly string[];
  readonly value: AgentChoice;
  readonly choose: (agent: AgentChoice) => void;
  /** What an empty choice means, e.g. "as before (random)"; without it there is none. */
  readonly otherwise?: string;
  readonly person?: boolean;
}

const model = 'llm:';

export function AgentField({ seat, castable, value, choose, otherwise, person = true }: AgentFieldProps) {
  const written = typeof value === 'string' ? value : value.name;
  const offered = castable.filter((one) => one !== 'human' && one !== 'llm:MODEL');
  const known = written === '' || written === 'human' || offered.includes(written);
  const [typing, setTyping] = useState(!known);
  const pick = (picked: string) => {
    setTyping(picked === model);
    choose(picked === model ? 'llm:fake' : picked);
  };
  return (
    <div className="field">
      <label className="field">
        <span>{seat}</span>
        <select value={typing ? model : written} onChange={(event) => pick(event.target.value)}>
          {otherwise === undefined ? null : <option value="">{otherwise}</option>}
          {person ? <option value="human">You</option> : null}
          {offered.map((one) => (
            <option key={one} value={one}>
              {one.replace('scripted:', 'script: ')}
            </option>
          ))}
          <option value={model}>A model …</option>
        </select>
      </label>
      {typing ? (
        <label className="field">
          <small>Model, like openai/gpt-5-mini, ollama/qwen3:8b, local or fake</small>
          <input value={written.replace(/^llm:/, '')} spellCheck={false} onChange={(event) => choose(`llm:${event.target.value}`)} />
        </label>
      ) : null}
    </div>
  );
}
