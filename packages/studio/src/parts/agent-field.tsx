/** @file Who is to sit on a seat: yourself, a script, chance, a model, or a character in the lines on its card or by a model. */

import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { EnvironmentsShown } from '@ludus-agents/servers/internal/studio/api';
import { ModelField } from './model.tsx';

interface AgentFieldProps {
  readonly seat: string;
  readonly castable: readonly string[];
  readonly characters: EnvironmentsShown['characters'];
  /** As the server reads it: "human", "scripted:bold", "llm:fake", "persona:beatrix llm:fake"; "" leaves anyone who sits there. */
  readonly value: string;
  readonly choose: (agent: string) => void;
  /** What an empty choice means, e.g. "as before (random)"; without it there is none. */
  readonly otherwise?: string;
}

export function AgentField({ seat, castable, characters, value, choose, otherwise }: AgentFieldProps) {
  const [, persona, model] = linear(/^(persona:\S+)?\s?(?:llm:(.*))?$/).exec(value) ?? [];
  const picked = persona ?? (model === undefined ? value : 'llm:');
  const toSpec = (who: string, by: string) => (who === 'llm:' ? `llm:${by}` : by === '' ? who : `${who} llm:${by}`);
  const isListed = picked === '' || picked === 'human' || picked === 'llm:' || persona !== undefined || castable.includes(picked);
  return (
    <div className="field">
      <label className="field">
        <span>{seat}</span>
        <select value={picked} onChange={(event) => choose(event.target.value === 'llm:' ? 'llm:fake' : event.target.value)}>
          {otherwise === undefined ? null : <option value="">{otherwise}</option>}
          <option value="human">You</option>
          {isListed ? null : <option value={picked}>{picked}</option>}
          {castable.map((name) => (
            <option key={name} value={name}>
              {agentName(name)}
            </option>
          ))}
          <option value="llm:">a model …</option>
          <optgroup label="Characters">
            {characters.map(({ id, name }) => (
              <option key={id} value={`persona:${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      {picked === 'llm:' || persona !== undefined ? (
        <ModelField
          label={persona === undefined ? 'Model' : 'Model that plays it'}
          none={persona === undefined ? 'openai/gpt-5-mini, ollama/qwen3:8b …' : 'Scripted replies, in a social scene'}
          value={model ?? ''}
          change={(name) => choose(toSpec(picked, name))}
        />
      ) : null}
    </div>
  );
}

/** What was trained here is called by its run: "trained: kuhn-1 (best)". */
function agentName(agent: string): string {
  const [, run, at] = /^local\/(.*)@(best|last)$/.exec(agent) ?? [];
  return run === undefined ? agent.replace('scripted:', 'script: ') : `trained: ${run} (${at})`;
}
