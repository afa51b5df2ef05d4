/** @file A character's voice, and example dialogue. */

import type { Persona } from '@ludus-agents/servers/internal/studio/api';
import { AreaField, ListField, NumberField, put, TextField } from '../parts/form.tsx';
import type { PartProps } from './identity.tsx';

type Example = Persona['voice']['examples'][number];

export function Voice({ persona, change }: PartProps) {
  const { voice } = persona;
  const set = (part: Partial<Persona['voice']>) => change({ ...persona, voice: { ...voice, ...part } });
  return (
    <>
      <div className="fields">
        <TextField
          label="Manner"
          value={voice.register ?? ''}
          change={(register) => change({ ...persona, voice: put(voice, 'register', register) })}
        />
        <NumberField
          label="Maximum words per sentence"
          value={voice.sentenceLen?.max}
          from={1}
          to={1000}
          change={(max) => change({ ...persona, voice: put(voice, 'sentenceLen', max === undefined ? undefined : { max }) })}
        />
        <ListField
          label="Likes to say"
          by="comma"
          value={voice.lexicon.use}
          change={(use) => set({ lexicon: { ...voice.lexicon, use } })}
        />
        <ListField
          label="Never says"
          by="comma"
          value={voice.lexicon.avoid}
          change={(avoid) => set({ lexicon: { ...voice.lexicon, avoid } })}
        />
        <ListField label="Quirks" value={voice.quirks} change={(quirks) => set({ quirks })} />
      </div>
      <Examples examples={voice.examples} change={(examples) => set({ examples })} />
    </>
  );
}

/** Conversations as lines "user: …" and "char: …". */
function Examples({
  examples,
  change,
}: {
  readonly examples: readonly Example[];
  readonly change: (examples: readonly Example[]) => void;
}) {
  const fresh = () => {
    const ids = new Set(examples.map(({ id }) => id));
    let n = examples.length + 1;
    while (ids.has(`e${n}`)) n++;
    change([
      ...examples,
      {
        id: `e${n}`,
        tags: [],
        turns: [
          { speaker: 'user', speech: '…' },
          { speaker: 'char', speech: '…' },
        ],
      },
    ]);
  };
  return (
    <>
      <ul className="entries">
        {examples.map((example, i) => (
          <li key={example.id}>
            {example.turns.map((turn, at) => (
              <AreaField
                // biome-ignore lint/suspicious/noArrayIndexKey: turns have no name but their place.
                key={at}
                label={`Example ${example.id}, ${turn.speaker === 'char' ? 'the character' : turn.speaker} says`}
                value={turn.speech}
                change={(speech) => change(examples.with(i, { ...example, turns: example.turns.with(at, { ...turn, speech }) }))}
              />
            ))}
            <button
              type="button"
              className="plain"
              onClick={() => change(examples.toSpliced(i, 1))}
              aria-label={`Remove example ${example.id}`}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <button type="button" onClick={fresh}>
        Add an example
      </button>
    </>
  );
}
